// What holds of every parse, whatever flags and sources a stranger wrote: clang parses, writes
// nothing, loads nothing, and reads regular files only.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <functional>

namespace clang {
class CompilerInstance;
class CompilerInvocation;
class SourceLocation;
} // namespace clang

namespace gradtidy {

/// The belt behind the gate (analyzer/source/FlagGate.h): clears from \p invocation every output,
/// plugin and action but parsing, and has all bodies parsed. Without \p hasOwnFlags
/// (FlagsRequest::hasOwnFlags), also clears what reads files in clang's own binary formats and what
/// has one file read in place of another: precompiled headers, modules, overlays.
///
/// False if the input is no source code, but an AST or bitcode.
bool secureInvocation(clang::CompilerInvocation &invocation, bool hasOwnFlags);

/// Takes from the preprocessor of \p compiler what clang has for its own tests and output: `#pragma
/// clang __debug`, with which a source has clang crash, or print what it likes on standard error;
/// `#pragma clang module`, with which it has clang compile and write modules; and, but for
/// preprocessed sources, the say of line markers (`# 1 "file.h" 3`) in which code is a system's,
/// which nobody looks at. To be called before anything is parsed.
/// \param tooMuch is told the place of each `#embed` that goes beyond what all of a unit may take,
///                at which the parser sees the end of the text; or null for no bound.
void securePreprocessor(clang::CompilerInstance &compiler,
                        std::function<void(clang::SourceLocation)> tooMuch = {});

/// The files of \p base without FIFOs, devices and sockets, which may block or never end, and
/// without sources beyond the limit: to open one is an error. What they are and that they exist can
/// be asked.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base);

} // namespace gradtidy
