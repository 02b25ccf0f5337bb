#include "Search.h"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace gradtidy::test {

const FunctionBody &functionOf(const LoweredUnit &unit, llvm::StringRef name) {
  for (const auto &each : unit.contents().functions)
    if (each->function->name == name)
      return *each;
  FAIL("no function " << name.str());
  std::abort();
}

const Event &firstOf(const FunctionBody &function, EventKind kind) {
  for (const Block &block : function.blocks)
    for (const Event &event : block.events)
      if (event.kind == kind)
        return event;
  FAIL("no such event");
  std::abort();
}

} // namespace gradtidy::test
