// min() of a floating-point type, as FLT_MIN, is its smallest number above 0. Who takes it for the
// least of all fills what shall never be chosen with nearly 0, which is more than any negative
// score.

#include "Check.h"

#include "analyzer/model/Operators.h"

#include <cfloat>

namespace gradtidy {
namespace {

class SmallestNumber : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.run && fillsWith(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const ir::Node &number = *fillsWith(visit.event);
    Finding finding(
        Level::Likely, number,
        "this is the smallest number above 0, not the least of all: what is filled with "
        "it is more than any negative number");
    finding.fixes = takeLowest(number);
    reporter.report(std::move(finding));
  }

  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    const auto ask = [&](const ir::Symbol &variable) {
      if (!variable.init || !isSmallest(*variable.init) || !isRaised(visit, variable))
        return;
      const ir::Node &number = variable.init->spelled();
      Finding finding(Level::Advice, number,
                      "'" + variable.spelling.str() +
                          "' begins with the smallest number above 0, not with the least of "
                          "all: no negative number is more");
      finding.fixes = takeLowest(number);
      reporter.report(std::move(finding));
    };
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      for (const ir::Symbol *variable : node.declared)
        ask(*variable);
      if (node.op == "=" && node.isAssignment()) // Members begin where their class says.
        if (const ir::Node *member = ir::as(ir::NodeKind::Member, ir::stripped(node.children[0]));
            member && member->symbol)
          ask(*member->symbol);
    });
  }

private:
  static bool isSmallest(const ir::Node &expr) {
    const std::optional<double> &number = expr.spelled().real;
    return number && (*number == double(FLT_MIN) || *number == DBL_MIN);
  }

  /// The number that the event fills a tensor, or what a mask selects of it, with, if it is the
  /// smallest; else null.
  static const ir::Node *fillsWith(const Event &event) {
    const bool mayFill = event.operation == Operation::Fill || choosesByMask(event);
    for (const Operand &operand : event.operands)
      if (mayFill && operand.expr && isSmallest(*operand.expr))
        return &operand.expr->spelled();
    return nullptr;
  }

  static bool choosesByMask(const Event &event) {
    return llvm::any_of(event.run->overloads, [](const Overload &overload) {
      return llvm::any_of(overload.arguments, [](const auto &argument) {
        return argument.name == "mask" || argument.name == "condition";
      });
    });
  }

  /// Whether the variable gets what is more than it is: `if (x > best) best = x;`, `best =
  /// std::max(best, x)`.
  static bool isRaised(const FunctionVisit &visit, const ir::Symbol &variable) {
    const auto isIt = [&](const ir::Node *node) {
      const ir::Node *name = node ? ir::stripped(node) : nullptr;
      return name && name->symbol == &variable &&
             (name->kind == ir::NodeKind::Reference || name->kind == ir::NodeKind::Member);
    };
    bool isCompared = false, isChanged = false;
    ir::forEach(visit.function.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Binary && node.children.size() == 2) {
        const ir::Node *left = node.children[0], *right = node.children[1];
        isCompared |= ((node.op == ">" || node.op == ">=") && isIt(right)) ||
                      ((node.op == "<" || node.op == "<=") && isIt(left));
        isChanged |= node.op == "=" && isIt(left);
      }
      isCompared |= node.isCall() && node.symbol && node.symbol->isStandard &&
                    node.calledName().contains("max") && llvm::any_of(node.arguments, isIt);
    });
    return isCompared && isChanged;
  }

  /// `lowest()` of the same type, where a call says it.
  static llvm::SmallVector<clang::FixItHint, 2> takeLowest(const ir::Node &number) {
    if (!ir::asCall(&number) || number.name.isInvalid() || number.name.isMacroID())
      return {};
    return {clang::FixItHint::CreateReplacement(number.name, "lowest")};
  }
};

} // namespace

std::unique_ptr<Check> makeSmallestNumber() { return std::make_unique<SmallestNumber>(); }

} // namespace gradtidy
