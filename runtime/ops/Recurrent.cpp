#include "Recurrent.h"
#include "../autograd/Function.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Factories.h"
#include "Pointwise.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <cmath>

namespace gradtidy::runtime {
namespace {

template <class Math> GRADTIDY_HOST_DEVICE Math logistic(Math x) { return 1 / (1 + std::exp(-x)); }
/// The derivatives of the functions of gates by their results.
template <class Math> GRADTIDY_HOST_DEVICE Math logisticSlope(Math y) { return y * (1 - y); }
template <class Math> GRADTIDY_HOST_DEVICE Math tanhSlope(Math y) { return 1 - y * y; }
Tensor logisticSlope(const Tensor &y) { return y * (1 - y); }
Tensor tanhSlope(const Tensor &y) { return 1 - y * y; }

/// What enters the gates of element i of a state, and where its gates are.
template <class T, int count> struct GateSums {
  const T *fromInput, *fromHidden;
  int64_t size;

  GRADTIDY_HOST_DEVICE int64_t place(int64_t i, int gate) const {
    return i + (i / size * (count - 1) + gate) * size;
  }
  GRADTIDY_HOST_DEVICE MathType<T> input(int64_t i, int gate) const {
    return fromInput[place(i, gate)];
  }
  GRADTIDY_HOST_DEVICE MathType<T> hidden(int64_t i, int gate) const {
    return fromHidden[place(i, gate)];
  }
  GRADTIDY_HOST_DEVICE MathType<T> sum(int64_t i, int gate) const {
    return input(i, gate) + hidden(i, gate);
  }
};

template <class T> struct LstmGates {
  using Math = MathType<T>;
  Math in, forget, fresh, out;

  GRADTIDY_HOST_DEVICE LstmGates(const GateSums<T, 4> &sums, int64_t i)
      : in(logistic(sums.sum(i, 0))), forget(logistic(sums.sum(i, 1))),
        fresh(std::tanh(sums.sum(i, 2))), out(logistic(sums.sum(i, 3))) {}
  GRADTIDY_HOST_DEVICE Math cell(Math before) const { return forget * before + in * fresh; }
};

/// The hidden state; writes the cell.
template <class T> struct LstmStep {
  GateSums<T, 4> sums;
  const T *cell;
  T *newCell;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    const LstmGates<T> gates(sums, i);
    const MathType<T> c = gates.cell(cell[i]);
    newCell[i] = static_cast<T>(c);
    return gates.out * std::tanh(c);
  }
};

/// The gradient of the cell before; writes that of the sums. Either state may have none.
template <class T> struct LstmGradient {
  GateSums<T, 4> sums;
  const T *cell, *byHidden, *byNewCell;
  T *bySums;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    using Math = MathType<T>;
    const LstmGates<T> gates(sums, i);
    const Math before = cell[i], squashed = std::tanh(gates.cell(before)),
               g = byHidden ? Math(byHidden[i]) : Math(0),
               byCell =
                   (byNewCell ? Math(byNewCell[i]) : Math(0)) + g * gates.out * tanhSlope(squashed);
    bySums[sums.place(i, 0)] = static_cast<T>(byCell * gates.fresh * logisticSlope(gates.in));
    bySums[sums.place(i, 1)] = static_cast<T>(byCell * before * logisticSlope(gates.forget));
    bySums[sums.place(i, 2)] = static_cast<T>(byCell * gates.in * tanhSlope(gates.fresh));
    bySums[sums.place(i, 3)] = static_cast<T>(g * squashed * logisticSlope(gates.out));
    return byCell * gates.forget;
  }
};

template <class T> struct GruGates {
  using Math = MathType<T>;
  Math reset, update, hidden, fresh; ///< `hidden` is what `reset` weighs

  GRADTIDY_HOST_DEVICE GruGates(const GateSums<T, 3> &sums, int64_t i)
      : reset(logistic(sums.sum(i, 0))), update(logistic(sums.sum(i, 1))),
        hidden(sums.hidden(i, 2)), fresh(std::tanh(sums.input(i, 2) + reset * hidden)) {}
};

template <class T> struct GruStep {
  GateSums<T, 3> sums;
  const T *state;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    const GruGates<T> gates(sums, i);
    return (MathType<T>(state[i]) - gates.fresh) * gates.update + gates.fresh;
  }
};

/// The gradient of the state before; writes those of what the gates got.
template <class T> struct GruGradient {
  GateSums<T, 3> sums;
  const T *state, *byState;
  T *byInput, *byHidden;

  GRADTIDY_HOST_DEVICE MathType<T> operator()(int64_t i) const {
    using Math = MathType<T>;
    const GruGates<T> gates(sums, i);
    const Math g = byState[i], byFresh = g * (1 - gates.update) * tanhSlope(gates.fresh),
               byReset = byFresh * gates.hidden * logisticSlope(gates.reset),
               byUpdate = g * (Math(state[i]) - gates.fresh) * logisticSlope(gates.update);
    write(i, 0, byReset, byReset);
    write(i, 1, byUpdate, byUpdate);
    write(i, 2, byFresh, byFresh * gates.reset);
    return g * gates.update;
  }

private:
  GRADTIDY_HOST_DEVICE void write(int64_t i, int gate, MathType<T> input,
                                  MathType<T> hidden) const {
    byInput[sums.place(i, gate)] = static_cast<T>(input);
    byHidden[sums.place(i, gate)] = static_cast<T>(hidden);
  }
};

/// Whether a step from `state` is computed by the kernels above.
bool isFused(const Tensor &fromInput, const Tensor &fromHidden, const Tensor &state,
             int64_t gates) {
  for (const Tensor *x : {&fromInput, &fromHidden})
    if (x->device() != state.device() || x->scalar_type() != state.scalar_type() || x->dim() != 2 ||
        x->size(0) != state.size(0) || x->size(1) != gates * state.size(1))
      return false;
  return cudaStreamOf(state.device()) && isFloatingType(state.scalar_type());
}

Tensor emptyLike(const Tensor &x) { return makeEmpty(x.sizes(), x.scalar_type(), x.device()); }

template <class T, int count>
GateSums<T, count> gateSums(const Tensor &fromInput, const Tensor &fromHidden,
                            const Tensor &state) {
  return {kernelData<T>(fromInput), kernelData<T>(fromHidden), state.size(1)};
}

std::array<Tensor, 2> lstmStep(const Tensor &fromInput, const Tensor &fromHidden,
                               const Tensor &cell) {
  std::vector<Tensor> gates = (fromInput + fromHidden).chunk(4, 1);
  Tensor c = sigmoid(gates[1]) * cell + sigmoid(gates[0]) * tanh(gates[2]);
  return {sigmoid(gates[3]) * tanh(c), c};
}

struct LstmCell : autograd::Function<LstmCell> {
  static autograd::tensor_list forward(autograd::AutogradContext *context, Tensor fromInput,
                                       Tensor fromHidden, Tensor cell) {
    context->save_for_backward({fromInput, fromHidden, cell});
    context->set_materialize_grads(false);
    fromInput = fromInput.contiguous();
    fromHidden = fromHidden.contiguous();
    cell = cell.contiguous();
    const Tensor hidden = emptyLike(cell), newCell = emptyLike(cell);
    dispatchFloating(cell.scalar_type(), "lstm_cell", [&]<class T>() {
      enumerate<T>(LstmStep<T>{gateSums<T, 4>(fromInput, fromHidden, cell), kernelData<T>(cell),
                               kernelData<T>(newCell)},
                   hidden);
    });
    return {hidden, newCell};
  }

  static autograd::tensor_list backward(autograd::AutogradContext *context,
                                        autograd::tensor_list gradients) {
    const autograd::tensor_list saved = context->get_saved_variables();
    if (GradMode::is_enabled())
      return differentiableGradients(saved, gradients);
    const Tensor fromInput = saved[0].contiguous(), fromHidden = saved[1].contiguous(),
                 cell = saved[2].contiguous(), bySums = emptyLike(fromInput),
                 byCell = emptyLike(cell);
    for (Tensor &g : gradients)
      g = g.defined() ? g.contiguous() : g;
    dispatchFloating(cell.scalar_type(), "lstm_cell_backward", [&]<class T>() {
      auto data = [](const Tensor &g) { return g.defined() ? kernelData<T>(g) : nullptr; };
      enumerate<T>(LstmGradient<T>{gateSums<T, 4>(fromInput, fromHidden, cell), kernelData<T>(cell),
                                   data(gradients[0]), data(gradients[1]), kernelData<T>(bySums)},
                   byCell);
    });
    return {bySums, bySums, byCell};
  }

private:
  static autograd::tensor_list differentiableGradients(const autograd::tensor_list &saved,
                                                       const autograd::tensor_list &gradients) {
    const Tensor &cell = saved[2];
    const std::vector<Tensor> sums = (saved[0] + saved[1]).chunk(4, 1);
    const Tensor in = sigmoid(sums[0]), forget = sigmoid(sums[1]), fresh = tanh(sums[2]),
                 out = sigmoid(sums[3]), squashed = tanh(forget * cell + in * fresh);
    const Tensor g = gradients[0].defined() ? gradients[0] : zeros_like(cell);
    Tensor byCell = g * out * tanhSlope(squashed);
    if (gradients[1].defined())
      byCell = byCell + gradients[1];
    const Tensor bySums =
        cat({byCell * fresh * logisticSlope(in), byCell * cell * logisticSlope(forget),
             byCell * in * tanhSlope(fresh), g * squashed * logisticSlope(out)},
            1);
    return {bySums, bySums, byCell * forget};
  }
};

Tensor gruStep(const Tensor &fromInput, const Tensor &fromHidden, const Tensor &state) {
  std::vector<Tensor> in = fromInput.chunk(3, 1), hid = fromHidden.chunk(3, 1);
  Tensor reset = sigmoid(in[0] + hid[0]), update = sigmoid(in[1] + hid[1]);
  Tensor fresh = tanh(in[2] + reset * hid[2]);
  return (state - fresh) * update + fresh;
}

Gradients gruGradients(const Tensor &g, const Tensor &fromInput, const Tensor &fromHidden,
                       const Tensor &state) {
  if (GradMode::is_enabled()) {
    const std::vector<Tensor> in = fromInput.chunk(3, 1), hid = fromHidden.chunk(3, 1);
    const Tensor reset = sigmoid(in[0] + hid[0]), update = sigmoid(in[1] + hid[1]),
                 fresh = tanh(in[2] + reset * hid[2]);
    const Tensor byFresh = g * (1 - update) * tanhSlope(fresh),
                 byReset = byFresh * hid[2] * logisticSlope(reset),
                 byUpdate = g * (state - fresh) * logisticSlope(update);
    return {cat({byReset, byUpdate, byFresh}, 1), cat({byReset, byUpdate, byFresh * reset}, 1),
            g * update};
  }
  const Tensor input = fromInput.contiguous(), hidden = fromHidden.contiguous(),
               before = state.contiguous(), given = g.contiguous();
  Gradients made{emptyLike(input), emptyLike(hidden), emptyLike(before)};
  dispatchFloating(state.scalar_type(), "gru_cell_backward", [&]<class T>() {
    enumerate<T>(GruGradient<T>{gateSums<T, 3>(input, hidden, before), kernelData<T>(before),
                                kernelData<T>(given), kernelData<T>(made[0]),
                                kernelData<T>(made[1])},
                 made[2]);
  });
  return made;
}

} // namespace

std::array<Tensor, 2> lstmCell(const Tensor &fromInput, const Tensor &fromHidden,
                               const Tensor &cell) {
  if (!isFused(fromInput, fromHidden, cell, 4))
    return lstmStep(fromInput, fromHidden, cell);
  OperationScope scope("_thnn_fused_lstm_cell");
  autograd::tensor_list states = LstmCell::apply(fromInput, fromHidden, cell);
  return {states[0], states[1]};
}

Tensor gruCell(const Tensor &fromInput, const Tensor &fromHidden, const Tensor &hidden) {
  if (!isFused(fromInput, fromHidden, hidden, 3))
    return gruStep(fromInput, fromHidden, hidden);
  OperationScope scope("_thnn_fused_gru_cell");
  const Tensor input = fromInput.detach().contiguous(), sums = fromHidden.detach().contiguous(),
               before = hidden.detach().contiguous();
  Tensor result = emptyLike(before);
  dispatchFloating(hidden.scalar_type(), "gru_cell", [&]<class T>() {
    enumerate<T>(GruStep<T>{gateSums<T, 3>(input, sums, before), kernelData<T>(before)}, result);
  });
  return record(result, "ThnnFusedGruCellBackward0", {fromInput, fromHidden, hidden},
                {fromInput, fromHidden, hidden},
                [](const Tensor &g, const GradientContext &c) -> Gradients {
                  return gruGradients(g, c.saved(0), c.saved(1), c.saved(2));
                });
}

} // namespace gradtidy::runtime
