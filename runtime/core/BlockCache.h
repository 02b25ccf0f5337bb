// BlockCache: blocks of device memory, kept for reuse when they are released.
//
// Getting memory from a device is slow and may wait for it, so it is got in large segments, which
// are split into blocks and go back only when asked for or when memory is short. A released block
// is reused at once, but only by the stream it was made for, whose order protects the work that
// still uses it. Sizes are rounded and pooled as LibTorch does it, so that statistics compare.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace gradtidy::runtime {

using StreamId = int64_t;

namespace CachingAllocator {

/// A quantity over time.
struct Stat {
  int64_t current = 0;
  int64_t peak = 0;
  int64_t allocated = 0;
  int64_t freed = 0;

  void increase(std::size_t amount);
  void decrease(std::size_t amount);
  void reset_accumulated() { allocated = freed = 0; }
  void reset_peak() { peak = current; }
};

enum struct StatType : uint64_t { AGGREGATE = 0, SMALL_POOL = 1, LARGE_POOL = 2, NUM_TYPES = 3 };
using StatArray = std::array<Stat, static_cast<std::size_t>(StatType::NUM_TYPES)>;

} // namespace CachingAllocator

namespace CachingDeviceAllocator {

using namespace CachingAllocator;

/// What a device's memory was used for, by pool.
struct DeviceStats {
  /// Blocks in use, and segments.
  StatArray allocation, segment;
  /// Bytes in use, in segments, and asked for by the program.
  StatArray allocated_bytes, reserved_bytes, requested_bytes;
  /// How often segments had to go back to find room, and how often that did not help.
  int64_t num_alloc_retries = 0;
  int64_t num_ooms = 0;
};

} // namespace CachingDeviceAllocator

/// Where a BlockCache gets its segments.
class SegmentSource {
public:
  virtual ~SegmentSource() = default;
  /// Null where there is not enough.
  virtual void *acquire(std::size_t bytes) = 0;
  /// The device has done all its work on the segment.
  virtual void giveBack(void *segment, std::size_t bytes) = 0;
  virtual void waitForDevice() = 0;
};

/// Not thread safe.
class BlockCache {
public:
  struct Block {
    char *segment;
    std::size_t size;
    std::size_t requested;
    StreamId stream;
    bool small;
    bool used;
  };

  explicit BlockCache(SegmentSource &source) : source(source) {}

  /// Null where there is not enough memory.
  void *allocate(std::size_t bytes, StreamId stream);
  void release(void *memory);
  /// Gives back all segments that hold no block in use.
  void clear();
  /// The block at this address, in use or not.
  const Block *find(const void *address) const;

  CachingDeviceAllocator::DeviceStats stats;

private:
  using Blocks = std::map<char *, Block>;
  using FreeKey = std::tuple<StreamId, bool, std::size_t, char *>;

  static FreeKey keyOf(const Blocks::value_type &block);
  Blocks::iterator findFree(std::size_t size, bool small, StreamId stream);
  Blocks::iterator addSegment(std::size_t size, bool small, StreamId stream);
  void split(Blocks::iterator block, std::size_t size);
  Blocks::iterator merge(Blocks::iterator first, Blocks::iterator second);
  /// Calls change(stat) for the total and for the pool.
  template <class Change> void count(CachingAllocator::StatArray &stat, bool small, Change change);

  SegmentSource &source;
  Blocks blocks;
  std::set<FreeKey> free;
};

} // namespace gradtidy::runtime
