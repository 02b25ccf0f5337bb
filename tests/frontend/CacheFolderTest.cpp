#include "analyzer/frontend/CacheFolder.h"
#include "analyzer/frontend/Ownership.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <array>
#include <csignal>
#include <filesystem>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gradtidy;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

constexpr uint64_t limit = 1 << 20;

} // namespace

TEST_CASE("What is read from a cache is what was written, or nothing") {
  const test::Project project;
  const CacheFolder cache(project.path("cache"), limit);
  const std::string file = cache.file("key", "result");
  const std::string text = "some\ntext\n" + std::string(3, '\0');
  REQUIRE(!cache.write(file, text));
  CHECK(CacheFolder::read(file) == text);
  const std::string whole = project.read("cache/key.result");
  const auto replace = [&](const std::string &bytes) {
    project.overwrite("cache/key.result", bytes);
  };
  for (size_t i = 0; i < whole.size(); ++i)
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[i] = char(damaged[i] ^ (1 << bit));
      replace(damaged);
      CHECK(!CacheFolder::read(file));
    }
  replace(whole.substr(0, whole.size() - 1));
  CHECK(!CacheFolder::read(file));
  replace("");
  CHECK(!CacheFolder::read(file));
  replace(whole);
  CHECK(CacheFolder::read(file) == text);
}

TEST_CASE("A file of a cache that was checked out, that others can write, or a link, is not read") {
  const test::Project project;
  const CacheFolder cache(project.path("cache"), limit);
  const std::string file = cache.file("key", "result");
  REQUIRE(!cache.write(file, "text"));
  // Git gives what it checks out 0666, less the mask of the user.
  for (const mode_t mode : {0402, 0420, 0600, 0644}) {
    ::chmod(file.c_str(), mode);
    CHECK(!CacheFolder::read(file));
  }
  ::chmod(file.c_str(), 0400);
  CHECK(CacheFolder::read(file) == "text");
  fs::create_symlink(file, project.path("cache/link.result"));
  CHECK(!CacheFolder::read(cache.file("link", "result")));
  if (::geteuid() == 0) {
    REQUIRE(::chown(file.c_str(), 12345, gid_t(-1)) == 0);
    CHECK(!CacheFolder::read(file));
  }
}

TEST_CASE("A program of the cache is taken only as it was made") {
  const test::Project project;
  const CacheFolder cache(project.path("cache"), limit);
  REQUIRE(cache.open().empty());
  project.write("cache/key.exe", "program");
  const std::string file = cache.file("key", "exe");
  ::chmod(file.c_str(), 0555);
  CHECK(!CacheFolder::isSealed(file));
  REQUIRE(!cache.seal(file));
  CHECK(CacheFolder::isSealed(file));
  for (const mode_t mode : {0755, 0557}) {
    ::chmod(file.c_str(), mode);
    CHECK(!CacheFolder::isSealed(file));
  }
  fs::remove(file);
  project.write("cache/key.exe", "another");
  ::chmod(file.c_str(), 0555);
  CHECK(!CacheFolder::isSealed(file));
}

TEST_CASE("A cache is opened only where nobody else can put something") {
  const test::Project project;
  const CacheFolder cache(project.path("a/b/cache"), limit);
  CHECK(cache.open().empty());
  for (const char *folder : {"a/b/cache", "a/b", "a"}) {
    INFO(folder);
    ::chmod(project.path(folder).c_str(), 0777);
    CHECK_THAT(cache.open(), Contains("other users can write to '" + project.path(folder) + "'"));
    ::chmod(project.path(folder).c_str(), 0755);
    CHECK(cache.open().empty());
  }
  // As /tmp is.
  ::chmod(project.path("a").c_str(), 01777);
  CHECK(cache.open().empty());
  ::chmod(project.path("a/b/cache").c_str(), 01777);
  CHECK(!cache.open().empty());
  ::chmod(project.path("a/b/cache").c_str(), 0700);
  if (::geteuid() == 0) {
    REQUIRE(::chown(project.path("a/b").c_str(), 12345, gid_t(-1)) == 0);
    CHECK_THAT(cache.open(), Contains("belongs to another user"));
  }
}

TEST_CASE("A cache that is made is for the user alone, whatever the mask") {
  const test::Project project;
  const mode_t mask = ::umask(0);
  const CacheFolder cache(project.path("a/cache"), limit);
  CHECK(cache.open().empty());
  CHECK(!cache.write(cache.file("key", "result"), "text"));
  ::umask(mask);
  CHECK(fs::status(project.path("a/cache")).permissions() == fs::perms::owner_all);
  CHECK(CacheFolder::read(cache.file("key", "result")) == "text");
}

TEST_CASE("A cache that is full loses its own entries only") {
  const test::Project project;
  const CacheFolder cache(project.path("cache"), /*limit=*/100);
  const std::string first(32, 'a'), second(32, 'b');
  for (const std::string &key : {first, second})
    REQUIRE(!cache.write(cache.file(key, "result"), std::string(90, 'x')));
  for (const char *other : {"cache/weights.pt", "cache/notes", "cache/abc.result"})
    project.write(other, std::string(500, 'x'));
  cache.evict(second);
  CHECK(!fs::exists(cache.file(first, "result")));
  CHECK(fs::exists(cache.file(second, "result")));
  for (const char *other : {"cache/weights.pt", "cache/notes", "cache/abc.result"})
    CHECK(fs::exists(project.path(other)));
}

TEST_CASE("What a process left that is dead goes, what another one makes stays") {
  const test::Project project;
  const CacheFolder cache(project.path("cache"), limit);
  REQUIRE(cache.open().empty());
  // A compiler writes beside its result first, under a name that it makes of that.
  const auto compile = [&](const CacheFolder::Temporary &made) {
    project.write("cache/" + fs::path(made.beside()).filename().string(), "of a compiler");
    project.write("cache/" + fs::path(made.path()).filename().string() + "-94f2d420.out.tmp", "");
  };
  const pid_t child = ::fork();
  if (child == 0) {
    const auto made = cache.temporary();
    compile(**made);
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const auto files = [&] {
    return std::distance(fs::directory_iterator(project.path("cache")), fs::directory_iterator());
  };
  CHECK(files() == 3);
  {
    const auto alive = cache.temporary();
    REQUIRE(alive);
    compile(**alive);
    CHECK(cache.open().empty());
    CHECK(files() == 3);
    CHECK(fs::exists((*alive)->path()));
  }
  CHECK(cache.open().empty());
  CHECK(files() == 0);
}

TEST_CASE("A folder for a run goes with it, and with the next one where it was killed") {
  const test::Project project;
  ::setenv("TMPDIR", project.path().c_str(), 1);
  const auto folders = [&] {
    return std::distance(fs::directory_iterator(project.path()), fs::directory_iterator());
  };
  const pid_t child = ::fork();
  if (child == 0) {
    const ScratchFolder killed;
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  CHECK(folders() == 1);
  {
    const ScratchFolder first, second;
    CHECK(folders() == 2);
    CHECK(whyShared(first.path()).empty());
  }
  CHECK(folders() == 0);
  ::unsetenv("TMPDIR");
}
