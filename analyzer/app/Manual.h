// Help of a subcommand and the manual page, made of the tables of options and subcommands.
#pragma once

#include "Subcommands.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace gradtidy {

/// \p text in lines of at most \p columns, each behind \p indent blanks, with a line end.
std::string filled(llvm::StringRef text, unsigned indent, unsigned columns = 80);

/// What 'gradtidy SUBCOMMAND --help' prints.
void printHelp(llvm::raw_ostream &out, const Subcommand &command);

/// gradtidy(1), for man.
void printManual(llvm::raw_ostream &out);

} // namespace gradtidy
