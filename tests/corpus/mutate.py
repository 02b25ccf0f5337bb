#!/usr/bin/env python3
"""Bugs put into correct code by operators of our own, for checks that the tools of a labelled corpus
have few mutants of. Called as mutate.py of that folder is, with its folder first:

    tests/corpus/mutate.py SCORE --src REPOSITORY... --out MUTANTS
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1) if len(sys.argv) > 1 else "")
import mutate  # noqa: E402
from mutate import Edit, Mutant, Repo, Source, Stmt  # noqa: E402

THEIRS = set(mutate.OPERATORS)


@mutate.operator("no-train-restore", "ml-train-mode-not-restored")
def evaluate_each_epoch(repo: Repo, src: Source) -> Iterator[Mutant]:
    """An epoch ends in eval(), and train() is called before the first one only."""
    for loop in mutate.loops(src):
        epochs = next((block for block in loop.block.up() if block.kind == "loop"), None)
        if not epochs:
            continue
        called = set(re.findall(r"\b(\w+)\s*->\s*forward\s*\(", src.mask[loop.block.start : loop.block.end]))
        inside = src.within(epochs)
        for model in sorted(called):
            train = re.compile(rf"({model})(?:\.|->)train\(\s*(?:true)?\s*\)\s*;")
            sets_mode = any(mutate.calls(src.within(loop.func), mutate.EVAL))
            if sets_mode or not mutate.mode_dependent(repo, src, loop.func, epochs.head, model):
                continue
            edits = [mutate.delete(src, statement) for statement, _ in mutate.calls(inside, train)]
            edits.append(Edit(epochs.end, epochs.end, f"    {model}->eval();\n"))
            yield Mutant(edits, epochs.end, epochs.head, epochs.end)


ACCESSOR = re.compile(r"\bauto\s+(\w+)\s*=\s*([\w.\[\]>-]+?)\.accessor<\s*(\w+)\s*,\s*([2-9])\s*>\(\)\s*;")


@mutate.operator("no-accessor", "ml-elementwise-access")
def read_elements(repo: Repo, src: Source) -> Iterator[Mutant]:
    """What an accessor reads of a tensor, the tensor itself gives, element by element."""
    for made in ACCESSOR.finditer(src.mask):
        name, tensor, element, dimensions = made.groups()
        inner = rf"\b{name}((?:\s*\[[^][]*\]){{{dimensions}}})(?!\s*(?:[-+*/]?=[^=]|\[))"
        reads = list(re.finditer(inner, src.mask[made.end() :]))
        named = len(re.findall(rf"\b{name}\b", src.mask[made.end() :]))
        if not reads or len(reads) != named:
            continue  # It is written to, or handed on.
        edits = [Edit(made.start(), made.end(), f"auto {name} = {src.text[made.start(2):made.end(2)]};")]
        for read in reads:
            end = made.end() + read.end()
            edits.append(Edit(end, end, f".item<{element}>()"))
        first, last = made.end() + reads[0].start(), made.end() + reads[-1].end()
        yield Mutant(edits, first, first, last)


BUFFERS = re.compile(r"\bfor\s*\([^;{}]*?\b(?:named_)?buffers\(\)[^;{}]*\)\s*(?:\{[^{}]*\}|[^;{}]*;)")


@mutate.operator("no-buffers", "ml-missing-buffers")
def forget_buffers(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A copy or checkpoint that has a loop over the buffers behind one over the parameters loses it."""
    for loop in BUFFERS.finditer(src.mask):
        before = src.mask.rfind("parameters()", 0, loop.start())
        if before >= 0 and len(BUFFERS.findall(src.mask)) == 1:
            yield Mutant([Edit(loop.start(), loop.end(), "")], before, before, loop.start())


@mutate.operator("no-record-stream", "ml-stream-lifetime")
def forget_stream(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The allocator is told nothing of the stream that uses a tensor of another one."""
    records = [s for s in src.stmts if re.fullmatch(r"\w+(?:\.|->)record_stream\s*\(.*\)\s*;", s.text, re.S)]
    if len(records) == 1 and src.mask.count("record_stream") == 1:
        yield Mutant([mutate.delete(src, records[0])], records[0].start, 0, len(src.text))


LAYER = r"(?:torch::)?nn::(?:Linear|Conv[123]d|ConvTranspose[123]d|LSTM|GRU|Embedding|BatchNorm[123]d|LayerNorm)\b"
REGISTERED = re.compile(rf"(?:this->)?(\w+)\s*=\s*register_module\s*\(.*?{LAYER}.*\)\s*;", re.S)


def registered(src: Source) -> Iterator[tuple[Stmt, str]]:
    """Statements of constructors that make a layer with parameters and register it, and its member."""
    for statement, member in mutate.calls(src.stmts, REGISTERED):
        func = src.function_of(statement.block) if statement.block else None
        if func and func.name == func.owner and src.loop_of(statement) is None and statement.block is func:
            yield statement, member


@mutate.operator("register-again", "ml-registered-twice")
def register_again(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A layer is registered by a second name."""
    for statement, member in registered(src):
        edit = mutate.after(src, statement, f'register_module("{member}_again", {member});')
        yield Mutant([edit], edit.start, statement.start, edit.start)


@mutate.operator("forget-layer", "ml-unset-member")
def forget_layer(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A constructor does not make a layer that its class, in the same source, uses."""
    for statement, member in registered(src):
        declared = re.search(rf"\b{member}\s*(?:\{{\s*nullptr\s*\}}|=\s*nullptr)", src.mask)
        uses = list(re.finditer(rf"(?<![\w.>]){member}\s*(?:->\s*forward\s*)?\(", src.mask))
        named = len(re.findall(rf"\b{member}\b", src.mask))
        if declared and src.path.suffix != ".h" and uses and named == len(uses) + 2:
            yield Mutant([mutate.delete(src, statement)], uses[0].start(), 0, len(src.text) - 1)


PASS = re.compile(
    r"(?:(?:auto|(?:torch::)?Tensor)\s+)?(\w+)\s*=\s*(?:torch::relu\s*\(\s*)?(\w+)\s*(?:->\s*forward\s*)?"
    r"\(\s*(\w+)\s*\)\s*\)?\s*;"
)


@mutate.operator("overwrite-output", "ml-lost-output")
def overwrite_output(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The output of a layer is overwritten by its input, or that of the next layer by what ignores it."""
    layers = {member for _, member in registered(src)}
    for statement in src.stmts:
        found = PASS.fullmatch(statement.text)
        if not found or found[2] not in layers or not src.function_of(statement.block):
            continue
        name, given = found[1], found[3]
        if name == given:  # `x = fc(x);`
            func = src.function_of(statement.block)
            kept = Edit(func.start + 1, func.start + 1, f" auto given = {name};")
            if not re.search(rf"\bTensor\s+{name}\b", src.mask[func.head : func.start]):
                continue
            edits, given = [kept], "given"
        else:
            edits = []
        edit = mutate.after(src, statement, f"{name} = {given};")
        yield Mutant([*edits, edit], statement.start, statement.start, edit.start)


if __name__ == "__main__":
    for name in THEIRS - {"no-train-restore"}:
        del mutate.OPERATORS[name]
    mutate.main()
