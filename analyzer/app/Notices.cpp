#include "Notices.h"
#include "analyzer/plugin/Plugin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace gradtidy {

namespace {

/// The first of \p places, and how many more there are.
std::string firstOf(const std::set<std::string> &places, const ShownPaths &shown) {
  constexpr size_t mostPlaces = 3;
  llvm::SmallVector<std::string> names;
  for (const std::string &place : places)
    if (names.size() < mostPlaces)
      names.push_back(shown.of(place));
  if (places.size() > mostPlaces)
    names.push_back(llvm::formatv("and {0} more", places.size() - mostPlaces));
  return llvm::join(names, ", ");
}

const char *plural(size_t count) { return count == 1 ? "" : "s"; }

} // namespace

std::vector<std::string> noticesOf(const Results &results, const ShownPaths &shown) {
  std::vector<std::string> lines;
  if (const auto &headers = results.systemHeaders; !headers.empty())
    lines.push_back(llvm::formatv("Not analyzed: {0} header{1} of the project, taken for the "
                                  "system's or the framework's: {2}. Use --system-headers to "
                                  "analyze them.",
                                  headers.size(), plural(headers.size()), firstOf(headers, shown)));
  if (const auto &headers = results.outerHeaders; !headers.empty())
    lines.push_back(llvm::formatv("Not analyzed: {0} header{1} of the repository around that of "
                                  "the source: {2}. Use --system-headers to analyze them.",
                                  headers.size(), plural(headers.size()), firstOf(headers, shown)));
  if (!results.forOtherCompilers.empty())
    lines.push_back("Not analyzed: code that conditions keep from clang: " +
                    firstOf(results.forOtherCompilers, shown) + ".");
  if (!results.unreachable.empty())
    lines.push_back("Not analyzed: code behind calls of functions that are declared to never "
                    "return: " +
                    firstOf(results.unreachable, shown) + ".");
  constexpr size_t mostNamed = 10;
  const auto &cutShort = results.coverage.cutShort;
  for (const auto &[number, function] : llvm::enumerate(cutShort))
    if (number < mostNamed)
      lines.push_back((llvm::Twine(notFollowed) + function + ".").str());
  if (cutShort.size() > mostNamed)
    lines.push_back(llvm::formatv("Not analysed to the end: {0} more function{1}.",
                                  cutShort.size() - mostNamed,
                                  plural(cutShort.size() - mostNamed)));
  return lines;
}

} // namespace gradtidy
