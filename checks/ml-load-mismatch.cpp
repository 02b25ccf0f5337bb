// torch::load() checks nothing. A list gets the tensors of the file behind those that it has, and a
// module gets parameters of the type that the file has, whatever to() has made of them before.

#include "Check.h"

namespace gradtidy {
namespace {

class LoadMismatch : public Check {
public:
  bool wants(const Moment &moment) const override {
    return llvm::is_contained({EventKind::Load, EventKind::Forward}, moment.event.kind) ||
           moment.event.operation == Operation::Save;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.kind == EventKind::Load && visit.event.details->filled)
      return reportList(visit.event, reporter);
    if (visit.event.kind == EventKind::Forward)
      reportModule(visit, reporter);
  }

private:
  static void reportList(const Event &load, Reporter &reporter) {
    Finding finding = at(load, "this adds to the list: the tensors of the file come behind those "
                               "that are there already");
    finding.notes.push_back(
        {load.details->filled->begin(), load.details->filled == load.site
                                            ? "those of the round before are still there"
                                            : "there are some from here"});
    reporter.report(std::move(finding));
  }

  static void reportModule(const Visit &visit, Reporter &reporter) {
    const ModuleFacts module = visit.before.module(visit.event.subject);
    const Event *load = module.undone;
    if (!load || load->details->file.empty() || module.element == ElementType::Unknown)
      return;
    const std::optional<Saved> saved = savedIn(visit, load->details->file);
    if (!saved || saved->element == module.element)
      return;
    Finding finding = at(*load, "this gives the parameters the type that they were saved in, " +
                                    elementName(saved->element).str() + ": they are no " +
                                    elementName(module.element).str() + " any more");
    finding.notes.push_back({*module.cast, "they were made so here"});
    finding.notes.push_back({*saved->event, "the file is saved here"});
    finding.notes.push_back({visit.event, "the module is used here"});
    reporter.report(std::move(finding));
  }

  static Finding at(const Event &load, std::string message) {
    Finding finding(Level::Likely, load, std::move(message));
    return finding;
  }

  struct Saved {
    const Event *event;
    ElementType element;
  };

  /// What the unit saves in the file of that name, if it is always the same.
  static std::optional<Saved> savedIn(const Visit &visit, llvm::StringRef file) {
    std::optional<Saved> found;
    for (const Observation &other : visit.observations()) {
      const Event &save = *other.event;
      if (save.operation != Operation::Save || save.details->file != file)
        continue;
      if (save.operands.empty() || !isModule(save.operands.front().role))
        return std::nullopt;
      const ModuleFacts module = other.before.module(save.operands.front());
      const bool isKnown = module.element != ElementType::Unknown && !module.undone &&
                           (module.cast || visit.unit.program().keepsDefaultType());
      if (!isKnown || (found && found->element != module.element))
        return std::nullopt;
      found = {&save, module.element};
    }
    return found;
  }
};

} // namespace

std::unique_ptr<Check> makeLoadMismatch() { return std::make_unique<LoadMismatch>(); }

} // namespace gradtidy
