// Functions that a unit is analyzed without: their bodies nest too deeply, or clang or the analysis
// crashes on them. They lose their bodies as functions of frameworks do, so the rest of the unit is
// analyzed as if they were defined elsewhere.
#pragma once

#include "DeepCode.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/FunctionExtras.h"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class SourceManager;
} // namespace clang

namespace gradtidy {

/// How many statements and expressions may lie within each other. All walks over bodies, clang's
/// and clang-tidy's too, may recurse once per level: they run on threads that have 16 KB for each.
inline constexpr unsigned maxNesting = 4000;
inline constexpr unsigned deepStack = 64u << 20; ///< Bytes.

/// Whether \p root has more than maxNesting levels. Takes time linear in the size of \p root, and
/// does not recurse.
bool isNestedTooDeeply(const clang::Stmt *root);

/// A function by its place, which stays the same when the unit is parsed again.
struct FunctionPlace {
  std::string file; ///< As the compiler names it.
  unsigned line = 0, column = 0;
  std::string name; ///< Qualified.

  /// What the user is told: `trainer::step (train.cpp:12)`.
  std::string describe() const;
  friend auto operator<=>(const FunctionPlace &, const FunctionPlace &) = default;
};
using FunctionPlaces = std::set<FunctionPlace>;

FunctionPlace placeOf(const clang::NamedDecl &function, const clang::SourceManager &sources);
/// Of the function \p name, qualified, at \p location.
FunctionPlace placeOf(std::string name, clang::SourceLocation location,
                      const clang::SourceManager &sources);

/// What a unit is analyzed without.
class LeftOut {
public:
  /// Functions on whose bodies clang or the analysis crashes.
  FunctionPlaces functions;

  /// Code that is not in the text of \p file (an absolute path) any more, and whose declaration
  /// is at \p place.
  void add(const std::string &file, const DeepCode &code, FunctionPlace place);

  bool contains(const clang::NamedDecl &function, const clang::SourceManager &sources) const;
  /// Whether the body of \p function is not in the text.
  bool lacksBody(const clang::NamedDecl &function, const clang::SourceManager &sources) const;

  /// All of it, for the user.
  FunctionPlaces places() const;

private:
  std::map<std::string, std::vector<DeepCode>> bodies; ///< By file.
  FunctionPlaces declarations;
};

/// Bodies and initializers that are not part of the AST for now.
class DroppedBodies {
public:
  const FunctionPlaces &places() const { return all; }

  /// Puts them back, for others who work on the same AST.
  void restore();

private:
  friend class BodyRemoval;
  FunctionPlaces all;
  std::vector<llvm::unique_function<void()>> undo;
};

/// Drops the bodies and initializers in \p declarations that are nested too deeply, or belong to
/// a function of \p leftOut.
DroppedBodies dropBodies(llvm::ArrayRef<clang::Decl *> declarations, const LeftOut &leftOut,
                         const clang::SourceManager &sources);

/// Runs \p work with a stack that has room for recursion over maxNesting levels, on a thread of its
/// own.
void runOnDeepStack(llvm::function_ref<void()> work);

/// Notes that this process analyzes a unit without \p functions.
void logUnfollowed(const FunctionPlaces &functions);

/// What was noted since the last call.
FunctionPlaces takeUnfollowed();

/// Records in \p slot which function this thread works on, for the case that the thread does not
/// survive it. \p slot must outlive this object.
class UnderWay {
public:
  explicit UnderWay(std::optional<FunctionPlace> &slot);
  ~UnderWay();
  UnderWay(const UnderWay &) = delete;
  UnderWay &operator=(const UnderWay &) = delete;

  static std::optional<FunctionPlace> current();
  /// Until the next call this thread parses \p function; null if it parses none.
  static void parse(const clang::NamedDecl *function);
};

/// While it lives, this thread analyzes \p function.
class Analyzing {
public:
  explicit Analyzing(FunctionPlace function);
  ~Analyzing();
  Analyzing(const Analyzing &) = delete;
  Analyzing &operator=(const Analyzing &) = delete;

private:
  std::optional<FunctionPlace> before;
};

} // namespace gradtidy
