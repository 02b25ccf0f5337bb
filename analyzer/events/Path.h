// Access paths: the names by which the flow analysis knows objects.
//
// A path is a root (a variable, `this`, the value of an expression) and the fields that lead from
// it to the object: `trainer.model.encoder`, `batch.data`, `optimizers[*]`. Dereferences are
// collapsed: `p`, `*p` and `p.get()` are one path, for smart pointers, module holders and raw
// pointers alike. Paths are interned: equal paths have equal ids.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PointerUnion.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gradtidy {

/// An interned path; 0 is no path. The upper half tells the root: paths from one root follow each
/// other in order, so that a sorted map has what is known of an object in one piece.
using PathId = std::uint64_t;
inline constexpr PathId noPath = 0;

/// One step of a path. Value types only; cheap to copy.
struct PathStep {
  enum Kind : unsigned char {
    Variable,  ///< Root: `subject` is the VarDecl.
    This,      ///< Root: `subject` is the method (of a lambda: the method it stands in).
    Temporary, ///< Root: `subject` is the expression (or other statement) that makes the value.
    Returned,  ///< Root: `subject` is the function whose return value this is.
    Member,    ///< Step: `subject` is the FieldDecl.
    Element,   ///< Step: an element of a container. `index` where it is a literal, else -1; where
               ///< a string is one, `subject` is its clang::IdentifierInfo, and `index` is 0.
    Gradient,  ///< Step: the gradient of a tensor.
  };
  Kind kind;
  const void *subject = nullptr;
  std::int64_t index = -1;

  bool operator==(const PathStep &) const = default;
};

/// Owns all paths of one translation unit.
class PathTable {
public:
  PathTable();

  PathId root(PathStep::Kind kind, const void *subject) { return intern(noPath, {kind, subject}); }
  PathId step(PathId parent, PathStep step) { return intern(parent, step); }
  PathId member(PathId parent, const clang::FieldDecl *field) {
    return intern(parent, {PathStep::Member, field});
  }
  PathId element(PathId parent, std::int64_t index = -1) {
    return intern(parent, {PathStep::Element, nullptr, index});
  }

  PathId element(PathId parent, const clang::IdentifierInfo &key) {
    return intern(parent, {PathStep::Element, &key, 0});
  }

  /// The object nothing is known of. Its fields are itself.
  PathId unknown() { return root(PathStep::Temporary, nullptr); }

  PathId parent(PathId path) const { return node(path).parent; }
  const PathStep &last(PathId path) const { return node(path).step; }
  static PathId rootOf(PathId path) { return path >> 32 << 32 | path >> 32; }

  /// The first of the ids that paths from the root of \p path may have, and the one behind the
  /// last.
  static std::pair<PathId, PathId> sameRoot(PathId path) {
    return {path >> 32 << 32, ((path >> 32) + 1) << 32};
  }

  /// The container that \p path is an element of, or an element of an element, or itself.
  PathId containerOf(PathId path) const {
    while (path && last(path).kind == PathStep::Element)
      path = parent(path);
    return path;
  }

  /// How many steps lead from the root.
  unsigned depthOf(PathId path) const { return node(path).depth; }

  /// Whether \p path leads from the value of an expression.
  bool isTemporary(PathId path) const { return last(rootOf(path)).kind == PathStep::Temporary; }

  /// Whether \p path is \p prefix or below it.
  bool isWithin(PathId path, PathId prefix) const;

  /// Whether the two may name objects one of which contains the other (or the same). Elements with
  /// an unknown index overlap with every element.
  bool overlap(PathId a, PathId b) const;

  /// The path as a user would write it: "trainer.model", "optimizers[*]"; "" for temporaries.
  std::string spelling(PathId path) const;

private:
  struct Node {
    PathId parent = noPath;
    unsigned depth = 0;
    PathStep step{PathStep::Temporary};
  };
  PathId intern(PathId parent, PathStep step);
  const Node &node(PathId path) const { return nodes[static_cast<std::uint32_t>(path)]; }
  PathId ancestorAt(PathId path, unsigned depth) const;

  std::vector<Node> nodes;
  llvm::DenseMap<std::pair<std::pair<PathId, const void *>, std::pair<int, std::int64_t>>, PathId>
      ids;
};

} // namespace gradtidy
