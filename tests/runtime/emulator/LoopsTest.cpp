// How kernels of CUDA devices count elements, which shows by itself with more memory than tests
// have.
#define GRADTIDY_EMULATED_CUDA
#include "runtime/ops/kernels/Elementwise.h"

#include <catch2/catch.hpp>

namespace gradtidy::runtime {

TEST_CASE("loops of 32 bits go over all elements of any geometry") {
  Geometry<2> g; // one operand in order, and one that is the same in all rows
  g.dims = 2;
  g.shape = {8, 700'000'000};
  g.strides = {{{1, 1}, {8, 0}}};
  g.count = 8 * int64_t{700'000'000};
  int64_t next = 0, parts = 0;
  detail::forEachLoops(g, [&](const detail::Loops<2> &loops, const std::array<int64_t, 2> &first) {
    CHECK(first[0] == next);
    CHECK(first[1] == 0);
    int32_t at[2];
    loops.locate(loops.count - 1, at);
    CHECK(at[0] == loops.count - 1);
    CHECK(at[1] == 7);
    next += loops.count;
    ++parts;
  });
  CHECK(next == g.count);
  CHECK(parts == 4);
}

TEST_CASE("loops of 32 bits split a single dimension, too") {
  Geometry<1> g;
  g.dims = 1;
  g.shape = {3'000'000'001};
  g.strides = {{{2}}};
  g.count = 3'000'000'001;
  int64_t next = 0;
  detail::forEachLoops(g, [&](const detail::Loops<1> &loops, const std::array<int64_t, 1> &first) {
    CHECK(first[0] == 2 * next);
    next += loops.count;
  });
  CHECK(next == g.count);
}

} // namespace gradtidy::runtime
