// memcpy() and its like count bytes. Where they are told how many elements a tensor has, they copy
// a part of these, and leave the rest as it was.

#include "Check.h"
#include "Fixes.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class ByteCount : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Call && moment.event.trait == Trait::CopiesBytes &&
           moment.event.operands.size() > sizeArgument;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &copy = visit.event;
    const Operand &size = copy.operands[sizeArgument];
    const ElementType target = elementAt(visit, copy.operands[0]),
                      source = elementAt(visit, copy.operands[1]);
    const ElementType element = target == ElementType::Unknown ? source : target;
    if (sizeOf(element) <= 1 || isOfBytes(visit, copy.operands[0]) ||
        isOfBytes(visit, copy.operands[1]) || !countsElements(visit, size.expr))
      return;
    Finding finding(Level::Certain, *size.expr,
                    "this is how many elements there are, and bytes are counted here: each has " +
                        std::to_string(sizeOf(element)));
    if (const llvm::StringRef type = spelled(element); !type.empty())
      finding.fixes = append(visit, size.expr, (" * sizeof(" + type + ")").str());
    reporter.report(std::move(finding));
  }

private:
  static constexpr unsigned sizeArgument = 2;

  /// What gives the pointer, if it leads into the memory of a tensor, or null.
  static const Event *pointedBy(const Visit &visit, const Operand &pointer) {
    const Event *made = pointer.path ? visit.before.valueOf(pointer).origin.made : nullptr;
    return made && made->operation == Operation::PointToMemory ? made : nullptr;
  }

  /// The elements of the tensor into whose memory the pointer leads.
  static ElementType elementAt(const Visit &visit, const Operand &pointer) {
    const Event *made = pointedBy(visit, pointer);
    if (!made)
      return ElementType::Unknown;
    const ElementType named = made->typing ? made->typing->memory : ElementType::Unknown;
    return named == ElementType::Unknown ? visit.before.typeOf(made->subject).element : named;
  }

  /// Whether the pointer leads to what is taken for bytes.
  static bool isOfBytes(const Visit &visit, const Operand &pointer) {
    const ir::Type *type = pointer.expr ? ir::stripped(pointer.expr)->spelled().type : nullptr;
    const ir::Type *pointee = type ? type->pointee : nullptr;
    return sizeOf(elementAt(visit, pointer)) == 1 ||
           (pointee && pointee->isInteger && pointee->bits <= 8);
  }

  /// Whether \p number is the number of elements of tensors or containers, or a product of such.
  static bool countsElements(const Visit &visit, const ir::Node *number) {
    constexpr unsigned maxNames = 4;
    const FunctionBody &function = *visit.event.function;
    for (unsigned names = 0; number && names <= maxNames; ++names) {
      number = &ir::stripped(number)->spelled();
      if (number->kind == ir::NodeKind::Binary && number->op == "*")
        return llvm::all_of(number->children,
                            [&](const ir::Node *factor) { return countsElements(visit, factor); });
      if (number->kind != ir::NodeKind::Reference)
        break;
      const ir::Symbol *variable = ir::variableIn(number);
      if (!variable || !variable->isLocal || function.mayChange(*variable, function.body))
        return false;
      number = variable->init;
    }
    if (!number || number->kind != ir::NodeKind::MemberCall)
      return false;
    return hasEvent(function, [&](const Event &event) {
      return event.site == number && event.operation == Operation::CountElements && event.run;
    });
  }

  /// How C++ spells the type, or empty.
  static llvm::StringRef spelled(ElementType element) {
    switch (element) {
    case ElementType::Float32:
      return "float";
    case ElementType::Float64:
      return "double";
    case ElementType::Int64:
      return "int64_t";
    case ElementType::Int32:
      return "int32_t";
    case ElementType::Int16:
      return "int16_t";
    default:
      return {};
    }
  }
};

} // namespace

std::unique_ptr<Check> makeByteCount() { return std::make_unique<ByteCount>(); }

} // namespace gradtidy
