#include "Arena.h"
#include "../../core/Error.h"

#include <iterator>
#include <sys/mman.h>

namespace gradtidy::runtime {
namespace {

char *mapPages(std::size_t bytes, int protection) {
  void *pages =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(pages != MAP_FAILED, "cannot reserve ", bytes,
              " bytes of addresses for a simulated device: set GRADTIDY_SIM_MEMORY to less");
  madvise(pages, bytes, MADV_DONTDUMP); // a core dump would be as large
  return static_cast<char *>(pages);
}

} // namespace

// There are more addresses than bytes, so that gaps between segments do not matter, as they do not
// where pages are mapped by a real device.
Arena::Arena(std::size_t capacity)
    : capacity(capacity), span(2 * capacity), seen(mapPages(span, PROT_NONE)),
      reached(mapPages(span, PROT_READ | PROT_WRITE)), gaps{{0, span}} {}

void *Arena::acquire(std::size_t bytes) {
  if (bytes > capacity - used)
    return nullptr;
  for (auto gap = gaps.begin(); gap != gaps.end(); ++gap) {
    auto [offset, length] = *gap;
    if (length < bytes)
      continue;
    gaps.erase(gap);
    if (length > bytes)
      gaps[offset + bytes] = length - bytes;
    used += bytes;
    return seen + offset;
  }
  return nullptr;
}

void Arena::giveBack(void *segment, std::size_t bytes) {
  madvise(reach(segment), bytes, MADV_DONTNEED);
  used -= bytes;
  auto gap =
      gaps.insert({static_cast<std::size_t>(static_cast<char *>(segment) - seen), bytes}).first;
  if (auto after = std::next(gap);
      after != gaps.end() && after->first == gap->first + gap->second) {
    gap->second += after->second;
    gaps.erase(after);
  }
  if (gap != gaps.begin())
    if (auto before = std::prev(gap); before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps.erase(gap);
    }
}

} // namespace gradtidy::runtime
