// The gate through which flags reach clang: those of compilation databases, response files and
// configuration files are written by strangers, and clang has options that write files, run
// programs and load code.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm::opt {
class Arg;
} // namespace llvm::opt

namespace gradtidy {

/// Who wrote flags.
enum class FlagOrigin {
  Database,      ///< compile_commands.json, with its response files.
  Configuration, ///< ExtraArgs and ExtraArgsBefore.
  Person,        ///< The command line of gradtidy.
};

/// Lets pass what parsing needs, and nothing else, of flags in the language of clang's driver.
///
/// It is a list of what is allowed, in terms of clang's own table of options: include folders and
/// files, macros, the language, the target and its features, the toolchain's folders, warnings, and
/// the -f flags that change what a program means. An option that is new in clang is refused until
/// it is listed. -Xclang, -Xpreprocessor, -Wp, and -Xarch_host are opened, and what they hold
/// passes the same gate. A configuration file may name warnings; those of a database are the
/// build's business, except -Wno-….
///
/// Flags of the person who runs gradtidy are not judged: dropped is only what is no flag of clang,
/// names another output or action, or only tunes what gradtidy does not make.
class FlagGate {
public:
  /// \p directory is where relative paths start.
  explicit FlagGate(llvm::StringRef directory) : directory(directory) {}

  /// Adds what passes of \p words.
  void take(llvm::ArrayRef<std::string> words, FlagOrigin origin);

  std::vector<std::string> flags; ///< What has passed, in its order.
  std::string language;           ///< What -x says of the input, if it says anything.
  std::string cudaPath;           ///< Of a toolkit, if it is said.
  bool cudaHeaders = false; ///< An include folder holds CUDA's, as a package manager installs them.
  /// The spellings of options that did not pass although they change what a program means.
  std::vector<std::string> refused;

private:
  void takeDriverWords(llvm::ArrayRef<std::string> words);
  void takeFrontendWords();
  void takeDriverOption(const llvm::opt::Arg &argument, llvm::ArrayRef<const char *> words);
  void takeInclude(llvm::StringRef header);
  bool takeFolder(const llvm::opt::Arg &argument);
  void refuse(const llvm::opt::Arg &argument);

  std::string directory;
  FlagOrigin origin = FlagOrigin::Database;
  bool inputSeen = false;
  std::vector<std::string> preprocessorWords, frontendWords;
};

/// Whether clang's driver treats \p target, a triple, as a CPU. For a GPU it may run programs that
/// lie beside the compiler, to ask which one there is.
bool isCpuTarget(llvm::StringRef target);

} // namespace gradtidy
