"""What the analyzer knows of tensors (`gradtidy ir --values`, docs/ir.md), and whether facts of a run are allowed by it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

ELEMENTS = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
            "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}
OF_TENSORS = ("type", "rank", "sizes", "gradient", "leaf", "device")
CALL = re.compile(r"^ +call:\S*look\S* \((.*)\) -> %(\d+)")
CODE = re.compile(r"^ +@(\d+) call (?:f\d+:)?(\d+):\d+\.\.\S* symbol=\S*look")
SHAPE = re.compile(r"^(\w+) \(((?:…|\d+|N)?(?:, (?:\d+|N))*)\)(?:, |$)")


@dataclass
class Abstract:
    """One line about a tensor: what it may be."""
    words: list[str]
    creations: set[str]  # the sites of factories

    @staticmethod
    def of(text: str, creations: set[str]) -> "Abstract":
        match = SHAPE.match(text)
        words = [match.group().removesuffix(", ")] if match else []
        return Abstract(words + text[match.end() if match else 0:].split(", "), creations)

    def after(self, prefix: str) -> str | None:
        return next((word[len(prefix):] for word in self.words if word.startswith(prefix)), None)

    def shape(self) -> tuple[str, bool, list[int | None]]:
        """Type of the elements, whether there may be more dimensions in front, sizes."""
        match = SHAPE.match(self.words[0]) if self.words else None
        if not match:
            return "none", True, []
        sizes = [size for size in match[2].split(", ") if size]
        is_open = bool(sizes) and sizes[0] == "…"
        return match[1], is_open, [None if size == "N" else int(size) for size in sizes[is_open:]]

    def values(self) -> dict[str, object]:
        """For each domain what is known; None where nothing is."""
        element, is_open, sizes = self.shape()
        graph = self.after("graph ")
        bits = set(graph.split(" or ")) if graph else {"unknown"}
        undefined = "no tensor" in self.words
        gradient = None if "unknown" in bits else True if bits == {"attached"} else None if "attached" in bits else False
        made = self.after("made by @")
        leaf = None
        if gradient is False or "parameter" in self.words:
            leaf = True
        elif self.after("derived by ") is not None:
            leaf = False
        elif gradient and "recorded" not in self.words and made in self.creations:
            leaf = True
        device = self.after("on ")
        known: dict[str, object] = {
            "type": None if element == "none" else element,
            "rank": None if is_open else len(sizes),
            "sizes": None if is_open or None in sizes else sizes,
            "gradient": gradient,
            "leaf": leaf,
            "device": device if device and not device.startswith("the device") else None,
            "defined": False if undefined else None,
        }
        return known

    def contradiction(self, fact: dict) -> str:
        """The domain that the facts of a run contradict, or nothing."""
        known = self.values()
        if not fact["defined"]:
            return "" # nothing is asked of what is no tensor
        if known["defined"] is False:
            return "defined"
        element, is_open, sizes = self.shape()
        if element != "none" and element != ELEMENTS.get(fact["type"]):
            return "type"
        actual = fact["sizes"]
        if len(actual) < len(sizes) or not is_open and len(actual) != len(sizes) or "has dimensions" in self.words and not actual:
            return "rank"
        for size, real in zip(reversed(sizes), reversed(actual)):
            if size is not None and size != real:
                return "sizes"
        if known["gradient"] is not None and known["gradient"] != fact["gradient"]:
            return "gradient"
        if known["leaf"] is not None and known["leaf"] != fact["leaf"]:
            return "leaf"
        if known["device"] is not None and known["device"] != fact["device"]:
            return "device"
        return ""


@dataclass
class Point:
    """A look(): its operands, and what is known of each, once for each context and way."""
    operands: list[str]
    lines: dict[str, list[Abstract]]
    modes: list[str]


def split_operands(text: str) -> list[str]:
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [re.sub(r"(@[\d-]+)?(:[\w-]+)?[!&]*(\{[^}]*\})?$", "", part.strip()) for part in parts]


def points(text: str) -> dict[int, Point]:
    """By line of the source."""
    lines = text.splitlines()
    site_lines = {match[1]: int(match[2]) for line in lines if (match := CODE.match(line))}
    creations = {match[1] for line in lines if re.match(r"^ +create", line) and (match := re.search(r"-> %(\d+)", line))}
    found: dict[int, Point] = {}
    for position, line in enumerate(lines):
        match = CALL.match(line)
        if not match or match[2] not in site_lines:
            continue
        point = Point(split_operands(match[1]), defaultdict(list), [])
        for remark in lines[position + 1:]:
            remark = remark.strip()
            if not remark.startswith("; "):
                break
            remark = re.sub(r"^; (called by @\S+, )*", "", remark)
            if remark.startswith("gradients recorded: "):
                point.modes.append(remark.split(": ")[1].split(", ")[0])
                continue
            for operand in point.operands:
                if remark.startswith(operand + ": "):
                    point.lines[operand].append(Abstract.of(remark[len(operand) + 2:], creations))
        found[site_lines[match[2]]] = point
    return found


MEMORY = "in the memory "


def sharing(a: list[Abstract], b: list[Abstract]) -> bool | None:
    """Whether two tensors lie in the same memory, if that is known."""
    first, second = {x.after(MEMORY) for x in a}, {x.after(MEMORY) for x in b}
    if not first or not second or None in first | second:
        return None
    if len(first) == 1 and first == second:
        return True
    return None if first & second else False


def known(point: Point) -> list[dict[str, object]]:
    """What is known of each operand of a point in all contexts and ways."""
    all = []
    for operand in point.operands:
        values = [line.values() for line in point.lines[operand]]
        all.append({domain: values[0][domain] if values and all_same(values, domain) else None for domain in values[0]}
                   if values else {})
    return all


def all_same(values: list[dict[str, object]], domain: str) -> bool:
    return all(value[domain] == values[0][domain] for value in values)


def contradictions(point: Point, report: dict) -> list[tuple[str, str]]:
    """The domains and operands of a point that a report of it contradicts."""
    wrong = []
    facts = report["tensors"]
    for operand, fact in zip(point.operands, facts):
        lines = point.lines[operand]
        found = [line.contradiction(fact) for line in lines]
        if found and all(found):
            wrong.append((found[0], operand))
    for i, fact in enumerate(facts):
        for j, shared in enumerate(fact.get("shared", [])):
            if not fact.get("empty") and facts[j]["defined"] and not facts[j]["empty"]:
                expected = sharing(point.lines[point.operands[i]], point.lines[point.operands[j]])
                if expected is not None and expected != shared:
                    wrong.append(("sharing", f"{point.operands[j]} {point.operands[i]}"))
    modes = {"off": {False}, "on": {True}}
    possible = set().union(*(modes.get(part, {True, False}) for mode in point.modes for part in mode.split(" or ")))
    if (possible or {True}) != {True, False} and report["recorded"] not in (possible or {True}):
        wrong.append(("recorded", ""))
    return wrong
