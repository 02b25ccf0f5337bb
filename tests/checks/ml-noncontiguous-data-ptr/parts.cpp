// Elements between which others lie that indices leave out.
#include <torch/torch.h>

using torch::indexing::Slice;

using Numbers = std::vector<float>;

Numbers column_bad() {
  auto points = torch::rand({2000, 2});
  auto x = points.index({Slice(), 0});
  const float *first = x.data_ptr<float>(); // expect: ml-noncontiguous-data-ptr (no fix) (level 0): 'x' also holds what is left out by index()
  return Numbers(first, first + 2000);
}

Numbers selected_bad() {
  auto points = torch::rand({2000, 2});
  auto x = points.select(1, 0);
  const float *first = x.data_ptr<float>(); // expect: ml-noncontiguous-data-ptr (no fix) (level 0): left out by select()
  return Numbers(first, first + 2000);
}

Numbers row_ok() {
  auto points = torch::rand({2000, 2});
  auto first = points[0], second = points.index({1, Slice()});
  Numbers both(first.data_ptr<float>(), first.data_ptr<float>() + first.numel());
  both.insert(both.end(), second.data_ptr<float>(), second.data_ptr<float>() + second.numel());
  return both;
}

Numbers packed_ok() {
  auto points = torch::rand({2000, 2});
  auto x = points.index({Slice(), 0}).contiguous();
  auto twice = points.index({Slice(), 0}) * 2;
  Numbers both(x.data_ptr<float>(), x.data_ptr<float>() + x.numel());
  both.insert(both.end(), twice.data_ptr<float>(), twice.data_ptr<float>() + twice.numel());
  return both;
}

// Of one image, the first channel is the first part.
Numbers channel_ok() {
  auto red = torch::rand({1, 3, 8, 8}).select(1, 0);
  return Numbers(red.data_ptr<float>(), red.data_ptr<float>() + red.numel());
}

// A column of what was transposed is a row of the memory.
Numbers transposed_ok() {
  auto points = torch::rand({2, 3});
  auto row = points.t().select(1, 0);
  return Numbers(row.data_ptr<float>(), row.data_ptr<float>() + 3);
}
