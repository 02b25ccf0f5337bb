// Call stacks of the watched program, without the frames of LibTorch and the system's libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradtidy::watch {

/// Return addresses in the program's own code, innermost first. `gradtidy watch` turns them into
/// source lines when the program has ended.
struct Stack {
  std::vector<void *> addresses;

  /// The stack of the caller. Costs some microseconds.
  static Stack capture();

  bool empty() const { return addresses.empty(); }
  uint64_t hash() const;
  /// A JSON array of [file, address in the file].
  std::string json() const;
};

/// Whether \p address lies in LibTorch or in a library of the system.
bool isLibraryCode(const void *address);

/// The file of this library, as the dynamic linker was given it.
const std::string &ownFile();

/// \p text as a JSON string, with its quotes.
std::string quoted(const std::string &text);

} // namespace gradtidy::watch
