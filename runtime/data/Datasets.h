// Datasets: what a loader asks for batches.
//
// A Dataset gives one example for an index; a BatchDataset gives whole batches for requests of its
// own; a StreamDataset gives batches of a size, nullopt at the end of an epoch. map() attaches a
// transform. Loaders with workers copy a dataset for each of them, except for stateful ones (those
// whose batches are optional), which all share and which must lock for themselves.
#pragma once

#include "../ops/Views.h"
#include "Example.h"

namespace gradtidy::runtime::data::datasets {

template <class Source, class Transform> class MapDataset;

template <class T> inline constexpr bool isOptional = false;
template <class T> inline constexpr bool isOptional<optional<T>> = true;

template <class Self, class Batch = std::vector<Example<>>,
          class BatchRequest = ArrayRef<std::size_t>>
class BatchDataset {
public:
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;
  static constexpr bool is_stateful = isOptional<Batch>;

  virtual ~BatchDataset() = default;
  virtual Batch get_batch(BatchRequest request) = 0;
  /// The number of examples, if it is known.
  virtual optional<std::size_t> size() const = 0;

  template <class Transform> MapDataset<Self, Transform> map(Transform transform) & {
    return {static_cast<Self &>(*this), std::move(transform)};
  }
  template <class Transform> MapDataset<Self, Transform> map(Transform transform) && {
    return {std::move(static_cast<Self &>(*this)), std::move(transform)};
  }
};

template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
public:
  using ExampleType = SingleExample;

  virtual ExampleType get(std::size_t index) = 0;
  std::vector<ExampleType> get_batch(ArrayRef<std::size_t> indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (std::size_t index : indices)
      batch.push_back(get(index));
    return batch;
  }
};

template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, std::size_t>;

/// The batches of a dataset, each passed through a transform.
template <class Source, class Transform>
class MapDataset
    : public BatchDataset<
          MapDataset<Source, Transform>,
          std::conditional_t<Source::is_stateful, optional<typename Transform::OutputBatchType>,
                             typename Transform::OutputBatchType>,
          typename Source::BatchRequestType> {
public:
  using DatasetType = Source;
  using TransformType = Transform;
  using BatchRequestType = typename Source::BatchRequestType;
  using OutputBatchType = typename MapDataset::BatchType;

  MapDataset(Source source, Transform transform)
      : source(std::move(source)), applied(std::move(transform)) {}

  OutputBatchType get_batch(BatchRequestType request) override {
    if constexpr (Source::is_stateful) {
      if (auto batch = source.get_batch(std::move(request)))
        return applied.apply_batch(std::move(*batch));
      return nullopt;
    } else {
      return applied.apply_batch(source.get_batch(std::move(request)));
    }
  }
  optional<std::size_t> size() const noexcept override { return source.size(); }
  /// Starts an epoch of a stateful dataset.
  void reset() { source.reset(); }
  const Source &dataset() noexcept { return source; }
  const Transform &transform() noexcept { return applied; }

private:
  Source source;
  Transform applied;
};

/// One dataset for all who copy this, the workers of a loader among them.
template <class Shared>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<Shared>, typename Shared::BatchType,
                          typename Shared::BatchRequestType> {
public:
  using BatchRequestType = typename Shared::BatchRequestType;

  SharedBatchDataset(std::shared_ptr<Shared> dataset) : shared(std::move(dataset)) {}
  typename Shared::BatchType get_batch(BatchRequestType request) override {
    return shared->get_batch(std::move(request));
  }
  optional<std::size_t> size() const override { return shared->size(); }
  /// Starts an epoch of a stateful dataset.
  void reset() { shared->reset(); }
  Shared &operator*() { return *shared; }
  const Shared &operator*() const { return *shared; }
  Shared *operator->() { return shared.get(); }
  const Shared *operator->() const { return shared.get(); }

private:
  std::shared_ptr<Shared> shared;
};

template <class Shared, class... Args>
SharedBatchDataset<Shared> make_shared_dataset(Args &&...arguments) {
  return std::make_shared<Shared>(std::forward<Args>(arguments)...);
}

/// The rows of a tensor.
struct TensorDataset : Dataset<TensorDataset, TensorExample> {
  explicit TensorDataset(const std::vector<Tensor> &tensors) : TensorDataset(stack(tensors)) {}
  explicit TensorDataset(Tensor tensor) : tensor(std::move(tensor)) {}
  TensorExample get(std::size_t index) override { return tensor[static_cast<int64_t>(index)]; }
  optional<std::size_t> size() const override { return static_cast<std::size_t>(tensor.size(0)); }

  Tensor tensor;
};

/// Handwritten digits (LeCun et al.), from the four files in idx format, unpacked, in a folder:
/// images (1, 28, 28) in [0, 1] and classes as int64. Throws where a file is missing or another
/// format.
class MNIST : public Dataset<MNIST> {
public:
  enum class Mode { kTrain, kTest };

  explicit MNIST(const std::string &root, Mode mode = Mode::kTrain);
  Example<> get(std::size_t index) override;
  optional<std::size_t> size() const override;
  bool is_train() const noexcept { return mode == Mode::kTrain; }
  const Tensor &images() const { return allImages; }
  const Tensor &targets() const { return allTargets; }

private:
  Mode mode;
  Tensor allImages, allTargets;
};

} // namespace gradtidy::runtime::data::datasets

namespace gradtidy::runtime::data {
using datasets::BatchDataset;
using datasets::Dataset;
} // namespace gradtidy::runtime::data
