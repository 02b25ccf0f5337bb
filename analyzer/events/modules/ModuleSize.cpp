#include "ModuleSize.h"

#include "RecursionGuard.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

std::optional<Shape> SizedLayer::apply(const Shape &input) const {
  Shape result = input;
  switch (kind) {
  case Other:
    return std::nullopt;
  case Same:
    return result;
  case Linear:
    if (result.sizes.empty() || features <= 0)
      return std::nullopt;
    result.sizes.back() = features;
    return result;
  case Window:
    if (result.sizes.size() < axes + 1 || result.sizes.size() > axes + 2)
      return std::nullopt;
    for (std::int64_t &size : llvm::MutableArrayRef(result.sizes).take_back(axes)) {
      const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
      if (room < 0)
        return std::nullopt;
      size = room / stride + 1;
    }
    if (features > 0)
      result.sizes[result.sizes.size() - axes - 1] = features;
    return result;
  }
  return std::nullopt;
}

namespace {

class SizeReader {
public:
  SizeReader(ModuleUses &uses, Vocabulary &vocabulary, ASTContext &context)
      : uses(uses), vocabulary(vocabulary), context(context) {}

  ModuleSize of(const Expr *module, unsigned depth = 0) {
    module = strip(module);
    if (depth > 8 || module->getType().isNull() || module->isTypeDependent())
      return {};
    const CXXRecordDecl *record = vocabulary.classOf(module->getType());
    if (!record || !isModule(vocabulary.roleOf(record)))
      return {};
    if (uses.isUser(record))
      return of(record, depth);
    if (const auto *access = dyn_cast<CXXOperatorCallExpr>(module);
        access && access->getNumArgs() == 1)
      return of(access->getArg(0), depth + 1); // `net->`, `*net`
    if (const auto *call = dyn_cast<CallExpr>(module)) {
      const bool isMade = isFactory(call->getDirectCallee());
      if (registersModule(uses.traitOfCallee(call)))
        return call->getNumArgs() > 1 ? of(call->getArg(1), depth + 1) : ModuleSize();
      if (isMade)
        return made(*record, {call->getArgs(), call->getNumArgs()}, depth);
    }
    if (const auto *construct = dyn_cast<CXXConstructExpr>(module)) {
      const bool isHandle = construct->getNumArgs() == 1 &&
                            vocabulary.classOf(strip(construct->getArg(0))->getType()) == record;
      return isHandle ? of(construct->getArg(0), depth + 1)
                      : made(*record, {construct->getArgs(), construct->getNumArgs()}, depth);
    }
    const Entity entity = uses.rootOf(module);
    return entity && vocabulary.classOf(entity->getType()) == record ? of(entity, depth)
                                                                     : ModuleSize();
  }

private:
  /// The sum of what its members are made with.
  ModuleSize of(const CXXRecordDecl *record, unsigned depth) {
    record = record->getDefinition();
    RecursionGuard guard(active, record);
    ModuleSize size;
    if (!record || !guard.isFirst)
      return size;
    for (const CXXBaseSpecifier &base : record->bases())
      if (const CXXRecordDecl *other = base.getType()->getAsCXXRecordDecl();
          other && uses.isUser(other))
        size.parameters += of(other, depth + 1).parameters;
    for (const FieldDecl *field : record->fields())
      if (vocabulary.classOf(field->getType()))
        size.parameters += of(canonical(field), depth + 1).parameters;
    return size;
  }

  /// Of the only module that the entity ever holds.
  ModuleSize of(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.same.size() > 1 || !facts.arguments.empty())
      return {};
    const Expr *only = nullptr;
    bool isFilled = false;
    for (const EntityDefinition &definition : facts.definitions) {
      if (definition.kind == MemberDefinition::Insertion) {
        isFilled = true;
        continue;
      }
      if (isNull(definition.value) || isRegistration(definition.value, entity))
        continue;
      if (only)
        return {};
      only = definition.value;
    }
    ModuleSize size = only ? of(only, depth + 1) : ModuleSize();
    if (isFilled || facts.escapes)
      size.layers.clear();
    return size;
  }

  /// `layers = register_module("layers", layers)`
  bool isRegistration(const Expr *value, Entity entity) {
    const auto *call = dyn_cast<CallExpr>(originalOf(value));
    return call && registersModule(uses.traitOfCallee(call)) &&
           llvm::any_of(call->arguments(), [&](const Expr *argument) {
             return uses.rootOf(originalOf(argument)) == entity;
           });
  }

  ModuleSize made(const CXXRecordDecl &record, ArrayRef<const Expr *> arguments, unsigned depth) {
    if (vocabulary.traitOf(&record) != Trait::Container)
      return layer(record, arguments);
    ModuleSize size;
    bool isKnown = true;
    for (const Expr *argument : arguments) {
      if (isa<CXXDefaultArgExpr>(argument))
        continue;
      const ModuleSize part = of(argument, depth + 1);
      size.parameters += part.parameters;
      isKnown &= part.layers.size() == 1 && part.layers.front().kind != SizedLayer::Other;
      if (isKnown)
        size.layers.push_back(part.layers.front());
    }
    return size;
  }

  ModuleSize layer(const CXXRecordDecl &record, ArrayRef<const Expr *> arguments) {
    ModuleSize size;
    SizedLayer layer;
    const ResultRule rule = vocabulary.ruleOf(&record);
    const StringRef name = record.getName();
    const std::optional<Options> options = optionsIn(arguments);
    if (rule == ResultRule::Same) {
      layer.kind = SizedLayer::Same;
      layer.keepsInput = vocabulary.operationOf(&record) == Operation::NormalizeBatch;
    } else if (options && rule == ResultRule::Linear && options->numbers.size() == 2) {
      layer = {.kind = SizedLayer::Linear, .keepsInput = true, .features = options->numbers[1]};
      size.parameters = options->numbers[0] * options->numbers[1];
    } else if (options && rule == ResultRule::Embed && options->numbers.size() == 2) {
      size.parameters = options->numbers[0] * options->numbers[1];
    } else if (options && spatialAxesOf(rule) && options->numbers.size() == 3) {
      layer = window(name, *options, options->numbers[2]);
      layer.features = options->numbers[1];
      layer.keepsInput = true;
      size.parameters = options->isGrouped ? 0 : options->numbers[0] * options->numbers[1];
      for (unsigned axis = 0; axis < layer.axes; ++axis)
        size.parameters *= options->numbers[2];
      if (name.contains("Transpose"))
        layer.kind = SizedLayer::Other;
    } else if (options && options->numbers.size() == 1 &&
               (name.starts_with("MaxPool") || name.starts_with("AvgPool"))) {
      layer = window(name, *options, options->numbers[0]);
      if (!options->isStrided)
        layer.stride = layer.kernel;
    }
    size.layers.push_back(layer);
    return size;
  }

  /// What a layer is made with: numbers, and then options that are set.
  struct Options {
    llvm::SmallVector<std::int64_t, 3> numbers;
    std::int64_t stride = 1, padding = 0, dilation = 1;
    bool isStrided = false;
    bool isGrouped = false;
    bool isShapeKnown = true; ///< No other option changes the shape of the result.
  };

  static SizedLayer window(StringRef name, const Options &options, std::int64_t kernel) {
    SizedLayer layer;
    for (const auto &[text, axes] : {std::pair("1d", 1u), std::pair("2d", 2u), std::pair("3d", 3u)})
      if (name.contains(text))
        layer.axes = axes;
    layer.kind = options.isShapeKnown && layer.axes ? SizedLayer::Window : SizedLayer::Other;
    layer.kernel = kernel;
    layer.stride = options.stride;
    layer.padding = options.padding;
    layer.dilation = options.dilation;
    return layer;
  }

  std::optional<Options> optionsIn(ArrayRef<const Expr *> arguments) {
    Options options;
    for (unsigned depth = 0; depth < 6 && !arguments.empty(); ++depth) {
      const Expr *first = strip(arguments.front());
      if (isArithmetic(first))
        return readNumbers(arguments, options) ? std::optional(options) : std::nullopt;
      while (const auto *setter = dyn_cast<CXXMemberCallExpr>(first)) {
        set(*setter, options);
        first = strip(setter->getImplicitObjectArgument());
      }
      const auto *made = dyn_cast<CXXConstructExpr>(first);
      if (!made)
        return std::nullopt;
      arguments = {made->getArgs(), made->getNumArgs()};
    }
    return std::nullopt;
  }

  bool readNumbers(ArrayRef<const Expr *> arguments, Options &options) {
    for (const Expr *argument : arguments) {
      if (isa<CXXDefaultArgExpr>(argument))
        break;
      const std::optional<std::int64_t> number = numberAt(argument);
      if (!number || *number <= 0 || *number > largest)
        return false;
      options.numbers.push_back(*number);
    }
    return true;
  }

  /// The constant that \p expr is, or an array of one number for all dimensions is made of.
  std::optional<std::int64_t> numberAt(const Expr *expr) {
    expr = strip(expr);
    while (const auto *made = dyn_cast<CXXConstructExpr>(expr)) {
      if (made->getNumArgs() != 1)
        return std::nullopt;
      expr = strip(made->getArg(0));
    }
    Expr::EvalResult result;
    if (expr->isValueDependent() || !expr->getType()->isIntegralOrEnumerationType() ||
        !expr->EvaluateAsInt(result, context))
      return std::nullopt;
    return result.Val.getInt().getExtValue();
  }

  void set(const CXXMemberCallExpr &setter, Options &options) {
    const StringRef name = simpleName(setter.getMethodDecl());
    if (name == "bias" || name == "padding_mode" || name == "count_include_pad")
      return;
    // What is not known counts as out of range.
    const std::int64_t number =
        setter.getNumArgs() == 1 ? numberAt(setter.getArg(0)).value_or(-1) : -1;
    options.isGrouped |= name == "groups";
    if (name == "groups")
      return;
    options.isShapeKnown &= number >= 0 && number <= largest;
    if (!options.isShapeKnown)
      return;
    options.isStrided |= name == "stride";
    if (name == "stride" && number > 0)
      options.stride = number;
    else if (name == "padding")
      options.padding = number;
    else if (name == "dilation" && number > 0)
      options.dilation = number;
    else
      options.isShapeKnown = false;
  }

  static constexpr std::int64_t largest = 1 << 20; ///< A product of three fits into 64 bits.

  ModuleUses &uses;
  Vocabulary &vocabulary;
  ASTContext &context;
  ActiveSet active;
};

} // namespace

ModuleSize sizeOf(const Expr *module, ModuleUses &uses, Vocabulary &vocabulary,
                  ASTContext &context) {
  return SizeReader(uses, vocabulary, context).of(module);
}

} // namespace gradtidy
