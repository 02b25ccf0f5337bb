// Writes into copies of selected elements.
#include <torch/torch.h>

using namespace torch::indexing;

void assigned_bad(torch::Tensor x, torch::Tensor v) {
  x.index({x > 0}) = v; // expect: ml-masked-assign-copy: this changes a copy of the selected
}

void number_assigned_bad(torch::Tensor x) {
  auto mask = x < 0;
  x.index({mask}) = 0; // expect: ml-masked-assign-copy: 'x' stays as it was
}

void float_assigned_bad(torch::Tensor x, torch::Tensor y) {
  x.index({y == 0}) = 0.5; // expect: ml-masked-assign-copy: 'x' stays as it was
}

void filled_bad(torch::Tensor x) {
  x.index({x < 0}).fill_(0.1); // expect: ml-masked-assign-copy: 'x' stays as it was
}

void copied_bad(torch::Tensor x, torch::Tensor v) {
  x.index({x < 0}).copy_(v); // expect: ml-masked-assign-copy: 'x' stays as it was
}

void arithmetic_bad(torch::Tensor x, torch::Tensor v) {
  auto mask = x > 1;
  x.index({mask}) += v;         // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}) -= v;         // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}) *= 0.5;       // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}) /= 2;         // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}).mul_(2);      // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}).add_(1);      // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}).clamp_(0, 1); // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}).zero_();      // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.index({mask}).normal_();    // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
}

void chained_bad(torch::Tensor x) {
  x.index({x > 1}).mul_(2).add_(1); // miss: ml-masked-assign-copy: more than one way to select and to write
}

void masks_bad(torch::Tensor x, torch::Tensor y) {
  x.index({torch::logical_and(x > 0, y > 0)}) = 1; // expect: ml-masked-assign-copy
  x.index({(x > 0).logical_not()}) = 1;            // expect: ml-masked-assign-copy
  x.index({x.eq(y)}) = 1;                          // expect: ml-masked-assign-copy
}

void lists_bad(torch::Tensor x) {
  x.index({torch::randperm(4)}) = 0;                  // miss: ml-masked-assign-copy: more than one way to select and to write
  x.index({torch::tensor({0, 2}, torch::kLong)}) = 0; // miss: ml-masked-assign-copy: more than one way to select and to write
  auto chosen = torch::nonzero(x.sum({1}) > 0).squeeze(1);
  x.index({chosen}) = 0; // expect: ml-masked-assign-copy
}

void several_indices_bad(torch::Tensor x, torch::Tensor y) {
  x.index({Slice(), y > 0}) = 0; // expect: ml-masked-assign-copy: 'x' stays as it was
  x.index({y > 0, 1}) = 0;       // expect: ml-masked-assign-copy: 'x' stays as it was
  x.index({"...", y > 0}) = 0;   // expect: ml-masked-assign-copy: 'x' stays as it was
  x.index({0, y > 0}).fill_(1);  // expect: ml-masked-assign-copy: 'x' stays as it was
}

void selected_bad(torch::Tensor x, torch::Tensor v) {
  x.masked_select(x > 0) = v;         // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.masked_select(x > 0).zero_();     // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  x.masked_select(x > 0) *= 2;        // expect: ml-masked-assign-copy (no fix): 'x' stays as it was
  torch::masked_select(x, x > 0) = v; // miss: ml-masked-assign-copy: more than one way to select and to write
}

// As it stands in a program for object detection.
void mirrored_bad(torch::Tensor confidence) {
  auto below = confidence < 0.1;
  confidence.masked_select(below) = // expect: ml-masked-assign-copy (no fix): 'confidence' stays
      1 - confidence.masked_select(below);
}

void gathered_bad(torch::Tensor x, torch::Tensor list, torch::Tensor v) {
  x.index_select(0, list) = v;          // expect: ml-masked-assign-copy (no fix)
  x.index_select(0, list).zero_();      // expect: ml-masked-assign-copy (no fix)
  x.gather(1, list).add_(1);            // expect: ml-masked-assign-copy (no fix)
  x.gather(1, list) = v;                // expect: ml-masked-assign-copy (no fix)
  x.take(list).fill_(0);                // expect: ml-masked-assign-copy (no fix)
  torch::index_select(x, 0, list) += v; // miss: ml-masked-assign-copy: more than one way to select and to write
  torch::gather(x, 1, list) *= 2;       // miss: ml-masked-assign-copy: more than one way to select and to write
}

void variable_bad(torch::Tensor x) {
  auto part = x.index({x > 0}); // miss: ml-masked-assign-copy: more than one way to select and to write
  part += 1;
}

void squeezed_bad(torch::Tensor x, torch::Tensor y) {
  torch::Tensor large = (y > 2).squeeze();
  x.index({large}) = torch::log(x.index({large})); // expect: ml-masked-assign-copy
}

void variable_filled_bad(torch::Tensor x, torch::Tensor list) {
  torch::Tensor part = x.index_select(0, list); // miss: ml-masked-assign-copy: more than one way to select and to write
  part.fill_(0);
}

struct Weights {
  void drop_bad(torch::Tensor missing) {
    weights.index({missing > 0}) = 0; // expect: ml-masked-assign-copy: stays as it was
  }
  torch::Tensor weights;
};

void of_a_row_bad(torch::Tensor x) {
  x[0].index({x[0] > 0}) = 0; // expect: ml-masked-assign-copy: stays as it was
}

void under_guard_bad(torch::nn::Linear net) {
  torch::NoGradGuard guard;
  net->weight.index({net->weight < 0.01}) = 0; // expect: ml-masked-assign-copy: stays as it was
}

void in_a_loop_bad(const std::vector<torch::Tensor> &batches) {
  for (auto batch : batches) {
    batch.index({batch > 10}) = 10; // expect: ml-masked-assign-copy: 'batch' stays as it was
    batch.print();
  }
}
