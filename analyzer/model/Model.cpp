#include "Model.h"

namespace gradtidy {

const Model &Model::bundled() {
  static const Model model;
  return model;
}

llvm::Error Model::add(llvm::StringRef text, llvm::StringRef fileName) {
  return llvm::Error::success();
}

} // namespace gradtidy
