// The life of an optimizer's gradients: what each event makes of every possibility, and what is
// left where two ways meet.
#include "analyzer/flow/State.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

using G = Gradients;

Gradients in(unsigned possible) {
  Gradients gradients;
  gradients.possible = static_cast<std::uint8_t>(possible);
  return gradients;
}

unsigned afterBackward(unsigned possible) {
  const Event backward;
  Gradients gradients = in(possible);
  gradients.contribute(backward);
  return gradients.possible;
}

unsigned joined(unsigned here, unsigned there, Junction junction) {
  Gradients gradients = in(here);
  gradients.join(in(there), junction);
  return gradients.possible;
}

} // namespace

TEST_CASE("Nothing is known of gradients at first") { CHECK(G{}.possible == G::Untouched); }

TEST_CASE("A backward adds") {
  CHECK(afterBackward(G::Untouched) == G::Fresh);
  CHECK(afterBackward(G::Clean) == G::Fresh);
  CHECK(afterBackward(G::Fresh) == G::Fresh);
  CHECK(afterBackward(G::Used) == G::Stale);
  CHECK(afterBackward(G::Stale) == G::Stale);
  CHECK(afterBackward(G::Unknown) == G::Unknown);
  CHECK(afterBackward(G::Clean | G::Used) == (G::Fresh | G::Stale));
}

TEST_CASE("A step uses, and remembers where") {
  const Event first, second, backward;
  for (unsigned possible : {G::Untouched, G::Clean, G::Fresh, G::Used, G::Stale, G::Unknown}) {
    Gradients gradients = in(possible);
    gradients.use(first);
    CHECK(gradients.possible == G::Used);
    CHECK(gradients.step.event() == &first);
    gradients.contribute(backward);
    CHECK(gradients.possible == G::Stale);
    CHECK(gradients.step.event() == &first);
    CHECK(gradients.backward.event() == &backward);
    gradients.use(second);
    CHECK(gradients.step.event() == &second);
    CHECK(gradients.backward.event() == nullptr);
  }
}

TEST_CASE("The first backward after the step is the one that goes wrong") {
  const Event step, first, second;
  Gradients gradients;
  gradients.use(step);
  gradients.contribute(first);
  gradients.contribute(second);
  CHECK(gradients.backward.event() == &first);
}

TEST_CASE("A clear forgets everything") {
  for (unsigned possible : {G::Untouched, G::Fresh, G::Used, G::Stale, G::Unknown}) {
    Gradients gradients = in(possible);
    gradients.clear();
    const bool isLost = possible == G::Fresh || possible == G::Stale;
    CHECK(gradients.possible == (isLost ? G::Lost : G::Clean));
    CHECK(gradients.step.event() == nullptr);
  }
}

TEST_CASE("Unseen code may clear") {
  for (unsigned possible : {G::Untouched, G::Clean, G::Fresh, G::Used, G::Stale}) {
    Gradients gradients = in(possible);
    gradients.mayBeCleared();
    CHECK(gradients.possible == G::Unknown);
  }
}

TEST_CASE("Unseen code with the gradients alone does not undo a backward") {
  for (unsigned possible :
       std::initializer_list<unsigned>{G::Fresh, G::Stale, G::Fresh | G::Used}) {
    Gradients gradients = in(possible);
    gradients.mayBeRewritten();
    CHECK(gradients.possible == possible);
  }
  Gradients used = in(G::Used);
  used.mayBeRewritten();
  CHECK(used.possible == G::Unknown);
}

TEST_CASE("Where ways meet, everything is possible that was on one of them") {
  for (Junction junction : {Junction::Branches, Junction::LoopEntry, Junction::LoopBack}) {
    CHECK(joined(G::Fresh, G::Untouched, junction) == (G::Fresh | G::Untouched));
    CHECK(joined(G::Used, G::Fresh, junction) == (G::Used | G::Fresh));
    CHECK(joined(G::Stale, G::Stale, junction) == G::Stale);
    CHECK(joined(G::Clean, G::Clean, junction) == G::Clean);
  }
}

TEST_CASE("A clear on one of two branches may be the one that matters") {
  CHECK(joined(G::Used, G::Clean, Junction::Branches) == (G::Clean | G::Unknown));
  CHECK(joined(G::Clean, G::Used, Junction::Branches) == (G::Clean | G::Unknown));
  CHECK(joined(G::Stale, G::Unknown, Junction::Branches) == G::Unknown);
}

TEST_CASE("A clear before a loop does not help the rounds that follow") {
  // The way round comes with used gradients, and joins what came in.
  CHECK(joined(G::Clean, G::Used, Junction::LoopBack) == (G::Clean | G::Used));
  CHECK(joined(G::Used, G::Clean, Junction::LoopEntry) == (G::Clean | G::Used));
}

TEST_CASE("A loop that clears may have no round") {
  CHECK(joined(G::Used, G::Clean, Junction::LoopBack) == (G::Clean | G::Unknown));
}

TEST_CASE("A join keeps the witnesses it has") {
  const Event step, other, backward;
  Gradients here = in(G::Used), there = in(G::Stale);
  here.step = &step;
  there.step = &other;
  there.backward = &backward;
  here.join(there, Junction::Branches);
  CHECK(here.step.event() == &step);
  CHECK(here.backward.event() == &backward);
}
