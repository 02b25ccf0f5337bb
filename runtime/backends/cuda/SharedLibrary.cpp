#include "SharedLibrary.h"
#include "../../core/Error.h"

#include <dlfcn.h>

namespace gradtidy::runtime {

SharedLibrary::SharedLibrary(const std::string &name)
    : name(name), handle(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle)
    handle = dlopen((GRADTIDY_CUDA_LIBRARIES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(handle, "cannot open a library of the CUDA toolkit: ", dlerror());
}

void *SharedLibrary::symbol(const char *function) const {
  void *address = dlsym(handle, function);
  TORCH_CHECK(address, name, " has no function ", function);
  return address;
}

} // namespace gradtidy::runtime
