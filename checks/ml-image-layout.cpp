// Images are kept pixel by pixel, the channels of each side by side. A tensor over that memory has
// the channels last; named first, each channel is a third of the picture, with all colours mixed.

#include "Check.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class ImageLayout : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Create && moment.event.typing &&
           moment.event.typing->isScrambled;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    Finding finding(Level::Certain, event,
                    "the image has its channels side by side, so they are the last dimension of "
                    "its memory: name them last, and permute the tensor");
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeImageLayout() { return std::make_unique<ImageLayout>(); }

} // namespace gradtidy
