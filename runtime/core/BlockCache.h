// BlockCache: blocks of memory, kept for reuse when they are released.
//
// Getting memory from a driver is slow and may wait for the device, so it is got in large segments,
// which are split into blocks and go back only when asked for or when memory is short. A released
// block is reused at once by the stream it was made for, whose order protects the work that still
// uses it. If other streams use it, too (recordStream), it is nobody's until they are through with
// what they had been given when it was released. Sizes are rounded and pooled as LibTorch does it,
// so that statistics compare.
#pragma once

#include "Driver.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace gradtidy::runtime {

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
  /// Blocks in use, segments, blocks that are in use or awaited, and free parts of segments.
  StatArray allocation, segment, active, inactive_split;
  /// Bytes in use, in segments, in active blocks, in free parts, and asked for by the program.
  StatArray allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes, requested_bytes;
  /// How often segments had to go back to find room, and how often that did not help.
  int64_t num_alloc_retries = 0;
  int64_t num_ooms = 0;
  /// How often the driver gave a segment and took one back.
  int64_t num_device_alloc = 0;
  int64_t num_device_free = 0;
};

struct BlockInfo {
  std::size_t size = 0;
  std::size_t requested_size = 0;
  bool allocated = false;
  bool active = false;
};

struct SegmentInfo {
  DeviceIndex device = 0;
  std::size_t address = 0;
  std::size_t total_size = 0;
  std::size_t requested_size = 0;
  std::size_t allocated_size = 0;
  std::size_t active_size = 0;
  StreamId stream = 0;
  bool is_large = false;
  std::vector<BlockInfo> blocks;
};

} // namespace CachingDeviceAllocator

/// Not thread safe.
class BlockCache {
public:
  struct Block {
    char *segment;
    std::size_t size;
    StreamKey stream;
    bool small;
    std::size_t requested = 0;
    bool used = false;
    std::set<StreamKey> others = {}; ///< streams that use it beside its own
    int awaited = 0;                 ///< of these, once it is released: those not through with it

    bool active() const { return used || awaited != 0; }
  };

  explicit BlockCache(MemoryDriver &driver) : driver(driver) {}

  /// Null where there is not enough memory.
  void *allocate(std::size_t bytes, StreamKey stream);
  void release(void *memory);
  /// Work of `stream`, too, uses the block at this address, if there is one.
  void recordStream(void *memory, StreamKey stream);
  /// Waits for what is awaited and gives back all segments that hold no block in use, unless the
  /// driver cannot wait for its device.
  void clear();
  /// clear() leaves the segments of a stream alone until letGo() is called as often: recorded work
  /// will use their blocks again, although nobody holds them.
  void keep(StreamKey stream);
  void letGo(StreamKey stream);
  /// The block that has this address, in use or not.
  const Block *find(const void *address) const;
  /// All segments and their blocks in the order of addresses.
  std::vector<CachingDeviceAllocator::SegmentInfo> snapshot() const;

  CachingDeviceAllocator::DeviceStats stats;

private:
  using Blocks = std::map<char *, Block>;
  using FreeKey = std::tuple<StreamKey, bool, std::size_t, char *>;

  Blocks::iterator findFree(std::size_t size, bool small, StreamKey stream);
  Blocks::iterator addSegment(std::size_t size, bool small, StreamKey stream);
  void split(Blocks::iterator block, std::size_t size);
  /// Makes blocks free whose last marker has been reached, or is waited for.
  void settle(bool wait);
  /// Joins a block that nobody uses any more with its neighbours.
  void makeFree(Blocks::iterator block);
  void addToFree(Blocks::iterator block);
  void removeFromFree(Blocks::iterator block);
  bool isWholeSegment(Blocks::const_iterator block) const;

  MemoryDriver &driver;
  Blocks blocks;
  std::set<FreeKey> free;
  std::multiset<StreamKey> kept;
  /// What each stream must be through with, in its order.
  std::map<StreamKey, std::deque<std::pair<std::unique_ptr<Marker>, Blocks::iterator>>> pending;
};

} // namespace gradtidy::runtime
