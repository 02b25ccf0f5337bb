#include "analyzer/frontend/FileIdentity.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace gradtidy;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;

bool holds(const FileIdentity &identity, const std::string &file) {
  RealPaths paths;
  return identity.holdsFor(file, paths);
}

} // namespace

TEST_CASE("A file is another one when its text is, whatever its size and times say") {
  const test::Project project;
  const std::string file = project.path("a.cpp");
  // The second is that of a file whose times are to be relied on.
  for (const Clock::time_point begin : {Clock::now(), Clock::time_point::max()})
    for (const auto time : {fs::file_time_type(), fs::file_time_type::clock::now(),
                            fs::file_time_type::clock::now() + std::chrono::hours(24)}) {
      project.write("a.cpp", "one");
      fs::last_write_time(file, time);
      const FileIdentity identity = FileIdentity::of("one", file, begin);
      CHECK(holds(identity, file));
      project.write("a.cpp", "two");
      fs::last_write_time(file, time);
      CHECK(!holds(identity, file));
    }
}

TEST_CASE("A file stays the same when it only gets another time or another inode") {
  const test::Project project;
  const std::string file = project.path("a.cpp");
  project.write("a.cpp", "one");
  const FileIdentity identity = FileIdentity::of("one", file, Clock::time_point::max());
  fs::last_write_time(file, fs::file_time_type());
  CHECK(holds(identity, file));
  fs::copy_file(file, project.path("copy"));
  fs::rename(project.path("copy"), file);
  CHECK(holds(identity, file));
  fs::remove(file);
  CHECK(!holds(identity, file));
}

TEST_CASE("What was read is what counts, not what is there when that is written down") {
  const test::Project project;
  project.write("a.cpp", "two");
  const FileIdentity identity = FileIdentity::of("one", project.path("a.cpp"), Clock::now());
  CHECK(!holds(identity, project.path("a.cpp")));
}

TEST_CASE("The file that a link leads to is part of a file's identity") {
  const test::Project project;
  project.write("one/a.cpp", "text");
  project.write("two/a.cpp", "text");
  fs::create_symlink("one", project.path("folder"));
  fs::create_symlink("one/a.cpp", project.path("file"));
  const FileIdentity behindFolder =
      FileIdentity::of("text", project.path("folder/a.cpp"), Clock::now());
  const FileIdentity link = FileIdentity::of("text", project.path("file"), Clock::now());
  CHECK(holds(behindFolder, project.path("folder/a.cpp")));
  CHECK(holds(link, project.path("file")));
  for (const auto &[name, target] : {std::pair("folder", "two"), std::pair("file", "two/a.cpp")}) {
    fs::remove(project.path(name));
    fs::create_symlink(target, project.path(name));
  }
  CHECK(!holds(behindFolder, project.path("folder/a.cpp")));
  CHECK(!holds(link, project.path("file")));
  fs::remove(project.path("file"));
  project.write("file", "text");
  CHECK(!holds(link, project.path("file")));
}
