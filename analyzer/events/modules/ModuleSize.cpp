#include "ModuleSize.h"

#include "LastLayer.h"
#include "RecursionGuard.h"

namespace gradtidy {

using namespace ir;

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
      const std::int64_t last = size + 2 * padding - dilation * (kernel - 1) - 1;
      if (last < 0)
        return std::nullopt;
      size = last / stride + 1;
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
  explicit SizeReader(const ModuleUses &uses) : uses(uses) {}

  ModuleSize of(const Node *module, unsigned depth = 0) {
    module = strip(module);
    const Symbol *record = moduleClassOf(module->type);
    if (depth > 8 || isDependent(*module) || !record)
      return {};
    if (record->isUser)
      return ofClass(*record, depth);
    if (module->kind == NodeKind::OperatorCall && module->arguments.size() == 1)
      return of(module->arguments.front(), depth + 1); // `net->`, `*net`
    if (module->isCall()) {
      if (registersModule(traitOfCallee(*module)))
        return module->arguments.size() > 1 ? of(module->arguments[1], depth + 1) : ModuleSize();
      if (isFactory(module->symbol))
        return made(*record, module->arguments, depth);
    }
    if (asConstruction(module)) {
      const bool isHandle = module->arguments.size() == 1 &&
                            moduleClassOf(strip(module->arguments.front())->type) == record;
      return isHandle ? of(module->arguments.front(), depth + 1)
                      : made(*record, module->arguments, depth);
    }
    const Entity entity = uses.rootOf(module);
    return entity && moduleClassOf(entity->type) == record ? ofEntity(entity, depth) : ModuleSize();
  }

private:
  /// The sum of what its members are made with.
  ModuleSize ofClass(const Symbol &record, unsigned depth) {
    RecursionGuard guard(active, &record);
    ModuleSize size;
    if (!record.record || !guard.isFirst)
      return size;
    for (const Symbol *base : record.bases)
      if (base->isUser)
        size.parameters += ofClass(*base, depth + 1).parameters;
    for (const Symbol *field : record.record->members)
      if (moduleClassOf(field->type))
        size.parameters += ofEntity(canonical(field), depth + 1).parameters;
    return size;
  }

  /// Of the only module that the entity ever holds.
  ModuleSize ofEntity(Entity entity, unsigned depth) {
    const EntityFacts &facts = uses.of(entity);
    if (facts.same.size() > 1 || !facts.arguments.empty())
      return {};
    const Node *only = nullptr;
    bool isFilled = false;
    for (const MemberDefinition &definition : facts.definitions) {
      if (definition.kind == MemberDefinition::Insertion) {
        isFilled = true;
        continue;
      }
      if (isNull(definition.value) || isOwnRegistration(definition.value, entity, uses))
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

  ModuleSize made(const Symbol &record, llvm::ArrayRef<const Node *> arguments, unsigned depth) {
    if (record.trait != Trait::Container)
      return layer(record, arguments);
    ModuleSize size;
    bool isKnown = true;
    for (const Node *argument : arguments) {
      if (argument->kind == NodeKind::DefaultArgument)
        continue;
      const ModuleSize part = of(argument, depth + 1);
      size.parameters += part.parameters;
      isKnown &= part.layers.size() == 1 && part.layers.front().kind != SizedLayer::Other;
      if (isKnown)
        size.layers.push_back(part.layers.front());
    }
    return size;
  }

  static ModuleSize layer(const Symbol &record, llvm::ArrayRef<const Node *> arguments) {
    ModuleSize size;
    SizedLayer layer;
    const llvm::StringRef name = record.name;
    const std::optional<Options> options = optionsIn(arguments);
    if (record.rule == ResultRule::Same) {
      layer.kind = SizedLayer::Same;
      layer.keepsInput = record.operation == Operation::NormalizeBatch;
    } else if (options && record.rule == ResultRule::Linear && options->numbers.size() == 2) {
      layer = {.kind = SizedLayer::Linear, .keepsInput = true, .features = options->numbers[1]};
      size.parameters = options->numbers[0] * options->numbers[1];
    } else if (options && record.rule == ResultRule::Embed && options->numbers.size() == 2) {
      size.parameters = options->numbers[0] * options->numbers[1];
    } else if (options && spatialAxesOf(record.rule) && options->numbers.size() == 3) {
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

  static SizedLayer window(llvm::StringRef name, const Options &options, std::int64_t kernel) {
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

  static std::optional<Options> optionsIn(llvm::ArrayRef<const Node *> arguments) {
    Options options;
    for (unsigned depth = 0; depth < 6 && !arguments.empty(); ++depth) {
      const Node *first = strip(arguments.front());
      if (isArithmetic(*first))
        return readNumbers(arguments, options) ? std::optional(options) : std::nullopt;
      while (first->kind == NodeKind::MemberCall) {
        set(*first, options);
        first = strip(first->object);
      }
      if (!asConstruction(first))
        return std::nullopt;
      arguments = first->arguments;
    }
    return std::nullopt;
  }

  static bool readNumbers(llvm::ArrayRef<const Node *> arguments, Options &options) {
    for (const Node *argument : arguments) {
      if (argument->kind == NodeKind::DefaultArgument)
        break;
      const std::optional<std::int64_t> number = numberAt(argument);
      if (!number || *number <= 0 || *number > largest)
        return false;
      options.numbers.push_back(*number);
    }
    return true;
  }

  /// The constant that \p expr is, or an array of one number for all dimensions is made of.
  static std::optional<std::int64_t> numberAt(const Node *expr) {
    expr = strip(expr);
    while (asConstruction(expr)) {
      if (expr->arguments.size() != 1)
        return std::nullopt;
      expr = strip(expr->arguments.front());
    }
    return expr->integer;
  }

  static void set(const Node &setter, Options &options) {
    const llvm::StringRef name = setter.calledName();
    if (name == "bias" || name == "padding_mode" || name == "count_include_pad")
      return;
    // What is not known counts as out of range.
    const std::int64_t number =
        setter.arguments.size() == 1 ? numberAt(setter.arguments.front()).value_or(-1) : -1;
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

  const ModuleUses &uses;
  ActiveSet active;
};

} // namespace

ModuleSize sizeOf(const Node &module, const ModuleUses &uses) {
  return SizeReader(uses).of(&module);
}

} // namespace gradtidy
