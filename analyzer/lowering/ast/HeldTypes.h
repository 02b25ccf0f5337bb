// Which modules and tensors the values of a type hold.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace gradtidy {

class Vocabulary;

/// What a value of some type holds, through references, pointers, holders and containers.
struct Held {
  llvm::SmallVector<const clang::CXXRecordDecl *, 2> modules;
  bool hasTensors = false;
  bool any() const { return hasTensors || !modules.empty(); }
};

class HeldTypes {
public:
  explicit HeldTypes(Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  /// What is held by values of that type; nothing if it is null. Stays where it is.
  const Held &of(clang::QualType type);

private:
  void add(clang::QualType type, Held &held, unsigned depth);
  void addHolder(const clang::CXXRecordDecl *holder, Held &held, unsigned depth);
  void addContainers(const clang::CXXRecordDecl *record, Held &held, unsigned depth);
  void addArguments(llvm::ArrayRef<clang::TemplateArgument> arguments, Held &held, unsigned depth);

  Vocabulary &vocabulary;
  llvm::DenseMap<const void *, std::unique_ptr<Held>> heldByType;
};

} // namespace gradtidy
