// torch::nn::Linear is a pointer to modules of the class LinearImpl. No module is of the class of
// such a pointer: to ask whether one is always says no.

#include "Check.h"

namespace gradtidy {
namespace {

class HolderTypeid : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const ClassTest *test = visit.event.classTest;
    if (!test)
      return;
    Finding finding(Level::Certain, test->range);
    finding.message =
        "no module is of the class of the holder '" + test->holder + "': " +
        (test->form == ClassTest::Comparison  ? "this comparison always has the same result"
         : test->form == ClassTest::Reference ? "this cast always throws"
                                              : "this cast always gives null") +
        "; use as<" + test->holder + ">()" +
        (test->held.empty() ? std::string() : ", or ask for '" + test->held + "'");
    if (!test->replacement.empty())
      finding.fixes.push_back(
          clang::FixItHint::CreateReplacement(test->replaced, test->replacement));
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeHolderTypeid() { return std::make_unique<HolderTypeid>(); }

} // namespace gradtidy
