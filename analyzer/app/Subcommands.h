// The table of subcommands, from which help, manual and completion derive.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace gradtidy {

enum class Takes : unsigned char { Nothing, Source, Files, Checks, Program, Shell, Subcommand };

struct Subcommand {
  llvm::StringRef name;
  llvm::StringRef arguments; ///< As a synopsis shows them.
  llvm::StringRef summary;   ///< Lower case, without a full stop.
  llvm::StringRef text;      ///< Sentences.
  Takes takes;
  llvm::ArrayRef<llvm::StringRef> options; ///< That matter to it, by name.
};

llvm::ArrayRef<Subcommand> subcommands();

/// Null if there is none of that name.
const Subcommand *findSubcommand(llvm::StringRef name);

} // namespace gradtidy
