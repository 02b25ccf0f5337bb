// Fixes change the text that was analyzed, and nothing else about its file.
#include "analyzer/app/RewriteFile.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gradtidy::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const std::string include = "#include <axon/axon.h>\n";
const std::string fixed = "solver.zero_grad();";

std::vector<std::string> with(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--no-cache", "--model=" + axonModel()});
  arguments.insert(arguments.end(), {"--", "-std=c++20", "-I" + axonFolder()});
  return arguments;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

struct stat statusOf(const Project &project, const std::string &file) {
  struct stat status = {};
  REQUIRE(::lstat(project.path(file).c_str(), &status) == 0);
  return status;
}

} // namespace

TEST_CASE("Results of shards fix no text that has changed since") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("shared"));
  project.write("train.cpp", "#include \"loop.h\"\n" + trainingLoop("train"));
  project.gradtidy(with({"--shard=1/1", "--results=results", "train.cpp"}));

  const std::string changed = "// one line more\n" + project.read("train.cpp");
  project.write("train.cpp", changed);
  const Run run = project.gradtidy({"merge", "--fix", "results"});
  CHECK(run.status == 2);
  CHECK(project.read("train.cpp") == changed);
  CHECK_THAT(run.err, Contains("'" + project.path("train.cpp") +
                               "' could not be fixed and is unchanged: it has changed since it was "
                               "analyzed"));
  CHECK_THAT(run.out, Contains("FIX-IT unable to apply suggested code changes"));
  // What has not changed is fixed.
  CHECK(count(project.read("loop.h"), fixed) == 1);
  // Now both have changed.
  CHECK(project.gradtidy({"merge", "--fix", "results"}).status == 2);
  CHECK(count(project.read("loop.h"), fixed) == 1);
}

TEST_CASE("Results of shards change no file outside of the project") {
  const Project project;
  project.write("outside/train.cpp", include + trainingLoop("train"));
  project.write("inside/.git/HEAD", "");
  project.gradtidy(with({"--shard=1/1", "--results=results", "outside/train.cpp"}));
  const Run run = project.gradtidy({"merge", "--fix", "../results"}, "inside");
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("could not be fixed") && Contains("outside of the folder"));
  CHECK(count(project.read("outside/train.cpp"), fixed) == 0);
  CHECK(project.gradtidy({"merge", "--fix", "results"}).status == 0);
  CHECK(count(project.read("outside/train.cpp"), fixed) == 1);
}

TEST_CASE("Links stay links, and their file is fixed") {
  const Project project;
  project.write("real.cc", include + trainingLoop("train"));
  project.write("other.cc", include + trainingLoop("other"));
  std::filesystem::create_symlink("real.cc", project.path("train.cpp"));
  std::filesystem::create_hard_link(project.path("other.cc"), project.path("other.cpp"));
  const auto inode = statusOf(project, "other.cc").st_ino;
  CHECK(project.gradtidy(with({"--fix", "train.cpp", "other.cpp"})).status == 0);
  CHECK(std::filesystem::is_symlink(project.path("train.cpp")));
  CHECK(count(project.read("real.cc"), fixed) == 1);
  CHECK(statusOf(project, "other.cc").st_ino == inode);
  CHECK(statusOf(project, "other.cpp").st_ino == inode);
  CHECK(count(project.read("other.cc"), fixed) == 1);
}

TEST_CASE("Owner, mode and time of last access stay") {
  const Project project;
  project.write("train.cpp", include + trainingLoop("train"));
  const std::string file = project.path("train.cpp");
  REQUIRE(::chmod(file.c_str(), 0751) == 0);
  // Only the superuser gives files away.
  const bool isOwner = ::chown(file.c_str(), 1234, 4321) != 0;
  const timespec times[] = {{1'000'000'000, 5}, {1'100'000'000, 7}};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  CHECK(project.gradtidy(with({"--fix", "train.cpp"})).status == 0);
  const struct stat status = statusOf(project, "train.cpp");
  CHECK((status.st_mode & 07777) == 0751);
  CHECK((isOwner || (status.st_uid == 1234 && status.st_gid == 4321)));
  CHECK(status.st_mtim.tv_sec > 1'100'000'000);
  CHECK(count(project.read("train.cpp"), fixed) == 1);
}

TEST_CASE("Line ends, a byte order mark and a missing last newline stay") {
  const std::string text = include + trainingLoop("train");
  const std::string bom = "\xef\xbb\xbf";
  const auto fix = [](const std::string &before) {
    const Project project;
    project.write("train.cpp", before);
    CHECK(project.gradtidy(with({"--fix", "train.cpp"})).status == 0);
    return project.read("train.cpp");
  };
  const std::string after = fix(text);
  REQUIRE(count(after, fixed) == 1);
  CHECK(fix(bom + text) == bom + after);
  CHECK(fix(replaced(text, "\n", "\r\n")) == replaced(after, "\n", "\r\n"));
  CHECK(fix(bom + replaced(text, "\n", "\r\n")) == bom + replaced(after, "\n", "\r\n"));
  REQUIRE(text.ends_with("\n"));
  CHECK(fix(text.substr(0, text.size() - 1)) == after.substr(0, after.size() - 1));

  // Editors and other programs are offered the same.
  const Project project;
  project.write("train.cpp", replaced(text, "\n", "\r\n"));
  const Json document = Json::parse(project.gradtidy(with({"--format=json", "train.cpp"})).out);
  CHECK(count(document["findings"][0]["fixes"][0]["text"], "\r\n") == 1);
}

TEST_CASE("A file that cannot be written as a whole is left as it was") {
  for (const bool isLinked : {false, true}) {
    const Project project;
    const std::string text =
        include + trainingLoop("train") + "// " + std::string(8192, 'x') + "\n";
    project.write("train.cpp", text);
    if (isLinked)
      std::filesystem::create_hard_link(project.path("train.cpp"), project.path("link.cpp"));
    // No file may have more than four blocks of 1024 bytes.
    std::vector<std::string> arguments = {"-c", "ulimit -f 4; exec \"$0\" \"$@\"",
                                          gradtidyProgram()};
    for (const std::string &argument : with({"--fix", "train.cpp"}))
      arguments.push_back(argument);
    const Run run = project.run("/bin/bash", arguments);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("could not be fixed and is unchanged: File too large"));
    CHECK(project.read("train.cpp") == text);
    // Nothing is left beside the sources.
    const auto entries = std::filesystem::directory_iterator(project.path());
    CHECK(std::distance(begin(entries), end(entries)) == 1 + isLinked);
  }
}

TEST_CASE("A text that units have seen in two versions is not fixed") {
  const Project project;
  project.write(".git/HEAD", "");
  project.write("loop.h", "#pragma once\n" + include + trainingLoop("shared"));
  project.write("a.cpp", "#include \"loop.h\"\n");
  project.write("b.cpp", "#include \"loop.h\"\n");
  project.gradtidy(with({"--shard=1/2", "--results=first", "a.cpp", "b.cpp"}));
  project.write("loop.h", "#pragma once\n\n" + include + trainingLoop("shared"));
  project.gradtidy(with({"--shard=2/2", "--results=second", "a.cpp", "b.cpp"}));
  const std::string changed = project.read("loop.h");
  const Run run = project.gradtidy({"merge", "--fix", "first", "second"});
  CHECK(run.status == 2);
  CHECK(project.read("loop.h") == changed);
  CHECK_THAT(run.err, Contains("it has changed since it was analyzed"));
}

TEST_CASE("What another program saves while a fix is written stays") {
  const Project project;
  const std::string file = project.path("train.cpp");
  for (const bool renames : {true, false})
    for (int round = 0; round < 150; ++round) {
      const std::string before = "before " + std::to_string(round) + "\n";
      const std::string saved = "saved " + std::to_string(round) + " and more\n";
      project.write("train.cpp", before);
      std::thread editor([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(round * 10));
        if (renames) {
          project.write("saved", saved);
          std::filesystem::rename(project.path("saved"), file);
        } else {
          std::ofstream(file, std::ios::in | std::ios::out) << saved;
        }
      });
      gradtidy::rewriteFile(file, before, before + "fixed\n");
      editor.join();
      CHECK(project.read("train.cpp").starts_with(saved));
    }
}

TEST_CASE("Files of version control are not fixed") {
  const Project project;
  project.write(".git/HEAD", "");
  for (const std::string file : {".git/hooks/post-checkout.cpp", "sub/.svn/a.cpp"}) {
    project.write(file, include + trainingLoop("train"));
    const std::string before = project.read(file);
    const Run run = project.gradtidy(with({"--fix", file}));
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("it belongs to version control"));
    project.gradtidy(with({"--shard=1/1", "--results=results", file}));
    CHECK(project.gradtidy({"merge", "--fix", "results"}).status == 2);
    CHECK(project.read(file) == before);
  }
}

TEST_CASE("Shards hold no numbers out of range, and nothing that they name is a command") {
  const Project project;
  const std::string text = include + trainingLoop("train");
  project.write(".git/HEAD", "");
  project.write("train.cpp", text);
  project.gradtidy(with({"--shard=1/1", "--results=results", "train.cpp"}));
  const std::string good = project.read("results");
  const auto mergeWith = [&](const std::function<void(Json &)> &change) {
    Json shard = Json::from_cbor(good);
    auto &bytes = shard["units"][0][3].get_binary();
    Json unit = Json::from_cbor(bytes);
    change(unit);
    static_cast<std::vector<uint8_t> &>(bytes) = Json::to_cbor(unit);
    const std::vector<uint8_t> all = Json::to_cbor(shard);
    project.write("changed", std::string(all.begin(), all.end()));
    return project.gradtidy({"merge", "--fix", "--stats", "changed"});
  };
  const auto offsetOfEdit = [](Json &unit) -> Json & {
    for (Json &diagnostic : unit["diagnostics"])
      for (Json &message : diagnostic[2])
        if (!message[4].empty())
          return message[4][0][1][0][0];
    return unit["diagnostics"][0][1][4][0][1][0][0];
  };
  for (const Json &offset : {Json(uint64_t(1) << 63), Json(-1), Json(1e300), Json(0.5)}) {
    const Run run = mergeWith([&](Json &unit) { offsetOfEdit(unit) = offset; });
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Contains("cannot be read"));
    CHECK(project.read("train.cpp") == text);
  }
  const Run run = mergeWith([&](Json &unit) { unit["seconds"] = {{"x\n::error::y", 1.0}}; });
  CHECK(count(run.err, "\n::error") == 0);
}
