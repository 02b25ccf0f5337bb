// Sets of the modules and tensors a value was computed from.
#include "analyzer/flow/State.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

const ir::Symbol subjects[3] = {};

struct Fixture {
  PathTable paths;
  Tables tables{paths};
  SourcesTable &sources = tables.sources;
  PathId variable(int number) { return tables.paths.root(PathStep::Variable, &subjects[number]); }
  SourcesId of(int number) { return sources.of(variable(number)); }
};

} // namespace

TEST_CASE_METHOD(Fixture, "Joining sets") {
  const SourcesId both = sources.join(of(0), of(1));
  CHECK(sources.join(of(1), of(0)) == both);
  CHECK(sources.join(both, of(0)) == both);
  CHECK(sources.join(noSources, both) == both);
  CHECK(sources.join(both, noSources) == both);
  CHECK(sources.members(both).size() == 2);
  CHECK_FALSE(sources.isUnknown(both));
  const SourcesId more = sources.join(both, sources.unknown());
  CHECK(sources.isUnknown(more));
  CHECK(sources.members(more).size() == 2);
}

TEST_CASE_METHOD(Fixture, "Of too many members some stay known") {
  SourcesTable few(tables.paths, 2);
  const SourcesId two = few.join(few.of(variable(0)), few.of(variable(1)));
  CHECK_FALSE(few.isUnknown(two));
  const SourcesId more = few.join(two, few.of(variable(2)));
  CHECK(few.isUnknown(more));
  CHECK(few.members(more) == few.members(two));
}

TEST_CASE_METHOD(Fixture, "What a backward may reach") {
  const PathId part = tables.paths.element(variable(0), 1);
  CHECK(sources.mayOverlap(of(0), sources.of(part)));
  CHECK(sources.mayOverlap(sources.of(part), of(0)));
  CHECK_FALSE(sources.mayOverlap(of(0), of(1)));
  CHECK(sources.mayOverlap(of(0), sources.unknown()));
  CHECK_FALSE(sources.mayOverlap(noSources, of(0)));
}

TEST_CASE_METHOD(Fixture, "What a clear covers") {
  const SourcesId part = sources.of(tables.paths.element(variable(0), 1));
  const SourcesId both = sources.join(of(0), of(1));
  CHECK(sources.covers(of(0), part));
  CHECK(sources.covers(both, of(1)));
  CHECK_FALSE(sources.covers(part, of(0)));
  CHECK_FALSE(sources.covers(of(0), both));
  CHECK_FALSE(sources.covers(both, sources.join(of(0), sources.unknown())));
}

TEST_CASE_METHOD(Fixture, "Members move with their paths") {
  const PathId from = variable(0), to = variable(1);
  const SourcesId moved = sources.map(sources.join(of(0), of(2)),
                                      [&](PathId path) { return path == from ? to : path; });
  CHECK(moved == sources.join(of(1), of(2)));
  CHECK(sources.isUnknown(
      sources.map(sources.join(of(0), sources.unknown()), [](PathId path) { return path; })));
}
