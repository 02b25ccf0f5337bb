// Pages in a terminal.
#include "analyzer/report/TerminalMarkdown.h"

#include <catch2/catch.hpp>

using gradtidy::renderMarkdown;

TEST_CASE("Paragraphs are filled, and marks become styles or nothing") {
  const std::string text =
      "# A *title*\n\nOne `code` and **two**\nof [a link](x.md) here.\n"
      "<!-- mark -->\n![plot](plot.svg)\n\n\n- first item of a list\n- second\n";
  CHECK(renderMarkdown(text, 20, false) == "A title\n\nOne code and two of\na link here.\n\n"
                                           "- first item of a\n  list\n- second\n");
  const std::string colored = renderMarkdown(text, 20, true);
  CHECK(colored.find("\x1b[1;4mA title\x1b[0m\n") == 0);
  CHECK(colored.find("One \x1b[36mcode\x1b[0m and \x1b[1mtwo\x1b[0m of\n") != std::string::npos);
  // What has no end is text.
  CHECK(renderMarkdown("a * b, [c] and `d\n", 80, false) == "a * b, [c] and `d\n");
}

TEST_CASE("Code keeps its lines, and tables have columns") {
  CHECK(renderMarkdown("```cpp\nint *a = b * c; // and a long line\n\n```\nText.\n", 10, false) ==
        "    int *a = b * c; // and a long line\n\nText.\n");
  CHECK(renderMarkdown("    said [ml-x]\n", 80, false) == "    said [ml-x]\n");
  CHECK(renderMarkdown("| measured | bug |\n|---|---|\n| `way`, max | 200 |\n| é | 1 |\n", 80,
                       false) == "  measured  bug\n  way, max  200\n  é         1\n");
}
