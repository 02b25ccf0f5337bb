// Recurrent layers and cells: RNN, LSTM, GRU.
//
// Inputs are (steps, batch, features), or with batch_first (batch, steps, features); states are
// (layers * directions, batch, hidden) and zeros unless given. The sources are Elman 1990,
// Hochreiter and Schmidhuber 1997, and Cho et al. 2014 in the variants of the PyTorch
// documentation.
#pragma once

#include "Module.h"
#include "PackedSequence.h"
#include "Words.h"

namespace gradtidy::runtime::nn {

struct LSTMOptions {
  LSTMOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(int64_t, num_layers) = 1;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(bool, batch_first) = false;
  /// Of the outputs of each layer but the last.
  TORCH_ARG(double, dropout) = 0.0;
  TORCH_ARG(bool, bidirectional) = false;
  /// Where not 0, the size to which the hidden state is projected.
  TORCH_ARG(int64_t, proj_size) = 0;
};

struct GRUOptions {
  GRUOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(int64_t, num_layers) = 1;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(bool, batch_first) = false;
  TORCH_ARG(double, dropout) = 0.0;
  TORCH_ARG(bool, bidirectional) = false;
};

using Nonlinearity = std::variant<enumtype::kTanh, enumtype::kReLU>;

struct RNNOptions {
  using nonlinearity_t = Nonlinearity;
  RNNOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(int64_t, num_layers) = 1;
  TORCH_ARG(nonlinearity_t, nonlinearity) = kTanh;
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(bool, batch_first) = false;
  TORCH_ARG(double, dropout) = 0.0;
  TORCH_ARG(bool, bidirectional) = false;
};

struct RNNCellOptions {
  using nonlinearity_t = Nonlinearity;
  RNNCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(bool, bias) = true;
  TORCH_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

struct LSTMCellOptions {
  LSTMCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(bool, bias) = true;
};

struct GRUCellOptions {
  GRUCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TORCH_ARG(int64_t, input_size);
  TORCH_ARG(int64_t, hidden_size);
  TORCH_ARG(bool, bias) = true;
};

/// Which equations a step follows.
enum class RecurrentKind { Tanh, Relu, Lstm, Gru };
/// h, or h and c.
using RecurrentState = std::vector<Tensor>;

/// What the three layers share. The parameters are called weight_ih_l0, weight_hh_l0, bias_ih_l0,
/// bias_hh_l0 and so on, those of the backward direction with the ending _reverse.
template <class Derived, class OptionsType> class RecurrentImpl : public Cloneable<Derived> {
public:
  RecurrentImpl(int64_t input, int64_t hidden) : RecurrentImpl(OptionsType(input, hidden)) {}
  explicit RecurrentImpl(const OptionsType &options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;
  /// Weights and biases, layer by layer and direction by direction.
  std::vector<Tensor> all_weights() const { return this->parameters(false); }
  /// Nothing to do: every weight has its own memory here.
  void flatten_parameters() {}

  OptionsType options;

protected:
  std::tuple<Tensor, RecurrentState> run(const Tensor &input, RecurrentState state);
  std::tuple<utils::rnn::PackedSequence, RecurrentState>
  run(const utils::rnn::PackedSequence &input, RecurrentState state);

private:
  int64_t directions() const { return options.bidirectional() ? 2 : 1; }
  int64_t stateSize(std::size_t part) const;
  RecurrentState checkedState(RecurrentState state, const Tensor &input, int64_t batch) const;
  std::vector<Tensor> runLayers(std::vector<Tensor> steps, RecurrentState &state);
};

#define GRADTIDY_RECURRENT(Name)                                                                   \
  class Name##Impl : public RecurrentImpl<Name##Impl, Name##Options> {                             \
  public:                                                                                          \
    using RecurrentImpl::RecurrentImpl;                                                            \
    std::tuple<Tensor, Tensor> forward(const Tensor &input, Tensor hx = {});                       \
    std::tuple<utils::rnn::PackedSequence, Tensor>                                                 \
    forward_with_packed_input(const utils::rnn::PackedSequence &input, Tensor hx = {});            \
                                                                                                   \
  protected:                                                                                       \
    FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})                                              \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_RECURRENT(RNN)
GRADTIDY_RECURRENT(GRU)
#undef GRADTIDY_RECURRENT

class LSTMImpl : public RecurrentImpl<LSTMImpl, LSTMOptions> {
public:
  using States = std::tuple<Tensor, Tensor>;

  using RecurrentImpl::RecurrentImpl;
  std::tuple<Tensor, States> forward(const Tensor &input, optional<States> hx = {});
  std::tuple<utils::rnn::PackedSequence, States>
  forward_with_packed_input(const utils::rnn::PackedSequence &input, optional<States> hx = {});

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(optional<States>())})
};
TORCH_MODULE(LSTM);

/// One step of a batch (batch, features) or of one sample (features). The parameters are called
/// weight_ih, weight_hh, bias_ih, bias_hh.
template <class Derived, class OptionsType> class RecurrentCellImpl : public Cloneable<Derived> {
public:
  RecurrentCellImpl(int64_t input, int64_t hidden)
      : RecurrentCellImpl(OptionsType(input, hidden)) {}
  explicit RecurrentCellImpl(const OptionsType &options) : options(options) {
    RecurrentCellImpl::reset();
  }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream &stream) const override;

  OptionsType options;
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

protected:
  RecurrentState step(const Tensor &input, RecurrentState state);
};

#define GRADTIDY_RECURRENT(Name)                                                                   \
  class Name##Impl : public RecurrentCellImpl<Name##Impl, Name##Options> {                         \
  public:                                                                                          \
    using RecurrentCellImpl::RecurrentCellImpl;                                                    \
    Tensor forward(const Tensor &input, const Tensor &hx = {}) { return step(input, {hx})[0]; }    \
                                                                                                   \
  protected:                                                                                       \
    FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})                                              \
  };                                                                                               \
  TORCH_MODULE(Name);
GRADTIDY_RECURRENT(RNNCell)
GRADTIDY_RECURRENT(GRUCell)
#undef GRADTIDY_RECURRENT

class LSTMCellImpl : public RecurrentCellImpl<LSTMCellImpl, LSTMCellOptions> {
public:
  using States = std::tuple<Tensor, Tensor>;

  using RecurrentCellImpl::RecurrentCellImpl;
  States forward(const Tensor &input, optional<States> hx = {});

protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(optional<States>())})
};
TORCH_MODULE(LSTMCell);

} // namespace gradtidy::runtime::nn
