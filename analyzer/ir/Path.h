// Access paths: the names by which the flow analysis knows objects.
//
// A path is a root (a variable, `this`, the value of an expression) and the fields that lead from
// it to the object: `trainer.model.encoder`, `batch.data`, `optimizers[*]`. Dereferences are
// collapsed: `p`, `*p` and `p.get()` are one path, for smart pointers, module holders and raw
// pointers alike. Paths are interned: equal paths have equal ids.
#pragma once

#include "Node.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

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
    Variable,  ///< Root: symbol() is the variable.
    This,      ///< Root: symbol() is the method (of a lambda: the method it stands in).
    Temporary, ///< Root: made() is the expression (or other statement) that makes the value.
    Returned,  ///< Root: symbol() is the function whose return value this is.
    Member,    ///< Step: symbol() is the data member.
    Element,   ///< Step: an element of a container. `index` where it is a literal, else -1; where
               ///< a string is one, key() is it, and `index` is 0.
    Gradient,  ///< Step: the gradient of a tensor.
  };
  Kind kind;
  const void *identity = nullptr; ///< Of the symbol, node or key.
  std::int64_t index = -1;

  bool operator==(const PathStep &) const = default;

  const ir::Symbol *symbol() const {
    return kind == Temporary || kind == Element ? nullptr
                                                : static_cast<const ir::Symbol *>(identity);
  }

  /// The symbol of a variable or member, null for other steps.
  const ir::Symbol *name() const { return kind == Variable || kind == Member ? symbol() : nullptr; }

  const ir::Node *made() const {
    return kind == Temporary ? static_cast<const ir::Node *>(identity) : nullptr;
  }

  llvm::StringRef key() const {
    return kind == Element && identity ? static_cast<const Key *>(identity)->getKey()
                                       : llvm::StringRef();
  }

private:
  friend class PathTable;
  using Key = llvm::StringSet<>::value_type;
};

/// Owns all paths of one translation unit.
class PathTable {
public:
  /// How many elements of one container are told from each other. All others are one, of which
  /// nobody knows the index, so that what is known of a container has a bound.
  static constexpr unsigned maxElements = 256;

  PathTable();

  PathId root(PathStep::Kind kind, const void *subject) { return intern(noPath, {kind, subject}); }
  PathId step(PathId parent, PathStep step) { return intern(parent, step); }
  PathId member(PathId parent, const ir::Symbol *member) {
    return intern(parent, {PathStep::Member, member});
  }
  PathId element(PathId parent, std::int64_t index = -1) {
    return intern(parent, {PathStep::Element, nullptr, index});
  }

  /// The path with any elements of containers in place of those that \p path names.
  PathId anyElement(PathId path);

  PathId element(PathId parent, llvm::StringRef key) {
    return intern(parent, {PathStep::Element, &*keys.insert(key).first, 0});
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

  /// Whether an element of a container is on the way. Only such paths may overlap with others that
  /// are not within them, or they within these.
  bool hasElement(PathId path) const { return node(path).hasElement; }

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
    std::uint16_t elements = 0; ///< That are told from each other.
    bool hasElement = false;
    PathStep step{PathStep::Temporary};
  };
  PathId intern(PathId parent, PathStep step);
  const Node &node(PathId path) const { return nodes[static_cast<std::uint32_t>(path)]; }
  PathId ancestorAt(PathId path, unsigned depth) const;

  std::vector<Node> nodes;
  llvm::StringSet<> keys;
  llvm::DenseMap<std::pair<std::pair<PathId, const void *>, std::pair<int, std::int64_t>>, PathId>
      ids;
};

} // namespace gradtidy
