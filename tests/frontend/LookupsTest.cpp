#include "analyzer/frontend/Lookups.h"
#include "tests/Project.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

TEST_CASE("A lookup holds until a file turns up in one of its folders") {
  for (const char *name : {"late.h", "folder/late.h", "./late.h"}) {
    INFO(name);
    const test::Project project;
    project.write("one/folder/other.h", "");
    const std::vector<Lookup> lookups = {{{project.path("one"), project.path("two")}, {name}}};
    CHECK(LookupChecker().holds(lookups));
    project.write(std::string("one/") + name + "/not-a-file", "");
    CHECK(LookupChecker().holds(lookups));
    project.write(std::string("two/../two/") + name, "");
    CHECK(!LookupChecker().holds(lookups));
  }
}
