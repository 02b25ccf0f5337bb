// What a training step keeps in memory is known before it runs, where sizes are: parameters with
// their gradients and what the optimizer keeps of them, the batch, and what layers keep of their
// input for the backward. If that alone is more than the device has, the step cannot run.

#include "Check.h"

#include "analyzer/flow/Types.h"
#include "analyzer/ir/Typing.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace gradtidy {
namespace {

/// What a forward pass leaves for the backward, from the shape of its input on. It follows the
/// events of forward() that run each time, and gives up a shape that is not certain.
class ForwardPass {
public:
  explicit ForwardPass(const UnitAnalysis &unit) : unit(unit) {}

  std::int64_t kept = 0; ///< Numbers.

  /// The shape of the result; nothing if that is not known.
  std::optional<Shape> run(const Event &forward, const std::optional<Shape> &input,
                           unsigned depth = 0) {
    if (depth > maxDepth)
      return std::nullopt;
    const FunctionBody *body = forward.callee && !forward.isVirtual && !isFramework(forward)
                                   ? unit.callGraph().bodyOf(*forward.callee)
                                   : nullptr;
    if (body)
      return run(*body, input, depth);
    const std::vector<SizedLayer> &layers = forward.module().layer.steps;
    std::optional<Shape> shape = layers.empty() ? std::nullopt : input;
    for (const SizedLayer &layer : layers) {
      if (!shape)
        break;
      if (layer.keepsInput)
        kept += countOf(*shape);
      const Shape after = layer.apply(*shape);
      shape = isKnown(after) ? std::optional(after) : std::nullopt;
    }
    return shape;
  }

  static std::int64_t countOf(const Shape &shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape.sizes)
      count *= size;
    return count;
  }

  /// Whether all sizes are known, and none is beyond reason.
  static bool isKnown(const Shape &shape) {
    double count = 1;
    for (const std::int64_t size : shape.sizes)
      count *= static_cast<double>(size);
    return !shape.isOpen && !shape.sizes.empty() && count < 1e15 &&
           llvm::all_of(shape.sizes, [](std::int64_t size) { return size > 0; });
  }

private:
  static constexpr unsigned maxDepth = 6;

  bool isFramework(const Event &forward) const { return forward.module().isLayer; }

  std::optional<Shape> run(const FunctionBody &body, const std::optional<Shape> &input,
                           unsigned depth) {
    llvm::DenseMap<PathId, Shape> shapes;
    const auto shapeOf = [&](const Operand &operand) -> std::optional<Shape> {
      const auto known = shapes.find(operand.path);
      return known == shapes.end() ? std::nullopt : std::optional(known->second);
    };
    const auto set = [&](PathId path, const std::optional<Shape> &shape) {
      if (shape && isKnown(*shape))
        shapes[path] = *shape;
      else
        shapes.erase(path);
    };
    if (input && !body.parameters.empty())
      set(body.parameters.front().place.path, input);
    for (unsigned number = 0; number < body.blocks.size();) {
      const Block &block = body.blocks[number];
      for (const Event &event : block.events)
        switch (event.kind) {
        case EventKind::Forward:
          set(event.result,
              run(event, event.operands.empty() ? std::nullopt : shapeOf(event.operands.front()),
                  depth + 1));
          break;
        case EventKind::Bind:
          set(event.subject.path,
              event.operands.empty() ? std::nullopt : shapeOf(event.operands.front()));
          break;
        case EventKind::Return:
          return event.operands.empty() ? std::nullopt : shapeOf(event.operands.front());
        default:
          if (event.result)
            set(event.result, shapeAfter(event, shapeOf));
          forgetChanged(event, shapes);
        }
      const bool goesOn = block.edges.size() == 1 && block.edges.front().target > number &&
                          !body.blocks[block.edges.front().target].isLoopHead;
      if (!goesOn)
        break;
      number = block.edges.front().target;
    }
    return std::nullopt;
  }

  static void forgetChanged(const Event &event, llvm::DenseMap<PathId, Shape> &shapes) {
    const bool keepsShape = event.typing && gradtidy::keepsShape(event.typing->rule);
    if (event.subject.escapes && !keepsShape)
      shapes.erase(event.subject.path);
    for (const Operand &operand : event.operands)
      if (operand.escapes)
        shapes.erase(operand.path);
  }

  /// What an operation makes that keeps the shape, or says another one.
  static std::optional<Shape>
  shapeAfter(const Event &event,
             llvm::function_ref<std::optional<Shape>(const Operand &)> shapeOf) {
    if (!event.typing || event.kind != EventKind::Combine)
      return std::nullopt;
    const auto tensors = tensorsOf(event);
    const std::optional<Shape> first = tensors.empty() ? std::nullopt : shapeOf(*tensors.front());
    if (!first)
      return std::nullopt;
    const auto numberOr = [&](unsigned index, std::int64_t otherwise) {
      return event.typing->numbers.size() > index ? event.typing->numbers[index] : otherwise;
    };
    switch (event.typing->rule) {
    case ResultRule::Same:
    case ResultRule::Normalize1:
    case ResultRule::Normalize2:
    case ResultRule::Normalize3:
    case ResultRule::Update:
    case ResultRule::Cast:
      return first;
    case ResultRule::Real:
    case ResultRule::Elementwise:
    case ResultRule::Filled: {
      Shape result = *first;
      for (const Operand *tensor : llvm::drop_begin(tensors)) {
        const std::optional<Shape> other = shapeOf(*tensor);
        if (!other)
          return std::nullopt;
        result = broadcast(result, *other);
      }
      return result;
    }
    case ResultRule::Flatten:
      return flattened(*first, numberOr(0, 0), numberOr(1, -1));
    case ResultRule::Reshape:
      return event.typing->shape ? reshaped(*first, *event.typing->shape) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  /// \p sizes with the one that the framework finds.
  static std::optional<Shape> reshaped(const Shape &shape, Shape sizes) {
    std::int64_t known = 1, *open = nullptr;
    for (std::int64_t &size : sizes.sizes) {
      if (size > 0)
        known *= size;
      else if (open)
        return std::nullopt;
      else
        open = &size;
    }
    if (sizes.isOpen || countOf(shape) % known != 0)
      return std::nullopt;
    if (open)
      *open = countOf(shape) / known;
    return countOf(sizes) == countOf(shape) ? std::optional(sizes) : std::nullopt;
  }

  const UnitAnalysis &unit;
};

class BatchSizeOom : public Check {
public:
  const CheckOption *option() const override {
    static const CheckOption memory{"DeviceMemory", "24G"};
    return &memory;
  }

  std::string setOption(llvm::StringRef value) override {
    static constexpr llvm::StringLiteral units = "KMGT";
    const size_t unit = value.empty() ? llvm::StringRef::npos : units.find(value.back());
    double number = 0;
    if (unit == llvm::StringRef::npos || value.drop_back().getAsDouble(number) || number <= 0)
      return "'" + value.str() + "' is no size of a memory: give a number and a unit, as 24G";
    limit = number;
    for (size_t i = 0; i <= unit; ++i)
      limit *= 1024;
    return {};
  }

  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Forward, EventKind::Step}, moment.event.kind);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &forward = visit.event;
    if (forward.kind != EventKind::Forward || &visit.shown() != &forward ||
        !visit.unit.program().movesModules() || !visit.unit.program().assumesFloats() ||
        visit.before.gradMode().possible != GradMode::On ||
        visit.before.autocast().possible != Autocast::Off ||
        !visit.unit.uses().isDifferentiated(visit.site) ||
        visit.before.module(forward.subject).isFrozen)
      return;
    const Batch batch = batchOf(visit);
    ForwardPass pass(visit.unit);
    const std::optional<Shape> result = pass.run(forward, batch.shape);
    const Optimizer optimizer = optimizerOf(visit);
    const double parameters =
        bytes * optimizer.copies * static_cast<double>(forward.module().parameters);
    // The first of what is kept is the batch itself.
    const double input =
        batch.shape ? bytes * static_cast<double>(ForwardPass::countOf(*batch.shape)) : 0;
    const double activations = std::max(bytes * static_cast<double>(pass.kept), input) - input;
    const double sum = parameters + input + activations;
    if (sum <= limit)
      return;
    Finding finding(Level::Advice, forward,
                    "a training step needs at least " + spellSize(sum) +
                        " of device memory, more than the " + spellSize(limit) + " of the device");
    const clang::SourceLocation place = forward.site->begin();
    if (parameters > 0)
      finding.notes.push_back({place, spellSize(parameters) + " for parameters" + optimizer.state});
    if (input > 0)
      finding.notes.push_back({batch.made ? batch.made->site->begin() : place,
                               spellSize(input) + " for the batch " + spell(*batch.shape)});
    if (activations > 0)
      finding.notes.push_back({place, spellSize(activations) +
                                          " for what layers keep of their inputs until the "
                                          "backward"});
    reporter.report(std::move(finding));
  }

private:
  static constexpr double bytes = 4; ///< Of a number, as far as the unit shows (assumesFloats()).

  struct Batch {
    std::optional<Shape> shape;
    const Event *made = nullptr;
  };

  static Batch batchOf(const Visit &visit) {
    if (visit.event.operands.empty() || visit.event.operands.front().role != TypeRole::Tensor)
      return {};
    const Operand &operand = visit.event.operands.front();
    const TensorType type = visit.before.typeOf(operand);
    if (type.element != ElementType::Float32 || !ForwardPass::isKnown(type.shape))
      return {};
    return {type.shape, visit.before.valueOf(operand).origin.made};
  }

  struct Optimizer {
    double copies = 2; ///< Of all parameters: themselves, their gradients, and its state.
    std::string state = " and gradients";
  };

  /// The one that is stepped in the function of the forward pass: what its class keeps for each
  /// parameter. Of several, nobody knows which has them.
  static Optimizer optimizerOf(const Visit &visit) {
    const Event *step = nullptr;
    for (const Observation &other : visit.observations())
      if (other.event->kind == EventKind::Step && other.event->function == visit.event.function) {
        if (step && step->subject.path != other.event->subject.path)
          return {};
        step = other.event;
      }
    if (step) {
      const ir::Node *object = step->subject.expr;
      const ir::Symbol *record = object && object->type ? object->type->record : nullptr;
      const llvm::StringRef name = record ? record->name : llvm::StringRef();
      const Aspects kept = record ? record->aspects : Aspects();
      if (kept.has(Aspect::TwoAverages))
        return {4, ", gradients and the two moments of " + name.str()};
      if (kept.has(Aspect::OneAverage))
        return {3, ", gradients and the squares that " + name.str() + " keeps"};
    }
    return {};
  }

  static std::string spellSize(double size) {
    constexpr double mebi = 1024.0 * 1024;
    const bool isLarge = size >= 1024 * mebi;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), isLarge ? "%.3g GiB" : "%.3g MiB",
                  isLarge ? size / (1024 * mebi) : size / mebi);
    return text.data();
  }

  double limit = 24.0 * 1024 * 1024 * 1024;
};

} // namespace

std::unique_ptr<Check> makeBatchSizeOom() { return std::make_unique<BatchSizeOom>(); }

} // namespace gradtidy
