#include "Texts.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

static bool isText(const Type *type) { return type && type->isText; }
static bool isInteger(const Type *type) { return type && type->isInteger; }

namespace {

/// The call of a function that makes a text of its arguments and its object.
struct TextCall {
  const Node &call;
  const Symbol &definition;
  const TextCall *outer; ///< The one in whose function this one stands; null for the outermost.
};

class TextReader {
public:
  Text text;

  TextReader(const FunctionBody &function, PathTable &paths,
             llvm::function_ref<PathId(const Node &)> pathOf)
      : function(function), paths(paths), pathIn(pathOf) {}

  bool read(const Node *expr, unsigned depth = 0) {
    expr = strip(expr);
    if (!expr || depth > 16)
      return false;
    switch (expr->kind) {
    case NodeKind::String: // Of wide characters it is not known.
      return !expr->op.empty() && add(expr->op);
    case NodeKind::Integer:
      return expr->integer && add(std::to_string(*expr->integer));
    case NodeKind::Other: // `'/'`
      return expr->integer && expr->children.empty() && expr->type && expr->type->bits == 8 &&
             *expr->integer > 0 && add(std::string(1, static_cast<char>(*expr->integer)));
    case NodeKind::Construct:
    case NodeKind::Temporary:
      return expr->writtenArguments() == 1 && isText(expr->type) &&
             isText(expr->arguments.front()->type) && read(expr->arguments.front(), depth + 1);
    case NodeKind::Reference:
    case NodeKind::Member:
    case NodeKind::Subscript:
      return readPlace(*expr, depth);
    default:
      return expr->isCall() && expr->symbol &&
             (expr->symbol->isStandard ? readCall(*expr, depth) : readResult(*expr, depth));
    }
  }

private:
  bool add(llvm::StringRef literal) {
    if (!text.parts.empty() && !text.parts.back().place)
      text.parts.back().literal += literal;
    else
      text.parts.push_back({literal.str()});
    return true;
  }

  bool readCall(const Node &call, unsigned depth) {
    if (call.kind == NodeKind::OperatorCall)
      return (call.op == "+" || call.op == "/") && call.arguments.size() == 2 &&
             isText(call.type) && read(call.arguments[0], depth + 1) &&
             (call.op == "+" || add("/")) && read(call.arguments[1], depth + 1);
    const Node *object = methodObject(call);
    if (object && isText(object->type) && isText(call.type) && call.arguments.empty())
      return read(object, depth + 1); // `name.c_str()`, `path.string()`
    return call.calledName() == "to_string" && call.arguments.size() == 1 &&
           isInteger(call.arguments.front()->type) && read(call.arguments.front(), depth + 1);
  }

  /// `std::string file(int epoch) const { return folder + std::to_string(epoch); }`
  bool readResult(const Node &call, unsigned depth) {
    const Node *body = as(NodeKind::Compound, codeOf(*call.symbol));
    const Node *result =
        body && body->children.size() == 1 ? as(NodeKind::Return, body->children.front()) : nullptr;
    if (!result || result->children.empty() || !isText(call.type) ||
        call.kind == NodeKind::OperatorCall || call.symbol->isVirtual)
      return false;
    const TextCall inner{call, *call.symbol->definition, within};
    within = &inner;
    const bool isRead = read(result->children.front(), depth + 1);
    within = inner.outer;
    return isRead;
  }

  /// What the call that is read gives for the parameter.
  bool readArgument(const Symbol &parameter, unsigned depth) {
    const TextCall &inner = *within;
    if (parameter.owner != &inner.definition || parameter.index >= inner.call.arguments.size())
      return false;
    within = inner.outer;
    const bool isRead = read(inner.call.arguments[parameter.index], depth + 1);
    within = &inner;
    return isRead;
  }

  /// The path of the object or member \p expr in the function that is lowered; none if that is not
  /// known.
  PathId pathOf(const Node *expr, const TextCall *call) {
    expr = strip(expr);
    if (!call)
      return pathIn(*expr);
    if (expr->kind == NodeKind::This) {
      const Node *object = methodObject(call->call);
      return object ? pathOf(object, call->outer) : noPath;
    }
    const Entity field = expr->kind == NodeKind::Member ? entityOf(expr) : nullptr;
    const PathId object = field ? pathOf(expr->object, call) : noPath;
    return object ? paths.member(object, field) : noPath;
  }

  bool readPlace(const Node &expr, unsigned depth) {
    if (!isText(expr.type) && !isInteger(expr.type))
      return false;
    const Symbol *variable = variableOf(&expr);
    if (variable && variable->kind == SymbolKind::Parameter && within)
      return readArgument(*variable, depth);
    if (within && !(variable && variable->isStatic) && expr.kind != NodeKind::Member)
      return false;
    if (variable && variable->init && isFixed(*variable)) {
      Text before = text;
      if (read(variable->init, depth + 1))
        return true;
      text = std::move(before);
    }
    // What changes a member is an event.
    if (isInteger(expr.type) &&
        (variable ? !hasLocalName(*variable) || changesWithin(*variable, function.body)
                  : expr.kind != NodeKind::Member || expr.type->isBoolean))
      return false;
    const PathId place = pathOf(&expr, within);
    if (place)
      text.parts.push_back({{}, place});
    return place;
  }

  static bool hasLocalName(const Symbol &variable) {
    return variable.isLocal || variable.kind == SymbolKind::Parameter;
  }

  /// Whether the variable always has the value that it begins with.
  bool isFixed(const Symbol &variable) const {
    if (variable.kind == SymbolKind::Parameter || variable.isRangeElement)
      return false;
    return (variable.type && variable.type->isConst && !variable.type->isReference) ||
           (variable.isLocal && !variable.isStatic && variable.owner == function.function &&
            !function.mayChange(variable, function.body));
  }

  /// Whether the variable changes in \p code, and not only between the rounds of loops.
  bool changesWithin(const Symbol &variable, const Node *code) const {
    const auto changesIn = [&](const Node *part) { return changesWithin(variable, part); };
    if (!code || code->isExpression)
      return code && function.mayChange(variable, code);
    if (code->kind == NodeKind::For)
      return changesIn(code->init) || changesIn(code->body);
    return llvm::any_of(code->children, changesIn);
  }

  const FunctionBody &function;
  PathTable &paths;
  const llvm::function_ref<PathId(const Node &)> pathIn; ///< Of what stands in the function.
  const TextCall *within = nullptr;                      ///< Null for the function that is lowered.
};

} // namespace

std::optional<Text> textOf(const Node &expr, const FunctionBody &function, PathTable &paths,
                           llvm::function_ref<PathId(const Node &)> pathOf) {
  TextReader reader(function, paths, pathOf);
  if (!reader.read(&expr) || reader.text.parts.empty())
    return std::nullopt;
  return std::move(reader.text);
}

} // namespace gradtidy
