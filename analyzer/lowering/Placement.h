// What code says of the devices that tensors and modules are on, or are moved to.
#pragma once

#include "analyzer/ir/Event.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/ExprCXX.h"

#include <optional>

namespace gradtidy {

/// Sets the device of \p operand, the argument of the constructor of the device \p made, where
/// literals name it: "cuda:1". It is one that the program chooses where they name several.
void readDevice(Operand &operand, PathId made);

/// Whether a device is said by a variable or another tensor.
bool isChosenDevice(const Operand &operand, Vocabulary &vocabulary);

/// Whether the event has to do with another device than the CPU.
bool mentionsGpu(const Event &event, Vocabulary &vocabulary);

/// Whether the user's classes among the template arguments of \p type know of devices.
bool mayMoveTensors(clang::QualType type, Vocabulary &vocabulary);

/// Whether the first thing that \p body does to its parameter \p tensor is to move it to a device;
/// nothing if it does not mention it.
std::optional<bool> movesFirst(const clang::Stmt *body, const clang::VarDecl *tensor,
                               Vocabulary &vocabulary, Values &values);

/// Whether \p body gives its parameter \p tensor, as it is, to an operation that takes all its
/// tensors from one device, together with another.
bool meetsTensors(const clang::Stmt *body, const clang::VarDecl *tensor, Vocabulary &vocabulary);

/// Whether \p body, or a method of the same object that it calls, moves a module to the device of a
/// tensor: `to(x.device())`.
bool movesItself(const clang::Stmt *body, Vocabulary &vocabulary, unsigned depth = 0);

/// Whether the call asks by its name where something is: `x.is_cuda()`, `x.device()`.
bool asksForPlace(const clang::CXXMemberCallExpr &call, Vocabulary &vocabulary);

/// Whether the expression tells if there is a GPU, be it a variable of \p function that never says
/// anything else.
bool asksForGpu(const clang::Expr *expr, const clang::FunctionDecl *function,
                Vocabulary &vocabulary);

/// Whether the expression tells if a device that somebody has chosen is the CPU.
bool asksForHost(const clang::Expr *expr, Vocabulary &vocabulary);

} // namespace gradtidy
