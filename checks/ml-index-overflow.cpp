// A tensor may have more elements than 32 bits can count, although each of its sizes fits: a
// product of sizes in `int` is then another number, and the index of another element.

#include "Check.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class IndexOverflow : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    const auto numbers = tooNarrow(visit);
    if (numbers.empty())
      return;
    const ir::Node &first = *numbers.front();
    const llvm::StringRef text = visit.source.text(first.range);
    Finding finding(Level::Likely, first.range);
    finding.message =
        (text.empty() ? std::string("this") : "'" + text.str() + "'") + " multiplies " +
        std::to_string(visit.unit.counts().degreeOf(&first, visit.function)) +
        " sizes, and is kept in " + std::to_string(bitsKept(first)) +
        " bits: in a large tensor it leads to another element; compute it with int64_t";
    if (numbers.size() > 1)
      finding.noteOthers(*numbers.back(), numbers.size() - 1);
    for (const ir::Node *number : numbers)
      llvm::append_range(finding.fixes, widen(*number, visit));
    reporter.report(std::move(finding));
  }

private:
  /// Products of fewer sizes are the number of pixels of an image, or of elements of a batch: they
  /// get that large where nobody expects it only with one more.
  static constexpr unsigned leastDegree = 3;

  /// The products of sizes that lead to elements in too few bits, as they stand.
  static llvm::SmallVector<const ir::Node *, 4> tooNarrow(const FunctionVisit &visit) {
    llvm::SmallPtrSet<const ir::Node *, 8> seen;
    llvm::SmallVector<const ir::Node *, 4> numbers;
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      if (node.kind != ir::NodeKind::Binary || node.op != "*")
        return;
      const ir::Node &number = wholeOf(node);
      if (!seen.insert(&number).second)
        return;
      const unsigned degree = visit.unit.counts().degreeOf(&number, visit.function);
      const unsigned bits = bitsKept(number);
      if (degree >= leastDegree && bits > 0 && bits <= 32 && leadsToElements(number, visit) &&
          !visit.unit.counts().isBounded(visit.function))
        numbers.push_back(&number);
    });
    return numbers;
  }

  static bool isArithmetic(const ir::Node &node) {
    return node.kind == ir::NodeKind::Binary && node.type && node.type->isInteger &&
           (node.op == "*" || node.op == "+" || node.op == "-");
  }

  static unsigned bitsOf(const ir::Node &node) { return node.type ? node.type->bits : 0; }

  /// The sums and products of integers as wide that \p product is a part of.
  static const ir::Node &wholeOf(const ir::Node &product) {
    const ir::Node *whole = &product;
    for (const ir::Node *outer = product.parent; outer; outer = outer->parent)
      if (isArithmetic(*outer) && bitsOf(*outer) == bitsOf(product))
        whole = outer;
      else if (outer->kind != ir::NodeKind::Parentheses)
        break;
    return *whole;
  }

  /// The variable that is made of \p number, or gets it; null if there is none.
  static const ir::Symbol *keeperOf(const ir::Node &number) {
    const ir::Node *outer = number.parent;
    while (outer &&
           (outer->kind == ir::NodeKind::Parentheses || outer->kind == ir::NodeKind::Other))
      outer = outer->parent;
    if (outer && outer->kind == ir::NodeKind::Declaration) {
      for (const ir::Symbol *variable : outer->declared)
        if (variable->init && ir::stripped(variable->init) == ir::stripped(&number))
          return variable;
    } else if (outer && outer->kind == ir::NodeKind::Binary && outer->op == "=") {
      return ir::variableIn(ir::stripped(outer->children[0]));
    }
    return nullptr;
  }

  /// How many bits are left of \p number where it is computed and kept.
  static unsigned bitsKept(const ir::Node &number) {
    const ir::Symbol *keeper = keeperOf(number);
    return keeper && keeper->type && keeper->type->bits
               ? std::min(bitsOf(number), keeper->type->bits)
               : bitsOf(number);
  }

  /// Whether \p number, a variable that keeps it or what the function returns of it is the index of
  /// an element, is added to a pointer, or bounds such an index.
  static bool leadsToElements(const ir::Node &number, const FunctionVisit &visit) {
    if (isReturned(number)) {
      bool isUsed = false;
      visit.unit.counts().forEachCall(
          visit.function, [&](const ir::Node &call, const auto &) { isUsed |= isIndex(call); });
      return isUsed;
    }
    const ir::Symbol *keeper = keeperOf(number);
    return isIndex(number) || (keeper && anyUse(*keeper, visit.function, [&](const ir::Node &use) {
                                 const ir::Symbol *bounded = boundedBy(use);
                                 return isIndex(use) ||
                                        (bounded && anyUse(*bounded, visit.function, isIndex));
                               }));
  }

  static bool anyUse(const ir::Symbol &variable, const FunctionBody &function,
                     llvm::function_ref<bool(const ir::Node &)> isSuch) {
    bool isAny = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      isAny |= node.kind == ir::NodeKind::Reference && node.symbol == &variable && isSuch(node);
    });
    return isAny;
  }

  /// What `i < number` compares with it, if that is a variable; else null.
  static const ir::Symbol *boundedBy(const ir::Node &number) {
    const ir::Node *comparison = ir::as(ir::NodeKind::Binary, number.parent);
    return comparison && comparison->op == "<" && comparison->children.back() == &number
               ? ir::variableIn(ir::stripped(comparison->children.front()))
               : nullptr;
  }

  static bool isReturned(const ir::Node &number) {
    const ir::Node *outer = number.parent;
    while (outer && outer->kind == ir::NodeKind::Parentheses)
      outer = outer->parent;
    return outer && outer->kind == ir::NodeKind::Return;
  }

  static bool isIndex(const ir::Node &number) {
    const ir::Node *inner = &number;
    for (const ir::Node *outer = inner->parent; outer; outer = (inner = outer)->parent) {
      switch (outer->kind) {
      case ir::NodeKind::Subscript:
        return outer->children.front() != inner;
      case ir::NodeKind::OperatorCall:
        return outer->op == "[]" && outer->arguments.size() == 2 && outer->arguments[1] == inner;
      case ir::NodeKind::Binary:
        if (outer->type && outer->type->isPointer)
          return outer->children.front() != inner;
        if (!isArithmetic(*outer))
          return false;
        break;
      case ir::NodeKind::Cast:
      case ir::NodeKind::FunctionalCast:
      case ir::NodeKind::Parentheses:
      case ir::NodeKind::Other:
        break;
      default:
        return false;
      }
    }
    return false;
  }

  /// Computes \p number in 64 bits: the first factor of each product is one, and the variable that
  /// keeps it.
  static llvm::SmallVector<clang::FixItHint, 2> widen(const ir::Node &number,
                                                      const FunctionVisit &visit) {
    llvm::SmallVector<clang::FixItHint, 2> fixes;
    if (visit.source.text(number.range).empty())
      return {};
    if (bitsOf(number) <= 32)
      widenProducts(number, visit, fixes);
    const ir::Symbol *keeper = keeperOf(number);
    if (!keeper || !keeper->type || keeper->type->bits > 32)
      return fixes;
    if (!keeper->isLocal || visit.source.text(keeper->typeRange).empty())
      return {};
    fixes.push_back(clang::FixItHint::CreateReplacement(
        clang::CharSourceRange::getTokenRange(keeper->typeRange), "int64_t"));
    return fixes;
  }

  static void widenProducts(const ir::Node &node, const FunctionVisit &visit,
                            llvm::SmallVectorImpl<clang::FixItHint> &fixes) {
    if (node.kind == ir::NodeKind::Parentheses)
      return widenProducts(*node.children.front(), visit, fixes);
    if (!isArithmetic(node))
      return;
    if (node.op != "*") {
      for (const ir::Node *part : node.children)
        widenProducts(*part, visit, fixes);
      return;
    }
    const ir::Node *first = &node;
    while (isArithmetic(*first) || first->kind == ir::NodeKind::Parentheses)
      first = first->children.front();
    const clang::SourceLocation end = visit.source.behind(first->end());
    fixes.push_back(clang::FixItHint::CreateInsertion(first->begin(), "static_cast<int64_t>("));
    fixes.push_back(clang::FixItHint::CreateInsertion(end, ")"));
  }
};

} // namespace

std::unique_ptr<Check> makeIndexOverflow() { return std::make_unique<IndexOverflow>(); }

} // namespace gradtidy
