// The operators of a tensor framework, as the framework itself describes them: what they change in
// place, what shares memory with what, and what their gradients are computed from. A table holds
// those of one framework, such as analyzer/model/libtorch-operators.json, which
// script/update-operators writes; docs/models.md describes the format.
//
// A row is read when somebody asks for it, so that a table costs nothing at the start.
#pragma once

#include "Role.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// Where the gradient of an operator comes from.
enum class GradientRule : unsigned char {
  Unknown,   ///< Nobody says.
  Formula,   ///< It has a formula of its own.
  Composite, ///< It is made of other operators, which have theirs.
  Zero,      ///< It is zero everywhere: rounding, signs.
  None,      ///< There is none: comparisons, indices, samples.
};

/// One way to call an operator.
struct Overload {
  struct Argument {
    std::string name;
    std::optional<std::string> defaultValue; ///< As the framework writes it.
  };
  std::vector<Argument> arguments; ///< With the object of a method.
  std::vector<unsigned> tensors;   ///< Which arguments are tensors, or lists of such.
  std::vector<unsigned> changes;   ///< Which it changes in place.
  /// The argument whose memory the result lies in.
  std::optional<unsigned> viewOf;
  bool mayCopy = false; ///< Of a view: it may also be a copy.
  GradientRule gradient = GradientRule::Formula;

  /// What the gradient of one argument is computed from.
  struct Saved {
    unsigned of;                     ///< The argument that gets the gradient.
    std::vector<unsigned> arguments; ///< Those of which the elements are kept.
    bool result = false;             ///< Whether those of a result are.
  };
  std::vector<Saved> saves;

  bool givesTensor = true;
  bool isRandom = false;
  bool waitsForGpu = false;  ///< The host needs elements, or their number, to go on.
  bool changesShape = false; ///< What it changes in place is the shape, not the elements.
};

/// All overloads of one name.
struct Operator {
  std::string name;
  std::vector<Overload> overloads;
  ResultRule rule = ResultRule::None; ///< What its result is like.
  bool isIdempotent = false; ///< To run it again on its result changes nothing, as with relu().
  bool mayReturn = false;    ///< Where there is nothing to do, it gives what it was given.
  bool hasOut = false;       ///< A form of it writes its result into an argument.
  /// Where this form writes its result.
  enum class Out : unsigned char { No, First, Last } out = Out::No;

  /// Which argument the object of its methods is: the first, but for a few.
  unsigned object() const;

  /// Whether every overload changes its argument \p index in place. False without overloads.
  bool changes(unsigned index) const;

  /// Whether every overload changes elements of its first argument.
  bool changesElements() const;

  /// Whether what it makes of its first argument follows from the elements that were there: not
  /// what fills, copies or draws.
  bool dependsOnFirst() const;

  /// Whether every overload draws random numbers.
  bool isRandom() const;

  /// The argument in whose memory the result of every overload lies, for certain.
  std::optional<unsigned> viewOf() const;

  /// The rule that all overloads agree on, else Unknown.
  GradientRule gradient() const;

  /// Whether no result has a gradient that is not zero.
  bool lacksGradient() const {
    return gradient() == GradientRule::None || gradient() == GradientRule::Zero;
  }
};

class OperatorTable {
public:
  /// Takes the rows of a table as script/update-operators writes it: one operator a line. The lines
  /// must outlive the table. Rows are not checked before they are asked for.
  static OperatorTable ofLines(llvm::ArrayRef<llvm::StringLiteral> lines);

  /// Reads the rows of a table, an object from names to operators, and checks them. The error names
  /// the operator.
  static llvm::Expected<OperatorTable> parse(llvm::StringRef text);

  /// Whether there is an operator of that name.
  bool contains(llvm::StringRef name) const { return rows.contains(name); }

  /// The operator of that name.
  std::optional<Operator> find(llvm::StringRef name) const;

  /// All names, sorted.
  std::vector<llvm::StringRef> names() const;

private:
  llvm::StringMap<llvm::StringRef> rows;           ///< The JSON of each.
  std::unique_ptr<std::vector<std::string>> owned; ///< What the rows lie in, if nothing else.
};

/// Which functions of the frameworks run which operators, of one table or several.
class OperatorIndex {
public:
  /// The operators of \p table whose names begin with \p prefix are what the functions in the
  /// namespace or class \p scope are called, without the prefix.
  void addScope(llvm::StringRef scope, std::shared_ptr<const OperatorTable> table,
                llvm::StringRef prefix);

  /// The function of that canonical name runs the operator \p name of \p table.
  void addName(llvm::StringRef canonicalName, std::shared_ptr<const OperatorTable> table,
               llvm::StringRef name);

  /// To run the operator \p name again on its result changes nothing.
  void addIdempotent(llvm::StringRef name) { idempotent.insert(name); }

  /// The operator \p name may hand back what it is given.
  void addMayReturn(llvm::StringRef name) { returning.insert(name); }

  /// What the result of the operator \p name is like.
  void addRule(llvm::StringRef name, ResultRule rule) { rules[name] = rule; }

  /// The operator \p name, which is made of others, saves of its arguments what \p same does.
  void addSavesAs(llvm::StringRef name, llvm::StringRef same) { savesAs[name] = same.str(); }

  /// The operator that the function of that canonical name runs.
  std::optional<Operator> find(llvm::StringRef canonicalName) const;

  /// The same, where only the simple name is known, and that it is a method.
  std::optional<Operator> findMember(llvm::StringRef simpleName) const;

private:
  struct Row {
    std::shared_ptr<const OperatorTable> table; ///< Null if there is none.
    std::string name;                           ///< In the table; of a scope, the prefix.
  };
  std::optional<Operator> find(const OperatorTable &table, llvm::StringRef name) const;

  llvm::StringMap<Row> scopes, names;
  llvm::StringSet<> idempotent, returning;
  llvm::StringMap<ResultRule> rules;
  llvm::StringMap<std::string> savesAs;
};

} // namespace gradtidy
