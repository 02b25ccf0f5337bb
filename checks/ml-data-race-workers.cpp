// The workers of a loader have a copy of the dataset each. What a copy shares with the others, all
// of them change at once.

#include "Check.h"

namespace gradtidy {
namespace {

class DataRaceWorkers : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::MakeLoader;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &made = visit.event;
    if (!made.details->loader.shared || made.details->loader.workers < 2)
      return;
    const LoaderOptions &loader = made.details->loader;
    Finding finding(Level::Likely, *loader.change,
                    "all workers of the loader change '" + loader.shared->spelling.str() +
                        "', which they share, and nothing makes them wait for each other");
    finding.notes.push_back(
        {made, "the loader with " + std::to_string(loader.workers) + " workers is made here"});
    finding.notes.push_back({loader.shared->location, "they share this"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeDataRaceWorkers() { return std::make_unique<DataRaceWorkers>(); }

} // namespace gradtidy
