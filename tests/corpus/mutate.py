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


def outcome(src: Source, loop: mutate.Loop) -> Iterator[tuple[Stmt, str]]:
    """The calls of backward() on a variable of a loop's own function."""
    for back, loss in loop.backwards:
        if re.fullmatch(r"\w+", loss) and re.search(rf"\bTensor\s+{loss}\b|\bauto\s+{loss}\b", src.mask[loop.func.head : back.start]):
            yield back, loss


@mutate.operator("drop-step", "ml-missing-step")
def forget_step(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A loop computes gradients and takes no step with them."""
    for loop in mutate.loops(src):
        text = src.mask[loop.func.head : loop.func.end]
        for step, optimizer in loop.steps:
            named = len(re.findall(rf"\b{re.escape(optimizer)}\b", text))
            known = len(re.findall(rf"\b{re.escape(optimizer)}\s*(?:\.|->)\s*(?:zero_grad|step)\s*\(", text))
            if len(loop.steps) == 1 and re.fullmatch(r"\w+", optimizer) and named == known + 1:
                back = loop.backwards[0][0]
                yield Mutant([mutate.delete(src, step)], back.start, loop.func.head, loop.func.end - 1)


@mutate.operator("backward-again", "ml-double-backward")
def differentiate_twice(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A graph is differentiated a second time."""
    for loop in mutate.loops(src):
        for back, _ in loop.backwards:
            edit = mutate.after(src, back, src.text[back.start : back.end])
            yield Mutant([edit], edit.start, back.start, edit.start)


@mutate.operator("detach-loss", "ml-loss-without-gradient")
def detach_loss(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A loss has lost its graph when it is differentiated."""
    for loop in mutate.loops(src):
        for back, loss in outcome(src, loop):
            edit = mutate.before(src, back.start, f"{loss} = {loss}.detach();")
            yield Mutant([edit], back.start, loop.block.start, back.end)


LOSS = re.compile(
    r"(?:auto|(?:torch::)?Tensor)\s+(\w+)\s*=\s*(?:torch::)(nll_loss|cross_entropy_loss|mse_loss|binary_cross_entropy|l1_loss)"
    r"\s*\(\s*([\w.>()\[\]-]+)\s*,\s*([\w.>()\[\]-]+)\s*\)\s*;"
)


def losses(src: Source) -> Iterator[tuple[Stmt, re.Match[str]]]:
    """Statements that compute the loss of a training loop from two tensors."""
    for loop in mutate.loops(src):
        names = {loss for _, loss in loop.backwards}
        for statement in src.within(loop.block):
            found = LOSS.fullmatch(statement.text)
            if found and found[1] in names:
                yield statement, found


@mutate.operator("no-reduction", "ml-non-scalar-backward")
def keep_all_losses(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A loss keeps the numbers of all samples."""
    for statement, found in losses(src):
        weight = "" if found[2] in ("mse_loss", "l1_loss") else ", {}"
        at = src.mask.rindex(")", statement.start, statement.end)
        yield Mutant([Edit(at, at, f"{weight}, at::Reduction::None")], statement.start, statement.start, src.function_of(statement.block).end)


@mutate.operator("float-labels", "ml-label-dtype")
def make_labels_floats(repo: Repo, src: Source) -> Iterator[Mutant]:
    """Classes are given as numbers of floating point."""
    for statement, found in losses(src):
        if found[2] in ("nll_loss", "cross_entropy_loss"):
            at = src.mask.rindex(")", statement.start, statement.end)
            yield Mutant([Edit(at, at, ".to(torch::kFloat)")], statement.start, statement.start, statement.end)


ACTIVATION = re.compile(r"(?:auto\s+|(?:torch::)?Tensor\s+)?(\w+)\s*=\s*torch::(?:relu|sigmoid|tanh|softmax)\s*\(.*\)\s*;", re.S)


@mutate.operator("change-saved", "ml-saved-tensor-overwritten")
def change_saved(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The result of an activation, which its gradient is computed of, is changed in place."""
    for statement in src.stmts:
        found = ACTIVATION.fullmatch(statement.text)
        func = src.function_of(statement.block) if found else None
        if found and func and "forward" in func.name and "inplace" not in statement.text:
            edit = mutate.after(src, statement, f"{found[1]}.mul_(2);")
            yield Mutant([edit], edit.start, statement.start, edit.start)


DATA = re.compile(r"(?:auto|(?:torch::)?Tensor)\s+(\w+)\s*=\s*\w+(?:\.|->)data(?:\.to\s*\([\w:]+\))?\s*;")


@mutate.operator("input-with-gradient", "ml-requires-grad-input")
def require_gradient(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The input of a model is to have a gradient, which nobody uses."""
    for loop in mutate.loops(src):
        for statement in src.within(loop.block):
            found = DATA.fullmatch(statement.text)
            if found and statement.block is loop.block:
                edit = mutate.after(src, statement, f"{found[1]}.set_requires_grad(true);")
                yield Mutant([edit], edit.start, statement.start, edit.start)


LINEAR = re.compile(r"\bLinear\s*\(\s*(?:torch::nn::LinearOptions\s*\(\s*)?(\d+)\s*,\s*(\d+)\s*\)")


@mutate.operator("wider-layer", "ml-shape-mismatch")
def widen_layer(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A layer gives more features than the next one takes."""
    for func in src.functions():
        layers = list(LINEAR.finditer(src.mask, func.head, func.end))
        for layer, following in zip(layers, layers[1:]):
            if layer[2] == following[1] and sum(other[1] == layer[2] for other in layers) == 1:
                edit = Edit(layer.start(2), layer.end(2), str(int(layer[2]) + 1))
                yield Mutant([edit], layer.start(), 0, len(src.text) - 1)


RATE = re.compile(r"\b(?:Adam|AdamW|SGD|RMSprop)Options\s*\(\s*(?:/\*[^*]*\*/\s*)?(\d*\.\d+|\d+e-\d+|\d+\.\d*)\s*\)")


@mutate.operator("large-rate", "ml-suspicious-lr")
def raise_rate(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A learning rate has lost its point."""
    for rate in RATE.finditer(src.mask):
        yield Mutant([Edit(rate.start(1), rate.end(1), "10.0")], rate.start(), rate.start(), rate.end())


LOADER = re.compile(
    r"\bmake_data_loader\s*(?:<[\w:]+>)?\s*\(\s*std::move\s*\(\s*\w+\s*\)\s*"
    r"(,\s*(?:\w+|(?:torch::data::)?DataLoaderOptions\(\)\.batch_size\([\w.()]+\)))\s*\)"
)


@mutate.operator("default-batch", "ml-default-batch-size")
def forget_batch_size(repo: Repo, src: Source) -> Iterator[Mutant]:
    """Nothing says how many samples a batch has."""
    for loader in LOADER.finditer(src.mask):
        yield Mutant([Edit(loader.start(1), loader.end(1), "")], loader.start(), loader.start(), loader.end())


DROPOUT = re.compile(r"\b(?:dropout|alpha_dropout|dropout2d)\s*\([^;]*?(is_training\(\))")


@mutate.operator("always-dropout", "ml-functional-dropout")
def drop_always(repo: Repo, src: Source) -> Iterator[Mutant]:
    """Dropout does not ask whether the model trains."""
    for dropout in DROPOUT.finditer(src.mask):
        edits = [Edit(dropout.start(1), dropout.end(1), "true")]
        yield Mutant(edits, dropout.start(), dropout.start(), dropout.end())


def statements(src: Source, pattern: re.Pattern[str]) -> Iterator[tuple[Stmt, re.Match[str]]]:
    """Statements of functions that are written so."""
    for statement in src.stmts:
        found = pattern.fullmatch(src.text[statement.start : statement.end])
        if found and src.function_of(statement.block):
            yield statement, found


def calling(src: Source, name: str) -> Iterator[tuple[int, int, str]]:
    """Where calls of what is called so begin and end, and what stands in their parentheses."""
    for found in re.finditer(rf"{name}\s*\(", src.mask):
        close = mutate.closing(src.mask, found.end() - 1)
        if close > 0:
            yield found.start(), close + 1, src.text[found.end() : close]


def changed(src: Source, start: int, end: int, new: str) -> Mutant:
    """One place is written in another way; a finding counts anywhere in the function around it."""
    place = next((each for each in src.functions() if each.holds(start)), None)
    return Mutant([Edit(start, end, new)], start, place.start if place else start, place.end if place else end)


@mutate.operator("guard-temporary", "ml-guard-temporary")
def lose_name_of_guard(repo: Repo, src: Source) -> Iterator[Mutant]:
    """`NoGradGuard guard;` becomes `NoGradGuard();`."""
    named = re.compile(r"((?:torch::|at::|c10::)*NoGradGuard)\s+\w+\s*;")
    for statement, found in statements(src, named):
        yield Mutant([Edit(statement.start, statement.end, f"{found[1]}();")], statement.start, statement.start,
                     statement.end)


@mutate.operator("discard-shape", "ml-discarded-result")
def discard_shape(repo: Repo, src: Source) -> Iterator[Mutant]:
    """`x = x.unsqueeze(0);` becomes `x.unsqueeze(0);`."""
    methods = "unsqueeze|squeeze|permute|transpose|reshape|view|contiguous|div|mul|add|sub|clamp|flatten|detach"
    rebound = re.compile(rf"(\w+)\s*=\s*(\1\.(?:{methods})\([^;]*\));", re.S)
    for statement, found in statements(src, rebound):
        yield Mutant([Edit(statement.start, statement.end, f"{found[2]};")], statement.start, statement.start,
                     statement.end)


@mutate.operator("scores-for-nll", "ml-loss-activation")
def forget_log_softmax(repo: Repo, src: Source) -> Iterator[Mutant]:
    """forward() gives scores where nll_loss() is used."""
    if not any("nll_loss" in each.mask or "NLLLoss" in each.mask for each in repo.sources.values()):
        return
    scores = re.compile(r"return\s+(?:torch::|F::)*log_softmax\(([^;]*),[^;,]*\);", re.S)
    for statement, found in statements(src, scores):
        edit = Edit(statement.start, statement.end, f"return {found[1]};")
        yield Mutant([edit], statement.start, statement.start, statement.end, also=all_losses(repo, src, "nll"))


def all_losses(repo: Repo, src: Source, names: str) -> list[tuple[Source, int, int]]:
    return [(each, found.start(), found.end()) for each in repo.sources.values()
            for found in re.finditer(rf"\w*(?:{names})\w*[^;]*;", each.mask)] + [
                (each, found.start(), found.end()) for each in repo.sources.values()
                for found in re.finditer(r"\bcriterion\w*\([^;]*;", each.mask)]


@mutate.operator("log-of-softmax", "ml-log-of-zero")
def log_of_softmax(repo: Repo, src: Source) -> Iterator[Mutant]:
    """log_softmax() becomes the logarithm of softmax()."""
    for statement, found in statements(src, re.compile(r"return\s+(?:torch::|F::)*log_softmax\(([^;]*)\);", re.S)):
        if "Options" not in found[1]:
            edit = Edit(statement.start, statement.end, f"return torch::log(torch::softmax({found[1]}));")
            yield Mutant([edit], statement.start, statement.start, statement.end)


@mutate.operator("optimizer-each-epoch", "ml-optimizer-recreated")
def make_optimizer_each_epoch(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The optimizer, which has a state, is made in the loop over epochs."""
    made = re.compile(r"torch::optim::(?:Adam|AdamW|RMSprop|Adagrad)\s+(\w+)\s*[({][^;]*;", re.S)
    for statement, found in statements(src, made):
        for loop in mutate.loops(src):
            epochs = next((each for each in loop.block.up() if each.kind == "loop" and each is not loop.block), None)
            text = src.text[statement.start : statement.end]
            inside = epochs and src.mask[epochs.start : epochs.end]
            outside = src.mask[statement.end : epochs.head] + src.mask[epochs.end : loop.func.end] if epochs else ""
            if epochs and statement.block is epochs.parent and statement.end < epochs.head and found[1] in {
                    name for _, name in loop.steps} and inside and not re.search(rf"\b{found[1]}\b", outside):
                edits = [mutate.delete(src, statement), Edit(epochs.start + 1, epochs.start + 1, f"\n{text}")]
                yield Mutant(edits, epochs.start + 1, epochs.head, epochs.start + 1 + len(text))


@mutate.operator("seed-each-epoch", "ml-reseeded-engine")
def seed_each_epoch(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The generator of random numbers starts anew in every epoch."""
    for loop in mutate.loops(src):
        epochs = next((each for each in loop.block.up() if each.kind == "loop" and each is not loop.block), None)
        if epochs and src.mask[epochs.start] == "{":
            edit = Edit(epochs.start + 1, epochs.start + 1, "\ntorch::manual_seed(1);")
            yield Mutant([edit], edit.start, epochs.head, edit.start + 3)


@mutate.operator("save-over", "ml-overwritten-checkpoint")
def save_over(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The optimizer is saved in the file of the model."""
    optimizers = {name for loop in mutate.loops(src) for _, name in loop.steps if re.fullmatch(r"\w+", name)}
    for statement, found in statements(src, re.compile(r"torch::save\(\s*\*?(\w+)\s*,\s*([^;]*)\);", re.S)):
        func = src.function_of(statement.block)
        made = {name for name in optimizers if func and re.search(
            rf"torch::optim::\w+\s+{name}\b", src.mask[func.start : statement.start])}
        for optimizer in sorted(made):
            edit = mutate.after(src, statement, f"torch::save({optimizer}, {found[2]});")
            yield Mutant([edit], edit.start, statement.start, edit.start + 1)


@mutate.operator("input-list-kept", "ml-jit-inputs")
def keep_input_list(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The list of inputs is made before the loop."""
    for statement, found in statements(src, re.compile(r"std::vector<torch::jit::IValue>\s+(\w+)\s*;")):
        loop = src.loop_of(statement)
        if loop and re.search(rf"\b{found[1]}\.(?:push|emplace)_back\(", src.mask[statement.end : loop.end]):
            text = src.text[statement.start : statement.end]
            edits = [mutate.delete(src, statement), mutate.before(src, loop.head, text)]
            yield Mutant(edits, statement.start, loop.head, loop.end)


@mutate.operator("sized-list", "ml-undefined-element")
def size_list(repo: Repo, src: Source) -> Iterator[Mutant]:
    """A list of tensors has undefined elements before those that are added."""
    for statement, found in statements(src, re.compile(r"std::vector<(?:torch|at)::Tensor>\s+(\w+)\s*;")):
        func = src.function_of(statement.block)
        rest = src.mask[statement.end : func.end] if func else ""
        if re.search(rf"\b{found[1]}\.(?:push|emplace)_back\(", rest) and re.search(
                rf"\b(?:stack|cat)\(\s*{found[1]}\b", rest):
            edit = Edit(statement.end - 1, statement.end - 1, "(4)")
            yield Mutant([edit], statement.start, func.start, func.end)


@mutate.operator("no-guard-update", "ml-manual-update-graph")
def update_with_graph(repo: Repo, src: Source) -> Iterator[Mutant]:
    """Parameters are changed by hand without a guard."""
    for statement, _ in statements(src, re.compile(r"(?:torch::|at::)?NoGradGuard\s+\w+\s*;")):
        block = statement.block
        rest = src.mask[statement.end : block.end] if block else ""
        if re.search(r"\.(?:copy_|add_|sub_|mul_|lerp_)\(", rest) and "parameters()" in rest:
            yield Mutant([mutate.delete(src, statement)], statement.start, block.start, block.end)


def without(src: Source, call: re.Pattern[str]) -> Iterator[Mutant]:
    """Each place that is written so is left out."""
    for found in call.finditer(src.mask):
        yield changed(src, found.start(1), found.end(1), "")


@mutate.operator("no-copy-to-host", "ml-host-access")
def read_from_gpu(repo: Repo, src: Source) -> Iterator[Mutant]:
    """Memory of a tensor on the GPU is read by the host."""
    if "kCUDA" in src.mask or "cuda()" in src.mask:
        copies = r"(\.(?:cpu\(\)|to\(\s*(?:torch|at)::kCPU\s*\)))"
        yield from without(src, re.compile(copies + r"\.(?:contiguous\(\)\.)?(?:data_ptr|accessor)<"))


@mutate.operator("no-contiguous", "ml-noncontiguous-data-ptr")
def read_views(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The memory of a permuted tensor is read as if it were in the order of its dimensions."""
    yield from without(src, re.compile(r"permute\(\{[^{}]*\}\)[^;]*(\.contiguous\(\))\.data_ptr"))


@mutate.operator("target-shape", "ml-broadcast-loss")
def broadcast_target(repo: Repo, src: Source) -> Iterator[Mutant]:
    """The target of an elementwise loss has another rank than the prediction."""
    for start, end, _ in calling(src, r"(?:mse_loss|l1_loss|smooth_l1_loss)"):
        shaped = r"\.(?:unsqueeze\(-?1\)|squeeze\(-?1?\)|view_as\(\w+\)|view\(\{\s*-1\s*,\s*1\s*\}\))"
        for found in re.finditer(f"({shaped})", src.mask[start:end]):
            yield changed(src, start + found.start(1), start + found.end(1), "")


if __name__ == "__main__":
    for name in THEIRS - {"no-train-restore"}:
        del mutate.OPERATORS[name]
    mutate.main()
