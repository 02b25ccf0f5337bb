// Loads into lists that are not empty.
#include <torch/torch.h>

#include <string>
#include <vector>

void saved_before_bad() {
  std::vector<torch::Tensor> state; // The list that is saved is the one that is loaded.
  state.push_back(torch::rand({2}));
  torch::save(state, "state.pt");
  torch::load(state, "state.pt"); // expect: ml-load-mismatch: adds to the list
  state[0].print();
}

void listed_bad(torch::Tensor weight, torch::Tensor bias, const std::string &path) {
  std::vector<torch::Tensor> state = {weight, bias};
  torch::load(state, path); // expect: ml-load-mismatch: come behind those
  weight.copy_(state[0]);
  bias.copy_(state[1]);
}

void braced_bad(torch::Tensor weight, torch::Tensor bias) {
  std::vector<torch::Tensor> state{weight, bias};
  torch::load(state, "state.pt"); // expect: ml-load-mismatch
  state.at(1).print();
}

void sized_bad() {
  std::vector<torch::Tensor> data(2);
  torch::load(data, "data.pt"); // expect: ml-load-mismatch
  data[0].print();
  data[1].print();
}

void resized_bad(int64_t count) {
  std::vector<torch::Tensor> data;
  data.resize(count);
  torch::load(data, "data.pt"); // expect: ml-load-mismatch
  data[0].print();
}

void parameters_bad(torch::nn::Linear net) {
  auto parameters = net->parameters();
  torch::load(parameters, "net.pt"); // expect: ml-load-mismatch
}

void in_a_loop_bad(const std::vector<std::string> &files) {
  std::vector<torch::Tensor> sample;
  for (const auto &file : files) {
    torch::load(sample, file); // expect: ml-load-mismatch
    auto image = sample[0], label = sample[1];
    image.print();
    label.print();
  }
}

struct Memory {
  std::vector<torch::Tensor> resume(torch::Tensor x) {
    std::vector<torch::Tensor> items = {x};
    torch::load(items, file); // expect: ml-load-mismatch
    items.front().print();
    return items;
  }
  std::string file = "memory.pt";
};

// --- right ---------------------------------------------------------------------------------------

void empty_ok() {
  std::vector<torch::Tensor> state;
  torch::load(state, "state.pt");
  state[0].print();
}

void cleared_ok(torch::Tensor weight) {
  std::vector<torch::Tensor> state = {weight};
  torch::save(state, "state.pt");
  state.clear();
  torch::load(state, "state.pt");
  state[0].print();
}

void made_anew_ok(torch::Tensor weight) {
  std::vector<torch::Tensor> state = {weight};
  torch::save(state, "state.pt");
  state = {};
  torch::load(state, "state.pt");
  state[0].print();
}

void other_list_ok(torch::Tensor weight) {
  std::vector<torch::Tensor> state = {weight}, loaded;
  torch::save(state, "state.pt");
  torch::load(loaded, "state.pt");
  loaded[0].print();
}

void collected_ok(const std::vector<std::string> &files) {
  std::vector<torch::Tensor> all;
  for (const auto &file : files)
    torch::load(all, file);
  torch::cat(all).print();
}

void several_parts_ok() {
  std::vector<torch::Tensor> all;
  torch::load(all, "first.pt");
  torch::load(all, "second.pt");
  torch::cat(all).print();
}

void behind_others_ok(torch::Tensor first) {
  std::vector<torch::Tensor> all = {first};
  torch::load(all, "rest.pt");
  torch::cat(all).print();
}

void known_number_ok(torch::Tensor first) {
  std::vector<torch::Tensor> all = {first};
  const auto begin = all.size();
  torch::load(all, "rest.pt");
  all[begin].print();
  all[0].print();
}

void takes_those_of_the_file_ok(torch::Tensor first) {
  std::vector<torch::Tensor> all = {first};
  torch::load(all, "rest.pt");
  all[0].print();
  all[1].print();
}

void per_round_ok(const std::vector<std::string> &files) {
  for (const auto &file : files) {
    std::vector<torch::Tensor> sample;
    torch::load(sample, file);
    sample[0].print();
  }
}

void cleared_per_round_ok(const std::vector<std::string> &files) {
  std::vector<torch::Tensor> sample;
  for (const auto &file : files) {
    torch::load(sample, file);
    sample[0].print();
    sample.clear();
  }
}

void moved_per_round_ok(const std::vector<std::string> &files,
                        std::vector<std::vector<torch::Tensor>> &all) {
  std::vector<torch::Tensor> sample;
  for (const auto &file : files) {
    torch::load(sample, file);
    sample[0].print();
    all.push_back(std::move(sample));
    sample = {};
  }
}

void one_or_the_other_ok(torch::Tensor weight, bool saves) {
  std::vector<torch::Tensor> state;
  if (saves) {
    state = {weight};
    torch::save(state, "state.pt");
  } else {
    torch::load(state, "state.pt");
    state[0].print();
  }
}

void fill(std::vector<torch::Tensor> &list);

void handed_on_ok(torch::Tensor weight) {
  std::vector<torch::Tensor> state = {weight};
  fill(state);
  torch::load(state, "state.pt");
  state[0].print();
}

void tensor_ok(torch::Tensor weight) {
  torch::save(weight, "weight.pt");
  torch::load(weight, "weight.pt");
}
