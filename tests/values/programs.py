"""Random C++ programs of tensor operations, in functions, loops, branches, structs, containers and modules.

The operations come from the oracle (tests/runtime/oracle): its table says what each is in C++, its generator
makes straight lines of them that run. `Writer` puts C++ around them; `shrink` leaves parts out again.

A program is a list of nodes. Every choice is made once and kept in the node, so that a program with a node
less is otherwise the same text.
"""

from __future__ import annotations

import copy
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator

NAME = re.compile(r"\bv\d+(?:_\d+)?\b")
TYPES = {"f32": "torch::kFloat32", "f64": "torch::kFloat64", "f16": "torch::kFloat16", "bf16": "torch::kBFloat16",
         "i64": "torch::kInt64", "i32": "torch::kInt32", "u8": "torch::kUInt8", "bool": "torch::kBool"}
# What the interpreter of the oracle brings along, and what gives no tensor.
LEFT_OUT = re.compile(r"diagonallyDominant|attention\(|resized\(|embeddingBag|ctcLoss|defined\(\)|autocast|retain_grad")


# ---- the oracle's programs as C++ ----------------------------------------------------------------

@dataclass
class Operation:
    """A row of the oracle's table."""
    result: str  # "tensor", "list", "tuple 2", "other"
    parameters: list[tuple[str, str]]  # type and name
    expression: str


class Oracle:
    """The interpreter of the oracle, built with the runtime."""

    def __init__(self, program: Path):
        self.program = program
        self.operations = {}
        for line in self.output("operations").splitlines():
            name, result, parameters, expression = line.split("\t")
            if not LEFT_OUT.search(expression):
                named = [tuple(word.strip().rsplit(" ", 1)) if " " in word.strip() else (word.strip(), "")
                         for word in parameters[1:-1].split(",") if word.strip()]
                self.operations[name] = Operation(result, named, re.sub(r", device\b", "", expression))

    def output(self, *arguments: str, given: str = "") -> str:
        return subprocess.run([str(self.program), *arguments], input=given, capture_output=True, text=True,
                              check=True).stdout

    def programs(self, seed: int, count: int) -> Iterator[tuple[list[str], dict[str, str]]]:
        """The statements of one program for each seed from `seed`, and what became of each name: "f32 [2] [1] grad leaf = 1 2"."""
        texts = [self.output("generate", str(seed + offset), "1").strip() for offset in range(count)]
        reports = self.output("run", given="\n".join(texts) + "\n").split("\n\n")
        for text, report in zip(texts, reports):
            yield text.split("; "), dict(line.split(" ", 1) for line in report.splitlines() if " " in line)


def split_list(text: str) -> list[str]:
    """"[a,b]" at the commas outside inner brackets."""
    parts, depth = [""], 0
    for letter in text[1:-1]:
        depth += letter in "[({"
        depth -= letter in "])}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if parts != [""] else []


def number(word: str) -> str:
    special = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}
    return special.get(word, word)


def name_of(word: str, lists: set[str]) -> str:
    """"v3.1" of a list or a tuple in C++."""
    base, _, index = word.partition(".")
    if base in lists:
        return f"{base}[{index or 0}]"
    return base + (f"_{index}" if index else "")


def index_entry(word: str, lists: set[str]) -> str:
    if word == "...":
        return '"..."'
    if word == "None":
        return "torch::indexing::None"
    if ":" in word:
        ends = [end or "torch::indexing::None" for end in word.split(":")]
        return f"torch::indexing::Slice({', '.join(ends)})"
    return name_of(word, lists) if word[0] == "v" else word


def argument(type: str, word: str, lists: set[str]) -> str:
    """What the interpreter reads as `type`, in C++."""
    if word == "-":
        return "torch::Tensor()" if type in ("T", "Tensor") else "std::nullopt"
    if type in ("T", "Tensor"):
        return name_of(word, lists)
    if type in ("N", "MaybeN", "double"):
        return number(word)
    if type in ("Type", "MaybeType"):
        return TYPES[word]
    if type == "std::string":
        return f'"{word}"'
    if type == "Ints":
        return "{" + ", ".join(split_list(word)) + "}" if len(word) > 2 else "torch::IntArrayRef()"
    if type == "Tensors":
        return "std::vector<torch::Tensor>{" + ", ".join(name_of(x, lists) for x in split_list(word)) + "}"
    if type == "Indices":
        entries = ", ".join(index_entry(x, lists) for x in split_list(word))
        return "std::vector<torch::indexing::TensorIndex>{" + entries + "}"
    return word  # I, MaybeInt, bool


def substituted(expression: str, values: dict[str, str]) -> str:
    """The expression with arguments for its parameters, outside string literals."""
    def one(match: re.Match) -> str:
        value = values.get(match.group(), match.group())
        return f"({value})" if re.match(r"-|\w+ ", value) else value
    pieces = re.split(r'("[^"]*")', expression)
    pattern = re.compile(r"(?<![\w.:>])[A-Za-z_]\w*\b(?!::)")
    text = "".join(piece if piece.startswith('"') else pattern.sub(one, piece) for piece in pieces)
    text = re.sub(r"\bhere\(([\w:]+)\)", r"torch::dtype(\1)", text)
    text = re.sub(r"\bmarked\((v\w+(?:\[\d+\])?)\)", r"\1.sum()", text)
    text = re.sub(r"^backward\((v\w+(?:\[\d+\])?), ", r"\1.backward(", text)
    text = text.replace("Ints{", "std::vector<int64_t>{")
    if "conv" in text: # a padding may also be a word
        text = re.sub(r"(?<= )\{", "std::vector<int64_t>{", text)
    text = re.sub(r"\bT\((.*)\)$", r"\1", text)
    return text.replace("{}, std::nullopt", "torch::Tensor(), std::nullopt") if "index" in text else text


# ---- nodes ---------------------------------------------------------------------------------------

@dataclass
class Node:
    """Statements are nodes without a body."""

    def uses(self) -> set[str]:
        raise NotImplementedError

    def defines(self) -> dict[str, str]:
        """Names of what lives on behind it, each with "tensor" or "list"."""
        return {}


@dataclass
class Define(Node):
    """`auto v3 = expression;`: one tensor, a list, or the parts of a tuple."""
    names: dict[str, str]
    expression: str
    style: int = 0
    looks: list[str] = field(default_factory=list)  # at what else

    def uses(self) -> set[str]:
        return set(NAME.findall(self.expression))

    def defines(self) -> dict[str, str]:
        return self.names


@dataclass
class Do(Node):
    """A statement that changes tensors, or several that belong together, with names of their own."""
    text: str
    looks: list[str] = field(default_factory=list)

    def uses(self) -> set[str]:
        return set(NAME.findall(self.text))


@dataclass
class Hold(Node):
    """From here on `name` is reached through something that holds it."""
    name: str
    way: int
    other: str

    def uses(self) -> set[str]:
        return {self.name, self.other}


@dataclass
class Region(Node):
    """Statements in something: a block, a branch, a loop, a function, ..."""
    kind: str
    body: list[Node]
    style: int
    number: int
    carried: tuple[str, str] | None = None  # at the end of each round the one becomes the other

    def uses(self) -> set[str]:
        return used(self.body) | set(self.carried or ())

    def defines(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for node in self.body:
            names.update(node.defines())
        return names


def used(nodes: list[Node]) -> set[str]:
    """What the nodes use and do not define before."""
    known: set[str] = set()
    wanted: set[str] = set()
    for node in nodes:
        wanted |= node.uses() - known
        known |= node.defines().keys()
    return wanted


@dataclass
class Program:
    seed: int
    nodes: list[Node]


# ---- generation ----------------------------------------------------------------------------------

class Generator:
    def __init__(self, oracle: Oracle):
        self.oracle = oracle

    def programs(self, seed: int, count: int) -> list[Program]:
        made = []
        for offset, (statements, reports) in enumerate(self.oracle.programs(seed, count)):
            choice = random.Random(seed + offset)
            made.append(Structure(choice, reports).program(seed + offset, Straight(self.oracle, choice, reports).nodes(statements)))
        return made


class Straight:
    """One program of the oracle as nodes."""

    def __init__(self, oracle: Oracle, choice: random.Random, reports: dict[str, str]):
        self.oracle, self.choice, self.reports = oracle, choice, reports
        self.lists: set[str] = set()
        self.missing: set[str] = set()

    def nodes(self, statements: list[str]) -> list[Node]:
        made = []
        for statement in statements:
            name, _, operation, *words = statement.split()
            references = set(re.findall(r"\bv\d+", " ".join(words)))
            known = self.oracle.operations.get(operation)
            failed = self.reports.get(name, "").startswith(("error", "skipped"))
            if known is None or failed or references & self.missing:
                self.missing.add(name)
                continue
            made += self.made(name, words) if operation == "make" else [self.node(name, known, words)]
            if known.result == "other":
                self.missing.add(name)
        return made

    def node(self, name: str, operation: Operation, words: list[str]) -> Node:
        values = {parameter: argument(type, word, self.lists)
                  for (type, parameter), word in zip(operation.parameters, words) if parameter}
        expression = substituted(operation.expression, values)
        if operation.result == "other":
            return Do(expression + ";", list(NAME.findall(expression)))
        names = {name: "tensor"}
        if operation.result == "list":
            self.lists.add(name)
            names = {name: "list"}
        elif operation.result.startswith("tuple"):
            names = {name + (f"_{i}" if i else ""): "tensor" for i in range(int(operation.result.split()[1]))}
        return Define(names, expression, self.choice.randrange(4), NAME.findall(expression)[:2])

    def made(self, name: str, words: list[str]) -> list[Node]:
        """`make`: some numbers, as a leaf."""
        type, sizes, _, order, low, high, gradient = words
        sizes = sizes.replace(",", ", ").replace("[", "{").replace("]", "}")
        if sizes == "{}":
            sizes = "torch::IntArrayRef()"
        floating = type in ("f32", "f64", "f16", "bf16")
        options = TYPES[type] if self.choice.random() < 0.5 else f"torch::TensorOptions().dtype({TYPES[type]})"
        if floating:
            forms = [f"torch::rand({sizes}, {options})"] * 3 + [f"torch::full({sizes}, 0.5, {options})", f"torch::ones({sizes}, {options})"]
            if float(low) < 0:
                forms += [f"torch::randn({sizes}, {options})", f"torch::zeros({sizes}, {options})"]
            if type == "f32":
                forms += [f"torch::rand({sizes})"] * 3
        elif type == "bool":
            forms = [f"(torch::rand({sizes}) > 0.5)", f"torch::ones({sizes}, {options})"]
        else:
            forms = [f"torch::randint({low}, {max(int(high), int(low) + 1)}, {sizes}, {options})"]
            if int(low) <= 0 < int(high):
                forms += [f"torch::zeros({sizes}, {options})"]
        expression = self.choice.choice(forms)
        if order == "1" and sizes.count(",") >= 1:
            expression += ".transpose(0, -1).contiguous().transpose(0, -1)"
        if gradient != "true":
            return [Define({name: "tensor"}, expression, self.choice.randrange(4))]
        if "TensorOptions()" in expression and order != "1" and self.choice.random() < 0.6:
            return [Define({name: "tensor"}, expression.replace("TensorOptions()", "TensorOptions().requires_grad(true)"), 0)]
        if self.choice.random() < 0.5:
            return [Define({name: "tensor"}, expression + ".set_requires_grad(true)", self.choice.randrange(4))]
        return [Define({name: "tensor"}, expression, self.choice.randrange(4)), Do(f"{name}.requires_grad_(true);", [name])]


@dataclass
class Facts:
    """What is known of a tensor when the program is made."""
    type: str
    sizes: list[int]

    @staticmethod
    def of(report: str) -> "Facts | None":
        match = re.match(r"(\w+) \[([\d,]*)\] \[", report)
        return Facts(match[1], [int(x) for x in match[2].split(",") if x]) if match else None

    def floating(self) -> bool:
        return self.type in ("f32", "f64", "f16", "bf16")


class Structure:
    """Puts further statements and regions into a straight line of nodes."""

    def __init__(self, choice: random.Random, reports: dict[str, str]):
        self.choice, self.number = choice, 0
        self.facts = {name.replace(".", "_"): facts for name, report in reports.items()
                      if (facts := Facts.of(report))}

    def program(self, seed: int, nodes: list[Node]) -> Program:
        nodes = self.enriched(nodes)
        for _ in range(self.choice.choice([0, 1, 1, 2, 2, 3])):
            nodes = self.wrapped(nodes)
        return Program(seed, nodes)

    def fresh(self) -> int:
        self.number += 1
        return 1000 + self.number

    # Statements

    def enriched(self, nodes: list[Node]) -> list[Node]:
        made: list[Node] = []
        visible: list[str] = []
        for node in nodes:
            made.append(node)
            visible += [name for name, kind in node.defines().items() if kind == "tensor"]
            while visible and self.choice.random() < 0.35:
                extra = self.statement(self.choice.choice(visible[-4:]), visible)
                made.append(extra)
                visible += [name for name, kind in extra.defines().items() if kind == "tensor"]
        return made

    def statement(self, name: str, visible: list[str]) -> Node:
        other = self.choice.choice(visible)
        if self.choice.random() < 0.3:
            return Hold(name, self.choice.randrange(len(HOLDERS)), other)
        facts = self.facts.get(name)
        forms = self.general(name, other, facts)
        if facts and facts.floating():
            forms += self.floating(name, other, facts)
        return self.choice.choice(forms)()

    def define(self, expression: str, facts: Facts | None = None) -> Node:
        name = f"v{self.fresh()}"
        if facts:
            self.facts[name] = facts
        return Define({name: "tensor"}, expression, self.choice.randrange(4), NAME.findall(expression)[:2])

    def general(self, x: str, y: str, facts: Facts | None) -> list[Callable[[], Node]]:
        same = [f"{x}.detach()", f"{x}.clone()", f"{x}.data()", f"torch::zeros_like({x})", f"{x}.contiguous()",
                f"torch::ones_like({x})", f"{x}.alias()" if False else f"{x}.detach().clone()"]
        calls = [f"{x}.to(torch::kFloat64)", f"{x}.to(torch::kFloat32)", f"{x}.to(torch::kInt64)", f"{x}.view({{-1}})", f"{x}.unsqueeze(0)", f"{x}.sum()",
                 f"{x}.reshape({{-1}})", f"{x} * 2", f"{x} + {x}", f"{x} > 0", f"torch::stack({{{x}, {x}}})", f"{x}.flatten()",
                 f"torch::cat({{{x}.view({{-1}}), {x}.view({{-1}})}})", f"{x}.size(0) > 1 ? {x} : {x} + 1", f"{x}.to({y}.dtype())",
                 f"{x}.view_as({x})", f"{x}.expand_as({x})", f"{x}.grad()", f"{x}.to({y}.options())", f"{x}.to(torch::kCPU)", f"{x}.cpu()",
                 f"{x}.index({{0}})", f"{x}[0]", f"torch::empty_like({x})", f"torch::arange({x}.size(0))", f"{x}.numel() == 0 ? {y} : {x}",
                 *self.promotions(x, y), *self.followed(x, y)]
        changes = [f"{x}.zero_();", f"{x}.mul_(2);", f"{x} += 1;", f"{x} = {x} * 2;", f"{x} = {x}.detach();", f"{x} = {y};",
                   f"std::swap({x}, {y});", f"{x}.copy_({x}.clone());", f"{x}.fill_(1);", f"{x}.detach_();", f"{x}[0] = 1;",
                   f"{x}.data().mul_(2);", f"{{ torch::NoGradGuard guard; {x}.mul_(2); }}", f"{x} = {x} + {x};", f"{x}.unsqueeze_(0);",
                   f"{x}.index_put_({{0}}, 1);", f"{x} = std::move({x});", f"torch::Tensor &r = {x}; r = r * 1;", *self.views(x, y)]
        return [lambda: self.define(self.choice.choice(same), facts), lambda: self.define(self.choice.choice(calls)),
                lambda: self.define(self.choice.choice(calls)), lambda: self.change(self.choice.choice(changes), x, y)]

    def promotions(self, x: str, y: str) -> list[str]:
        """Elements of several types, and of numbers."""
        return [f"{x} + {y}.to(torch::kInt64)", f"{x} + 1", f"{x} * 0.5", f"1 - {x}", f"2.5 * {x}", f"1.0 - {x}", f"torch::where({x} > 0, {x}, 1)",
                f"{x} == {x}", f"{x}.to(torch::kFloat16) * {x}", f"{x}.to(torch::kBool) + {x}", f"{x}.sum() * {x}", f"{x}.to({x}.options().dtype(torch::kInt32))",
                f"torch::cat({{{x}.flatten(), {x}.flatten().to(torch::kFloat64)}})", f"{x}.new_zeros({{2, 3}})", f"{x}.new_full({{2}}, 1.5)",
                f"torch::full_like({x}, 2)", f"torch::zeros_like({x}, torch::kFloat64)", f"torch::tensor({{1.5, 2.5}}) + {x}.sum()",
                f"({x} > 0) & ({x} < 1)", f"{x}.to(torch::kInt32).sum()", f"torch::maximum({x}, {x}.to(torch::kFloat64))",
                f"torch::div({x}, 2, \"floor\")", f"{x}.any()", f"{x}.to(torch::kMeta)"]

    def followed(self, x: str, y: str) -> list[str]:
        """Through functions of the program's own (see PREFACE)."""
        return [f"Twice::apply({x}.to(torch::kFloat32))", f"same({x})", f"frozen({x})", f"either({x}, {y}, a)", f"maybe({x}, b).value_or({y})",
                f"both({x}, {y}).second", f"std::get<1>(three({x}, {y}))", f"joined({{{x}, {x}}})", f"scaled({x}, 2.0)", f"Doubler().run({x})",
                f"made(true)->run({x})", f"made(a)->run({x})", f"Counter({x}).next().next().kept", f"last({{{y}, {x}}})", f"pick(0, {x}, {y})"]

    def views(self, x: str, y: str) -> list[str]:
        """Changes through views, other handles, loops over lists and functions."""
        return [f"{x}.view({{-1}}).mul_(2);", f"{x}[0].zero_();", f"{x}.select(0, 0).add_(1);", f"{x}.detach().add_(1);",
                f"{{ auto w = {x}.unsqueeze(0); w.mul_(2); }}", f"{{ torch::Tensor w = {x}; w.add_(1); }}", f"{{ torch::Tensor w = {x}; w = w + 1; }}",
                f"{{ std::vector<torch::Tensor> w = {{{x}, {y}}}; for (auto &t : w) t.mul_(2); {x} = w[1]; }}",
                f"{{ std::vector<torch::Tensor> w = {{{x}, {y}}}; for (auto &t : w) t = t * 2; {x} = w[0]; }}",
                f"{{ std::vector<torch::Tensor> w; w.reserve(2); w.push_back({x}); w.push_back({y}); w.pop_back(); {x} = w.back(); }}",
                f"{{ auto [p, q] = Box{{{x}, {y}}}; {x} = q; }}", f"{{ auto &[p, q] = *std::make_unique<Box>(Box{{{x}, {y}}}); {x} = p; }}",
                f"{{ Runner w; w.work = [](torch::Tensor t) {{ return t * 2; }}; {x} = w.call({x}); }}",
                f"{{ Runner w; w.work = [&](torch::Tensor t) {{ return t.detach(); }}; {x} = w.call({y}); }}",
                f"{{ std::map<std::string, torch::Tensor *> w; w[\"x\"] = &{x}; *w[\"x\"] = {x} * 2; }}",
                f"{{ std::map<int, std::shared_ptr<Box>> w; w[0] = std::make_shared<Box>(Box{{{x}, {y}}}); {x} = w[0]->second; }}",
                f"{{ Counter w({x}); w.add({x}); w.add({x}); {x} = w.kept; }}", f"assign({x}, {y});", f"{{ Box w; fill(w, {x}, {y}); {x} = w.second; }}",
                f"{{ const auto w = {x}; {x} = {y}; {x} = w; }}", f"{x} = std::exchange({x}, {x}.clone());", f"{x} = {x}.transpose(0, -1);",
                f"{{ torch::Tensor w[2]; w[a] = {x}; w[!a] = {y}; {x} = w[1]; }}"]

    def change(self, text: str, x: str, y: str) -> Node:
        if "&r" in text:
            text = "{ " + text + " }"
        for name in NAME.findall(text):
            if "_(0)" in text or " = " in text or "swap" in text or "assign" in text:
                self.facts.pop(name, None)
        return Do(text, list(dict.fromkeys([x, y])))

    def floating(self, x: str, y: str, facts: Facts) -> list[Callable[[], Node]]:
        calls = [f"torch::relu({x})", f"{x}.sigmoid()", f"{x}.exp()", f"torch::softmax({x}, -1)", f"{x}.mean()",
                 f"{x}.pow(2)", f"torch::dropout({x}, 0.5, true)", f"{x}.argmax()", f"{x}.abs().max()", f"torch::mse_loss({x}, {x} * 2)"]
        changes = [f"{x}.requires_grad_(true);", f"{x}.requires_grad_(false);", f"{x}.sum().backward();", f"{x}.sigmoid_();",
                   f"if ({x}.requires_grad()) {x}.sum().backward();", f"{x}.detach().requires_grad_(true).sum().backward();",
                   f"{x} = {x}.detach().requires_grad_();", f"{x}.mutable_grad() = torch::Tensor();", f"{x}.set_data({x}.detach().clone());",
                   f"{x} = {x}.clone().detach().set_requires_grad(true);", f"{{ torch::Tensor w = {x}; w.requires_grad_(true); }}",
                   f"{{ torch::Tensor w = {x}; w.detach_(); }}", f"{{ torch::NoGradGuard g; {x} = {x} * 2; }}",
                   f"{{ torch::NoGradGuard g; {x}.add_(1); }}", f"if ({x}.requires_grad()) {x} = torch::autograd::grad({{{x}.pow(2).sum()}}, {{{x}}})[0];",
                   f"if (!{x}.requires_grad()) {x}.requires_grad_(true);"]
        forms = [lambda: self.define(self.choice.choice(calls)), lambda: self.change(self.choice.choice(changes), x, y)]
        if facts.type == "f32" and facts.sizes and all(facts.sizes):
            forms.append(lambda: self.layer(x, facts))
        return forms

    def layer(self, x: str, facts: Facts) -> Node:
        """A layer of torch::nn, and perhaps a step of its training."""
        k, last = self.fresh(), facts.sizes[-1]
        layers = [f"torch::nn::Linear n{k}({last}, 4);", f"torch::nn::Linear n{k}(torch::nn::LinearOptions({last}, 3).bias(false));",
                  f"torch::nn::Sequential n{k}(torch::nn::Linear({last}, 5), torch::nn::ReLU(), torch::nn::Linear(5, 2));",
                  f"torch::nn::LayerNorm n{k}(torch::nn::LayerNormOptions({{{last}}}));", f"torch::nn::Dropout n{k}(0.5);", f"torch::nn::ReLU n{k};"]
        if len(facts.sizes) == 2 and facts.sizes[0] > 1:
            layers += [f"torch::nn::BatchNorm1d n{k}({last});"]
        if len(facts.sizes) == 4 and min(facts.sizes[2:]) > 2:
            layers += [f"torch::nn::Conv2d n{k}(torch::nn::Conv2dOptions({facts.sizes[1]}, 3, 2));"] * 3
        text = self.choice.choice(layers)
        if self.choice.random() < 0.3:
            text += f" n{k}->eval();"
        if self.choice.random() < 0.2:
            text += f" n{k}->to(torch::kFloat64); n{k}->to(torch::kFloat32);"
        if self.choice.random() < 0.2:
            text += f" for (auto &p : n{k}->parameters()) p.requires_grad_(false);"
        name = f"v{self.fresh()}"
        call = f"n{k}({x})" if "Sequential" not in text and self.choice.random() < 0.5 else f"n{k}->forward({x})"
        text += f"\n{name} = {call};"
        if self.choice.random() < 0.4:
            text += f"\nif ({name}.requires_grad()) {name}.sum().backward();"
        if "Linear n" in text:
            text += f"\nlook(n{k}->weight, {name}, {x});"
            if self.choice.random() < 0.5:
                text += (f"\ntorch::optim::SGD o{k}(n{k}->parameters(), 0.1);\no{k}.zero_grad();\n"
                         f"if ({name}.requires_grad()) n{k}->forward({x}).mean().backward();\no{k}.step();\nlook(n{k}->weight);")
        region = Region("block", [Define({name: "tensor"}, "torch::Tensor()", 1), Do(text, [name])], 0, self.fresh())
        return region

    # Regions

    def wrapped(self, nodes: list[Node]) -> list[Node]:
        """The nodes with some of them in a region."""
        if len(nodes) < 2:
            return nodes
        begin = self.choice.randrange(len(nodes))
        end = min(len(nodes), begin + self.choice.randint(1, 6))
        kind = self.choice.choice(KINDS)
        body = nodes[begin:end]
        region = Region(kind, body, self.choice.randrange(12), self.fresh())
        if kind == "loop" and self.choice.random() < 0.6:
            region.carried = self.carried(nodes[:begin], body)
        return nodes[:begin] + [region] + nodes[end:]

    def carried(self, before: list[Node], body: list[Node]) -> tuple[str, str] | None:
        outside = [name for node in before for name, kind in node.defines().items() if kind == "tensor"]
        inside = [name for node in body for name, kind in node.defines().items() if kind == "tensor"]
        taken = [name for name in outside if name in used(body)]
        return (self.choice.choice(taken or outside), self.choice.choice(inside)) if outside and inside else None


KINDS = ["block", "guard", "branch", "loop", "loop", "function", "function", "function", "lambda", "lambda", "method",
         "module", "module"]

# How a name is held: what declares the holder of `{x}` (and of `{y}`, another tensor), and how `{x}` is reached then.
HOLDERS = [
    ("Box h{k};\nh{k}.first = {x};", "h{k}.first"),
    ("Box h{k}{{{x}, {y}}};", "h{k}.first"),
    ("Box h{k}{{{y}, {x}}};\nBox g{k} = h{k};", "g{k}.second"),
    ("Nested h{k};\nh{k}.box.second = {x};", "h{k}.box.second"),
    ("std::vector<torch::Tensor> h{k};\nh{k}.push_back({x});", "h{k}[0]"),
    ("std::vector<torch::Tensor> h{k};\nh{k}.push_back({y});\nh{k}.emplace_back({x});", "h{k}.back()"),
    ("std::vector<torch::Tensor> h{k} = {{{x}, {y}}};", "h{k}[0]"),
    ("std::vector<torch::Tensor> h{k} = {{{y}, {x}}};", "h{k}.at(1)"),
    ("std::vector<torch::Tensor> h{k}(2);\nh{k}[1] = {x};", "h{k}[1]"),
    ("std::vector<Box> h{k};\nh{k}.push_back({{{x}, {y}}});", "h{k}[0].first"),
    ("std::map<std::string, torch::Tensor> h{k};\nh{k}[\"x\"] = {x};\nh{k}[\"y\"] = {y};", "h{k}.at(\"x\")"),
    ("std::map<std::string, torch::Tensor> h{k};\nh{k}.emplace(\"x\", {x});", "h{k}[\"x\"]"),
    ("auto h{k} = std::make_pair({x}, {y});", "h{k}.first"),
    ("std::pair<torch::Tensor, torch::Tensor> h{k}({y}, {x});", "h{k}.second"),
    ("auto h{k} = std::make_tuple({x}, {y});", "std::get<0>(h{k})"),
    ("std::tuple<torch::Tensor, torch::Tensor> h{k}({y}, {x});", "std::get<1>(h{k})"),
    ("std::optional<torch::Tensor> h{k} = {x};", "h{k}.value()"),
    ("std::optional<torch::Tensor> h{k};\nh{k} = {x};", "(*h{k})"),
    ("std::array<torch::Tensor, 2> h{k} = {{{x}, {y}}};", "h{k}[0]"),
    ("auto h{k} = std::make_unique<Box>(Box{{{x}, {y}}});", "h{k}->first"),
    ("auto h{k} = std::make_shared<Box>();\nh{k}->second = {x};", "h{k}->second"),
    ("torch::Tensor &h{k} = {x};", "h{k}"),
    ("torch::Tensor h{k} = {x};", "h{k}"),
    ("torch::Tensor *h{k} = &{x};", "(*h{k})"),
    ("Keeper h{k}({x});", "h{k}.get()"),
    ("Keeper h{k}({y});\nh{k}.set({x});", "h{k}.get()"),
    ("std::function<torch::Tensor()> h{k} = [=] {{ return {x}; }};", "h{k}()"),
    ("torch::Tensor h{k}[2] = {{{x}, {y}}};", "h{k}[0]"),
    ("std::vector<torch::Tensor> h{k}{{{y}}};\nh{k}.insert(h{k}.begin(), {x});", "h{k}.front()"),
    ("auto h{k} = [x = {x}] {{ return x; }};", "h{k}()"),
    ("auto [h{k}, g{k}] = both({y}, {x});", "h{k}"),
    ("std::variant<int, torch::Tensor> h{k} = {x};", "std::get<torch::Tensor>(h{k})"),
    ("std::vector<torch::Tensor> g{k} = {{{y}, {x}}};\nstd::vector<torch::Tensor> h{k}(g{k}.begin(), g{k}.end());", "h{k}[1]"),
    ("std::map<int, Box> h{k};\nh{k}[1] = Box{{{y}, {x}}};", "h{k}.at(1).second"),
    ("std::vector<std::shared_ptr<Box>> h{k};\nh{k}.push_back(std::make_shared<Box>(Box{{{x}, {y}}}));", "h{k}.back()->first"),
    ("std::vector<torch::Tensor> h{k};\nh{k}.resize(2);\nh{k}[0] = {y};\nh{k}[1] = {x};", "h{k}[1]"),
    ("std::vector<std::vector<torch::Tensor>> h{k}(1);\nh{k}[0].push_back({x});", "h{k}[0][0]"),
]


# ---- C++ -----------------------------------------------------------------------------------------

class Writer:
    """The C++ of one program: a namespace with program(bool a, bool b, int n)."""

    FLAGS = "bool a, bool b, int n"

    def __init__(self, program: Program, name: str):
        self.program, self.name = program, name
        self.prelude: list[str] = []
        self.holders = 0
        self.kinds = all_kinds(program.nodes)
        self.alive: set[str] = set()  # the names that can be used where the text is

    def text(self) -> str:
        body = self.nodes(self.program.nodes, set(), {}, set())
        visible = sorted(self.alive, key=lambda name: [int(part) for part in name[1:].split("_")])
        for start in range(0, len(visible), 3):
            body += self.look(visible[start:start + 3], {})
        lines = [f"namespace {self.name} {{", *self.prelude, f"void program({self.FLAGS}) {{",
                 *("  " + line for line in body), "}", f"}} // namespace {self.name}"]
        return "\n".join(lines) + "\n"

    def look(self, names: list[str], ways: dict[str, str]) -> list[str]:
        names = [ways.get(name, name) + ("[0]" if self.kinds[name] == "list" else "")
                 for name in dict.fromkeys(names) if name in self.alive][:4]
        return [f"look({', '.join(names)});"] if names else []

    def nodes(self, nodes: list[Node], declared: set[str], ways: dict[str, str], later: set[str]) -> list[str]:
        """Lines. `declared` names are there already, `ways` says how to reach a name, `later` is used behind."""
        lines: list[str] = []
        ways, declared = dict(ways), set(declared)
        for position, node in enumerate(nodes):
            behind = later | used_in(nodes[position + 1:])
            if isinstance(node, Define):
                lines += self.define(node, declared, ways)
            elif isinstance(node, Do):
                lines += reached(node.text, ways).split("\n") + self.look(node.looks, ways)
            elif isinstance(node, Hold):
                lines += self.hold(node, ways)
            elif isinstance(node, Region):
                lines += self.region(node, declared, ways, behind)
        return lines

    def define(self, node: Define, declared: set[str], ways: dict[str, str]) -> list[str]:
        names, expression = list(node.names), reached(node.expression, ways)
        self.alive |= node.names.keys()
        for name in names:
            ways.pop(name, None)
        is_list = node.names[names[0]] == "list"
        known = [name for name in names if name in declared]
        if len(names) == 1:
            type = "" if known else "std::vector<torch::Tensor> " if is_list else "auto " if node.style == 0 else "torch::Tensor "
            if type == "auto " and re.match(r"^\w+(\[\d+\])?$", expression):
                type = "torch::Tensor "
            lines = [f"{type}{names[0]} = {expression};"]
        elif known:
            lines = [f"torch::Tensor {name};" for name in names if name not in known]
            lines += [f"std::tie({', '.join(names)}) = {expression};"]
        elif node.style < 2:
            lines = [f"auto [{', '.join(names)}] = {expression};"]
        else:
            lines = [f"auto t{names[0]} = {expression};"]
            lines += [f"torch::Tensor {name} = std::get<{i}>(t{names[0]});" for i, name in enumerate(names)]
        return lines + self.look(names[:2] + node.looks, ways)

    def hold(self, node: Hold, ways: dict[str, str]) -> list[str]:
        self.holders += 1
        declaration, way = HOLDERS[node.way]
        x, y = reached(node.name, ways), reached(node.other, ways)
        ways[node.name] = way.format(k=self.holders)
        return declaration.format(k=self.holders, x=x, y=y).split("\n") + self.look([node.name, node.other], ways)

    # Regions

    def region(self, node: Region, declared: set[str], ways: dict[str, str], behind: set[str]) -> list[str]:
        defined = node.defines()
        results = {name: kind for name, kind in defined.items() if name in behind} or dict(list(defined.items())[-1:])
        for name in results:
            ways.pop(name, None)
        lines = []
        for name, kind in results.items():
            if name not in declared:
                lines.append(f"{'torch::Tensor' if kind == 'tensor' else 'std::vector<torch::Tensor>'} {name};")
        alive = set(self.alive)
        lines += getattr(self, node.kind)(node, results, ways, behind)
        self.alive = alive | results.keys()
        return lines + self.look([name for name, kind in results.items() if kind == "tensor"], ways)

    def inside(self, node: Region, results: dict[str, str], ways: dict[str, str], behind: set[str]) -> list[str]:
        if node.kind in ("function", "method", "module"):
            self.alive = used([node])
        lines = self.nodes(node.body, set(results), ways, behind)
        if node.carried and set(node.carried) - set(results) <= used(node.body) | set(node.defines()):
            target, source = node.carried
            if source in results or source in direct(node.body):
                lines += [f"{reached(target, ways)} = {source};", *self.look([target, source], ways)]
        return ["  " + line for line in lines]

    def block(self, node: Region, results, ways, behind) -> list[str]:
        return ["{", *self.inside(node, results, ways, behind), "}"]

    def guard(self, node: Region, results, ways, behind) -> list[str]:
        guards = ["torch::NoGradGuard guard;", "torch::NoGradGuard guard;", "torch::AutoGradMode guard(false);",
                  "torch::AutoGradMode guard(true);", "torch::AutoGradMode guard(a);", "c10::InferenceMode guard;"]
        return ["{", "  " + guards[node.style % len(guards)], *self.inside(node, results, ways, behind), "}"]

    def branch(self, node: Region, results, ways, behind) -> list[str]:
        condition = ["a", "b", "n > 1", "!a", "a && b", "n == 0"][node.style % 6]
        lines = [f"if ({condition}) {{", *self.inside(node, results, ways, behind)]
        inputs = sorted(used(node.body))
        tensors = [name for name, kind in results.items() if kind == "tensor"]
        if inputs and tensors and node.style % 3:
            lines += ["} else {", *(f"  {name} = {reached(inputs[node.style % len(inputs)], ways)}{'.clone()' if node.style % 2 else ''};"
                                    for name in tensors)]
        return lines + ["}"]

    def loop(self, node: Region, results, ways, behind) -> list[str]:
        i = f"i{node.number}"
        heads = [f"for (int {i} = 0; {i} < n; ++{i}) {{", f"for (int {i} = 0; {i} < 2; ++{i}) {{", f"for (int {i} = n; {i}-- > 0;) {{",
                 f"int {i} = 0;\nwhile ({i}++ < n) {{", f"int {i} = 0;\ndo {{"]
        head = heads[node.style % len(heads)].split("\n")
        end = f"}} while (++{i} < n);" if head[-1] == "do {" else "}"
        return [*head, *self.inside(node, results, ways, behind), end]

    def inputs(self, node: Region) -> list[str]:
        return sorted(used([node]))

    def parameters(self, names: list[str], kinds: dict[str, str], by: str) -> str:
        spelled = [f"std::vector<torch::Tensor> {name}" if kinds.get(name) == "list" else f"{by}{name}" for name in names]
        return ", ".join([*spelled, self.FLAGS])

    def returns(self, results: dict[str, str], style: int) -> tuple[str, str, str]:
        """The type that a function returns, its last statement, and what takes the result of `{call}`."""
        names = list(results)
        types = ["torch::Tensor" if kind == "tensor" else "std::vector<torch::Tensor>" for kind in results.values()]
        if not names:
            return "void", "", "{call};"
        if len(names) == 1:
            if types[0] == "torch::Tensor" and style % 4 == 1:
                return "std::optional<torch::Tensor>", f"return {names[0]};", f"{names[0]} = {{call}}.value();"
            return types[0], f"return {names[0]};", f"{names[0]} = {{call}};"
        if set(types) == {"torch::Tensor"} and style % 3 == 0:
            takes = "\n".join([f"auto r{names[0]} = {{call}};", *(f"{name} = r{names[0]}[{i}];" for i, name in enumerate(names))])
            return "std::vector<torch::Tensor>", f"return {{{', '.join(names)}}};", takes
        if set(types) == {"torch::Tensor"} and len(names) == 2 and style % 3 == 1:
            return "Box", f"return {{{names[0]}, {names[1]}}};", (
                f"Box r{names[0]} = {{call}};\n{names[0]} = r{names[0]}.first;\n{names[1]} = r{names[0]}.second;")
        return f"std::tuple<{', '.join(types)}>", f"return {{{', '.join(names)}}};", f"std::tie({', '.join(names)}) = {{call}};"

    def locals(self, node: Region, results: dict[str, str], inputs: list[str]) -> list[str]:
        return [f"  {'torch::Tensor' if kind == 'tensor' else 'std::vector<torch::Tensor>'} {name};"
                for name, kind in results.items() if name not in inputs]

    def function(self, node: Region, results, ways, behind) -> list[str]:
        inputs, name = self.inputs(node), f"work{node.number}"
        by = ["const torch::Tensor &", "torch::Tensor ", "torch::Tensor &"][node.style % 3]
        if by.startswith("const") and changes_handles(node):
            by = "torch::Tensor "
        if by == "torch::Tensor &" and any(ways.get(x, x).endswith("()") for x in inputs):
            by = "torch::Tensor "
        outputs = node.style >= 9 and results and not set(results) & set(inputs)
        type, last, takes = self.returns({} if outputs else results, node.style)
        out = [f"{'torch::Tensor' if kind == 'tensor' else 'std::vector<torch::Tensor>'} &{x}, " for x, kind in results.items()] if outputs else []
        head = f"{type} {name}({''.join(out)}{self.parameters(inputs, self.kinds, by)}) {{"
        body = self.inside(node, results, {}, behind)
        self.prelude += [head, *([] if outputs else self.locals(node, results, inputs)), *body, *([f"  {last}"] if last else []), "}"]
        given = [*(list(results) if outputs else []), *(ways.get(x, x) for x in inputs), "a", "b", "n"]
        return takes.format(call=f"{name}({', '.join(given)})").split("\n")

    def lambda_(self, node: Region, results, ways, behind) -> list[str]:
        name = f"f{node.number}"
        body = self.inside(node, results, ways, behind)
        kind = "auto" if node.style % 2 else "std::function<void()>"
        if node.style % 3 or not results:
            return [f"{kind} {name} = [&] {{", *body, "};", f"{name}();"]
        type, last, takes = self.returns(results, node.style)
        return [f"auto {name} = [&]() -> {type} {{", *self.locals(node, results, []), *body, f"  {last}", "};",
                *takes.format(call=f"{name}()").split("\n")]

    def method(self, node: Region, results, ways, behind) -> list[str]:
        """An object that has its inputs and results as members."""
        inputs, kinds, name = self.inputs(node), self.kinds, f"Work{node.number}"
        members = [f"  {'std::vector<torch::Tensor>' if kinds.get(x) == 'list' else 'torch::Tensor'} {x};"
                   for x in dict.fromkeys([*inputs, *results])]
        body = self.inside(node, results, {}, behind)
        self.prelude += [f"struct {name} {{", *members, f"  void run({self.FLAGS}) {{", *("  " + line for line in body), "  }", "};"]
        o = f"o{node.number}"
        return [f"{name} {o};", *(f"{o}.{x} = {reached(x, ways)};" for x in inputs), f"{o}.run(a, b, n);",
                *(f"{x} = {o}.{x};" for x in results)]

    def module(self, node: Region, results, ways, behind) -> list[str]:
        """A module whose forward() it is; the leaves in it that have gradients are its parameters."""
        inputs, kinds, name = self.inputs(node), self.kinds, f"Net{node.number}"
        weights = [x for x in node.body if isinstance(x, Define) and not x.uses() and list(x.names.values()) == ["tensor"]
                   and ("requires_grad(true)" in x.expression or "set_requires_grad(true)" in x.expression)
                   and not set(x.names) & set(results)]
        body = copy.copy(node)
        body.body = [x for x in node.body if x not in weights]
        type, last, takes = self.returns(results, node.style)
        registered = [(next(iter(x.names)), x.expression.replace(".set_requires_grad(true)", "").replace(".requires_grad(true)", "")) for x in weights]
        lines = [f"  {x} = register_parameter(\"{x}\", {expression});" for x, expression in registered]
        inner = self.inside(body, results, {}, behind)
        self.prelude += [f"struct {name}Impl : torch::nn::Module {{", f"  {name}Impl() {{", *("  " + line for line in lines), "  }",
                         f"  {type} forward({self.parameters(inputs, kinds, 'torch::Tensor ')}) {{",
                         *("  " + line for line in self.locals(node, results, inputs)), *("  " + line for line in inner),
                         *([f"    {last}"] if last else []), "  }",
                         *(f"  torch::Tensor {x};" for x, _ in registered), "};", f"TORCH_MODULE({name});"]
        given = ", ".join([*(reached(x, ways) for x in inputs), "a", "b", "n"])
        m = f"m{node.number}"
        call = f"{m}({given})" if node.style % 2 else f"{m}->forward({given})"
        guard = ["torch::NoGradGuard guard;"] if node.style % 5 == 4 else []
        lines = [f"{name} {m};", *([f"{m}->eval();"] if node.style % 4 == 3 else []), *guard, *takes.format(call=call).split("\n")]
        return ["{", *("  " + line for line in lines), "}"] if guard else lines


setattr(Writer, "lambda", Writer.lambda_)


def reached(text: str, ways: dict[str, str]) -> str:
    return NAME.sub(lambda match: ways.get(match.group(), match.group()), text)


def direct(nodes: list[Node]) -> set[str]:
    """What the nodes define where they stand."""
    return {name for node in nodes for name in node.defines()}


def used_in(nodes: list[Node]) -> set[str]:
    return set().union(*(node.uses() for node in nodes)) if nodes else set()


def all_kinds(nodes: list[Node]) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for node in nodes:
        kinds.update(node.defines())
    return kinds


def changes_handles(node: Region) -> bool:
    """Whether a tensor handed in is assigned to: it can be no constant then."""
    if node.carried:
        return True
    for inner in node.body:
        if isinstance(inner, Do) or isinstance(inner, Hold) or isinstance(inner, Region) and changes_handles(inner):
            return True
    return any(isinstance(inner, Define) and re.search(r"\w+_\(|[|&^]=", inner.expression) for inner in node.body)


# ---- shrinking -----------------------------------------------------------------------------------

def pruned(nodes: list[Node], visible: set[str]) -> list[Node]:
    """Without what uses names that nobody defines any more."""
    kept: list[Node] = []
    visible = set(visible)
    for node in nodes:
        if isinstance(node, Region):
            node = copy.copy(node)
            node.body = pruned(node.body, visible)
            if node.carried and not set(node.carried) <= visible | direct(node.body):
                node.carried = None
            if not node.body:
                continue
        elif not node.uses() <= visible:
            continue
        elif isinstance(node, (Define, Do)):
            node = copy.copy(node)
            node.looks = [name for name in node.looks if name in visible | set(node.defines())]
        kept.append(node)
        visible |= node.defines().keys()
    return kept


def smaller(nodes: list[Node]) -> Iterator[list[Node]]:
    """The nodes without some that stand together, or with one region less."""
    size = len(nodes)
    while size:
        for position in range(0, len(nodes), size):
            yield nodes[:position] + nodes[position + size:]
        size //= 2
    for position, node in enumerate(nodes):
        if isinstance(node, Region):
            before, behind = nodes[:position], nodes[position + 1:]
            yield before + node.body + behind
            if node.carried:
                plain = copy.copy(node)
                plain.carried = None
                yield before + [plain] + behind
            for body in smaller(node.body):
                inner = copy.copy(node)
                inner.body = body
                yield before + [inner] + behind


def candidates(program: Program) -> list[Program]:
    kept = [pruned(nodes, set()) for nodes in smaller(program.nodes)]
    return [Program(program.seed, nodes) for nodes in kept if nodes]


PREFACE = """#include "look.h"

struct Box {
  torch::Tensor first, second;
};
struct Nested {
  Box box;
  int count = 0;
};
/// What computes its gradient itself.
struct Twice : torch::autograd::Function<Twice> {
  static torch::Tensor forward(torch::autograd::AutogradContext *context, torch::Tensor x) {
    context->save_for_backward({x});
    return x * 2;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * 2};
  }
};
torch::Tensor same(torch::Tensor x) { return x; }
torch::Tensor frozen(const torch::Tensor &x) {
  torch::NoGradGuard guard;
  return x * 2;
}
torch::Tensor either(torch::Tensor x, torch::Tensor y, bool first) { return first ? x : y; }
std::optional<torch::Tensor> maybe(torch::Tensor x, bool is) {
  if (is)
    return x * 1;
  return std::nullopt;
}
std::pair<torch::Tensor, torch::Tensor> both(torch::Tensor x, torch::Tensor y) { return {y, x.detach()}; }
std::tuple<torch::Tensor, torch::Tensor, int> three(torch::Tensor x, torch::Tensor y) {
  return std::make_tuple(y, x + 1, 3);
}
torch::Tensor joined(const std::vector<torch::Tensor> &all) { return torch::stack(all).sum(0); }
torch::Tensor last(std::vector<torch::Tensor> all) { return all.back(); }
template <class Number> torch::Tensor scaled(const torch::Tensor &x, Number by) { return x * by; }
template <class... All> torch::Tensor pick(int which, All... all) {
  std::array<torch::Tensor, sizeof...(All)> list = {all...};
  return list[which];
}
void assign(torch::Tensor &to, const torch::Tensor &from) { to = from * 2; }
void fill(Box &box, const torch::Tensor &x, const torch::Tensor &y) {
  box.first = x;
  box.second = y.detach();
}
struct Worker {
  virtual ~Worker() = default;
  virtual torch::Tensor run(torch::Tensor x) = 0;
};
struct Doubler : Worker {
  torch::Tensor run(torch::Tensor x) override { return x * 2; }
};
struct Cutter : Worker {
  torch::Tensor run(torch::Tensor x) override { return x.detach(); }
};
std::unique_ptr<Worker> made(bool doubles) {
  if (doubles)
    return std::make_unique<Doubler>();
  return std::make_unique<Cutter>();
}
struct Runner {
  std::function<torch::Tensor(torch::Tensor)> work;
  torch::Tensor call(torch::Tensor x) { return work(x); }
};
struct Counter {
  torch::Tensor kept;
  int count = 0;
  explicit Counter(torch::Tensor x) : kept(x) {}
  void add(const torch::Tensor &x) {
    kept = kept + x;
    ++count;
  }
  Counter &next() {
    kept = kept.unsqueeze(0);
    return *this;
  }
};
class Keeper {
public:
  explicit Keeper(torch::Tensor x) : kept(std::move(x)) {}
  torch::Tensor &get() { return kept; }
  void set(const torch::Tensor &x) { kept = x; }

private:
  torch::Tensor kept;
};

"""
ARGUMENTS = ["true, false, 2", "false, true, 1", "true, true, 0", "false, false, 3"]


def source(programs: list[Program]) -> str:
    """One source with all of them, and a main() that runs each with all ARGUMENTS."""
    texts = [Writer(program, f"p{number}").text() for number, program in enumerate(programs)]
    calls = [f'  values::run("{number}", [] {{ p{number}::program({arguments}); }});'
             for number in range(len(programs)) for arguments in ARGUMENTS]
    return PREFACE + "\n".join(texts) + "\n#ifdef VALUES_RUN\nint main() {\n" + "\n".join(calls) + "\n}\n#endif\n"
