#!/usr/bin/env python3
"""Measures gradtidy on code that nobody has studied: repositories that readers have labelled, and programs.

A set is a folder with repos.txt (`owner+name COMMIT GITDIR` in a line) and labels.jsonl, as docs/testing.md describes
them. SCORE is the folder of the labelled corpus, with prepare.py.

    unseen.py prepare SCORE SET OUT --torch-include DIR[:DIR...]   checks the repositories out below OUT
    unseen.py run GRADTIDY OUT                                     lints each of them: OUT/*/findings.json
    unseen.py score SET OUT [--show missed|unlabelled]    compares with the labels
    unseen.py reports GRADTIDY DIR --torch-include DIR[:DIR...]    programs with a bug, and repaired ones
    unseen.py correct GRADTIDY DIR --torch-include DIR[:DIR...]    programs that are right
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NEAR = 5  # lines
SOURCES = {".cpp", ".cc", ".cxx", ".c++", ".cu"}
CUDA = ["-x", "cuda", "--cuda-host-only", "-nocudalib", "--cuda-path=/usr/local/cuda"]
MARK = re.compile(r"//\s*BUG:\s*(none|ml-[\w-]+)")


def prepare(args: argparse.Namespace) -> None:
    """Checks out the repositories of a set, with databases that list all their CUDA sources."""
    rows = [line.split() for line in (args.set / "repos.txt").read_text().splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        mirrors, names = Path(folder), Path(folder) / "repos.txt"
        for name, _, git_dir in rows:
            (mirrors / name).mkdir()
            (mirrors / name / "repo").symlink_to(git_dir)
        names.write_text("".join(f"{name} {commit}\n" for name, commit, _ in rows))
        command = [sys.executable, args.score / "prepare.py", "--repos", names, "--mirrors", mirrors]
        command += ["--torch-include", args.torch_include, "--with-cuda", "--out", args.out]
        subprocess.run(command, check=True)
    for name, _, _ in rows:
        add_kernels(args.out / name)


def add_kernels(root: Path) -> None:
    """Lists the CUDA sources that include no header of LibTorch, with the flags of another source."""
    path = root / "compile_commands.json"
    database = json.loads(path.read_text())
    known = {entry["file"] for entry in database}
    if not database:
        return
    flags = [flag for flag in database[0]["arguments"][1:-2] if flag not in CUDA]
    folders = sorted({f"-I{header.parent}" for header in root.rglob("*.cuh")})
    for source in sorted(root.rglob("*.cu")):
        if str(source) not in known:
            arguments = ["clang++", *flags, *folders, *CUDA[:3], "-c", str(source)]
            database.append({"directory": str(root), "file": str(source), "arguments": arguments})
    path.write_text(json.dumps(database, indent=1))


def run(args: argparse.Namespace) -> None:
    """Lints every repository below OUT with its own database."""

    def lint(root: Path) -> str:
        begin = time.monotonic()
        sources = [entry["file"] for entry in json.loads((root / "compile_commands.json").read_text())]
        if not sources:
            return f"{root.name}: no sources"
        command = [args.gradtidy, "--format=json", "--quiet", "-j1", "-p", root, *sources]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=args.limit)
        except subprocess.TimeoutExpired:
            return f"{root.name}: NOT DONE in {args.limit} s, {len(sources)} sources"
        (root / "findings.json").write_text(done.stdout)
        (root / "errors.txt").write_text(done.stderr)
        said = [line for line in done.stderr.splitlines() if "crash" in line or "follow" in line]
        return f"{root.name}: {len(sources)} sources, {time.monotonic() - begin:.0f} s {' '.join(said)[:200]}"

    roots = [each.parent for each in sorted(args.out.glob("*/compile_commands.json"))]
    with ThreadPoolExecutor(args.jobs) as pool:
        for line in pool.map(lint, [root for root in roots if args.again or not (root / "findings.json").exists()]):
            print(line, flush=True)


def findings_below(out: Path) -> list[dict]:
    """All that was found, each once, with files relative to OUT."""
    found = {}
    for path in sorted(out.glob("*/findings.json")):
        for each in json.loads(path.read_text() or '{"findings": []}')["findings"]:
            if each["check"].startswith("ml-") and str(out) in each["file"]:
                file = each["file"].split(str(out) + "/", 1)[1]
                found[file, each["line"], each["check"]] = {**each, "file": file}
    return list(found.values())


def score(args: argparse.Namespace) -> None:
    """Prints how many labels were found, and what else was said of the files that were read."""
    out = args.out.resolve()
    lines = [json.loads(line) for line in (args.set / "labels.jsonl").read_text().splitlines() if line.strip()]
    measured = {path.parent.name for path in out.glob("*/findings.json")}
    lines = [line for line in lines if line["file"].split("/")[0] in measured]
    read = {line["file"] for line in lines}
    labels = [line for line in lines if not line.get("summary")]
    found = [each for each in findings_below(out) if each["file"] in read]
    table: Counter[tuple[str, str, str, str]] = Counter()
    explained = set()
    for label in labels:
        near = [
            each for each in found if each["file"] == label["file"] and abs(each["line"] - label["line"]) <= NEAR
        ]
        same = [each for each in found if each["file"] == label["file"] and each["check"] == "ml-" + label["label"]]
        hits = [each for each in near if each["check"] == "ml-" + label["label"]]
        state = "found" if hits else "elsewhere" if near or same else "missed"
        explained |= {id(each) for each in hits}
        kind = "other" if label["label"].startswith("other") else "known"
        table[label["confidence"], label["group"], kind, state] += 1
        if state != "found" and args.show == "missed" and label["confidence"] == "certain":
            print(f"{state} {label['group'][:4]} {label['file']}:{label['line']} {label['label']}: {label['why']}")
            for each in near or same:
                print(f"      says {each['check']}:{each['line']}")
    rest = [each for each in found if id(each) not in explained]
    if args.show == "unlabelled":
        for each in sorted(rest, key=lambda each: (each["file"], each["line"])):
            column = each.get("column", 1)
            print(f"{each['file']}:{each['line']}:{column}: warning (level {each.get('level')}): "
                  f"{each['message']} [{each['check']}]")
        return
    for key in sorted({key[:3] for key in table}):
        counts = {state: table[*key, state] for state in ("found", "elsewhere", "missed")}
        print(" ".join(key), counts, "of", sum(counts.values()))
    levels = Counter(each.get("level") for each in found)
    print(f"{len(found)} findings in {len(read)} files that were read, {len(rest)} without a label; levels {levels}")


def lint_program(gradtidy: str, source: Path, includes: str) -> list[dict]:
    """What is found in one program."""
    flags = ["-std=c++20", *(flag for folder in includes.split(":") for flag in ("-isystem", folder))]
    flags += CUDA if source.suffix == ".cu" else []
    command = [gradtidy, "--format=json", "--quiet", str(source), "--", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)["findings"]
    except (json.JSONDecodeError, KeyError):
        print(f"{source}: {done.stderr[-300:]}")
        return []
    return [each for each in found if each["check"].startswith("ml-")]


def programs(folder: Path, stem: str) -> Iterator[Path]:
    """The sources in the folder that are called so."""
    return (path for path in sorted(folder.rglob(f"{stem}.*")) if path.suffix in SOURCES)


def reports(args: argparse.Namespace) -> None:
    """Prints which of the bugs are found, and what is said of the repaired programs."""
    counts: Counter[str] = Counter()

    def judge(bug: Path) -> tuple[str, str]:
        marks = [(number, mark[1]) for number, text in enumerate(bug.read_text().splitlines(), 1)
                 if (mark := MARK.search(text))]
        line, kind = marks[0] if marks else (0, "none")
        said = lint_program(args.gradtidy, bug, args.torch_include)
        near = [each for each in said if abs(each["line"] - line) <= NEAR]
        hit = any(kind in ("none", each["check"]) for each in near)
        state = "found" if hit else "elsewhere" if near or any(each["check"] == kind for each in said) else "missed"
        repaired = lint_program(args.gradtidy, next(programs(bug.parent, "fix")), args.torch_include)
        alarms = "".join(f"; ALARM {each['check']}:{each['line']} (level {each.get('level')})" for each in repaired)
        words = ", ".join(f"{each['check']}:{each['line']}" for each in said)
        return state, f"{state:9} {bug.parent.name:28} {kind} at {line}; says {words or 'nothing'}{alarms}"

    with ThreadPoolExecutor(args.jobs) as pool:
        for state, line in pool.map(judge, programs(args.dir, "bug")):
            counts[state] += 1
            counts["alarms"] += line.count("ALARM")
            print(line, flush=True)
    print(dict(counts))


def correct(args: argparse.Namespace) -> None:
    """Prints what is said of programs that are right."""
    sources = list(programs(args.dir, "*"))
    with ThreadPoolExecutor(args.jobs) as pool:
        said = pool.map(lambda source: lint_program(args.gradtidy, source, args.torch_include), sources)
        for source, found in zip(sources, said):
            for each in found:
                print(f"{source.name}:{each['line']}: {each['message']} [{each['check']}, level {each.get('level')}]")
    print(f"{len(sources)} programs")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(function, *places: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(function.__name__, help=function.__doc__)
        for place in places:
            sub.add_argument(place, type=str if place == "gradtidy" else Path)
        sub.set_defaults(function=function)
        return sub

    for sub in (command(prepare, "score", "set", "out"), command(reports, "gradtidy", "dir"),
                command(correct, "gradtidy", "dir")):
        sub.add_argument("--torch-include", required=True, metavar="DIR[:DIR...]")
        sub.add_argument("-j", "--jobs", type=int, default=1)
    linting = command(run, "gradtidy", "out")
    linting.add_argument("-j", "--jobs", type=int, default=1)
    linting.add_argument("--limit", type=float, default=900, help="seconds for a repository")
    linting.add_argument("--again", action="store_true", help="also those that were linted")
    command(score, "set", "out").add_argument("--show", choices=["missed", "unlabelled"], default="")
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
