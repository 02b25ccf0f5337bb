// empty() and its kin allocate memory and leave in it what was there before. Until each element has
// been given a value, results are computed of whatever the memory held.

#include "Check.h"

namespace gradtidy {
namespace {

class UninitializedTensor : public Check {
public:
  bool wants(const Moment &moment) const override {
    return unwrittenReadBy(moment.event, moment.before) != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Operand *read = unwrittenReadBy(visit.event, visit.before);
    if (!read)
      return;
    const PathTable &paths = visit.before.tables->paths;
    const Storage storage = visit.before.valueOf(*read).storage;
    const std::string name = paths.spelling(read->path);
    Finding finding(storage.partly ? Level::Likely : Level::Certain, *storage.unwritten,
                    (name.empty() ? "this tensor" : "'" + name + "'") +
                        (storage.partly
                             ? " is read although only some of its elements have been "
                               "assigned; initialize all of them"
                             : " is read before its elements are assigned; initialize it"));
    if (storage.partly)
      finding.notes.push_back({*storage.partly, "only some elements are assigned here"});
    finding.notes.push_back({visit.event, "all elements are read here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeUninitializedTensor() { return std::make_unique<UninitializedTensor>(); }

} // namespace gradtidy
