#include "BlockCache.h"

#include <algorithm>

namespace gradtidy::runtime {
namespace {

constexpr std::size_t kilobyte = 1024, megabyte = 1024 * kilobyte;
constexpr std::size_t granule = 512;         // sizes of blocks are multiples of this
constexpr std::size_t smallLimit = megabyte; // the largest size in the small pool
constexpr std::size_t smallSegment = 2 * megabyte;
constexpr std::size_t largeSegment = 20 * megabyte; // for sizes up to
constexpr std::size_t ownSegment = 10 * megabyte;   // this; larger ones get segments of their own
constexpr std::size_t segmentGranule = 2 * megabyte;

std::size_t roundUp(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

std::size_t segmentSize(std::size_t size, bool small) {
  if (small)
    return smallSegment;
  return size < ownSegment ? largeSegment : roundUp(size, segmentGranule);
}

} // namespace

void CachingAllocator::Stat::increase(std::size_t amount) {
  current += static_cast<int64_t>(amount);
  peak = std::max(peak, current);
  allocated += static_cast<int64_t>(amount);
}

void CachingAllocator::Stat::decrease(std::size_t amount) {
  current -= static_cast<int64_t>(amount);
  freed += static_cast<int64_t>(amount);
}

template <class Change>
void BlockCache::count(CachingAllocator::StatArray &stat, bool small, Change change) {
  using CachingAllocator::StatType;
  change(stat[static_cast<std::size_t>(StatType::AGGREGATE)]);
  change(stat[static_cast<std::size_t>(small ? StatType::SMALL_POOL : StatType::LARGE_POOL)]);
}

BlockCache::FreeKey BlockCache::keyOf(const Blocks::value_type &block) {
  return {block.second.stream, block.second.small, block.second.size, block.first};
}

BlockCache::Blocks::iterator BlockCache::findFree(std::size_t size, bool small, StreamId stream) {
  auto found = free.lower_bound({stream, small, size, nullptr});
  if (found == free.end() || std::get<0>(*found) != stream || std::get<1>(*found) != small)
    return blocks.end();
  auto block = blocks.find(std::get<3>(*found));
  free.erase(found);
  return block;
}

BlockCache::Blocks::iterator BlockCache::addSegment(std::size_t size, bool small, StreamId stream) {
  std::size_t bytes = segmentSize(size, small);
  void *segment = source.acquire(bytes);
  if (!segment) {
    ++stats.num_alloc_retries;
    clear();
    segment = source.acquire(bytes);
  }
  if (!segment) {
    ++stats.num_ooms;
    return blocks.end();
  }
  count(stats.segment, small, [](auto &stat) { stat.increase(1); });
  count(stats.reserved_bytes, small, [&](auto &stat) { stat.increase(bytes); });
  auto *start = static_cast<char *>(segment);
  return blocks.insert({start, {start, bytes, 0, stream, small, false}}).first;
}

void BlockCache::split(Blocks::iterator block, std::size_t size) {
  std::size_t rest = block->second.size - size;
  if (rest < granule || (!block->second.small && rest <= smallLimit))
    return;
  Block remainder = block->second;
  remainder.size = rest;
  block->second.size = size;
  free.insert(keyOf(*blocks.insert({block->first + size, remainder}).first));
}

BlockCache::Blocks::iterator BlockCache::merge(Blocks::iterator first, Blocks::iterator second) {
  first->second.size += second->second.size;
  blocks.erase(second);
  return first;
}

void *BlockCache::allocate(std::size_t bytes, StreamId stream) {
  std::size_t size = roundUp(std::max<std::size_t>(bytes, 1), granule);
  bool small = size <= smallLimit;
  auto block = findFree(size, small, stream);
  if (block == blocks.end())
    block = addSegment(size, small, stream);
  if (block == blocks.end())
    return nullptr;
  split(block, size);
  block->second.used = true;
  block->second.requested = bytes;
  count(stats.allocation, small, [](auto &stat) { stat.increase(1); });
  count(stats.allocated_bytes, small, [&](auto &stat) { stat.increase(block->second.size); });
  count(stats.requested_bytes, small, [&](auto &stat) { stat.increase(bytes); });
  return block->first;
}

void BlockCache::release(void *memory) {
  auto block = blocks.find(static_cast<char *>(memory));
  Block &released = block->second;
  released.used = false;
  count(stats.allocation, released.small, [](auto &stat) { stat.decrease(1); });
  count(stats.allocated_bytes, released.small, [&](auto &stat) { stat.decrease(released.size); });
  count(stats.requested_bytes, released.small,
        [&](auto &stat) { stat.decrease(released.requested); });
  auto isFreeNeighbour = [&](Blocks::iterator other) {
    return !other->second.used && other->second.segment == released.segment;
  };
  if (auto after = std::next(block); after != blocks.end() && isFreeNeighbour(after)) {
    free.erase(keyOf(*after));
    merge(block, after);
  }
  if (block != blocks.begin() && isFreeNeighbour(std::prev(block))) {
    free.erase(keyOf(*std::prev(block)));
    block = merge(std::prev(block), block);
  }
  free.insert(keyOf(*block));
}

void BlockCache::clear() {
  source.waitForDevice();
  for (auto entry = free.begin(); entry != free.end();) {
    auto block = blocks.find(std::get<3>(*entry));
    const Block &whole = block->second;
    // A free block is a whole segment if neither neighbour belongs to the segment.
    auto after = std::next(block);
    bool split = block->first != whole.segment ||
                 (after != blocks.end() && after->second.segment == whole.segment);
    if (split) {
      ++entry;
      continue;
    }
    count(stats.segment, whole.small, [](auto &stat) { stat.decrease(1); });
    count(stats.reserved_bytes, whole.small, [&](auto &stat) { stat.decrease(whole.size); });
    source.giveBack(block->first, whole.size);
    blocks.erase(block);
    entry = free.erase(entry);
  }
}

const BlockCache::Block *BlockCache::find(const void *address) const {
  auto above = blocks.upper_bound(static_cast<char *>(const_cast<void *>(address)));
  if (above == blocks.begin())
    return nullptr;
  const auto &[start, block] = *std::prev(above);
  return static_cast<const char *>(address) < start + block.size ? &block : nullptr;
}

} // namespace gradtidy::runtime
