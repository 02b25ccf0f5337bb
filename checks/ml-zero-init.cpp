// Neurons that begin with the same weights, before and behind them, get the same gradients. Layers
// whose weights are a constant each are as wide as one neuron, however many they have.

#include "Check.h"

namespace gradtidy {
namespace {

class ZeroInit : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const EqualNeurons &equal = visit.event.equalNeurons;
    if (!equal.before)
      return;
    const std::string before = equal.before->spelling.str();
    const std::string behind = equal.behind->spelling.str();
    Finding finding(Level::Likely, *equal.fill,
                    "the weights of '" + before + "' are all the same, and so are those of '" +
                        behind + "': no weight tells the neurons between them apart");
    if (equal.other != equal.fill)
      finding.notes.push_back({*equal.other, "those of '" + behind + "' are set here"});
    else
      finding.notes.push_back({visit.event, "it is called for both here"});
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeZeroInit() { return std::make_unique<ZeroInit>(); }

} // namespace gradtidy
