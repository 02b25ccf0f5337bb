// Samplers: the order in which a loader asks for examples. They draw from the default generator as
// LibTorch's do, so equal seeds give equal orders.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime::serialize {
class InputArchive;
class OutputArchive;
} // namespace gradtidy::runtime::serialize

namespace gradtidy::runtime::data::samplers {

template <class BatchRequest = std::vector<std::size_t>> class Sampler {
public:
  using BatchRequestType = BatchRequest;
  virtual ~Sampler() = default;
  /// Starts an epoch, with another number of examples if one is given.
  virtual void reset(optional<std::size_t> newSize) = 0;
  /// The request for the next batch, which may be smaller than asked for; nullopt at the end.
  virtual optional<BatchRequest> next(std::size_t batchSize) = 0;
  virtual void save(serialize::OutputArchive &archive) const = 0;
  virtual void load(serialize::InputArchive &archive) = 0;
};

class RandomSampler : public Sampler<> {
public:
  explicit RandomSampler(int64_t size, Dtype indexType = kLong);
  void reset(optional<std::size_t> newSize = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batchSize) override;
  void save(serialize::OutputArchive &archive) const override;
  void load(serialize::InputArchive &archive) override;
  std::size_t index() const noexcept { return static_cast<std::size_t>(position); }

private:
  Tensor indices;
  int64_t position = 0;
};

class SequentialSampler : public Sampler<> {
public:
  explicit SequentialSampler(std::size_t size) : size(size) {}
  void reset(optional<std::size_t> newSize = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batchSize) override;
  void save(serialize::OutputArchive &archive) const override;
  void load(serialize::InputArchive &archive) override;
  std::size_t index() const noexcept { return position; }

private:
  std::size_t size, position = 0;
};

/// The share of one of several processes: as many examples for each, with some of them twice or
/// (without duplicates) some left out.
template <class BatchRequest = std::vector<std::size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
public:
  DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                     bool allow_duplicates = true)
      : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
  }
  /// Seeds the order of the next epoch; the same in every process.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  std::size_t epoch() const { return epoch_; }

protected:
  std::size_t local_sample_count() const {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
  }

  std::size_t size_, num_replicas_, rank_, epoch_ = 0;
  bool allow_duplicates_;
};

class DistributedSequentialSampler : public DistributedSampler<> {
public:
  DistributedSequentialSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                               bool allow_duplicates = true);
  void reset(optional<std::size_t> newSize = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batchSize) override;
  void save(serialize::OutputArchive &archive) const override;
  void load(serialize::InputArchive &archive) override;
  std::size_t index() const noexcept { return position; }

protected:
  /// All examples, those that some process sees twice repeated at the end.
  std::vector<std::size_t> everything;

private:
  void populate();

  std::size_t position = 0, end = 0;
};

class DistributedRandomSampler : public DistributedSequentialSampler {
public:
  DistributedRandomSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                           bool allow_duplicates = true);
  void reset(optional<std::size_t> newSize = nullopt) override;

private:
  void shuffle();
};

/// Asks a stream for batches until `epochSize` examples have come.
class StreamSampler : public Sampler<std::size_t> {
public:
  explicit StreamSampler(std::size_t epochSize) : epochSize(epochSize) {}
  void reset(optional<std::size_t> newSize = nullopt) override;
  optional<std::size_t> next(std::size_t batchSize) override;
  void save(serialize::OutputArchive &archive) const override;
  void load(serialize::InputArchive &archive) override;

private:
  std::size_t epochSize, retrieved = 0;
};

} // namespace gradtidy::runtime::data::samplers
