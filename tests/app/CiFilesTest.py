"""The files for continuous integration do what docs/ci.md says: what action.yml, the GitLab template
and the Bazel aspect run is run here, in a repository with two findings, of which one is new.

    CiFilesTest.py SOURCES GRADTIDY
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import types
import xml.dom.minidom
from pathlib import Path

import yaml

LOOP = """#include <axon/axon.h>
void {}(axon::Block &net, axon::Array input, axon::Array target) {{
  axon::Solver solver(net.weights());
  for (int i = 0; i < 10; ++i) {{
    axon::Array loss = axon::distance(net(input), target);
    loss.backpropagate();
    solver.advance();
  }}
}}
"""
sources, gradtidy = Path(sys.argv[1]), sys.argv[2]


def equal(seen, expected, said=""):
    if seen != expected:
        sys.exit(f"{seen!r} is not {expected!r}: {said}")


def run(command, folder, environment=None):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def git(folder, *arguments):
    result = run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments], folder)
    equal(result.returncode, 0, result.stderr)


def make_project(folder):
    axon = sources / "tests/axon"
    entries = []
    (folder / "src").mkdir()
    for name in ("old", "fresh"):
        (folder / "src" / f"{name}.cpp").write_text(LOOP.format(name))
        entries.append({"directory": str(folder), "file": f"src/{name}.cpp",
                        "command": f"c++ -std=c++20 -isystem {axon} -c src/{name}.cpp"})
    (folder / "build").mkdir()
    (folder / "build/compile_commands.json").write_text(json.dumps(entries))
    (folder / ".gradtidy").write_text(f"CheckOptions: {{ml.Models: {axon}/axon.json}}\n")
    git(folder, "init", "-q", ".")
    git(folder, "add", "src/old.cpp", ".gradtidy")
    git(folder, "commit", "-qm", "old")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "fresh")


def step_of(action, name):
    return next(one for one in action["runs"]["steps"] if one["name"] == name)


def variables(action, step, given, event):
    """The environment of a step, as its expressions say: inputs, and the base of a pull request."""
    inputs = {name: row.get("default", "") for name, row in action["inputs"].items()} | given
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    known["github.event.pull_request.base.sha"] = event
    return {name: known[value.removeprefix("${{ ").removesuffix(" }}")]
            for name, value in step["env"].items()}


def run_step(step, folder, environment):
    return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], folder, environment)


def try_installation(folder, environment):
    """With a python3 whose environments have a pip that writes down what it is asked for."""
    action = yaml.safe_load((sources / "action.yml").read_text())
    # Expressions in a script would run what a stranger calls a branch.
    assert all("${{" not in step.get("run", "") for step in action["runs"]["steps"])
    (folder / "python3").write_text("""#!/bin/sh
[ "$1 $2 $3" = "-I -m venv" ] || exit 1 # Without -I, a venv.py of the checkout runs.
mkdir -p "$4/bin"
printf '#!/bin/sh\\necho "$@" >>"%s/asked"\\n' "$RUNNER_TEMP" >"$4/bin/pip"
chmod +x "$4/bin/pip"
""")
    (folder / "python3").chmod(0o755)
    step = step_of(action, "Install gradtidy")
    for given, package in (({}, f"gradtidy=={action['inputs']['version']['default']}"),
                           ({"version": "dist/gradtidy 1.whl"}, "dist/gradtidy 1.whl")):
        (folder / "asked").write_text("")
        own = {"RUNNER_TEMP": str(folder), "GITHUB_PATH": str(folder / "path"),
               "PATH": f"{folder}:{environment['PATH']}"}
        result = run_step(step, folder, environment | own | variables(action, step, given, ""))
        equal(result.returncode, 0, result.stderr)
        equal((folder / "asked").read_text(), f"install --quiet {package}\n")
        equal((folder / "path").read_text().splitlines()[-1], f"{folder}/gradtidy/bin")


def try_action(folder, environment):
    action = yaml.safe_load((sources / "action.yml").read_text())
    step = step_of(action, "Lint")
    base = run(["git", "rev-parse", "HEAD^"], folder).stdout.strip()
    summary, sarif = folder / "summary.md", folder / "gradtidy.sarif"
    for given, event, status, count in (
            ({"sources": "src", "build": "build"}, "", 1, 2),
            ({"sources": "src", "diff": "HEAD^"}, "", 1, 1),
            ({"sources": "src"}, base, 1, 1),
            ({"sources": "src", "diff": "none"}, base, 1, 2),
            ({"sources": "src/old.cpp src/fresh.cpp", "strict": "false",
              "arguments": "--level=0 --checks='-*,ml-missing-*'"}, "", 0, 2)):
        own = variables(action, step, given, event)
        summary.write_text("")
        result = run_step(step, folder, environment | own | {"RUNNER_TEMP": str(folder),
                                                             "GITHUB_STEP_SUMMARY": str(summary)})
        equal(result.returncode, status, result.stdout + result.stderr)
        equal(result.stdout.count("title=ml-missing-zero-grad::"), count, result.stdout)
        equal(len(json.loads(sarif.read_text())["runs"][0]["results"]), count)
        assert f"gradtidy: {count} finding" in summary.read_text(), summary.read_text()


def try_shallow_checkout(folder, environment):
    """Of a pull request: the one commit that was checked out lacks its base."""
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    base = run(["git", "rev-parse", "HEAD^"], folder).stdout.strip()
    clone = folder.parent / "clone"
    git(folder, "clone", "-q", "--depth=1", f"file://{folder}", str(clone))
    database = (clone / "build/compile_commands.json")
    database.write_text(database.read_text().replace(str(folder), str(clone)))
    action = yaml.safe_load((sources / "action.yml").read_text())
    step = step_of(action, "Lint")
    result = run_step(step, clone, environment | variables(action, step, {"sources": "src"}, base) |
                      {"RUNNER_TEMP": str(clone), "GITHUB_STEP_SUMMARY": str(clone / "summary.md")})
    equal(result.returncode, 1, result.stdout + result.stderr)
    equal(result.stdout.count("title=ml-missing-zero-grad::"), 1, result.stdout + result.stderr)


def try_gitlab(folder, environment):
    job = yaml.safe_load((sources / "integrations/gitlab/gradtidy.yml").read_text())[".gradtidy"]
    variables = {name: str(value) for name, value in job["variables"].items()}
    variables |= {"GRADTIDY_SOURCES": "src", "XDG_CACHE_HOME": environment["XDG_CACHE_HOME"]}
    for base, count in ((None, 2), ("HEAD^", 1)):
        own = environment | variables | ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": base} if base else {})
        result = run(["sh", "-ec", "\n".join(job["script"])], folder, own)
        equal(result.returncode, 1, result.stdout + result.stderr)
        reports = job["artifacts"]["reports"]
        equal(len(json.loads((folder / reports["codequality"]).read_text())), count)
        document = xml.dom.minidom.parse(str(folder / reports["junit"]))
        equal(len(document.getElementsByTagName("failure")), count)


def check_container():
    """docs/ci.md shows the container file as it is."""
    file = (sources / "Containerfile").read_text()
    shown = (sources / "docs/ci.md").read_text().split("```dockerfile\n")[1].split("```")[0]
    equal(shown, "".join(line for line in file.splitlines(True) if not line.startswith("#")))


class Arguments(list):
    add, add_all = list.append, list.extend


def try_bazel(folder, environment):
    """The aspect is Python, too: it runs with what stands in for Bazel, and so does its action."""
    Of = types.SimpleNamespace
    defines = {}
    bazel = {
        "load": lambda *names: None, "aspect": lambda **given: defines.update(given) or given,
        "ACTION_NAMES": Of(cpp_compile="c++-compile"), "CcInfo": "CcInfo",
        "find_cpp_toolchain": lambda ctx: Of(all_files=[]), "use_cpp_toolchain": lambda: [],
        "depset": lambda direct=(), transitive=(): [*direct, *(one for each in transitive for one in each)],
        "OutputGroupInfo": lambda **groups: groups,
        "cc_common": Of(
            configure_features=lambda **given: None, create_compile_variables=lambda **given: given,
            get_memory_inefficient_command_line=lambda variables, **given: [
                *variables["user_compile_flags"],
                *(f"-isystem{each}" for each in variables["system_include_directories"]),
                *(f"-D{each}" for each in variables["preprocessor_defines"])])}
    exec(compile((sources / "integrations/bazel/gradtidy.bzl").read_text(), "gradtidy.bzl", "exec"), bazel)
    context = Of(includes=[], quote_includes=[], system_includes=[str(sources / "tests/axon")], headers=[],
                 defines=["RATE=0.1"], local_defines=[])
    for name, status in (("old.cpp", 1), ("notes.txt", None)):
        actions = []
        files = Of(files=Of(to_list=lambda name=name: [
            Of(extension=name.split(".")[1], is_source=True, path=f"src/{name}")]))
        ctx = Of(rule=Of(attr=Of(srcs=[files], copts=[])), label=Of(name="train"),
                 fragments=Of(cpp=Of(copts=[], cxxopts=["-std=c++20"])),
                 actions=Of(declare_file=lambda name: f"{folder}/{name}", args=Arguments,
                            run_shell=lambda **given: actions.append(given)))
        defines["implementation"]({"CcInfo": Of(compilation_context=context)}, ctx)
        equal(len(actions), 0 if status is None else 1, name)
        for action in actions:
            words = [getattr(word, "path", word) for word in action["arguments"][0]]
            result = run(["bash", "-c", action["command"], "", *words], folder, environment)
            equal(result.returncode, status, result.stdout + result.stderr)
            equal(Path(action["outputs"][0]).read_text().count("[ml-missing-zero-grad,"), 1, result.stderr)
    equal(defines["implementation"]({}, None), [])


with tempfile.TemporaryDirectory(dir="/var/tmp") as root:
    root = Path(root).resolve()
    (root / "bin").mkdir()
    (root / "bin/gradtidy").symlink_to(gradtidy)
    (root / "project").mkdir()
    make_project(root / "project")
    known = dict(os.environ, PATH=f"{root}/bin:{os.environ['PATH']}", XDG_CACHE_HOME=f"{root}/cache")
    (root / "installation").mkdir()
    try_installation(root / "installation", known)
    try_action(root / "project", known)
    try_shallow_checkout(root / "project", known)
    try_gitlab(root / "project", known)
    try_bazel(root / "project", known)
    check_container()
    shutil.rmtree(root / "project")
