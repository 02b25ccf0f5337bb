// torch::nn::Linear is a pointer to modules of the class LinearImpl. No module is of the class of
// such a pointer: to ask whether one is always says no.

#include "Check.h"

namespace gradtidy {
namespace {

class HolderTypeid : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.details->classTest != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const ClassTest *test = visit.event.details->classTest;
    if (!test || test->form == ClassTest::Lookup ||
        (test->form == ClassTest::Key && !looksUpModules(visit)))
      return;
    Finding finding(test->form == ClassTest::Key ? Level::Likely : Level::Certain, test->range);
    finding.message =
        "no module is of the class of the holder '" + test->holder + "': " +
        (test->form == ClassTest::Key
             ? "what is looked up by the class of a module never has this key"
         : test->form == ClassTest::Comparison ? "this comparison always has the same result"
         : test->form == ClassTest::Reference  ? "this cast always throws"
                                               : "this cast always gives null") +
        (test->form == ClassTest::Key ? "" : "; use as<" + test->holder + ">()") +
        (test->held.empty()             ? ""
         : test->form == ClassTest::Key ? "; use '" + test->held + "'"
                                        : ", or ask for '" + test->held + "'");
    if (!test->replacement.empty())
      finding.fixes.push_back(
          clang::FixItHint::CreateReplacement(test->replaced, test->replacement));
    reporter.report(std::move(finding));
  }

private:
  /// Whether something in the container with that key is looked up by the class of a module.
  static bool looksUpModules(const Visit &visit) {
    const ir::Symbol *place = placeOf(visit.event.site);
    return place && llvm::any_of(visit.observations(), [&](const Observation &other) {
             const ClassTest *test = other.event->details->classTest;
             const ir::Symbol *container =
                 test && test->form == ClassTest::Lookup ? placeOf(other.event->site) : nullptr;
             return container && (container == place || container->owner == place);
           });
  }

  /// The container that gets the key, or the class of which a method does.
  static const ir::Symbol *placeOf(const ir::Node *key) {
    for (const ir::Node *around = key->parent; around; around = around->parent) {
      if (around->kind == ir::NodeKind::Declaration)
        return around->declared.size() == 1 ? around->declared.front() : nullptr;
      if (!around->isCall() || !around->symbol)
        continue;
      if (!around->symbol->isStandard)
        return around->symbol->owner;
      const ir::Node *object = around->kind == ir::NodeKind::MemberCall ? around->object
                               : around->arguments.empty()              ? nullptr
                                                                        : around->arguments.front();
      if (object && object != key)
        return object->spelled().symbol;
    }
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Check> makeHolderTypeid() { return std::make_unique<HolderTypeid>(); }

} // namespace gradtidy
