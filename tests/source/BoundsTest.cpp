// What a stranger's files can be is no reason to hang, to crash or to run out of memory.
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"
#include "analyzer/source/ResponseFiles.h"
#include "tests/Project.h"
#include "tests/Repeated.h"

#include <catch2/catch.hpp>

#include <filesystem>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace gradtidy;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using gradtidy::test::Project;

namespace {

std::string errorOfFile(const std::string &file, uint64_t limit = limits::source) {
  auto contents = readFile(file, limit);
  return contents ? "none" : llvm::toString(contents.takeError());
}

template <typename T> std::string errorOf(llvm::Expected<T> value) {
  return value ? "none" : llvm::toString(value.takeError());
}

} // namespace

TEST_CASE("only regular files are read, and none that is too large") {
  const Project project;
  project.write("file", std::string("text\0more", 9));
  REQUIRE(::mkfifo(project.path("fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", project.path("zero"));
  std::filesystem::create_symlink("file", project.path("link"));
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {AF_UNIX, {}};
  project.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);

  for (const char *name : {"file", "link"}) {
    auto contents = readFile(project.path(name));
    REQUIRE(bool(contents));
    CHECK((*contents)->getBuffer() == llvm::StringRef("text\0more", 9));
  }
  CHECK(errorOfFile(project.path("fifo")) == "not a regular file");
  CHECK(errorOfFile(project.path("zero")) == "not a regular file");
  CHECK(errorOfFile(project.path("socket")) == "not a regular file");
  CHECK(errorOfFile(project.path()) == "a folder, not a file");
  CHECK_THAT(errorOfFile(project.path("none")), Contains("No such file"));
  CHECK(errorOfFile(project.path("file"), 9) == "none");
  CHECK(errorOfFile(project.path("file"), 8) == "larger than 8 bytes");
  for (const char *name : {"file", "link", "fifo", "zero", "socket", ".", "none"})
    CHECK(whyUnreadable(project.path(name)).empty() == (errorOfFile(project.path(name)) == "none"));
  ::close(listener);
}

TEST_CASE("a sparse file takes no memory") {
  const Project project;
  project.write("huge", "");
  std::filesystem::resize_file(project.path("huge"), uintmax_t(1) << 40);
  CHECK(errorOfFile(project.path("huge")) == "larger than 64 MB");
}

TEST_CASE("libraries read configuration files within bounds, too") {
  const Project project;
  project.write("large", std::string(100, 'x'));
  project.write("small", "text");
  REQUIRE(::mkfifo(project.path("fifo").c_str(), 0600) == 0);
  std::vector<std::string> errors;
  const auto files =
      boundedFileSystem(10, [&](const std::string &error) { errors.push_back(error); });
  const auto read = [&](const char *name) {
    auto contents = files->getBufferForFile(project.path(name));
    return contents ? (*contents)->getBuffer().str() : "cannot be read";
  };
  CHECK(read("small") == "text");
  CHECK(errors.empty());
  CHECK(read("large").empty());
  CHECK(read("fifo").empty());
  CHECK(errors == std::vector{project.path("large") + ": larger than 10 bytes",
                              project.path("fifo") + ": not a regular file"});
  CHECK(read("none") == "cannot be read");
}

TEST_CASE("JSON is parsed within bounds") {
  const auto list = [](size_t depth) { return repeated("[", depth) + repeated("]", depth); };
  CHECK(errorOf(parseJson(list(maxNesting))) == "none");
  CHECK(errorOf(parseJson(list(maxNesting + 1))) == "it is nested deeper than 100 levels");
  CHECK(errorOf(parseJson(repeated("[", 1'000'000))) == "it is nested deeper than 100 levels");
  CHECK(errorOf(parseJson(repeated("{\"a\":", 200'000))) == "it is nested deeper than 100 levels");
  CHECK_THAT(errorOf(parseJson("[1e999]")), Contains("number overflow"));
  CHECK_THAT(errorOf(parseJson("[\"\xff\"]")), Contains("UTF-8"));
  CHECK_THAT(errorOf(parseJson("")), Contains("syntax error"));
  auto parsed = parseJson("{\"a\": [1, 18446744073709551615, -1]}");
  REQUIRE(bool(parsed));
  CHECK((*parsed)["a"][1] == 18446744073709551615U);
}

TEST_CASE("CBOR is parsed within bounds") {
  CHECK(errorOf(parseCbor(std::string(1'000'000, '\x81'))) ==
        "it is nested deeper than 100 levels");
  // A list, a string and a map that say to be longer than memory.
  for (const char *start :
       {"\x9b\xff\xff\xff\xff\xff\xff\xff\xfe", "\x7b\x7f\xff\xff\xff\xff\xff\xff\xff",
        "\xbb\x7f\xff\xff\xff\xff\xff\xff\xff", "\xc6", ""})
    CHECK(errorOf(parseCbor(start)) != "none");
  const std::vector<uint8_t> bytes = nlohmann::json::to_cbor({{"a", "\xff"}, {"b", {1, 2}}});
  auto parsed = parseCbor({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  REQUIRE(bool(parsed));
  CHECK((*parsed)["a"] == "\xff");
}

TEST_CASE("a list is split into elements, whatever they are") {
  using Elements = std::vector<llvm::StringRef>;
  const auto split = [](llvm::StringRef text) {
    auto elements = splitList(text);
    REQUIRE(bool(elements));
    return *elements;
  };
  CHECK(split(" [ ]\n") == Elements{});
  CHECK(split("[1e999, {\"a\": \"],\\\"\"},[x y]]") ==
        Elements{"1e999", "{\"a\": \"],\\\"\"}", "[x y]"});
  for (const char *text : {"", "{}", "[", "[1,]", "[,1]", "[1", "[\"a]", "[1]]", "[1] 2", "[}"})
    CHECK(errorOf(splitList(text)) != "none");
}

TEST_CASE("YAML that is nested too deep is told") {
  CHECK(
      yamlTooDeep("Checks: 'ml-*'\nCheckOptions:\n  - key: a\n    value: b\n  - key: c\n").empty());
  CHECK(yamlTooDeep(repeated("- a: b\n", 100'000)).empty());
  CHECK(yamlTooDeep("CheckOptions: {a: [b, c], d: {e: f}}\r\n").empty());
  for (const char *part : {"[", "{a: ", "- ", "? ", "[\n", "[a\r"})
    CHECK_THAT(yamlTooDeep("CheckOptions: " + repeated(part, 200'000)), Contains("nested deeper"));
  std::string stairs;
  for (size_t i = 0; i < 300; ++i)
    stairs += std::string(i, ' ') + "a:\n";
  CHECK_THAT(yamlTooDeep(stairs), Contains("nested deeper"));
}

TEST_CASE("response files are expanded within bounds") {
  const Project project;
  const auto expand = [&](std::vector<std::string> words) {
    return expandResponseFiles(std::move(words), project.path());
  };
  project.write("one", "-DA '-DB=x y' @two");
  project.write("two", "\xef\xbb\xbf-DC");
  auto words = expand({"c++", "@one", "@none", "@", "-c"});
  REQUIRE(bool(words));
  CHECK(*words == std::vector<std::string>{"c++", "-DA", "-DB=x y", "-DC", "@none", "@", "-c"});

  project.write("self", "-DA @self");
  CHECK_THAT(errorOf(expand({"@self"})), Contains("self") && Contains("includes itself"));
  project.write("bomb0", "-DX");
  for (int i = 1; i < 40; ++i)
    project.write("bomb" + std::to_string(i), repeated("@bomb" + std::to_string(i - 1) + " ", 2));
  CHECK_THAT(errorOf(expand({"@bomb39"})), Contains("more than 1000 response files"));
  project.write("long", repeated("-DX ", 5'000));
  project.write("many", repeated("@long ", 900));
  CHECK_THAT(errorOf(expand({"@many"})), Contains("more than a million words"));
  CHECK_THAT(errorOf(expand({"@/dev/zero"})),
             Contains("/dev/zero") && Contains("not a regular file"));
  REQUIRE(::mkfifo(project.path("fifo").c_str(), 0600) == 0);
  CHECK_THAT(errorOf(expand({"@fifo"})), Contains("not a regular file"));
}
