// The text of the IR, read back.
#include "analyzer/ir/Parse.h"
#include "analyzer/ir/Print.h"
#include "analyzer/ir/Typing.h"
#include "analyzer/model/Model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace gradtidy;

namespace {

/// A text as print() writes it, with words of all kinds.
constexpr const char *text = R"(gradtidy-ir 2
file f0 "a \"b\"\\\x09.cpp"
file f1 "model.h" inclusion=2 at=1:2 system
file f2 "model.h"

unit namespaces=["torch"] phrases=[check-launch] cuda

function work::f code=@1 this=this(work::f) returns-tensors
  parameter x:tensor declaration=x condition=0 choices=[(condition=1 value=Mode)]
  parameter x#2:device& declaration=x#2
  block 0
    to 1 condition=0 holds not-kept-apart placed=[x this.net.layers[*]]
  block 1 loop-head exit-edge=0 latch=1 temporaries=[%3]
    combine this.net.layers[7]["a\"b"]@3:module& (%3:tensor!{device=cuda:1}, -, %?{closure}) -> %3:tensor {run=add_out typing=(rule=sizes shape=(not-open sizes=[3 -1])) choice=!0 constant=off}
    call:"operator==" -> return(work::g).grad() @2 {rate=(value=0.1) file="w.pt" element=float32}
    set-mode {bind=handle tensor}
    to 1
  code
    @1 compound 1:5..f1:3:1^f2:9:9^1:8
      @2 declaration 2:1 declared=[x x#2]
      @3 call 2:2..2:9 symbol=work::g real=1e+300 type=<const Tensor&> arguments=[@4 -] caret=2:3 brackets=-..2:9
        @4 integer 2:5 integer=-3
      @4

code
    @5 lambda 7:1 parent=@3 not-expression

symbol work::f method name="f" qualified="work::f" at=1:1 init=@5
)";

std::string printed(const ParsedUnit &parsed) {
  std::string result;
  llvm::raw_string_ostream out(result);
  print(out, *parsed.unit, *parsed.places);
  return result;
}

std::string errorOf(llvm::StringRef text) {
  auto parsed = parseIr(text, Model::bundled());
  return parsed ? "none" : llvm::toString(parsed.takeError());
}

bool isAnswer(llvm::StringRef error) { return error == "none" || error.starts_with("line "); }

/// The text, with lines for all names that it does not tell of itself.
std::string whole() {
  std::string result = text;
  for (const char *symbol :
       {"x parameter name=\"x\"", "x#2 parameter name=\"x\"", "Mode enumerator name=\"Mode\"",
        "net member name=\"net\"", "layers member name=\"layers\"",
        "work::g function name=\"g\" qualified=\"work::g\"",
        "\"operator==\" function spelling=\"operator==\" first=\"operator==\"#2",
        "\"operator==\"#2 function spelling=\"operator==\""})
    result += "symbol " + std::string(symbol) + "\n";
  return result + "type <const Tensor&> reference const name=\"Tensor\"\n";
}

} // namespace

TEST_CASE("A text is read and says the same again") {
  auto first = parseIr(whole(), Model::bundled());
  REQUIRE(static_cast<bool>(first));
  const std::string once = printed(*first);
  auto second = parseIr(once, Model::bundled());
  REQUIRE(static_cast<bool>(second));
  CHECK(printed(*second) == once);
  // Names are listed as they are found; all else stands as it was written.
  const llvm::StringRef expected = text;
  const llvm::StringRef head = expected.take_front(expected.find("\nsymbol"));
  CHECK(once.substr(0, head.size()) == head.str());
}

TEST_CASE("A text grows with its code, however deeply that is nested") {
  const auto textOf = [](unsigned depth) {
    std::string nested = "gradtidy-ir 2\nfile f0 \"a.cpp\"\n\nfunction f code=@1\n  code\n";
    for (unsigned level = 0; level < depth; ++level)
      nested += std::string(4 + 2 * std::min(level, 30u), ' ') +
                (level > 30 ? ">" + std::to_string(level - 30) + " " : "") + "@" +
                std::to_string(level + 1) + " parentheses 1:1\n";
    nested += "    >" + std::to_string(depth) + " @" + std::to_string(depth + 1) + " integer 1:2\n";
    return nested + "symbol f function name=\"f\" definition=f code=@1\n";
  };
  auto parsed = parseIr(textOf(3000), Model::bundled());
  REQUIRE(static_cast<bool>(parsed));
  unsigned depth = 0;
  for (const ir::Node *node = parsed->unit->functions().front()->body; node;
       node = node->children.empty() ? nullptr : node->children.front())
    ++depth;
  CHECK(depth == 3001);
  const std::string once = printed(*parsed);
  CHECK(once.size() < 3001 * 120);
  auto again = parseIr(once, Model::bundled());
  REQUIRE(static_cast<bool>(again));
  CHECK(printed(*again) == once);
}

TEST_CASE("What is read is what the text says") {
  auto parsed = parseIr(whole(), Model::bundled());
  REQUIRE(static_cast<bool>(parsed));
  REQUIRE(parsed->unit->functions().size() == 1);
  const FunctionBody &function = *parsed->unit->functions().front();
  const PathTable &paths = parsed->unit->paths();
  CHECK(function.returnsTensors);
  CHECK(function.parameters[1].place.expr == nullptr);
  REQUIRE(function.blocks.size() == 2);
  const Event &combine = function.blocks[1].events[0];
  CHECK(combine.kind == EventKind::Combine);
  CHECK(combine.function == &function);
  CHECK(paths.spelling(combine.subject.path) == "net.layers[7][\"a\"b\"]");
  CHECK(combine.site == paths.last(combine.result).made());
  CHECK(combine.isTensor);
  CHECK(combine.operands[0].isTensor);
  CHECK(combine.operands[0].device == Device{Device::Cuda, 1});
  CHECK(combine.operands[1].path == noPath);
  REQUIRE(combine.run);
  CHECK(combine.run->name == "add");
  CHECK(combine.run->out == Operator::Out::First);
  CHECK(combine.typing->shape->sizes == std::vector<std::int64_t>{3, -1});
  CHECK((combine.choice.condition == 0 && combine.choice.isNegated));
  CHECK(combine.constant == false);
  CHECK_FALSE(function.blocks[1].events[2].constant.has_value());
  const ir::Node &call = *combine.site;
  CHECK(call.parent == function.body);
  CHECK(call.real == 1e300);
  CHECK(&call.spelled() == &call);
  CHECK(call.arguments.size() == 2);
  CHECK(function.body->children[2] == call.children[0]);
  CHECK(parsed->places->of(function.body->end()).size() == 3);
  CHECK(parsed->places->of(function.body->end())[0].inclusion == 2);
}

TEST_CASE("A text that is wrong is refused, with the line") {
  const std::string start = "gradtidy-ir 2\nfile f0 \"a.cpp\"\n";
  CHECK(errorOf("") == "line 0: there is no file f0");
  CHECK(errorOf("gradtidy-ir 0\n") == "line 1: expected 'gradtidy-ir 2'");
  CHECK(errorOf(start + "funktion f\n") == "line 3: 'funktion' has no meaning here");
  CHECK(errorOf(start + "symbol f function colour\n") == "line 3: 'colour' has no meaning here");
  CHECK(errorOf(start + "symbol f thing\n") == "line 3: 'thing' has no meaning here");
  CHECK(errorOf(start + "symbol f function\nsymbol f function\n") == "line 4: 'f' is there twice");
  CHECK(errorOf(start + "function f\n") == "line 3: nothing tells what f is");
  CHECK(errorOf(start + "function f code=@1\nsymbol f function\n") ==
        "line 4: nothing tells what @1 is");
  CHECK(errorOf(start + "  block 0\n") == "line 3: this does not stand in a function");
  CHECK(errorOf(start + "function f\n    bind x\n") == "line 4: this does not stand in a block");
  CHECK(errorOf(start + "function f\n  block 1\n") == "line 4: blocks are numbered from 0");
  CHECK(errorOf(start + "function f\n  block 0\n    to 1\nsymbol f function\n") ==
        "line 6: there is no block 1");
  CHECK(errorOf(start + "function f\n  block 0\n    bind this\n") == "line 5: there is no 'this'");
  CHECK(errorOf(start + "function f\n  block 0\n    bind x {file=\"a\n") ==
        "line 5: a string has no end");
  CHECK(errorOf(start + "symbol f function at=f7:1:1\n") == "line 3: there is no file f7");
  CHECK(errorOf(start + "symbol f function at=5\n") == "line 3: '5' is no place");
  CHECK(errorOf(start + "function f\n  block 0\n    combine {run=frobnicate}\n") ==
        "line 5: there is no operator 'frobnicate'");
}

TEST_CASE("A text that ends anywhere, or lacks a line, is refused or read") {
  const std::string all = whole();
  for (size_t length = 0; length < all.size(); ++length)
    CHECK(isAnswer(errorOf(llvm::StringRef(all).take_front(length))));
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(all).split(lines, '\n');
  for (size_t lacking = 0; lacking < lines.size(); ++lacking) {
    std::string rest;
    for (size_t i = 0; i < lines.size(); ++i)
      rest += i == lacking ? "" : lines[i].str() + "\n";
    CHECK(isAnswer(errorOf(rest)));
  }
}
