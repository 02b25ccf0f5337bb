// What has certainly been registered in modules: their parts, by which names, and what of it twice.
#pragma once

#include "analyzer/flow/SharedMap.h"
#include "analyzer/flow/Tables.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace gradtidy {

/// Modules are meant by the paths of their objects. Each fact holds on every way that leads there.
class Registry {
public:
  /// \p part becomes a part of \p whole.
  void add(PathId whole, PathId part, const Event &event);
  /// \p whole has something by the name \p name.
  void addName(PathId whole, FileId name, const Event &event) { names[{whole, name}] = &event; }
  /// A tensor that a module within \p whole trains becomes a parameter of \p whole again.
  void addTied(PathId whole, const Event &event) { tied[whole] = &event; }

  /// Whether \p part has been made a part of \p whole, or of one of its parts.
  bool isPart(PathId part, PathId whole) const;

  /// A module with parameters that is a part of a module already.
  struct Twice {
    PathId part;        ///< Unknown if it has no name any more.
    const Event *first; ///< What made it a part the other time.
  };
  /// The one that \p event, which makes \p part a part of \p whole, makes a part of that, or of
  /// what that is a part of, a second time.
  std::optional<Twice> twiceBy(PathId whole, PathId part, const Event &event) const;

  /// What has registered something by that name in \p whole, or null.
  const Event *named(PathId whole, FileId name) const {
    const Event *const *event = names.find({whole, name});
    return event ? *event : nullptr;
  }
  /// What has registered a tensor in \p whole, or in one of its parts, once more; or null.
  const Event *tiedWithin(PathId whole, const PathTable &paths) const;

  /// \p whole loses parts, or gets others for them.
  void forgetParts(PathId whole);
  /// What \p isMeant names is another object from now on.
  void forget(llvm::function_ref<bool(PathId)> isMeant);
  /// The same, but it keeps what it has in common with others.
  void forgetElements(llvm::function_ref<bool(PathId)> isMeant);
  /// Objects get other names.
  void rename(llvm::function_ref<PathId(PathId)> renamed);
  void join(const Registry &other);
  bool operator==(const Registry &) const = default;

private:
  using Pair = std::pair<PathId, PathId>;
  using Pairs = SharedMap<Pair, const Event *>;

  /// Calls \p visit for \p module and all that is below it, or around it, until that says true.
  bool below(PathId module, llvm::function_ref<bool(PathId)> visit) const;
  bool around(PathId module, llvm::function_ref<bool(PathId)> visit) const;
  bool walk(PathId module, bool isDown, llvm::function_ref<bool(PathId)> visit) const;
  /// Whether the module, or one below it, certainly has parameters.
  bool hasParameters(PathId module) const;

  Pairs parts;   ///< Of a part and what it is a part of.
  Pairs sharing; ///< Two that have a part in common.
  SharedMap<std::pair<PathId, FileId>, const Event *> names;
  SharedMap<PathId, const Event *> tied;
};

} // namespace gradtidy
