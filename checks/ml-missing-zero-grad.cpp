#include "Check.h"

namespace gradtidy {
namespace {

class MissingZeroGrad : public Check {
public:
  void on(const Event &event, const State &before, Reporter &reporter) override {}
};

} // namespace

std::unique_ptr<Check> makeMissingZeroGrad() { return std::make_unique<MissingZeroGrad>(); }

} // namespace gradtidy
