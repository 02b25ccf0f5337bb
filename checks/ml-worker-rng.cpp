// Each worker of a loader has a copy of the dataset, random engine included. All copies draw the
// same numbers.

#include "Check.h"

namespace gradtidy {
namespace {

class WorkerRng : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::MakeLoader;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    if (!made.details->loader.engine || made.details->loader.workers < 2)
      return;
    const ir::Symbol &engine = *made.details->loader.engine;
    Finding finding(Level::Likely, engine,
                    "each worker of the loader has a copy of '" + engine.spelling.str() +
                        "', and all copies draw the same numbers");
    finding.notes.push_back({made, "the loader with " +
                                       std::to_string(made.details->loader.workers) +
                                       " workers is made here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeWorkerRng() { return std::make_unique<WorkerRng>(); }

} // namespace gradtidy
