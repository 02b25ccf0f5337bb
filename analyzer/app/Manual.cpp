#include "Manual.h"
#include "CommandLine.h"
#include "Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace gradtidy {
namespace {

using llvm::StringRef;

/// "--format=<value>", as help shows it.
std::string synopsisOf(const OptionText &option) {
  std::string text = (option.name.size() == 1 ? "-" : "--") + option.name.str();
  if (option.takesValue)
    text += (option.name.size() == 1 ? " <" : "=<") + option.valueName.str() + ">";
  return text;
}

/// With the values that it takes.
std::string textOf(const OptionText &option) {
  std::string text = option.text;
  for (size_t i = 0; i < option.values.size(); ++i)
    text += (i ? ", " : " ") + option.values[i].str();
  return text;
}

/// \p text as roff has it.
std::string roff(StringRef text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

} // namespace

std::string filled(StringRef text, unsigned indent, unsigned columns) {
  std::string result;
  size_t column = 0;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (const StringRef word : words) {
    if (column && column + 1 + word.size() > columns) {
      result += '\n';
      column = 0;
    }
    result += column ? std::string(" ") : std::string(indent, ' ');
    column += (column ? 1 : indent) + word.size();
    result += word;
  }
  return result + "\n";
}

void printHelp(llvm::raw_ostream &out, const Subcommand &command) {
  out << "USAGE: gradtidy " << command.name << (command.options.empty() ? "" : " [options]")
      << (command.arguments.empty() ? "" : " ") << command.arguments << "\n\n"
      << filled(command.text, 2);
  if (!command.options.empty())
    out << "\nOPTIONS:\n";
  for (const OptionText &option : shownOptions())
    if (llvm::is_contained(command.options, option.name))
      out << "\n  " << synopsisOf(option) << '\n' << filled(textOf(option), 6);
}

void printManual(llvm::raw_ostream &out) {
  out << ".TH GRADTIDY 1 \"\" \"" << roff(versionText()) << "\" \"User Commands\"\n"
      << ".SH NAME\ngradtidy \\- find mistakes in the training loops of C++ programs\n"
      << ".SH SYNOPSIS\n.B gradtidy\n[options] SOURCE...\n[\\-\\- COMPILER\\-FLAG...]\n";
  for (const Subcommand &command : subcommands()) {
    const std::string rest =
        (command.options.empty() ? "" : "[options] ") + roff(command.arguments);
    out << ".br\n.B gradtidy " << roff(command.name) << '\n' << rest << (rest.empty() ? "" : "\n");
  }
  out << ".SH DESCRIPTION\n"
      << roff(
             filled("Reads C++ programs that train models with LibTorch, or a framework that a "
                    "model file describes, and reports where a training loop goes wrong. Sources "
                    "are files, headers among them, or folders, which stand for all files of their "
                    "compilation database below them. Compiler flags come from "
                    "compile_commands.json, or follow after \"--\".",
                    0))
      << ".SH SUBCOMMANDS\n";
  for (const Subcommand &command : subcommands())
    out << ".TP\n.B " << roff(command.name) << ' ' << roff(command.arguments) << '\n'
        << roff(filled(command.text, 0));
  out << ".SH OPTIONS\n";
  for (const OptionText &option : shownOptions())
    out << ".TP\n.B " << roff(synopsisOf(option)) << '\n' << roff(filled(textOf(option), 0));
  out << ".SH \"EXIT STATUS\"\n.TP\n.B 0\nNothing that fails; there may be warnings.\n"
         ".TP\n.B 1\nCompiler errors, or findings that count as errors.\n"
         ".TP\n.B 2\nSomething that was asked for could not be done; 1 with "
         "\\-\\-exit\\-code=clang\\-tidy.\n"
         ".SH FILES\n.TP\n.I .gradtidy\nThe configuration of the sources below its folder, in the "
         "format of .clang\\-tidy.\n"
         ".TP\n.I compile_commands.json\nHow sources are compiled; looked for in the parents of "
         "each source and in their build folders.\n"
         ".TP\n.I ~/.cache/gradtidy\nPrecompiled headers and results, kept from run to run.\n"
         ".SH \"SEE ALSO\"\n.BR clang\\-tidy (1)\n";
}

} // namespace gradtidy
