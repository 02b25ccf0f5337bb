#include "BlockCache.h"
#include "Error.h"

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

/// Counts blocks or bytes, with those of its pool, that came (or went, where negative).
void count(CachingAllocator::StatArray &stat, bool small, int64_t amount) {
  using CachingAllocator::StatType;
  for (StatType type : {StatType::AGGREGATE, small ? StatType::SMALL_POOL : StatType::LARGE_POOL}) {
    CachingAllocator::Stat &counted = stat[static_cast<std::size_t>(type)];
    amount < 0 ? counted.decrease(static_cast<std::size_t>(-amount))
               : counted.increase(static_cast<std::size_t>(amount));
  }
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

BlockCache::Blocks::iterator BlockCache::findFree(std::size_t size, bool small, StreamKey stream) {
  auto found = free.lower_bound({stream, small, size, nullptr});
  if (found == free.end() || std::get<0>(*found) != stream || std::get<1>(*found) != small)
    return blocks.end();
  auto block = blocks.find(std::get<3>(*found));
  removeFromFree(block);
  return block;
}

BlockCache::Blocks::iterator BlockCache::addSegment(std::size_t size, bool small,
                                                    StreamKey stream) {
  std::size_t bytes = segmentSize(size, small);
  auto *start = static_cast<char *>(driver.acquire(bytes));
  if (!start)
    return blocks.end();
  ++stats.num_device_alloc;
  count(stats.segment, small, 1);
  count(stats.reserved_bytes, small, static_cast<int64_t>(bytes));
  return blocks.insert({start, {start, bytes, stream, small}}).first;
}

void BlockCache::split(Blocks::iterator block, std::size_t size) {
  std::size_t rest = block->second.size - size;
  if (rest < granule || (!block->second.small && rest <= smallLimit))
    return;
  Block remainder = block->second;
  remainder.size = rest;
  block->second.size = size;
  addToFree(blocks.insert({block->first + size, remainder}).first);
}

void *BlockCache::allocate(std::size_t bytes, StreamKey stream) {
  std::size_t size = roundUp(std::max<std::size_t>(bytes, 1), granule);
  bool small = size <= smallLimit;
  auto find = [&] {
    auto block = findFree(size, small, stream);
    return block == blocks.end() ? addSegment(size, small, stream) : block;
  };
  settle(false);
  auto block = find();
  if (block == blocks.end()) {
    ++stats.num_alloc_retries;
    clear();
    block = find();
  }
  if (block == blocks.end()) {
    ++stats.num_ooms;
    return nullptr;
  }
  split(block, size);
  Block &taken = block->second;
  taken.used = true;
  taken.requested = bytes;
  auto given = static_cast<int64_t>(taken.size);
  count(stats.allocation, small, 1);
  count(stats.active, small, 1);
  count(stats.allocated_bytes, small, given);
  count(stats.active_bytes, small, given);
  count(stats.requested_bytes, small, static_cast<int64_t>(bytes));
  return block->first;
}

void BlockCache::release(void *memory) {
  auto block = blocks.find(static_cast<char *>(memory));
  Block &released = block->second;
  released.used = false;
  count(stats.allocation, released.small, -1);
  count(stats.allocated_bytes, released.small, -static_cast<int64_t>(released.size));
  count(stats.requested_bytes, released.small, -static_cast<int64_t>(released.requested));
  for (StreamKey stream : std::exchange(released.others, {})) {
    ++released.awaited;
    try {
      pending[stream].emplace_back(driver.mark(stream), block);
    } catch (const Error &) {
      // The device works no more, or recorded work will use the block again, and destructors call
      // this: nobody gets the block.
    }
  }
  if (!released.active())
    makeFree(block);
}

void BlockCache::recordStream(void *memory, StreamKey stream) {
  auto block = blocks.find(static_cast<char *>(memory));
  if (block != blocks.end() && block->second.used && stream != block->second.stream)
    block->second.others.insert(stream);
}

void BlockCache::settle(bool wait) {
  for (auto &[stream, queue] : pending)
    for (; !queue.empty(); queue.pop_front()) {
      auto &[marker, block] = queue.front();
      if (wait)
        marker->wait();
      else if (!marker->reached())
        break;
      --block->second.awaited;
      if (!block->second.active())
        makeFree(block);
    }
}

void BlockCache::makeFree(Blocks::iterator block) {
  count(stats.active, block->second.small, -1);
  count(stats.active_bytes, block->second.small, -static_cast<int64_t>(block->second.size));
  auto isFreeNeighbour = [&](Blocks::iterator other) {
    return !other->second.active() && other->second.segment == block->second.segment;
  };
  auto mergeWithNext = [&] {
    auto next = std::next(block);
    block->second.size += next->second.size;
    blocks.erase(next);
  };
  if (auto after = std::next(block); after != blocks.end() && isFreeNeighbour(after)) {
    removeFromFree(after);
    mergeWithNext();
  }
  if (block != blocks.begin() && isFreeNeighbour(std::prev(block))) {
    removeFromFree(--block);
    mergeWithNext();
  }
  addToFree(block);
}

void BlockCache::addToFree(Blocks::iterator block) {
  const Block &added = block->second;
  free.insert({added.stream, added.small, added.size, block->first});
  if (!isWholeSegment(block)) {
    count(stats.inactive_split, added.small, 1);
    count(stats.inactive_split_bytes, added.small, static_cast<int64_t>(added.size));
  }
}

void BlockCache::removeFromFree(Blocks::iterator block) {
  const Block &removed = block->second;
  free.erase({removed.stream, removed.small, removed.size, block->first});
  if (!isWholeSegment(block)) {
    count(stats.inactive_split, removed.small, -1);
    count(stats.inactive_split_bytes, removed.small, -static_cast<int64_t>(removed.size));
  }
}

bool BlockCache::isWholeSegment(Blocks::const_iterator block) const {
  auto after = std::next(block);
  return block->first == block->second.segment &&
         (after == blocks.end() || after->second.segment != block->second.segment);
}

void BlockCache::clear() {
  if (blocks.empty()) // no reason to start a device
    return;
  settle(true);
  if (!driver.waitForDevice())
    return;
  for (auto entry = free.begin(); entry != free.end();) {
    auto block = blocks.find(std::get<3>(*entry));
    if (!isWholeSegment(block) || kept.contains(block->second.stream)) {
      ++entry;
      continue;
    }
    const Block &whole = block->second;
    ++stats.num_device_free;
    count(stats.segment, whole.small, -1);
    count(stats.reserved_bytes, whole.small, -static_cast<int64_t>(whole.size));
    driver.giveBack(block->first, whole.size);
    blocks.erase(block);
    entry = free.erase(entry);
  }
}

void BlockCache::keep(StreamKey stream) { kept.insert(stream); }
void BlockCache::letGo(StreamKey stream) { kept.erase(kept.find(stream)); }

const BlockCache::Block *BlockCache::find(const void *address) const {
  auto above = blocks.upper_bound(static_cast<char *>(const_cast<void *>(address)));
  if (above == blocks.begin())
    return nullptr;
  const auto &[start, block] = *std::prev(above);
  return static_cast<const char *>(address) < start + block.size ? &block : nullptr;
}

std::vector<CachingDeviceAllocator::SegmentInfo> BlockCache::snapshot() const {
  std::vector<CachingDeviceAllocator::SegmentInfo> segments;
  for (const auto &[start, block] : blocks) {
    if (start == block.segment)
      segments.emplace_back();
    CachingDeviceAllocator::SegmentInfo &segment = segments.back();
    segment.device = block.stream.device;
    segment.stream = block.stream.stream;
    segment.address = reinterpret_cast<std::size_t>(block.segment);
    segment.is_large = !block.small;
    std::size_t requested = block.used ? block.requested : 0;
    segment.total_size += block.size;
    segment.requested_size += requested;
    segment.allocated_size += block.used ? block.size : 0;
    segment.active_size += block.active() ? block.size : 0;
    segment.blocks.push_back({block.size, requested, block.used, block.active()});
  }
  return segments;
}

} // namespace gradtidy::runtime
