// A driver for tests of caches of memory: addresses without memory behind them, streams that work
// when they are told to, and checks that nobody gets or gives back what a stream still works on.
#pragma once

#include "runtime/core/Driver.h"
#include "runtime/core/Error.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

class FakeDriver final : public gradtidy::runtime::MemoryDriver {
public:
  using StreamKey = gradtidy::runtime::StreamKey;

  explicit FakeDriver(std::size_t capacity = std::numeric_limits<std::size_t>::max())
      : capacity(capacity) {}

  void *acquire(std::size_t bytes) override {
    ++acquired;
    if (bytes > capacity - used)
      return nullptr;
    used += bytes;
    auto *segment = reinterpret_cast<char *>(next);
    next += bytes; // so that segments are neighbours
    segments[segment] = bytes;
    return segment;
  }
  void giveBack(void *segment, std::size_t bytes) override {
    auto found = segments.find(static_cast<char *>(segment));
    REQUIRE(found != segments.end());
    REQUIRE(found->second == bytes);
    REQUIRE_FALSE(worksOn(segment, bytes));
    segments.erase(found);
    used -= bytes;
  }
  bool waitForDevice() override {
    ++waited;
    if (records)
      return false;
    work.clear();
    return true;
  }
  std::unique_ptr<gradtidy::runtime::Marker> mark(StreamKey stream) override {
    TORCH_CHECK(!broken, "CUDA error: unspecified launch failure");
    ++marked;
    return std::make_unique<Moment>(*this, stream, ++now);
  }

  /// Gives a stream work on memory.
  void queue(StreamKey stream, void *memory, std::size_t bytes) {
    work.push_back({stream, ++now, static_cast<char *>(memory), bytes});
  }
  /// Lets a stream do what it was given up to a moment.
  void finish(StreamKey stream, uint64_t until = std::numeric_limits<uint64_t>::max()) {
    reached[stream] = std::max(reached[stream], std::min(until, now));
    std::erase_if(work, [&](const Work &w) { return w.stream == stream && w.when <= until; });
  }
  /// Whether a stream other than `besides` still has work on this memory.
  bool worksOn(const void *memory, std::size_t bytes, StreamKey besides = {-1, -1}) const {
    auto *from = static_cast<const char *>(memory);
    return std::any_of(work.begin(), work.end(), [&](const Work &w) {
      return w.stream != besides && w.memory < from + bytes && from < w.memory + w.bytes;
    });
  }

  std::size_t capacity, used = 0;
  int acquired = 0, marked = 0, queried = 0, waited = 0;
  bool broken = false, records = false;
  std::map<char *, std::size_t> segments;

private:
  struct Work {
    StreamKey stream;
    uint64_t when;
    char *memory;
    std::size_t bytes;
  };

  class Moment final : public gradtidy::runtime::Marker {
  public:
    Moment(FakeDriver &driver, StreamKey stream, uint64_t when)
        : driver(driver), stream(stream), when(when) {}

    bool reached() override {
      ++driver.queried;
      return driver.reached[stream] >= when;
    }
    void wait() override { driver.finish(stream, when); }
    void block(gradtidy::runtime::DeviceIndex, gradtidy::runtime::StreamId) override {
      FAIL("caches let no stream wait");
    }
    double millisecondsTo(Marker &) override { return 0; }

  private:
    FakeDriver &driver;
    StreamKey stream;
    uint64_t when;
  };

  uint64_t now = 0;
  uintptr_t next = uintptr_t{1} << 40;
  std::vector<Work> work;
  std::map<StreamKey, uint64_t> reached;
};
