#include "Recurrent.h"
#include "../ops/Arithmetic.h"
#include "../ops/Factories.h"
#include "../ops/Linear.h"
#include "../ops/Pointwise.h"
#include "../ops/Random.h"
#include "../ops/Recurrent.h"
#include "../ops/Views.h"
#include "Init.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace gradtidy::runtime::nn {
namespace {

using utils::rnn::PackedSequence;

/// The parameters of one layer in one direction; biases and projection may be undefined.
struct Weights {
  Tensor input, hidden, inputBias, hiddenBias, projection;
};

RecurrentState oneStep(RecurrentKind kind, const Tensor &x, const RecurrentState &state,
                       const Weights &w) {
  Tensor fromInput = linear(x, w.input, w.inputBias);
  Tensor fromHidden = linear(state[0], w.hidden, w.hiddenBias);
  switch (kind) {
  case RecurrentKind::Tanh:
    return {tanh(fromInput + fromHidden)};
  case RecurrentKind::Relu:
    return {relu(fromInput + fromHidden)};
  case RecurrentKind::Gru:
    return {gruCell(fromInput, fromHidden, state[0])};
  case RecurrentKind::Lstm: {
    auto [h, c] = lstmCell(fromInput, fromHidden, state[1]);
    return {w.projection.defined() ? linear(h, w.projection) : h, c};
  }
  }
  fail("no such kind of recurrent layer");
}

/// How many gates a kind computes at once.
int64_t gateCount(RecurrentKind kind) {
  return kind == RecurrentKind::Lstm ? 4 : kind == RecurrentKind::Gru ? 3 : 1;
}
std::size_t stateCount(RecurrentKind kind) { return kind == RecurrentKind::Lstm ? 2 : 1; }

RecurrentState map(const RecurrentState &state, const std::function<Tensor(const Tensor &)> &f) {
  RecurrentState result;
  for (const Tensor &part : state)
    result.push_back(f(part));
  return result;
}

/// Runs through `steps`, whose batches never grow, and leaves the last state of each sequence in
/// `state`.
std::vector<Tensor> runForward(RecurrentKind kind, const std::vector<Tensor> &steps,
                               RecurrentState &state, const Weights &weights) {
  std::vector<Tensor> outputs;
  std::vector<RecurrentState> finished;
  for (const Tensor &x : steps) {
    int64_t batch = x.size(0), before = state[0].size(0);
    if (batch < before) {
      finished.push_back(
          map(state, [=](const Tensor &part) { return part.narrow(0, batch, before - batch); }));
      state = map(state, [=](const Tensor &part) { return part.narrow(0, 0, batch); });
    }
    state = oneStep(kind, x, state, weights);
    outputs.push_back(state[0]);
  }
  if (!finished.empty())
    for (std::size_t part = 0; part < state.size(); ++part) {
      std::vector<Tensor> pieces{state[part]};
      for (auto piece = finished.rbegin(); piece != finished.rend(); ++piece)
        pieces.push_back((*piece)[part]);
      state[part] = cat(pieces);
    }
  return outputs;
}

/// The same from the last step to the first: batches never shrink.
std::vector<Tensor> runBackward(RecurrentKind kind, const std::vector<Tensor> &steps,
                                RecurrentState &state, const Weights &weights) {
  std::vector<Tensor> outputs(steps.size());
  RecurrentState start = state;
  state.clear();
  for (std::size_t i = steps.size(); i-- > 0;) {
    int64_t batch = steps[i].size(0), before = state.empty() ? 0 : state[0].size(0);
    if (batch > before) {
      RecurrentState fresh =
          map(start, [=](const Tensor &part) { return part.narrow(0, before, batch - before); });
      for (std::size_t part = 0; part < fresh.size() && before > 0; ++part)
        fresh[part] = cat({state[part], fresh[part]});
      state = std::move(fresh);
    }
    state = oneStep(kind, steps[i], state, weights);
    outputs[i] = state[0];
  }
  return outputs;
}

/// Drops elements of all steps at once, as one draw.
std::vector<Tensor> droppedOut(const std::vector<Tensor> &steps, double p) {
  std::vector<Tensor> result;
  Tensor all = dropout(cat(steps), p, true);
  int64_t at = 0;
  for (const Tensor &step : steps) {
    result.push_back(all.narrow(0, at, step.size(0)));
    at += step.size(0);
  }
  return result;
}

const char *word(bool value) { return value ? "true" : "false"; }

RecurrentKind kindOf(const LSTMOptions &) { return RecurrentKind::Lstm; }
RecurrentKind kindOf(const GRUOptions &) { return RecurrentKind::Gru; }
RecurrentKind kindOf(const LSTMCellOptions &) { return RecurrentKind::Lstm; }
RecurrentKind kindOf(const GRUCellOptions &) { return RecurrentKind::Gru; }
template <class Options> RecurrentKind kindOf(const Options &options) {
  return std::holds_alternative<enumtype::kTanh>(options.nonlinearity()) ? RecurrentKind::Tanh
                                                                         : RecurrentKind::Relu;
}

int64_t projectionOf(const LSTMOptions &options) { return options.proj_size(); }
template <class Options> int64_t projectionOf(const Options &) { return 0; }

const char *nameOf(const LSTMOptions &) { return "LSTM"; }
const char *nameOf(const GRUOptions &) { return "GRU"; }
const char *nameOf(const RNNOptions &) { return "RNN"; }
const char *nameOf(const LSTMCellOptions &) { return "LSTMCell"; }
const char *nameOf(const GRUCellOptions &) { return "GRUCell"; }
const char *nameOf(const RNNCellOptions &) { return "RNNCell"; }

template <class Module> void drawUniform(Module &module, int64_t hidden) {
  double bound = 1 / std::sqrt(static_cast<double>(hidden));
  for (Tensor &parameter : module.parameters())
    init::uniform_(parameter, -bound, bound);
}

} // namespace

template <class Derived, class OptionsType>
RecurrentImpl<Derived, OptionsType>::RecurrentImpl(const OptionsType &options) : options(options) {
  TORCH_CHECK(options.dropout() >= 0 && options.dropout() <= 1,
              "dropout should be a number in range [0, 1] representing the probability of an "
              "element being zeroed");
  TORCH_CHECK(options.hidden_size() > 0, "hidden_size must be greater than zero");
  TORCH_CHECK(options.num_layers() > 0, "num_layers must be greater than zero");
  RecurrentImpl::reset();
}

template <class Derived, class OptionsType> void RecurrentImpl<Derived, OptionsType>::reset() {
  int64_t gates = gateCount(kindOf(options)) * options.hidden_size();
  for (int64_t layer = 0; layer < options.num_layers(); ++layer)
    for (int64_t direction = 0; direction < directions(); ++direction) {
      int64_t in = layer == 0 ? options.input_size() : stateSize(0) * directions();
      std::string ending = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      auto make = [&](const char *name, IntArrayRef size) {
        this->register_parameter(name + ending, runtime::empty(size));
      };
      make("weight_ih", {gates, in});
      make("weight_hh", {gates, stateSize(0)});
      if (options.bias()) {
        make("bias_ih", gates);
        make("bias_hh", gates);
      }
      if (projectionOf(options) > 0)
        make("weight_hr", {projectionOf(options), options.hidden_size()});
    }
  reset_parameters();
}

template <class Derived, class OptionsType>
void RecurrentImpl<Derived, OptionsType>::reset_parameters() {
  drawUniform(*this, options.hidden_size());
}

template <class Derived, class OptionsType>
void RecurrentImpl<Derived, OptionsType>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::" << nameOf(options) << "(input_size=" << options.input_size()
         << ", hidden_size=" << options.hidden_size() << ", num_layers=" << options.num_layers()
         << ", bias=" << word(options.bias()) << ", batch_first=" << word(options.batch_first())
         << ", dropout=" << options.dropout()
         << ", bidirectional=" << word(options.bidirectional());
  if (projectionOf(options) > 0)
    stream << ", proj_size=" << projectionOf(options);
  stream << ")";
}

template <class Derived, class OptionsType>
int64_t RecurrentImpl<Derived, OptionsType>::stateSize(std::size_t part) const {
  return part == 0 && projectionOf(options) > 0 ? projectionOf(options) : options.hidden_size();
}

template <class Derived, class OptionsType>
RecurrentState RecurrentImpl<Derived, OptionsType>::checkedState(RecurrentState state,
                                                                 const Tensor &input,
                                                                 int64_t batch) const {
  state.resize(stateCount(kindOf(options)));
  for (std::size_t part = 0; part < state.size(); ++part) {
    std::vector<int64_t> expected{options.num_layers() * directions(), batch, stateSize(part)};
    if (!state[part].defined())
      state[part] = zeros(expected, input.options().requires_grad(false));
    TORCH_CHECK(state[part].sizes() == IntArrayRef(expected), "Expected hidden",
                state.size() == 1 ? " size "
                : part == 0       ? "[0] size "
                                  : "[1] size ",
                expected[0], " ", expected[1], " ", expected[2], ", got ",
                toText(state[part].sizes()));
  }
  return state;
}

template <class Derived, class OptionsType>
std::vector<Tensor> RecurrentImpl<Derived, OptionsType>::runLayers(std::vector<Tensor> steps,
                                                                   RecurrentState &state) {
  RecurrentKind kind = kindOf(options);
  std::vector<std::vector<Tensor>> last(state.size());
  for (int64_t layer = 0; layer < options.num_layers(); ++layer) {
    std::vector<Tensor> forward, backward;
    for (int64_t direction = 0; direction < directions(); ++direction) {
      std::string ending = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      auto named = [&](const char *name) {
        const Tensor *found = this->parameters_.find(name + ending);
        return found ? *found : Tensor();
      };
      Weights weights{named("weight_ih"), named("weight_hh"), named("bias_ih"), named("bias_hh"),
                      named("weight_hr")};
      RecurrentState own =
          map(state, [&](const Tensor &part) { return part[layer * directions() + direction]; });
      (direction == 0 ? forward : backward) = direction == 0
                                                  ? runForward(kind, steps, own, weights)
                                                  : runBackward(kind, steps, own, weights);
      for (std::size_t part = 0; part < own.size(); ++part)
        last[part].push_back(own[part]);
    }
    steps = std::move(forward);
    for (std::size_t i = 0; i < backward.size(); ++i)
      steps[i] = cat({steps[i], backward[i]}, 1);
    if (options.dropout() > 0 && this->is_training() && layer + 1 < options.num_layers())
      steps = droppedOut(steps, options.dropout());
  }
  for (std::size_t part = 0; part < state.size(); ++part)
    state[part] = stack(last[part]);
  return steps;
}

template <class Derived, class OptionsType>
std::tuple<Tensor, RecurrentState> RecurrentImpl<Derived, OptionsType>::run(const Tensor &input,
                                                                            RecurrentState state) {
  TORCH_CHECK(input.dim() == 3, "input must have 3 dimensions, got ", input.dim());
  TORCH_CHECK(input.size(-1) == options.input_size(),
              "input.size(-1) must be equal to input_size. Expected ", options.input_size(),
              ", got ", input.size(-1));
  Tensor byStep = options.batch_first() ? input.transpose(0, 1) : input;
  TORCH_CHECK(byStep.size(0) > 0, "Expected sequence length to be larger than 0 in RNN");
  state = checkedState(std::move(state), input, byStep.size(1));
  Tensor output = stack(runLayers(byStep.unbind(0), state));
  return {options.batch_first() ? output.transpose(0, 1) : output, std::move(state)};
}

template <class Derived, class OptionsType>
std::tuple<PackedSequence, RecurrentState>
RecurrentImpl<Derived, OptionsType>::run(const PackedSequence &input, RecurrentState state) {
  TORCH_CHECK(input.data().dim() == 2, "input must have 2 dimensions, got ", input.data().dim());
  TORCH_CHECK(input.data().size(-1) == options.input_size(),
              "input.size(-1) must be equal to input_size. Expected ", options.input_size(),
              ", got ", input.data().size(-1));
  std::vector<Tensor> steps;
  const auto *counts = input.batch_sizes().template data_ptr<int64_t>();
  for (int64_t step = 0, at = 0; step < input.batch_sizes().size(0); at += counts[step++])
    steps.push_back(input.data().narrow(0, at, counts[step]));
  auto reordered = [](const RecurrentState &parts, const Tensor &order) {
    return map(parts, [&](const Tensor &part) {
      return part.defined() && order.defined() ? part.index_select(1, order) : part;
    });
  };
  state = checkedState(reordered(state, input.sorted_indices()), input.data(), counts[0]);
  Tensor output = cat(runLayers(std::move(steps), state));
  return {
      PackedSequence(output, input.batch_sizes(), input.sorted_indices(), input.unsorted_indices()),
      reordered(state, input.unsorted_indices())};
}

#define GRADTIDY_RECURRENT(Name)                                                                   \
  template class RecurrentImpl<Name##Impl, Name##Options>;                                         \
  std::tuple<Tensor, Tensor> Name##Impl::forward(const Tensor &input, Tensor hx) {                 \
    auto [output, state] = run(input, {std::move(hx)});                                            \
    return {output, state[0]};                                                                     \
  }                                                                                                \
  std::tuple<PackedSequence, Tensor> Name##Impl::forward_with_packed_input(                        \
      const PackedSequence &input, Tensor hx) {                                                    \
    auto [output, state] = run(input, {std::move(hx)});                                            \
    return {output, state[0]};                                                                     \
  }
GRADTIDY_RECURRENT(RNN)
GRADTIDY_RECURRENT(GRU)
#undef GRADTIDY_RECURRENT

template class RecurrentImpl<LSTMImpl, LSTMOptions>;

namespace {

RecurrentState unpacked(const optional<LSTMImpl::States> &states) {
  return states ? RecurrentState{std::get<0>(*states), std::get<1>(*states)} : RecurrentState();
}

} // namespace

std::tuple<Tensor, LSTMImpl::States> LSTMImpl::forward(const Tensor &input, optional<States> hx) {
  auto [output, state] = run(input, unpacked(hx));
  return {output, {state[0], state[1]}};
}

std::tuple<PackedSequence, LSTMImpl::States>
LSTMImpl::forward_with_packed_input(const PackedSequence &input, optional<States> hx) {
  auto [output, state] = run(input, unpacked(hx));
  return {output, {state[0], state[1]}};
}

template <class Derived, class OptionsType> void RecurrentCellImpl<Derived, OptionsType>::reset() {
  int64_t gates = gateCount(kindOf(options)) * options.hidden_size();
  weight_ih = this->register_parameter("weight_ih", runtime::empty({gates, options.input_size()}));
  weight_hh = this->register_parameter("weight_hh", runtime::empty({gates, options.hidden_size()}));
  auto bias = [&](const char *name) {
    return options.bias() ? this->register_parameter(name, runtime::empty(gates))
                          : this->register_parameter(name, Tensor(), false);
  };
  bias_ih = bias("bias_ih");
  bias_hh = bias("bias_hh");
  reset_parameters();
}

template <class Derived, class OptionsType>
void RecurrentCellImpl<Derived, OptionsType>::reset_parameters() {
  drawUniform(*this, options.hidden_size());
}

template <class Derived, class OptionsType>
void RecurrentCellImpl<Derived, OptionsType>::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::" << nameOf(options) << "(" << options.input_size() << ", "
         << options.hidden_size();
  if (!options.bias())
    stream << ", bias=false";
  if (kindOf(options) == RecurrentKind::Relu)
    stream << ", nonlinearity=kReLU";
  stream << ")";
}

template <class Derived, class OptionsType>
RecurrentState RecurrentCellImpl<Derived, OptionsType>::step(const Tensor &input,
                                                             RecurrentState state) {
  TORCH_CHECK(input.dim() == 1 || input.dim() == 2, nameOf(options),
              ": Expected input to be 1D or 2D, got ", input.dim(), "D instead");
  Tensor batch = input.dim() == 2 ? input : input.unsqueeze(0);
  state.resize(stateCount(kindOf(options)));
  for (Tensor &part : state) {
    if (!part.defined())
      part = zeros({batch.size(0), options.hidden_size()}, input.options().requires_grad(false));
    else if (part.dim() == 1)
      part = part.unsqueeze(0);
  }
  state = oneStep(kindOf(options), batch, state, {weight_ih, weight_hh, bias_ih, bias_hh, {}});
  if (input.dim() == 2)
    return state;
  return map(state, [](const Tensor &part) { return part.squeeze(0); });
}

LSTMCellImpl::States LSTMCellImpl::forward(const Tensor &input, optional<States> hx) {
  RecurrentState state = step(input, unpacked(hx));
  return {state[0], state[1]};
}

template class RecurrentCellImpl<RNNCellImpl, RNNCellOptions>;
template class RecurrentCellImpl<LSTMCellImpl, LSTMCellOptions>;
template class RecurrentCellImpl<GRUCellImpl, GRUCellOptions>;

} // namespace gradtidy::runtime::nn
