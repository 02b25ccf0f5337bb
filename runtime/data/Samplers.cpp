#include "Samplers.h"
#include "../ops/Random.h"
#include "../serialize/Archive.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace gradtidy::runtime::data::samplers {
namespace {

void savePosition(serialize::OutputArchive &archive, std::size_t position) {
  archive.write("index", IValue(static_cast<int64_t>(position)));
}

std::size_t loadPosition(serialize::InputArchive &archive) {
  IValue position;
  archive.read("index", position);
  return static_cast<std::size_t>(position.toInt());
}

} // namespace

RandomSampler::RandomSampler(int64_t size, Dtype indexType)
    : indices(randperm(size, TensorOptions(kCPU).dtype(indexType))) {}

void RandomSampler::reset(optional<std::size_t> newSize) {
  int64_t size = newSize ? static_cast<int64_t>(*newSize) : indices.numel();
  indices = randperm(size, indices.options());
  position = 0;
}

optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batchSize) {
  int64_t left = indices.numel() - position;
  if (left <= 0)
    return nullopt;
  int64_t count = std::min(static_cast<int64_t>(batchSize), left);
  Tensor chosen = indices.slice(0, position, position + count).to(kLong);
  position += count;
  const auto *first = chosen.data_ptr<int64_t>();
  return std::vector<std::size_t>(first, first + count);
}

void RandomSampler::save(serialize::OutputArchive &archive) const {
  savePosition(archive, index());
  archive.write("indices", indices, /*isBuffer=*/true);
}

void RandomSampler::load(serialize::InputArchive &archive) {
  position = static_cast<int64_t>(loadPosition(archive));
  archive.read("indices", indices, /*isBuffer=*/true);
}

void SequentialSampler::reset(optional<std::size_t> newSize) {
  size = newSize.value_or(size);
  position = 0;
}

optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batchSize) {
  if (position >= size)
    return nullopt;
  std::vector<std::size_t> batch(std::min(batchSize, size - position));
  std::iota(batch.begin(), batch.end(), position);
  position += batch.size();
  return batch;
}

void SequentialSampler::save(serialize::OutputArchive &archive) const {
  savePosition(archive, position);
}
void SequentialSampler::load(serialize::InputArchive &archive) { position = loadPosition(archive); }

DistributedSequentialSampler::DistributedSequentialSampler(std::size_t size,
                                                           std::size_t num_replicas,
                                                           std::size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  populate();
}

void DistributedSequentialSampler::populate() {
  std::size_t share = local_sample_count();
  everything.resize(num_replicas_ == 1 ? size_ : share * num_replicas_);
  for (std::size_t i = 0; i < everything.size(); ++i)
    everything[i] = i % size_;
  position = rank_ * share;
  end = position + share;
}

void DistributedSequentialSampler::reset(optional<std::size_t> newSize) {
  size_ = newSize.value_or(size_);
  populate();
}

optional<std::vector<std::size_t>> DistributedSequentialSampler::next(std::size_t batchSize) {
  if (position >= end)
    return nullopt;
  std::size_t count = std::min(batchSize, end - position);
  auto first = everything.begin() + static_cast<std::ptrdiff_t>(position);
  position += count;
  return std::vector<std::size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

void DistributedSequentialSampler::save(serialize::OutputArchive &archive) const {
  savePosition(archive, position);
  archive.write("epoch", IValue(static_cast<int64_t>(epoch_)));
}

void DistributedSequentialSampler::load(serialize::InputArchive &archive) {
  IValue epoch;
  archive.read("epoch", epoch);
  epoch_ = static_cast<std::size_t>(epoch.toInt());
  reset(nullopt);
  position = loadPosition(archive);
}

DistributedRandomSampler::DistributedRandomSampler(std::size_t size, std::size_t num_replicas,
                                                   std::size_t rank, bool allow_duplicates)
    : DistributedSequentialSampler(size, num_replicas, rank, allow_duplicates) {
  shuffle();
}

void DistributedRandomSampler::shuffle() {
  std::mt19937 generator(static_cast<std::mt19937::result_type>(epoch_));
  std::shuffle(everything.begin(), everything.end(), generator);
}

void DistributedRandomSampler::reset(optional<std::size_t> newSize) {
  DistributedSequentialSampler::reset(newSize);
  shuffle();
}

void StreamSampler::reset(optional<std::size_t> newSize) {
  epochSize = newSize.value_or(epochSize);
  retrieved = 0;
}

optional<std::size_t> StreamSampler::next(std::size_t batchSize) {
  if (retrieved >= epochSize)
    return nullopt;
  std::size_t count = std::min(batchSize, epochSize - retrieved);
  retrieved += count;
  return count;
}

void StreamSampler::save(serialize::OutputArchive &archive) const {
  savePosition(archive, retrieved);
}
void StreamSampler::load(serialize::InputArchive &archive) { retrieved = loadPosition(archive); }

} // namespace gradtidy::runtime::data::samplers
