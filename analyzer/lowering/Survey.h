// What must be known of a whole function before its blocks are lowered.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

struct Survey {
  bool asksForDevices = false;        ///< A condition asks where tensors are, or for a GPU.
  bool asksForPlaces = false;         ///< The first of these, or what a device is.
  std::optional<Operand> batchDevice; ///< Empty until a batch is moved.
  llvm::SmallPtrSet<const clang::Expr *, 32> callees;
  llvm::SmallPtrSet<const clang::Expr *, 32> statements; ///< Expressions that are statements.
  llvm::SmallVector<const clang::DeclStmt *, 1> guardFunctions; ///< `NoGradGuard guard();`
  /// Variables whose contents may live on elsewhere.
  llvm::SmallPtrSet<const clang::Decl *, 4> handedOn;
  /// Variables by which memory is freed in which tensors lie.
  llvm::SmallPtrSet<const clang::VarDecl *, 4> holders;
  /// The guards an exception may leave on its way to a handler.
  llvm::SmallDenseMap<const clang::CXXCatchStmt *, llvm::SmallVector<const clang::VarDecl *, 1>>
      guardsBefore;
};

/// Surveys \p body, the body of \p function. \p values learns the roles that templates hide and
/// what batches are on the host. Loops over ranges of unknown type are completed, so that clang can
/// make a CFG.
Survey surveyBody(clang::Stmt *body, const clang::FunctionDecl *function, PathTable &paths,
                  Vocabulary &vocabulary, Values &values);

} // namespace gradtidy
