#include "analyzer/lsp/TextPosition.h"
#include "analyzer/report/Uri.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

constexpr PositionEncoding utf8 = PositionEncoding::Utf8, utf16 = PositionEncoding::Utf16;

// Two, three and four bytes; in UTF-16 one, one and two units.
const std::string text = "auto x;\r\n\xC3\xA4\xE2\x82\xAC\xF0\x9F\x94\xA5 z\n";

} // namespace

TEST_CASE("Places are counted in the units of the client") {
  CHECK(offsetOf(text, {0, 5}, utf16) == 5);
  CHECK(offsetOf(text, {1, 1}, utf16) == 9 + 2);
  CHECK(offsetOf(text, {1, 2}, utf16) == 9 + 5);
  CHECK(offsetOf(text, {1, 4}, utf16) == 9 + 9);
  CHECK(offsetOf(text, {1, 9}, utf8) == 9 + 9);
}

TEST_CASE("Places behind the end of a line or of the text are these ends") {
  CHECK(offsetOf(text, {0, 99}, utf16) == 7);
  CHECK(offsetOf(text, {2, 0}, utf16) == text.size());
  CHECK(offsetOf(text, {9, 9}, utf8) == text.size());
  CHECK(offsetOf("", {0, 0}, utf16) == 0);
}

TEST_CASE("Lines and columns of findings become places, and back") {
  for (const PositionEncoding encoding : {utf8, utf16})
    for (const unsigned column : {1U, 3U, 6U, 10U, 12U}) {
      const TextPosition place = positionOf(text, 2, column, encoding);
      CHECK(place.line == 1);
      CHECK(offsetOf(text, place, encoding) == 9 + column - 1);
    }
  CHECK(positionOf(text, 2, 10, utf16).character == 4);
  CHECK(positionOf(text, 0, 0, utf16).line == 0);
  CHECK(positionOf(text, 7, 3, utf16).character == 0);
}

TEST_CASE("Files have URIs, and get back from them") {
  const std::string file = "/home/ada/a b/\xC3\xA4%25.cpp";
  CHECK(uriOf(file) == "file:///home/ada/a%20b/%C3%A4%2525.cpp");
  CHECK(fileOf(uriOf(file)) == file);
  CHECK(fileOf("file://localhost/etc/a.cpp") == "/etc/a.cpp");
  CHECK(fileOf("file:///a%zz%2") == "/a%zz%2");
  CHECK(fileOf("untitled:Untitled-1").empty());
  CHECK(fileOf("file://host").empty());
}
