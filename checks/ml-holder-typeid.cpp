// torch::nn::Linear is a pointer to modules of the class LinearImpl. No module is of the class of
// such a pointer: to ask whether one is always says no.

#include "Check.h"
#include "analyzer/idioms/ClassTests.h"

namespace gradtidy {
namespace {

class HolderTypeid : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    forEachTest(visit.function, [&](const ClassTest &test) {
      if (test.form != ClassTest::Lookup &&
          (test.form != ClassTest::Key || looksUpModules(visit.unit, *test.site)))
        report(test, visit.source, reporter);
    });
  }

private:
  static void forEachTest(const FunctionBody &function,
                          llvm::function_ref<void(const ClassTest &)> visit) {
    const auto read = [&](const ir::Node &code) {
      if (const std::optional<ClassTest> test = classTestOf(code))
        visit(*test);
    };
    ir::forEach(function.body, read);
    for (const ir::Initializer &member : function.function->initializers)
      ir::forEach(member.value, read);
  }

  static void report(const ClassTest &test, const Source &source, Reporter &reporter) {
    const bool isKey = test.form == ClassTest::Key;
    const std::string holder = test.holder->name.str();
    Finding finding(isKey ? Level::Likely : Level::Certain, test.site->range);
    finding.message =
        "no module is of the class of the holder '" + holder + "': " +
        (isKey ? "what is looked up by the class of a module never has this key"
         : test.form == ClassTest::Comparison ? "this comparison always has the same result"
         : test.form == ClassTest::Reference  ? "this cast always throws"
                                              : "this cast always gives null") +
        (isKey ? "" : "; use as<" + holder + ">()") +
        (!test.holder->held ? ""
         : isKey            ? "; use '" + test.holder->held->name.str() + "'"
                            : ", or ask for '" + test.holder->held->name.str() + "'");
    // In a template another class may be written.
    const llvm::StringRef name = source.text(test.written).rtrim("* ");
    if (test.replaced && name.ends_with(holder) && !source.text(test.replaced->range).empty() &&
        !source.text(test.module->range).empty())
      finding.fixes.push_back(clang::FixItHint::CreateReplacement(
          test.replaced->range, ((test.isOpposite ? "!" : "") + source.text(test.module->range) +
                                 (test.isPointer ? "->" : ".") + "as<" + name + ">()")
                                    .str()));
    reporter.report(std::move(finding));
  }

  /// Whether something in the container with that key is looked up by the class of a module.
  static bool looksUpModules(const UnitAnalysis &unit, const ir::Node &key) {
    const ir::Symbol *place = placeOf(key);
    bool isFound = false;
    for (const FunctionBody *function : unit.callGraph().functions())
      if (place && !isFound)
        forEachTest(*function, [&](const ClassTest &test) {
          const ir::Symbol *container =
              test.form == ClassTest::Lookup ? placeOf(*test.site) : nullptr;
          isFound |= container && (container == place || container->owner == place);
        });
    return isFound;
  }

  /// The container that gets the key, or the class of which a method does.
  static const ir::Symbol *placeOf(const ir::Node &key) {
    for (const ir::Node *around = key.parent; around; around = around->parent) {
      if (around->kind == ir::NodeKind::Declaration)
        return around->declared.size() == 1 ? around->declared.front() : nullptr;
      if (!around->isCall() || !around->symbol)
        continue;
      if (!around->symbol->isStandard)
        return around->symbol->owner;
      const ir::Node *object = around->kind == ir::NodeKind::MemberCall ? around->object
                               : around->arguments.empty()              ? nullptr
                                                                        : around->arguments.front();
      if (object && object != &key)
        return object->spelled().symbol;
    }
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Check> makeHolderTypeid() { return std::make_unique<HolderTypeid>(); }

} // namespace gradtidy
