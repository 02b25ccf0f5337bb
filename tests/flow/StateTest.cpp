// Names and what they denote, and whose gradients an event concerns.
#include "analyzer/flow/State.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

const ir::Symbol subjects[16] = {};

/// A state with variables a to f, which are known by their letters only.
struct Fixture {
  PathTable paths;
  Tables tables{paths};
  State state{tables};
  PathId a = variable(0), b = variable(1), c = variable(2), d = variable(3), e = variable(4),
         f = variable(5);

  PathId variable(int number) { return tables.paths.root(PathStep::Variable, &subjects[number]); }
  PathId part(PathId path, int number) { return tables.paths.element(path, number); }
  PathId unknown() { return tables.paths.unknown(); }

  void bind(PathId place, BindKind kind, PathId value, TypeRole role = TypeRole::Module) {
    const Operand operand{value, role};
    state.bind(place, kind, role, &operand);
  }

  /// An optimizer at \p path of the parameters of \p module, with used gradients.
  void addOptimizer(PathId path, PathId module, const Event &step) {
    state.optimizerAt(path).owned = tables.sources.of(module);
    state.optimizerAt(path).gradients.use(step);
  }
  unsigned gradients(PathId optimizer) {
    const OptimizerFacts *facts = state.optimizer({optimizer, TypeRole::Optimizer});
    REQUIRE(facts);
    return facts->gradients.possible;
  }
  SourcesId sourcesOf(PathId path, TypeRole role) const { return state.sourcesOf({path, role}); }
};

const Event step, backward;

/// A value made of these.
Value valueOf(SourcesId sources) {
  Value value;
  value.autograd.sources = sources;
  return value;
}

} // namespace

TEST_CASE_METHOD(Fixture, "A name denotes itself until it is bound") {
  CHECK(state.resolve(a) == a);
  CHECK(state.resolve(part(a, 1)) == part(a, 1));
}

TEST_CASE_METHOD(Fixture, "References and handles denote the object of another name") {
  for (BindKind kind : {BindKind::Reference, BindKind::Handle}) {
    bind(a, kind, b);
    CHECK(state.resolve(a) == b);
    CHECK(state.resolve(part(a, 1)) == part(b, 1));
    bind(c, kind, a);
    CHECK(state.resolve(c) == b);
  }
}

TEST_CASE_METHOD(Fixture,
                 "Assigning to a reference assigns to its object, to a handle rebinds it") {
  bind(a, BindKind::Reference, b);
  CHECK(state.place(a) == b);
  bind(c, BindKind::Handle, b);
  CHECK(state.place(c) == c);
  bind(c, BindKind::Handle, d);
  CHECK(state.resolve(c) == d);
  CHECK(state.resolve(a) == b);
}

TEST_CASE_METHOD(Fixture, "A pointer leads to the same object when that gets another value") {
  bind(a, BindKind::Handle, b, TypeRole::Tensor);
  bind(b, BindKind::Value, c, TypeRole::Tensor);
  CHECK(state.resolve(a) == b);
  bind(b, BindKind::Handle, d); // What it held is another object.
  CHECK(state.resolve(a) == unknown());
}

TEST_CASE_METHOD(Fixture, "What is done to a tensor is done to its other handles") {
  Value tensor;
  tensor.storage.memory = d;
  tensor.autograd.graph = Graph::Detached;
  const auto changeWith = [&](PathId object) {
    tensor.storage.object = object;
    state.setValue(a, tensor);
    state.setValue(b, tensor);
    state.changeHandles(a, tensor, [](Value &value) { value.autograd.graph = Graph::Attached; });
    return state.valueOf({b, TypeRole::Tensor}).autograd.graph;
  };
  CHECK(changeWith(part(d, 0)) == Graph::Attached);
  CHECK(changeWith(unknown()) == (Graph::Attached | Graph::Detached)); // It may be another one.

  // A view of it has a shape of its own.
  tensor.storage.object = part(d, 0);
  Value view = tensor;
  view.storage.object = part(c, 0);
  state.setValue(b, view);
  state.changeHandles(a, tensor, [](Value &value) { value.autograd.graph = Graph::Attached; });
  CHECK(state.valueOf({b, TypeRole::Tensor}).autograd.graph == Graph::Detached);
}

TEST_CASE_METHOD(Fixture, "What is done to a tensor may be done to an element of a list") {
  Value tensor;
  tensor.storage.memory = d;
  tensor.storage.object = part(d, 0);
  tensor.autograd.graph = Graph::Attached;
  tensor.autograd.sources = tables.sources.of(a);
  Value list;
  list.autograd.graph = Graph::Detached;
  state.setValue(a, tensor);
  const auto changed = [&](SourcesId sources) {
    list.autograd.sources = sources;
    state.setValue(b, list);
    state.changeHandles(a, tensor, [](Value &value) { value.autograd.graph = Graph::Attached; });
    return state.valueOf({b, TypeRole::Tensor}).autograd.graph;
  };
  CHECK(changed(tensor.autograd.sources) == (Graph::Attached | Graph::Detached));
  CHECK(changed(tables.sources.of(c)) == Graph::Detached); // It has others.
  const auto recorded = [&](SourcesId sources) {
    list.autograd.sources = sources;
    state.setValue(b, list);
    state.recordInMemory(a);
    return state.valueOf({b, TypeRole::Tensor}).autograd.graph;
  };
  CHECK(recorded(tensor.autograd.sources) == (Graph::Unknown | Graph::Detached));
  CHECK(recorded(tables.sources.of(c)) == Graph::Detached);
}

TEST_CASE_METHOD(Fixture,
                 "What is done to each element of a list is done to the tensors it holds") {
  const auto tensorNamed = [&](PathId name) {
    Value value;
    value.storage.tensor = name;
    value.autograd.graph = Graph::Detached;
    return value;
  };
  const PathId first = part(e, 0), second = part(f, 0);
  state.setValue(a, tensorNamed(first));
  state.setValue(b, tensorNamed(second));
  Value list;
  list.autograd.graph = Graph::Detached;
  list.storage.elements = tables.sources.join(tables.sources.of(first), tables.sources.of(second));
  state.setValue(c, list);
  const Value element = state.valueOf({part(c, -1), TypeRole::Tensor});
  const auto change = [&](bool isEach) {
    state.changeHandles(
        d, element, [](Value &value) { value.autograd.graph = Graph::Attached; }, isEach);
  };
  const auto graphOf = [&](PathId path) {
    return state.valueOf({path, TypeRole::Tensor}).autograd.graph;
  };
  change(/*isEach=*/false);
  CHECK(graphOf(a) == (Graph::Attached | Graph::Detached)); // It may be the one.
  change(/*isEach=*/true);
  CHECK(graphOf(a) == Graph::Attached);
  CHECK(graphOf(b) == Graph::Attached);
  CHECK(graphOf(c) == Graph::Attached);

  // A list that has got another element holds nobody knows what.
  state.setValue(part(c, 0), tensorNamed(part(d, 0)));
  CHECK(state.valueOf({part(c, -1), TypeRole::Tensor}).storage.elements == noSources);
}

TEST_CASE_METHOD(Fixture, "A loop over a list replaces what is known of single elements") {
  ir::Symbol each, partly;
  each.isRangeElement = partly.isRangeElement = each.seesAll = true;
  const auto typed = [&](ElementType element) {
    Value value;
    value.layout.type = tables.types.of({element, Shape()});
    return value;
  };
  const auto elementOf = [&](PathId path) {
    return state.typeOf({path, TypeRole::Tensor}).element;
  };
  const ir::Symbol member;
  for (const ir::Symbol *variable : {&each, &partly}) {
    const bool isEach = variable->seesAll;
    const PathId name = tables.paths.root(PathStep::Variable, variable);
    state = State(tables);
    state.setValue(a, typed(ElementType::Float32));
    state.setValue(part(a, 0), typed(ElementType::Float32));
    bind(name, BindKind::Reference, part(a, -1), TypeRole::Tensor);
    CHECK(state.isEach(name) == isEach);
    CHECK(state.isEach(tables.paths.member(name, &member)) == isEach);
    state.changeValue(name, typed(ElementType::Float64));
    for (int index : {0, 1})
      CHECK((elementOf(part(a, index)) == ElementType::Float64) == isEach);
  }
}

TEST_CASE_METHOD(Fixture, "An element has the parts that any of them has") {
  const ir::Symbol member;
  Value value;
  value.layout.type = tables.types.of({ElementType::Float64, Shape()});
  state.setValue(tables.paths.member(part(a, -1), &member), value);
  const Operand one{tables.paths.member(part(a, 1), &member), TypeRole::Tensor};
  CHECK(state.typeOf(one).element == ElementType::Float64);
}

TEST_CASE_METHOD(Fixture, "A view may have the graph that is recorded in its memory") {
  Value tensor;
  tensor.storage.memory = d;
  tensor.storage.object = part(d, 0);
  tensor.autograd.graph = Graph::Attached;
  Value view = tensor;
  view.storage.object = part(c, 0);
  view.autograd.graph = Graph::Detached;
  state.setValue(a, tensor);
  state.setValue(b, view);
  state.recordInMemory(a);
  CHECK(state.valueOf({b, TypeRole::Tensor}).autograd.graph == (Graph::Attached | Graph::Detached));
}

TEST_CASE_METHOD(Fixture, "What has ended is not denoted any more") {
  bind(a, BindKind::Handle, b);
  state.forget(b);
  CHECK(state.resolve(a) == unknown());
  state.unbind(a);
  CHECK(state.resolve(a) == a);
}

TEST_CASE_METHOD(Fixture, "What is returned takes its facts along") {
  addOptimizer(part(a, 0), b, step);
  bind(c, BindKind::Reference, part(a, 0), TypeRole::Optimizer);
  state.rename(a, d);
  CHECK(state.optimizer({part(a, 0), TypeRole::Optimizer}) == nullptr);
  CHECK(gradients(part(d, 0)) == Gradients::Used);
  CHECK(state.resolve(c) == part(d, 0));
}

TEST_CASE_METHOD(Fixture, "Sources of what nothing was said about") {
  CHECK(sourcesOf(a, TypeRole::Module) == tables.sources.of(a));
  CHECK(tables.sources.isUnknown(sourcesOf(a, TypeRole::Tensor)));
  state.setValue(a, valueOf(tables.sources.of(b)));
  CHECK(sourcesOf(a, TypeRole::Tensor) == tables.sources.of(b));
  state.addValue(a, valueOf(tables.sources.of(c)));
  CHECK(tables.sources.members(sourcesOf(a, TypeRole::Tensor)).size() == 2);
}

TEST_CASE_METHOD(Fixture, "A backward concerns the optimizers whose modules it reaches") {
  addOptimizer(a, b, step);
  addOptimizer(c, d, step);
  state.contribute(tables.sources.of(b), backward);
  CHECK(gradients(a) == Gradients::Stale);
  CHECK(gradients(c) == Gradients::Used);
  state.contribute(tables.sources.unknown(), backward);
  CHECK(gradients(c) == Gradients::Stale);
  state.clearGradients(noPath, tables.sources.of(d));
  state.contribute(noSources, backward);
  CHECK(gradients(c) == Gradients::Lost);
}

TEST_CASE_METHOD(Fixture, "A clear concerns the optimizers whose parameters it covers") {
  addOptimizer(a, b, step);
  addOptimizer(c, part(b, 0), step);
  state.clearGradients(c, tables.sources.of(part(b, 0)));
  CHECK(gradients(c) == Gradients::Clean);
  CHECK(gradients(a) == Gradients::Unknown);
  state.optimizerAt(a).gradients.use(step);
  state.optimizerAt(c).gradients.use(step);
  state.clearGradients(noPath, tables.sources.of(b));
  CHECK(gradients(a) == Gradients::Clean);
  CHECK(gradients(c) == Gradients::Clean);
}

TEST_CASE_METHOD(Fixture, "A clear of something else clears nothing") {
  addOptimizer(a, b, step);
  state.clearGradients(noPath, tables.sources.of(d));
  CHECK(gradients(a) == Gradients::Used);
}

TEST_CASE_METHOD(Fixture, "Unseen code that gets an optimizer or its module may clear") {
  addOptimizer(a, b, step);
  state.escape({c, TypeRole::Optimizer});
  state.escape({d, TypeRole::Module});
  CHECK(gradients(a) == Gradients::Used);
  state.escape({a, TypeRole::Optimizer});
  CHECK(gradients(a) == Gradients::Unknown);
  state.optimizerAt(a).gradients.use(step);
  state.escape({b, TypeRole::Module});
  CHECK(gradients(a) == Gradients::Unknown);
}

TEST_CASE_METHOD(Fixture, "Where two states disagree, a name denotes nobody knows what") {
  State other = state;
  bind(a, BindKind::Handle, b);
  bind(c, BindKind::Handle, b);
  const Operand there{d, TypeRole::Module}, same{b, TypeRole::Module};
  other.bind(a, BindKind::Handle, TypeRole::Module, &there);
  other.bind(c, BindKind::Handle, TypeRole::Module, &same);
  state.join(other, Junction::Branches);
  CHECK(state.resolve(a) == unknown());
  CHECK(state.resolve(c) == b);
}

TEST_CASE_METHOD(Fixture,
                 "Who uses a pointer has what it leads to on the way where there is something") {
  ModuleFacts none, evaluated;
  none.isNull = true;
  evaluated.mode = ModuleFacts::Evaluation;
  state.setModule(b, evaluated);
  State null = state;
  bind(a, BindKind::Handle, b);
  null.setModule(a, none);
  for (const bool isNullFirst : {false, true}) {
    State both = isNullFirst ? null : state;
    both.join(isNullFirst ? state : null, Junction::Branches);
    CHECK(both.resolve(a) == b);
    CHECK(both.module({a, TypeRole::Module}).mode == ModuleFacts::Evaluation);
  }
}

TEST_CASE_METHOD(Fixture, "What a variable holds on each of two ways has the variable's name") {
  const ir::Node made[2] = {};
  ModuleFacts training, evaluated;
  training.mode = ModuleFacts::Training;
  evaluated.mode = ModuleFacts::Evaluation;
  const auto hold = [&](State &way, const ir::Node &site, const ModuleFacts &facts) {
    const PathId object = tables.paths.root(PathStep::Temporary, &site);
    way.setModule(object, facts);
    const Operand value{object, TypeRole::Module};
    way.bind(a, BindKind::Handle, TypeRole::Module, &value);
    way.optimizerAt(b).owned = tables.sources.of(object);
  };
  State other = state;
  hold(state, made[0], training);
  hold(other, made[1], evaluated);
  state.join(other, Junction::Branches);
  CHECK(state.resolve(a) == a);
  CHECK(state.module({a, TypeRole::Module}).mode ==
        (ModuleFacts::Training | ModuleFacts::Evaluation));
  CHECK(state.optimizer({b, TypeRole::Optimizer})->owned == tables.sources.of(a));
}

TEST_CASE_METHOD(Fixture, "Joined states know the sources of both") {
  State other = state;
  state.setValue(a, valueOf(tables.sources.of(b)));
  other.setValue(a, valueOf(tables.sources.of(c)));
  state.join(other, Junction::Branches);
  CHECK(sourcesOf(a, TypeRole::Tensor) ==
        tables.sources.join(tables.sources.of(b), tables.sources.of(c)));
}

TEST_CASE_METHOD(Fixture, "A join of equal states is that state") {
  addOptimizer(a, b, step);
  bind(c, BindKind::Reference, a, TypeRole::Optimizer);
  State other = state;
  other.join(state, Junction::Branches);
  CHECK(other == state);
}

TEST_CASE_METHOD(Fixture, "Autocast keeps weights until its cache is cleared") {
  const SourcesId net = tables.sources.of(a), other = tables.sources.of(b);
  state.castWeights(net); // Autocast is off.
  state.outdateWeights(net, step);
  CHECK(state.autocast().stale == noSources);

  state.setAutocast(true, step);
  state.castWeights(tables.sources.of(part(a, 0)));
  state.outdateWeights(other, step);
  CHECK(state.autocast().stale == noSources);
  state.outdateWeights(tables.sources.unknown(), step);
  CHECK(state.autocast().stale == noSources);
  state.outdateWeights(net, step);
  CHECK(state.autocast().stale == tables.sources.of(part(a, 0)));
  CHECK(state.autocast().step.event() == &step);

  State cleared = state, again = state;
  cleared.clearAutocastCache();
  CHECK(cleared.autocast().stale == noSources);
  again.join(cleared, Junction::Branches); // Whether it is cleared depends.
  CHECK(again.autocast().stale == noSources);
  cleared.join(state, Junction::LoopBack); // Nothing clears it in the loop.
  CHECK(cleared.autocast().stale == state.autocast().stale);

  state.forget(a); // A new module has new weights.
  CHECK(state.autocast().stale == noSources);
}

TEST_CASE_METHOD(Fixture, "Autocast lasts as long as its guard") {
  const PathId outer = c, inner = d;
  state.enterAutocast(outer, step);
  state.castWeights(tables.sources.of(a));
  state.enterAutocast(inner, step);
  state.leaveGuard(inner);
  CHECK(state.autocast().possible == Autocast::On);
  CHECK(state.autocast().kept == tables.sources.of(a));
  state.leaveGuard(outer);
  CHECK(state.autocast().possible == Autocast::Off);
  CHECK(state.autocast().kept == noSources);
}

TEST_CASE_METHOD(Fixture, "What holds itself knows nothing new from that") {
  const PathId list = part(a, 2);
  for (PathId place : {a, part(a, 1), list})
    state.setValue(place, valueOf(tables.sources.of(b)));
  const State before = state;
  state.addParts(list, a, noSources);
  CHECK(state == before);
}

TEST_CASE_METHOD(Fixture, "What holds what holds it does not grow for ever") {
  state.setValue(part(a, 2), valueOf(tables.sources.of(c)));
  const auto round = [&] {
    bind(part(b, 1), BindKind::Value, a, TypeRole::None);
    bind(part(a, 1), BindKind::Value, b, TypeRole::None);
  };
  for (int i = 0; i < 30; ++i)
    round();
  const State before = state;
  round();
  CHECK(state == before);
}
