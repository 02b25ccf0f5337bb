// Lists that are given elements which hold nothing, and then grow.
#include <torch/torch.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <vector>

// --- right ---------------------------------------------------------------------------------------

torch::Tensor reserved_ok(int64_t count) {
  std::vector<torch::Tensor> steps;
  steps.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    steps.push_back(torch::rand({4}));
  return torch::stack(steps);
}

torch::Tensor assigned_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  for (int64_t i = 0; i < count; ++i)
    steps[i] = torch::rand({4});
  steps.push_back(torch::zeros({4}));
  return torch::stack(steps);
}

torch::Tensor assigned_at_ok(int64_t count) {
  std::vector<torch::Tensor> steps;
  steps.resize(count);
  for (int64_t i = 0; i < count; ++i)
    steps.at(i) = torch::rand({4});
  steps.push_back(torch::zeros({4}));
  return torch::stack(steps);
}

torch::Tensor iterated_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  for (auto &step : steps)
    step = torch::rand({4});
  steps.push_back(torch::zeros({4}));
  return torch::stack(steps);
}

torch::Tensor by_iterator_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  for (auto step = steps.begin(); step != steps.end(); ++step)
    *step = torch::rand({4});
  steps.push_back(torch::zeros({4}));
  return torch::stack(steps);
}

torch::Tensor filled_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  std::fill(steps.begin(), steps.end(), torch::zeros({4}));
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor generated_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  std::generate(steps.begin(), steps.end(), [] { return torch::rand({4}); });
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor with_value_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count, torch::zeros({4}));
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor resized_with_value_ok(int64_t count) {
  std::vector<torch::Tensor> steps;
  steps.resize(count, torch::zeros({4}));
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor emptied_ok() {
  std::vector<torch::Tensor> steps(8);
  steps.clear();
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor resized_to_none_ok(std::vector<torch::Tensor> &steps) {
  steps.resize(0);
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor shortened_ok(std::vector<torch::Tensor> steps, size_t most) {
  steps.push_back(torch::ones({4}));
  if (steps.size() > most)
    steps.resize(most);
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor shortened_list_ok(const torch::Tensor &x) {
  std::vector<torch::Tensor> steps;
  for (int i = 0; i < 8; ++i)
    steps.push_back(x + i);
  steps.resize(4);
  steps.push_back(x);
  return torch::stack(steps);
}

torch::Tensor swapped_ok(std::vector<torch::Tensor> others) {
  std::vector<torch::Tensor> steps(8);
  steps.swap(others);
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor replaced_ok(const std::vector<torch::Tensor> &others) {
  std::vector<torch::Tensor> steps(8);
  steps = others;
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

void fill(std::vector<torch::Tensor> &steps);

torch::Tensor filled_elsewhere_ok() {
  std::vector<torch::Tensor> steps(8);
  fill(steps);
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor fill_here(std::vector<torch::Tensor> &steps) {
  for (auto &step : steps)
    step = torch::ones({4});
  return steps[0];
}

torch::Tensor filled_by_helper_ok() {
  std::vector<torch::Tensor> steps(8);
  fill_here(steps);
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor asked_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count);
  steps.push_back(torch::ones({4}));
  torch::Tensor sum = torch::zeros({4});
  for (const auto &step : steps)
    if (step.defined())
      sum = sum + step;
  return sum;
}

torch::Tensor from_the_back_ok(int64_t count) {
  std::vector<torch::Tensor> steps(count); // An index for each, filled behind.
  steps.push_back(torch::ones({4}));
  return steps.back();
}

torch::Tensor lists_of_lists_ok(int64_t count) {
  std::vector<std::vector<torch::Tensor>> groups(count);
  groups.push_back({torch::ones({4})});
  for (auto &group : groups)
    group.push_back(torch::ones({4}));
  return torch::stack(groups.front());
}

torch::Tensor copied_in_ok(const std::vector<torch::Tensor> &others) {
  std::vector<torch::Tensor> steps(others.size());
  std::copy(others.begin(), others.end(), steps.begin());
  steps.push_back(torch::ones({4}));
  return torch::stack(steps);
}

torch::Tensor either_ok(int64_t count, bool fixed) {
  std::vector<torch::Tensor> steps;
  if (fixed)
    steps.resize(count);
  for (int64_t i = 0; i < count; ++i)
    if (fixed)
      steps[i] = torch::rand({4});
    else
      steps.push_back(torch::rand({4}));
  return torch::stack(steps);
}

struct Ring {
  explicit Ring(size_t capacity) : capacity(capacity) { items.resize(capacity); }
  void add(const torch::Tensor &item) {
    if (next < capacity)
      items[next++] = item;
    else
      items.push_back(item);
  }
  torch::Tensor all() const { return torch::stack(items); }
  size_t capacity, next = 0;
  std::vector<torch::Tensor> items;
};

struct Cleared {
  explicit Cleared(int64_t horizon) { items.resize(horizon); }
  void begin() { items.clear(); }
  void add(const torch::Tensor &item) { items.push_back(item); }
  torch::Tensor all() const { return torch::stack(items); }
  std::vector<torch::Tensor> items;
};

struct Trimmed {
  void add(const torch::Tensor &item) {
    items.push_back(item);
    if (items.size() > 100)
      items.resize(100);
  }
  torch::Tensor all() const { return torch::stack(items); }
  std::vector<torch::Tensor> items;
};

struct Lent {
  explicit Lent(int64_t count) : items(count) {}
  std::vector<torch::Tensor> &list() { return items; }
  void add(const torch::Tensor &item) { items.push_back(item); }
  torch::Tensor all() const { return torch::stack(items); }
  std::vector<torch::Tensor> items;
};

// --- wrong ---------------------------------------------------------------------------------------

torch::Tensor resized_bad(int64_t count) {
  std::vector<torch::Tensor> steps;
  steps.resize(count); // note: the empty elements are made here
  for (int64_t i = 0; i < count; ++i)
    steps.push_back(torch::rand({4})); // expect: ml-undefined-element: 'steps' starts with the empty elements of resize(), and push_back() adds behind them
  return torch::stack(steps); // note: the list is read here
}

torch::Tensor made_with_bad(int64_t count) {
  std::vector<torch::Tensor> steps(count); // note: made here
  for (int64_t i = 0; i < count; ++i)
    steps.emplace_back(torch::rand({4})); // expect: ml-undefined-element (no fix): of its constructor
  return torch::cat(steps, 0); // note: read here
}

torch::Tensor inserted_bad() {
  std::vector<torch::Tensor> steps(4); // note: made here
  steps.insert(steps.end(), torch::rand({4})); // expect: ml-undefined-element (no fix)
  return torch::cat(steps); // note: read here
}

torch::Tensor by_inserter_bad(const std::vector<torch::Tensor> &others) {
  std::vector<torch::Tensor> steps;
  steps.resize(others.size()); // note: made here
  std::transform(others.begin(), others.end(), std::back_inserter(steps), // expect: ml-undefined-element
                 [](const torch::Tensor &each) { return each * 2; });
  return torch::cat(steps); // note: read here
}

void owned_bad(const torch::Tensor &weight) {
  std::vector<torch::Tensor> weights;
  weights.resize(1); // note: made here
  weights.push_back(weight); // expect: ml-undefined-element
  torch::optim::SGD optimizer(weights, 0.1); // note: read here
}

torch::Tensor cleared_first_bad(std::vector<torch::Tensor> &steps) {
  steps.clear();
  steps.resize(4); // note: made here
  steps.push_back(torch::rand({4})); // expect: ml-undefined-element
  return torch::stack(steps); // note: read here
}

torch::Tensor deque_bad() {
  std::deque<torch::Tensor> steps(4); // note: made here
  steps.push_back(torch::rand({4})); // expect: ml-undefined-element (no fix)
  torch::Tensor sum = torch::zeros({4});
  for (const auto &step : steps)
    sum = sum + step; // note: read here
  return sum;
}

torch::Tensor one_by_one_bad() {
  std::vector<torch::Tensor> steps;
  steps.resize(4); // note: made here
  steps.push_back(torch::rand({4})); // expect: ml-undefined-element
  torch::Tensor sum = torch::zeros({4});
  for (auto step : steps)
    sum += step.sum(); // note: read here
  return sum;
}

torch::Tensor first_bad() {
  std::vector<torch::Tensor> steps;
  steps.resize(4); // note: made here
  steps.push_back(torch::rand({4})); // expect: ml-undefined-element
  return steps[0].sum(); // note: read here
}

void collect(std::vector<torch::Tensor> &steps, const torch::Tensor &x) {
  steps.push_back(x.mean()); // expect: ml-undefined-element
}

torch::Tensor by_helper_bad(const torch::Tensor &x) {
  std::vector<torch::Tensor> steps;
  steps.resize(4); // note: made here
  for (int i = 0; i < 4; ++i)
    collect(steps, x[i]);
  return torch::stack(steps); // note: read here
}

struct Episode {
  std::vector<torch::Tensor> states, rewards;
};

torch::Tensor in_struct_bad(const torch::Tensor &x) {
  Episode episode;
  episode.states.resize(4); // note: made here
  for (int i = 0; i < 4; ++i)
    episode.states.push_back(x[i]); // expect: ml-undefined-element: 'episode.states'
  return torch::stack(episode.states); // note: read here
}

// Nothing here calls both: what constructors leave holds in every method.
struct Rollout {
  explicit Rollout(int64_t horizon) {
    states.resize(horizon); // note: made here
  }
  void append(const torch::Tensor &state) {
    states.push_back(state); // expect: ml-undefined-element: 'states'
  }
  torch::Tensor batch() const { return torch::stack(states); } // note: read here
  std::vector<torch::Tensor> states;
};

class Memory {
public:
  explicit Memory(int64_t horizon) : _states(horizon) {} // note: made here
  void append(const torch::Tensor &state) {
    _states.push_back(state); // expect: ml-undefined-element (no fix)
  }
  torch::Tensor batch() const { return torch::stack(_states); } // note: read here

private:
  std::vector<torch::Tensor> _states;
};

template <typename Item> class Store {
public:
  void begin(size_t count) {
    items.resize(count); // note: made here
  }
  void add(Item item) { items.push_back(std::move(item)); } // expect: ml-undefined-element
  const std::vector<Item> &all() const { return items; }

private:
  std::vector<Item> items;
};

torch::Tensor in_template_bad(const torch::Tensor &x) {
  Store<torch::Tensor> store;
  store.begin(4);
  store.add(x);
  return torch::stack(store.all()); // note: read here
}

torch::Tensor in_lambda_bad(const torch::Tensor &x) {
  std::vector<torch::Tensor> steps;
  steps.resize(2); // note: made here
  auto add = [&](const torch::Tensor &step) {
    steps.push_back(step); // expect: ml-undefined-element
  };
  add(x);
  add(x + 1);
  return torch::stack(steps); // note: read here
}

void sizes_bad(const std::vector<torch::Tensor> &given) {
  std::vector<torch::Tensor> rows(std::size(given)); // note: made here
  std::transform(given.begin(), given.end(), std::back_inserter(rows), // expect: ml-undefined-element (no fix)
                 [](const torch::Tensor &each) { return each + 1; });
  std::vector<int64_t> lengths;
  for (const auto &row : rows)
    lengths.push_back(row.size(0));
  torch::nn::utils::rnn::pad_sequence(rows, true); // note: read here
}

torch::Tensor first_bad(const torch::Tensor &x) {
  std::vector<torch::Tensor> steps(2); // note: made here
  steps.push_back(x);                  // expect: ml-undefined-element (no fix)
  return x + steps[0];                 // note: read here
}

torch::Tensor last_ok(const torch::Tensor &x) {
  std::vector<torch::Tensor> steps(2);
  steps.push_back(x);
  return x + steps[2];
}
