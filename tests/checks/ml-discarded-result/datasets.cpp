// A dataset that is mapped is a new one.
#include <torch/torch.h>

struct Points : torch::data::datasets::Dataset<Points> {
  torch::data::Example<> get(size_t index) override;
  torch::optional<size_t> size() const override;
};
using Stack = torch::data::transforms::Stack<>;

void mapped_bad() {
  Points points;
  points.map(Stack()); // expect: ml-discarded-result (no fix): 'points' itself does not change
  auto loader = torch::data::make_data_loader(points, 32);
}

void mapped_ok() {
  auto points = Points().map(Stack());
  auto loader = torch::data::make_data_loader(std::move(points), 32);
}
