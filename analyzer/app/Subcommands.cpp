#include "Subcommands.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {
namespace {

constexpr llvm::StringRef explainOptions[] = {"use-color"};
constexpr llvm::StringRef proveOptions[] = {"backend",   "libtorch",    "runtime",  "fixtures",
                                            "plots",     "format",      "j",        "timeout",
                                            "cache-dir", "cache-limit", "no-cache", "quiet"};
constexpr llvm::StringRef watchOptions[] = {"format",    "output",   "steps", "libtorch",
                                            "cache-dir", "no-cache", "quiet", "use-color"};
constexpr llvm::StringRef mergeOptions[] = {
    "format",   "output", "strict", "warnings-as-errors", "fix",       "fix-errors",
    "baseline", "diff",   "quiet",  "use-color",          "exit-code", "export-fixes"};
constexpr llvm::StringRef irOptions[] = {
    "values",         "whole",           "p",         "config",           "config-file",
    "model",          "bundled-runtime", "extra-arg", "extra-arg-before", "removed-arg",
    "system-headers", "vfsoverlay",      "cache-dir", "cache-limit",      "no-cache",
    "timeout",        "memory-limit",    "quiet"};
constexpr llvm::StringRef modelOptions[] = {"quiet", "timeout", "memory-limit"};
constexpr llvm::StringRef lspOptions[] = {
    "p",         "checks",           "level",     "config",   "config-file", "model",
    "extra-arg", "extra-arg-before", "cache-dir", "no-cache", "timeout"};

constexpr Subcommand table[] = {
    {"explain", "[NAME...]", "print the pages of checks",
     "Prints the pages of these checks, or of all that match a glob such as 'missing-*': symptom, "
     "cause, bug, fix, and what the check does not report. Without a name, a line for each check. "
     "On a terminal pages are laid out, and long ones are shown by $PAGER.",
     Takes::Checks, explainOptions},
    {"prove", "[NAME...]", "build and run the fixtures of checks",
     "Builds and runs, for every check or those named, a program with the bug and one without, and "
     "shows the finding in the one, the silence in the other, and what they measure. Exit status 0 "
     "if all are as they must be. CXX and CXXFLAGS name a compiler and flags; --format is text or "
     "json.",
     Takes::Checks, proveOptions},
    {"watch", "-- PROGRAM ARGUMENT...", "run a program and report what goes wrong in it",
     "Runs a program that links LibTorch and reports the pitfalls that its run shows, by the names "
     "of the checks. Exit status as the program's, unless that is 0. Options stand before \"--\".",
     Takes::Program, watchOptions},
    {"merge", "FILE...", "join what --results wrote",
     "Prints what the runs with --shard and --results have found as one run would have, and makes "
     "the fixes if it is asked to.",
     Takes::Files, mergeOptions},
    {"ir", "SOURCE [FUNCTION]", "print what gradtidy makes of a source",
     "Prints the intermediate representation of a source's functions, or of those of one name, "
     "with "
     "all that stands in them. --values adds what the engine knows behind each event, --whole "
     "prints all that an analysis needs. Compiler flags are found as for a run, or follow after "
     "\"--\".",
     Takes::Source, irOptions},
    {"model", "check FILE...", "check models of frameworks",
     "Says what is wrong with model files: unknown keys and roles, names that match nothing, names "
     "with two roles, phrases that are not code, and what cannot be found with them. Compiler "
     "flags "
     "behind \"--\" have the names compared with what the model's headers declare: gradtidy model "
     "check lumen.json -- -std=c++20 -Iinclude. Exit status 0 if nothing is wrong, else 2.",
     Takes::Files, modelOptions},
    {"lsp", "", "serve an editor",
     "Speaks the Language Server Protocol on standard input and output: findings of what is open "
     "in "
     "an editor, saved or not, with fixes as code actions. Options are those of a run; sources are "
     "what the editor opens.",
     Takes::Nothing, lspOptions},
    {"completion",
     "bash|zsh|fish",
     "print a completion script: bash, zsh or fish",
     "Prints a script that completes options, checks and files: source <(gradtidy completion bash)",
     Takes::Shell,
     {}},
    {"man",
     "",
     "print the manual page",
     "Prints the manual page for man: gradtidy man | man -l -",
     Takes::Nothing,
     {}},
    {"help",
     "[SUBCOMMAND]",
     "print this help, or that of a subcommand",
     "Prints the help of a subcommand, or all options of gradtidy. 'gradtidy SUBCOMMAND --help' is "
     "the same.",
     Takes::Subcommand,
     {}},
};

} // namespace

llvm::ArrayRef<Subcommand> subcommands() { return table; }

const Subcommand *findSubcommand(llvm::StringRef name) {
  const Subcommand *found =
      llvm::find_if(table, [name](const Subcommand &row) { return row.name == name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace gradtidy
