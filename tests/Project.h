// A small project of its own to run programs in: for tests that see gradtidy as its users do.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace gradtidy::test {

/// What a program left.
struct Run {
  int status = 0;       ///< Exit status; -1 if a signal ended the program.
  std::string out, err; ///< What it wrote.
};

/// A new folder, removed with everything in it at the end.
class Project {
public:
  Project();
  ~Project();
  Project(const Project &) = delete;
  Project &operator=(const Project &) = delete;

  /// The absolute path of \p file, without symbolic links.
  std::string path(const std::string &file = {}) const;

  /// Makes the folders above \p file too.
  void write(const std::string &file, const std::string &text) const;
  std::string read(const std::string &file) const;

  /// Damages \p file, which may be read-only, as those of a cache are; its mode stays.
  void overwrite(const std::string &file, const std::string &text) const;

  /// A compile_commands.json in \p folder, with the same \p flags for every one of \p sources.
  void writeDatabase(const std::string &folder, std::initializer_list<std::string> sources,
                     const std::string &flags) const;

  /// Runs \p program in the folder \p in of the project; \p arguments go through no shell.
  Run run(const std::string &program, const std::vector<std::string> &arguments,
          const std::string &in = {}) const;

  /// Runs gradtidy.
  Run gradtidy(const std::vector<std::string> &arguments, const std::string &in = {}) const;

private:
  std::string root;
};

/// The path of gradtidy.
std::string gradtidyProgram();

/// A small framework for quick tests, axon/axon.h: its folder and its model.
std::string axonFolder();
std::string axonModel();

/// A function NAME(net, input, target) that trains with axon; \p clear stands at the top of the
/// loop body and \p step in its last line.
std::string trainingLoop(const std::string &name, const std::string &clear = "",
                         const std::string &step = "solver.advance();");

/// Lines on which clang's preprocessor overflows its stack.
std::string crashingCode();

/// How often \p part occurs in \p text.
unsigned count(const std::string &text, const std::string &part);

} // namespace gradtidy::test
