// What shall never be chosen, filled with the smallest number above 0.
#include <torch/torch.h>

#include <cfloat>
#include <limits>
#include <vector>

using torch::Tensor;

// --- masks --------------------------------------------------------------------------------------------

int64_t legal_bad(Tensor scores, Tensor legal) {
  auto rest = scores.masked_fill(legal == 0, std::numeric_limits<float>::min()); // expect: ml-smallest-number (level 1): not the least of all
  return rest.argmax().item<int64_t>();
}

Tensor macro_bad(Tensor scores, Tensor hidden) {
  scores.masked_fill_(hidden, FLT_MIN); // expect: ml-smallest-number (no fix)
  return torch::softmax(scores, -1);
}

Tensor chosen_bad(Tensor scores, Tensor legal) {
  return torch::where(legal, scores, torch::full_like(scores, std::numeric_limits<float>::min())); // expect: ml-smallest-number
}

Tensor begin_bad(int64_t count) {
  return torch::full({count}, std::numeric_limits<double>::min()); // expect: ml-smallest-number
}

Tensor lowest_ok(Tensor scores, Tensor legal) {
  return scores.masked_fill(legal == 0, std::numeric_limits<float>::lowest());
}

Tensor negative_ok(Tensor scores, Tensor hidden) { return scores.masked_fill(hidden, -FLT_MAX); }

// What keeps a division or a logarithm from 0.
Tensor bounded_ok(Tensor probabilities) {
  return torch::log(torch::clamp(probabilities, std::numeric_limits<float>::min(), 1));
}
Tensor added_ok(Tensor x) { return x / (x.sum() + FLT_MIN); }

// --- variables ----------------------------------------------------------------------------------------

float best_bad(const std::vector<float> &returns) {
  float best = std::numeric_limits<float>::min(); // expect: ml-smallest-number (level 2): begins with the smallest number above 0
  for (float value : returns)
    if (value > best)
      best = value;
  return best;
}

float best_ok(const std::vector<float> &returns) {
  float best = std::numeric_limits<float>::lowest();
  for (float value : returns)
    if (value > best)
      best = value;
  return best;
}

float bound_ok(const std::vector<float> &values) {
  float least = std::numeric_limits<float>::min();
  float sum = 0;
  for (float value : values)
    if (value > least)
      sum += value;
  return sum;
}

// --- members ----------------------------------------------------------------------------------------------

struct Best {
  float score = std::numeric_limits<float>::min(); // expect: ml-smallest-number (level 2): begins with the smallest number above 0
  float least = std::numeric_limits<float>::min();
  int index = -1;
  void add(float value, int i) {
    if (value > score) {
      score = value;
      index = i;
    }
    if (value < least)
      index = i;
  }
};
