// SharedLibrary: one of NVIDIA's libraries, opened when it is first needed, so that programs which
// use no device start without its hundreds of megabytes.
#pragma once

#include <string>

namespace gradtidy::runtime {

class SharedLibrary {
public:
  /// Looks where the system looks, and then in the toolkit that the runtime was built with. Throws
  /// where it is in neither.
  explicit SharedLibrary(const std::string &name);

  /// Throws where the library has no function of this name.
  template <class Function> Function *function(const char *name) const {
    return reinterpret_cast<Function *>(symbol(name));
  }

private:
  void *symbol(const char *name) const;

  std::string name;
  void *handle;
};

/// A member that holds a function of NVIDIA's headers, found in the member `library`.
#define GRADTIDY_LIBRARY_FUNCTION(NAME)                                                            \
  decltype(::NAME) *NAME = library.function<decltype(::NAME)>(#NAME)

} // namespace gradtidy::runtime
