// Caches of memory, with a driver that says what streams still work on.
#include "FakeDriver.h"

#include "runtime/core/BlockCache.h"

#include <random>
#include <set>

using gradtidy::runtime::BlockCache;
using gradtidy::runtime::StreamKey;
using gradtidy::runtime::CachingAllocator::Stat;

namespace {

constexpr std::size_t megabyte = 1 << 20;
constexpr StreamKey first{0, 0}, second{0, 1}, peer{1, 0}, host{-1, 0};

} // namespace

TEST_CASE("a released block is used again at once by its own stream alone") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(1000, first);
  driver.queue(first, a, 1000);
  cache.release(a);
  CHECK(cache.allocate(1000, second) != a);
  CHECK(cache.allocate(900, first) == a);
  CHECK(driver.acquired == 2); // a segment for each stream
  CHECK(driver.marked == 0);
}

TEST_CASE("a block that other streams use is awaited") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(1000, first), *b = cache.allocate(1000, first);
  for (StreamKey stream : {second, peer}) {
    cache.recordStream(a, stream);
    driver.queue(stream, a, 1000);
  }
  cache.recordStream(a, first); // its own says nothing new
  CHECK(driver.marked == 0);
  cache.release(a);
  CHECK(driver.marked == 2);
  CHECK(cache.stats.allocation[0].current == 1);
  CHECK(cache.stats.active[0].current == 2);
  CHECK(cache.stats.active_bytes[0].current == 2048);
  driver.finish(second);
  CHECK(cache.allocate(1000, first) != a);
  driver.queue(peer, b, 1000); // work that comes later does not matter
  driver.finish(peer, 4);
  CHECK(cache.allocate(1000, first) == a);
  cache.release(a);
  CHECK(driver.marked == 2); // what was recorded is forgotten
}

TEST_CASE("a stream that lags is asked once, however much it has to do") {
  FakeDriver driver;
  BlockCache cache(driver);
  for (int i = 0; i < 20; ++i) {
    void *block = cache.allocate(megabyte, first);
    cache.recordStream(block, second);
    cache.release(block);
  }
  driver.queried = 0;
  cache.allocate(megabyte, first);
  CHECK(driver.queried == 1);
}

TEST_CASE("memory of the host waits for the copies of all devices, and for nothing else") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(3 * megabyte, host);
  cache.release(a);
  CHECK(cache.allocate(3 * megabyte, host) == a);
  cache.recordStream(a, first);
  cache.recordStream(a, peer);
  cache.release(a);
  driver.finish(first);
  void *b = cache.allocate(3 * megabyte, host);
  CHECK(b != a);
  driver.finish(peer);
  CHECK(cache.allocate(3 * megabyte, host) == a);
}

TEST_CASE("blocks are split, and joined when their neighbours are free and not awaited") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(512, first), *b = cache.allocate(512, first),
       *c = cache.allocate(512, first);
  CHECK(static_cast<char *>(b) == static_cast<char *>(a) + 512);
  CHECK(cache.stats.inactive_split[0].current == 1); // the rest of the segment
  CHECK(cache.stats.inactive_split_bytes[0].current == 2 * int64_t{megabyte} - 3 * 512);
  cache.recordStream(b, second);
  cache.release(b);
  cache.release(a);
  CHECK(cache.allocate(1024, first) != a);
  driver.finish(second);
  CHECK(cache.allocate(1024, first) == a);
  cache.release(a);
  cache.release(c);
  CHECK(cache.find(static_cast<char *>(c) - 1)->size == 1536);
  CHECK(cache.find(reinterpret_cast<void *>(1)) == nullptr);
}

TEST_CASE("segments that are neighbours are never joined") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(10 * megabyte, first), *b = cache.allocate(10 * megabyte, first);
  CHECK(static_cast<char *>(b) == static_cast<char *>(a) + 10 * megabyte);
  cache.release(a);
  cache.release(b);
  CHECK(cache.stats.inactive_split[0].current == 0);
  cache.clear();
  CHECK(driver.segments.empty());
}

TEST_CASE("where memory is short, what is cached goes back, and what is awaited is waited for") {
  FakeDriver driver(40 * megabyte);
  BlockCache cache(driver);
  void *a = cache.allocate(20 * megabyte, first), *b = cache.allocate(20 * megabyte, first);
  CHECK(cache.allocate(20 * megabyte, first) == nullptr);
  CHECK(cache.stats.num_ooms == 1);
  CHECK(driver.used == 40 * megabyte);
  cache.release(a); // for the first stream
  CHECK(cache.allocate(20 * megabyte, second) != nullptr);
  cache.recordStream(b, peer);
  driver.queue(peer, b, 1);
  cache.release(b);
  CHECK(cache.allocate(20 * megabyte, second) != nullptr);
  CHECK(cache.stats.num_alloc_retries == 3);
  CHECK(cache.stats.num_ooms == 1);
  CHECK(cache.stats.num_device_alloc == 4);
  CHECK(cache.stats.num_device_free == 2);
}

TEST_CASE(
    "where the device cannot be waited for, nothing goes back, and an empty cache asks nothing") {
  FakeDriver driver(20 * megabyte);
  BlockCache cache(driver);
  cache.clear();
  CHECK(driver.waited == 0);
  cache.release(cache.allocate(20 * megabyte, first));
  driver.records = true;
  CHECK(cache.allocate(20 * megabyte, second) == nullptr);
  CHECK(driver.segments.size() == 1);
  driver.records = false;
  CHECK(cache.allocate(20 * megabyte, second) != nullptr);
}

TEST_CASE("what was awaited may lie in a segment that stays") {
  FakeDriver driver(20 * megabyte);
  BlockCache cache(driver);
  void *a = cache.allocate(9 * megabyte, first), *b = cache.allocate(9 * megabyte, first);
  cache.recordStream(a, second);
  driver.queue(second, a, 1);
  cache.release(a);
  CHECK(cache.allocate(9 * megabyte, first) == a);
  CHECK(cache.find(b)->used);
}

TEST_CASE("of a device that works no more, awaited memory is lost, and nothing throws") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *a = cache.allocate(1000, first);
  cache.recordStream(a, second);
  driver.broken = true;
  CHECK_NOTHROW(cache.release(a));
  CHECK(cache.allocate(1000, first) != a);
  CHECK_NOTHROW(cache.clear());
  CHECK(driver.segments.size() == 1);
}

TEST_CASE("statistics keep peaks and sums by pool until they are reset") {
  FakeDriver driver;
  BlockCache cache(driver);
  void *small = cache.allocate(1, first), *large = cache.allocate(3 * megabyte, first);
  cache.release(large);
  cache.allocate(2 * megabyte, first);
  const auto &bytes = cache.stats.allocated_bytes;
  CHECK(bytes[1].current == 512);
  CHECK(bytes[2].current == 2 * int64_t{megabyte});
  CHECK(bytes[2].peak == 3 * int64_t{megabyte});
  CHECK(bytes[0].allocated == 512 + 5 * int64_t{megabyte});
  CHECK(bytes[0].freed == 3 * int64_t{megabyte});
  CHECK(cache.stats.requested_bytes[1].current == 1);
  CHECK(cache.stats.reserved_bytes[0].current == 22 * int64_t{megabyte});
  cache.stats.allocated_bytes[2].reset_peak();
  CHECK(bytes[2].peak == bytes[2].current);
  cache.release(small);
}

namespace {

/// What the program of the next test has.
struct Held {
  char *memory;
  std::size_t bytes;
  StreamKey stream;
};

void checkAgainstSnapshot(const BlockCache &cache, const std::vector<Held> &held,
                          const FakeDriver &driver) {
  std::size_t reserved = 0, allocated = 0, requested = 0, active = 0, count = 0;
  for (const auto &segment : cache.snapshot()) {
    std::size_t blocks = 0;
    bool wasFree = false;
    for (const auto &block : segment.blocks) {
      blocks += block.size;
      count += block.allocated;
      REQUIRE_FALSE((wasFree && !block.active)); // or they would be one
      wasFree = !block.active;
    }
    REQUIRE(blocks == segment.total_size);
    REQUIRE(driver.segments.at(reinterpret_cast<char *>(segment.address)) == segment.total_size);
    reserved += segment.total_size;
    allocated += segment.allocated_size;
    requested += segment.requested_size;
    active += segment.active_size;
  }
  auto current = [](const auto &stat) {
    REQUIRE(stat[0].current == stat[1].current + stat[2].current);
    return static_cast<std::size_t>(stat[0].current);
  };
  std::size_t asked = 0;
  for (const Held &block : held)
    asked += block.bytes;
  REQUIRE(count == held.size());
  REQUIRE(requested == asked);
  REQUIRE(reserved == driver.used);
  REQUIRE(current(cache.stats.reserved_bytes) == reserved);
  REQUIRE(current(cache.stats.allocated_bytes) == allocated);
  REQUIRE(current(cache.stats.active_bytes) == active);
  REQUIRE(current(cache.stats.requested_bytes) == requested);
  REQUIRE(current(cache.stats.allocation) == count);
}

} // namespace

TEST_CASE("segments of a stream whose work was recorded stay until they are let go as often") {
  FakeDriver driver;
  BlockCache cache(driver);
  cache.release(cache.allocate(megabyte, first));
  cache.release(cache.allocate(megabyte, second));
  cache.keep(first);
  cache.keep(first);
  cache.clear();
  CHECK(cache.snapshot().size() == 1);
  cache.letGo(first);
  cache.clear();
  CHECK(cache.snapshot().size() == 1);
  CHECK(cache.snapshot().front().stream == first.stream);
  cache.letGo(first);
  cache.clear();
  CHECK(cache.snapshot().empty());
}

TEST_CASE("whatever a program does, nobody gets what another holds or a stream works on") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    INFO("seed " << seed);
    FakeDriver driver(60 * megabyte);
    BlockCache cache(driver);
    std::mt19937 random(seed);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::vector<StreamKey> streams{first, second, {0, 2}, peer};
    std::vector<Held> held;
    auto release = [&](std::size_t at) {
      cache.release(held[at].memory);
      held[at] = held.back();
      held.pop_back();
    };
    for (int step = 0; step < 1000; ++step) {
      switch (below(6)) {
      case 0:
      case 1: {
        std::size_t bytes = below(3) ? below(3000) : below(25 * megabyte);
        StreamKey stream = streams[below(3)];
        auto *memory = static_cast<char *>(cache.allocate(bytes, stream));
        if (!memory)
          break;
        for (const Held &other : held)
          REQUIRE((memory + bytes <= other.memory || other.memory + other.bytes <= memory));
        REQUIRE_FALSE(driver.worksOn(memory, bytes, stream));
        held.push_back({memory, bytes, stream});
        break;
      }
      case 2:
        if (!held.empty())
          release(below(held.size()));
        break;
      case 3:
      case 4: // work, on another stream than the block's own perhaps
        if (!held.empty()) {
          const Held &block = held[below(held.size())];
          StreamKey stream = below(2) ? block.stream : streams[below(4)];
          cache.recordStream(block.memory, stream);
          driver.queue(stream, block.memory, block.bytes);
        }
        break;
      default:
        driver.finish(streams[below(4)]);
        if (below(20) == 0)
          cache.clear();
      }
      checkAgainstSnapshot(cache, held, driver);
    }
    while (!held.empty())
      release(0);
    cache.clear();
    CHECK(driver.used == 0);
    CHECK(cache.stats.active[0].current == 0);
    CHECK(cache.stats.inactive_split_bytes[0].current == 0);
    CHECK(cache.stats.num_ooms > 0);
    CHECK(cache.stats.num_device_alloc == cache.stats.num_device_free);
  }
}
