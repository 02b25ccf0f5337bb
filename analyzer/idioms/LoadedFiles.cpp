#include "LoadedFiles.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// What \p expr is made of, through all constructions.
static const Node *rootOf(const Node *expr) {
  expr = strip(expr);
  while (asConstruction(expr) && !expr->arguments.empty())
    expr = strip(expr->arguments.front());
  return expr;
}

llvm::StringRef fileOf(const Node &call, const FunctionBody &function) {
  const Node *name = call.arguments.size() > 1 ? rootOf(call.arguments[1]) : nullptr;
  constexpr unsigned maxNames = 4;
  for (unsigned names = 0; names < maxNames; ++names) {
    const Symbol *variable = variableOf(name);
    const bool isFixed =
        variable && variable->init && variable->kind != SymbolKind::Parameter &&
        (variable->type->isConst || (variable->isLocal && !variable->isStatic &&
                                     !function.mayChange(*variable, function.body)));
    if (!isFixed)
      break;
    name = rootOf(variable->init);
  }
  return as(NodeKind::String, name) ? name->op : llvm::StringRef();
}

// --- archives

bool mayHaveDevice(const Node &load, const FunctionBody &function) {
  const auto *archive = llvm::find_if(load.arguments, [](const Node *each) {
    return each->type && each->type->record &&
           each->type->record->aspects.has(Aspect::InputArchive);
  });
  if (archive == load.arguments.end())
    return false;
  const Symbol *variable = variableOf(*archive);
  bool isOpened = false, isPlain = variable && variable->isLocal;
  forEach(function.body, [&](const Node &each) { // `archive.load_from(path)`
    if (each.kind == NodeKind::MemberCall && each.calls(Aspect::OpensArchive) &&
        !each.arguments.empty()) {
      isOpened = true;
      isPlain &= each.arguments.back()->kind == NodeKind::DefaultArgument;
    }
  });
  return !isOpened || !isPlain;
}

// --- lists

namespace {

/// What a function does with a list.
class ListUses {
public:
  enum class Kind : unsigned char {
    Look,   ///< Reads of it, or adds to it.
    Number, ///< Takes the element of a number.
    Size,   ///< Asks how many there are.
    Resize, ///< Makes it that long.
    Save,
    Load,
    Lost, ///< May take elements away, or anything.
  };
  struct Use {
    Kind kind;
    const Node *site;
    std::int64_t index = 0;
  };
  std::vector<Use> uses;

  ListUses(const Symbol &list, const FunctionBody &function) : list(list) {
    collect(*function.body);
  }

private:
  void collect(const Node &code) {
    if (code.kind == NodeKind::Lambda) {
      if (mentions(&code, &list))
        uses.push_back({Kind::Lost, &code});
    } else if (isName(code)) {
      uses.push_back({Kind::Lost, &code}); // Not one of those below.
    } else if (code.kind == NodeKind::RangeFor && isList(code.object)) {
      uses.push_back({Kind::Look, &code});
      collect(*code.body);
    } else if (code.isCall()) {
      readCall(code);
    } else {
      for (const Node *child : code.children)
        collect(*child);
    }
  }

  bool isName(const Node &code) const {
    return code.kind == NodeKind::Reference && code.symbol == &list;
  }
  bool isList(const Node *expr) const { return variableOf(expr) == &list; }

  void readCall(const Node &call) {
    const Node *object = objectOf(call);
    if (object && isList(object))
      uses.push_back(useBy(call));
    else if (object)
      collect(*object);
    for (const auto [i, argument] : llvm::enumerate(argumentsOf(call))) {
      if (isList(argument))
        uses.push_back({givenTo(call.symbol, i), &call});
      else
        collect(*argument);
    }
  }

  static Use useBy(const Node &call) {
    const llvm::StringRef name = call.calledName();
    const auto arguments = argumentsOf(call);
    const Node *number =
        arguments.empty() ? nullptr : as(NodeKind::Integer, strip(arguments.front()));
    if (call.op == "[]" || name == "at")
      return number ? Use{Kind::Number, &call, number->integer.value_or(0)}
                    : Use{Kind::Look, &call};
    if (name == "front")
      return {Kind::Number, &call, 0};
    if (name == "size" || name == "empty")
      return {Kind::Size, &call};
    if ((name == "resize" || name == "assign") && !arguments.empty())
      return {number && number->integer == 0 ? Kind::Lost : Kind::Resize, &call};
    const bool isLook =
        llvm::is_contained({"push_back", "emplace_back", "begin", "end", "data", "reserve"}, name);
    return {isLook ? Kind::Look : Kind::Lost, &call};
  }

  /// What \p callee does with its argument \p index.
  static Kind givenTo(const Symbol *callee, size_t index) {
    if (callee && callee->operation == Operation::Save)
      return Kind::Save;
    if (callee && callee->purpose == FunctionRole::Load)
      return Kind::Load;
    const Type *type =
        callee && index < callee->parameters.size() ? callee->parameters[index]->type : nullptr;
    return !type || (type->isReference && !type->isConst) ? Kind::Lost : Kind::Look;
  }

  const Symbol &list;
};

/// How the list begins.
struct Beginning {
  bool isFilled = false;
  bool isOfModule = false;           ///< The parameters of a module.
  std::optional<std::int64_t> count; ///< How many there are.
};

} // namespace

static Beginning beginningOf(const Symbol &list) {
  const Node *init = strip(list.init);
  if (const Node *call = asCall(originalOf(init))) {
    const bool isOfModule = call->symbol && call->symbol->purpose == FunctionRole::Parameters;
    return {isOfModule, isOfModule, std::nullopt};
  }
  if (!asConstruction(init) || init->arguments.empty())
    return {};
  const Node *first = strip(init->arguments.front());
  std::optional<std::int64_t> count;
  if (first->kind == NodeKind::List)
    count = first->children.size();
  else if (!isArithmetic(*first))
    return {};
  else if (first->kind == NodeKind::Integer)
    count = first->integer;
  return {count != 0, false, count};
}

static bool isTensorList(const Type &type) {
  return type.holdsTensors && type.arguments.size() == 1 &&
         type.arguments.front()->role == TypeRole::Tensor;
}

const Node *fillerOf(const Node &load, const FunctionBody &function) {
  const Symbol *list = load.arguments.empty() ? nullptr : variableOf(load.arguments.front());
  if (!list || !list->isLocal || list->isStatic || list->type->isReference ||
      !isTensorList(*list->type))
    return nullptr;
  const Node *round = nullptr; // The outermost loop that begins with the list as it was left.
  for (const Node *loop : function.loopsAround(&load))
    if (!declares(*loop, list))
      round = loop;
  const auto isInRound = [&](const Node *site) {
    return round && llvm::is_contained(function.loopsAround(site), round);
  };

  using Kind = ListUses::Kind;
  const Node *saved = nullptr, *resized = nullptr;
  const Node *block = function.compoundOf(function.statementOf(&load));
  bool isAsked = false, isNumbered = false, isNumberedInRound = false;
  std::int64_t largest = 0;
  const ListUses all(*list, function);
  for (const ListUses::Use &use : all.uses) {
    if (use.site == &load)
      continue;
    const bool isEarlier = isBefore(*use.site, load, function);
    if ((isEarlier || isInRound(use.site)) && (use.kind == Kind::Lost || use.kind == Kind::Load))
      return nullptr;
    if (use.kind == Kind::Number && (!isEarlier || isInRound(use.site))) {
      isNumbered = true;
      isNumberedInRound |= isInRound(use.site);
      largest = std::max(largest, use.index);
    }
    if (!isEarlier)
      continue;
    isAsked |= use.kind == Kind::Size;
    const bool isCertain = !function.isConditional(use.site) ||
                           (block && block == function.compoundOf(function.statementOf(use.site)));
    if (use.kind == Kind::Save && isCertain)
      saved = use.site;
    else if (use.kind == Kind::Resize && isCertain)
      resized = use.site;
  }
  if (saved)
    return saved;
  if (isAsked)
    return nullptr; // It knows where its own begin.
  const Beginning beginning = beginningOf(*list);
  if (beginning.isOfModule)
    return list->init;
  if (resized && isNumbered)
    return resized;
  const bool isFew = beginning.count && largest >= *beginning.count;
  if (beginning.isFilled && isNumbered && !isFew)
    return list->init;
  return round && isNumberedInRound ? &load : nullptr;
}

} // namespace gradtidy
