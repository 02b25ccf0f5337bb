#include "Completion.h"
#include "Subcommands.h"

#include "analyzer/report/Printable.h"
#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace gradtidy {
namespace {

using llvm::StringRef;

std::string joinChecks() {
  std::vector<StringRef> names;
  for (const CatalogueRow &row : catalogue())
    names.push_back(row.name);
  return llvm::join(names, " ");
}

/// Subcommands for which \p isWanted holds, as alternatives of a pattern of a shell.
template <typename Predicate> std::string join(StringRef separator, const Predicate &isWanted) {
  std::vector<StringRef> names;
  for (const Subcommand &command : subcommands())
    if (isWanted(command))
      names.push_back(command.name);
  return llvm::join(names, separator);
}

bool takesChecks(const Subcommand &command) { return command.takes == Takes::Checks; }
bool isAny(const Subcommand &) { return true; }

/// \p text between single quotes of a shell.
std::string inQuotes(StringRef text) {
  std::string result;
  for (const char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + result + "'";
}

/// \p text for a description of zsh's _arguments.
std::string withoutBrackets(StringRef text) {
  std::string result;
  for (const char c : text)
    result += StringRef("[]:\\").contains(c) ? std::string("\\") + c : std::string(1, c);
  return result;
}

void printBash(llvm::raw_ostream &out, llvm::ArrayRef<OptionText> options) {
  out << R"(_gradtidy() {
  local word=${COMP_WORDS[COMP_CWORD]} option= before=${COMP_WORDS[COMP_CWORD-1]}
  # Bash takes --format=json for three words.
  if [[ $word == = ]]; then
    option=$before word=
  elif [[ $before == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $option in
)";
  for (const OptionText &option : options)
    if (!option.values.empty())
      out << "  --" << option.name << ") COMPREPLY=($(compgen -W "
          << inQuotes(llvm::join(option.values, " ")) << " -- \"$word\")); return ;;\n";
  out << "  --checks | --warnings-as-errors) COMPREPLY=($(compgen -W " << inQuotes(joinChecks())
      << " -- \"$word\")); return ;;\n  ?*) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      << "  esac\n  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W '";
  for (const OptionText &option : options)
    out << (option.name.size() == 1 ? "-" : "--") << option.name
        << (option.takesValue && option.name.size() > 1 ? "= " : " ");
  out << R"(' -- "$word"))
    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    return
  fi
  case ${COMP_WORDS[1]} in
  )" << join(" | ", takesChecks)
      << ") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W " << inQuotes(joinChecks())
      << R"( -- "$word")); return; } ;;
  help) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W ')"
      << join(" ", isAny) << R"(' -- "$word")); return; } ;;
  completion) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")); return; } ;;
  esac
  ((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W ')"
      << join(" ", isAny) << R"(' -- "$word"))
  COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _gradtidy gradtidy
)";
}

void printZsh(llvm::raw_ostream &out, llvm::ArrayRef<OptionText> options) {
  out << "#compdef gradtidy\n_gradtidy() {\n  local -a checks=(" << joinChecks()
      << ")\n  local -a commands=(\n";
  for (const Subcommand &command : subcommands())
    out << "    " << inQuotes((command.name + ":" + command.summary).str()) << '\n';
  out << "  )\n  if ((CURRENT > 2)); then\n    case $words[2] in\n    " << join(" | ", takesChecks)
      << ") [[ $PREFIX == -* ]] || { compadd -a checks; return } ;;\n"
         "    help) _describe command commands; return ;;\n"
         "    completion) compadd bash zsh fish; return ;;\n    esac\n"
         "  elif [[ $PREFIX != -* ]]; then\n    _describe command commands\n  fi\n  _arguments -S";
  for (const OptionText &option : options) {
    std::string spec = (option.name.size() == 1 ? "-" : "--") + option.name.str();
    if (option.takesValue)
      spec += option.name.size() == 1 ? "" : "=";
    spec += "[" + withoutBrackets(option.description) + "]";
    if (!option.values.empty())
      spec += ":value:(" + llvm::join(option.values, " ") + ")";
    else if (option.name == "checks" || option.name == "warnings-as-errors")
      spec += ":check:(" + joinChecks() + ")";
    else if (option.takesValue)
      spec += ":value:_files";
    out << " \\\n    " << inQuotes(spec);
  }
  out << " \\\n    '*:source:_files'\n}\n"
         "if [[ $funcstack[1] == _gradtidy ]]; then _gradtidy \"$@\"; else compdef _gradtidy "
         "gradtidy; fi\n";
}

void printFish(llvm::raw_ostream &out, llvm::ArrayRef<OptionText> options) {
  for (const Subcommand &command : subcommands())
    out << "complete -c gradtidy -n __fish_use_subcommand -a " << command.name << " -d "
        << inQuotes(command.summary) << '\n';
  out << "complete -c gradtidy -n '__fish_seen_subcommand_from " << join(" ", takesChecks)
      << "' -f -a '" << joinChecks()
      << "'\ncomplete -c gradtidy -n '__fish_seen_subcommand_from help' -f -a '" << join(" ", isAny)
      << "'\ncomplete -c gradtidy -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh "
         "fish'\n";
  for (const OptionText &option : options) {
    out << "complete -c gradtidy " << (option.name.size() == 1 ? "-s " : "-l ") << option.name
        << " -d " << inQuotes(option.description);
    if (!option.values.empty())
      out << " -x -a " << inQuotes(llvm::join(option.values, " "));
    else if (option.name == "checks" || option.name == "warnings-as-errors")
      out << " -x -a " << inQuotes(joinChecks());
    else if (option.takesValue)
      out << " -r";
    out << '\n';
  }
}

} // namespace

int printCompletion(const CommandLine &commandLine) {
  const std::vector<OptionText> options = shownOptions();
  const std::string shell = commandLine.sources.size() == 1 ? commandLine.sources[0] : "";
  if (shell == "bash")
    printBash(llvm::outs(), options);
  else if (shell == "zsh")
    printZsh(llvm::outs(), options);
  else if (shell == "fish")
    printFish(llvm::outs(), options);
  else {
    ErrorLine() << "name one shell: gradtidy completion bash, zsh or fish";
    return commandLine.statusOfFailure();
  }
  return 0;
}

} // namespace gradtidy
