// What is known of a value where two ways meet, domain by domain: tables of one side, the other and
// both. Each holds whichever of the two ways is the first.
#include "analyzer/flow/State.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

const ir::Symbol names[4] = {};

Event eventOf(EventKind kind) {
  Event event;
  event.kind = kind;
  return event;
}

const Event creation = eventOf(EventKind::Create), computed = eventOf(EventKind::Combine),
            other = eventOf(EventKind::Combine);

struct Fixture {
  PathTable paths;
  Tables tables{paths};
  PathId a = variable(0), b = variable(1);
  PathId own = tables.paths.root(PathStep::This, nullptr);

  PathId variable(int number) { return tables.paths.root(PathStep::Variable, &names[number]); }
  SourcesId of(PathId path) { return tables.sources.of(path); }
};

/// What a test says of each side.
template <typename Facts> struct Row {
  Facts here, there, both;
};

} // namespace

TEST_CASE_METHOD(Fixture, "A graph is there where it is on either way") {
  const auto with = [](std::uint8_t graph, bool isParameter, bool isRecorded) {
    Autograd facts;
    facts.graph = graph;
    facts.isParameter = isParameter;
    facts.isRecorded = isRecorded;
    return facts;
  };
  const std::vector<Row<Autograd>> rows = {
      {with(Graph::Attached, true, false), with(Graph::Attached, true, false),
       with(Graph::Attached, true, false)},
      {with(Graph::Attached, true, true), with(Graph::Detached, false, false),
       with(Graph::Attached | Graph::Detached, false, true)},
      {with(Graph::Unrecorded, false, false), with(Graph::Unknown, false, false),
       with(Graph::Unrecorded | Graph::Unknown, false, false)},
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(joined(here, there, tables) == both);
    CHECK(joined(there, here, tables) == both);
  }
}

TEST_CASE_METHOD(Fixture, "A backward reaches what it reaches on either way") {
  Autograd here, there;
  here.sources = of(a);
  there.sources = of(b);
  here.derived = there.derived = &computed;
  const Autograd both = joined(here, there, tables);
  CHECK(both.sources == tables.sources.join(of(a), of(b)));
  CHECK(both.derived == &computed);
  there.derived = &other;
  CHECK_FALSE(joined(here, there, tables).derived);
}

TEST_CASE_METHOD(Fixture,
                 "The last graphs are those of both ways, of what is made of two of either") {
  const LastGraphs here = {tables.histories.join(tables.histories.of(1), tables.histories.of(2))};
  const LastGraphs there = {tables.histories.of(2), &computed};
  CHECK(commonGraphs(here, there, tables) == LastGraphs{tables.histories.of(2)});
  CHECK(unitedGraphs(here, there, tables) == LastGraphs{here.sites, &computed});
}

TEST_CASE_METHOD(Fixture, "A tensor is on the device that it is on whichever way leads here") {
  const auto on = [](Device device, bool hasDimensions = true) {
    Placement facts;
    facts.device = device;
    facts.hasDimensions = hasDimensions;
    return facts;
  };
  const Device unknown, unset{Device::Unset}, host{Device::Cpu}, first{Device::Cuda, 0},
      second{Device::Cuda, 1};
  const std::vector<Row<Placement>> rows = {
      {on(host), on(host), on(host)},
      {on(host), on(first), on(unknown)},
      {on(first), on(second), on(unknown)},
      {on(first), on(first, false), on(first, false)},
      {on(unset, false), on(first), on(first)},
      {on(unset, false), on(unset, false), on(unset, false)},
      {on(unknown), on(host), on(unknown)},
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(joined(here, there, tables) == both);
    CHECK(joined(there, here, tables) == both);
  }
}

TEST_CASE_METHOD(Fixture,
                 "What is made on the host beside a tensor of the module's device is known") {
  Placement made, moved;
  made.device = {Device::Cpu};
  made.hasDimensions = true;
  made.placed = &creation;
  moved.device = {Device::Symbol, own};
  CHECK(joined(made, moved, tables).madeOnHost == &creation);
  CHECK(joined(moved, made, tables).madeOnHost == &creation);
  moved.device.id = a; // That of another object.
  CHECK_FALSE(joined(made, moved, tables).madeOnHost);
}

TEST_CASE_METHOD(Fixture,
                 "Memory has a name, and is without values, only where it is so on both ways") {
  const auto in = [](PathId memory, const Event *unwritten, const Event *released) {
    Storage facts;
    facts.memory = memory;
    facts.unwritten = unwritten;
    facts.released = released;
    return facts;
  };
  const std::vector<Row<Storage>> rows = {
      {in(a, &creation, &other), in(a, &creation, &other), in(a, &creation, &other)},
      {in(a, &creation, nullptr), in(b, &creation, nullptr), in(noPath, &creation, nullptr)},
      {in(a, &creation, &other), in(a, nullptr, nullptr), in(a, nullptr, nullptr)},
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(commonStorage(here, there, tables) == both);
    CHECK(commonStorage(there, here, tables) == both);
  }
}

TEST_CASE_METHOD(Fixture, "A value is a tensor, or holds tensors, if it does so on both ways") {
  Storage here;
  here.tensor = a;
  here.elements = tables.sources.of(a);
  CHECK(commonStorage(here, here, tables) == here);
  Storage there = here;
  there.elements = tables.sources.join(here.elements, tables.sources.of(b));
  CHECK(commonStorage(here, there, tables).tensor == a);
  CHECK(commonStorage(here, there, tables).elements == noSources);
  there.tensor = b;
  CHECK(commonStorage(here, there, tables).tensor == noPath);
}

TEST_CASE_METHOD(Fixture, "What variables hold on one of two ways is held behind them") {
  const auto holding = [&](PathId holder) {
    Value value;
    value.storage.origin = holder;
    State state(tables);
    state.setValue(b, value);
    return state;
  };
  State state = holding(a);
  const State other = holding(tables.paths.unknown());
  CHECK(state.isHeld(a));
  CHECK_FALSE(other.isHeld(a));
  state.join(other, Junction::Branches);
  CHECK(state.isHeld(a));
  CHECK_FALSE(state.isHeld(b));
}

TEST_CASE_METHOD(Fixture, "A tensor lies in memory of parameters if it does on one way") {
  const Lending none, one{nullptr, &computed, of(a), &other}, second{nullptr, &computed, of(b)};
  const std::vector<Row<Lending>> rows = {
      {none, none, none},
      {one, none, one},
      {one, second, {nullptr, &computed, tables.sources.join(of(a), of(b))}},
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(joined(here, there, tables) == both);
    CHECK(joined(there, here, tables) == both);
  }
}

TEST_CASE_METHOD(Fixture, "A pointer that is lost on one way is lost") {
  const Look none, toA{&creation, a}, toB{&computed, b}, lost{&creation, a, &other};
  const std::vector<Row<Look>> rows = {
      {none, none, none}, {toA, toA, toA},   {toA, none, toA}, {toA, toB, none},
      {lost, none, lost}, {lost, toB, lost}, {lost, toA, toA}, // Taken again since.
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(joined(here, there) == both);
    CHECK(joined(there, here) == both);
  }
}

TEST_CASE_METHOD(Fixture, "Elements stand for what they stand for on both ways") {
  const Meaning none, padded{{}, &computed, true, true}, first{{&computed}, nullptr, true, false},
      second{{&computed, nullptr, true}, nullptr, true, false};
  const std::vector<Row<Meaning>> rows = {
      {none, none, none},
      {padded, padded, padded},
      {padded, none, none},
      {first, second, {{}, nullptr, true, false}},
  };
  for (const auto &[here, there, both] : rows) {
    CHECK(joined(here, there) == both);
    CHECK(joined(there, here) == both);
  }
}

TEST_CASE_METHOD(Fixture, "Shapes, origins and copies of a value are those of either way") {
  Value here, there;
  here.layout = {tables.types.of({ElementType::Float32, Shape()}), &computed};
  there.layout = {tables.types.of({ElementType::Int64, Shape()}), &other};
  here.origin = {&computed, of(a)};
  there.origin = {&computed, of(b)};
  const Value both = joined(here, there, tables);
  CHECK(tables.types[both.layout.type].element == ElementType::Unknown);
  CHECK_FALSE(both.layout.permuted);
  CHECK(both.origin == Origin{&computed, tables.sources.join(of(a), of(b))});
}

TEST_CASE_METHOD(Fixture, "Other values in the place of a tensor have its shape and its device") {
  Value before, after;
  before.placement.device = {Device::Cuda, 1};
  before.layout.permuted = &computed;
  before.meaning.isNoise = true;
  after.stayOn(before);
  CHECK(after.placement == before.placement);
  CHECK(after.layout == before.layout);
  CHECK_FALSE(after.meaning.isNoise);
}
