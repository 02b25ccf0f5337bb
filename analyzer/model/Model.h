// The vocabulary of a tensor framework: what its types and functions mean, read from JSON
// (docs/models.md describes the format). Several frameworks may be known at once.
#pragma once

#include "Operators.h"
#include "Role.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace gradtidy {

class ModelText;

class Model {
public:
  /// The models shipped with gradtidy (LibTorch and the bundled runtime), merged.
  static const Model &bundled();

  /// The table of operators that comes with them.
  static const OperatorTable &bundledOperators();

  /// Adds the vocabulary in \p text to this one. The error names \p fileName, the place and the
  /// key; this model is then unchanged.
  llvm::Error add(llvm::StringRef text, llvm::StringRef fileName);

  /// The same for a text that learns of all errors. False if there are any.
  bool read(ModelText &text);

  /// Headers as users include them ("torch/torch.h"): a file found under such a name marks the
  /// folder it was found in as the framework's.
  const std::vector<std::string> &headers() const { return frameworkHeaders; }

  /// What members of namespaces are called now, by their full names in earlier versions.
  const llvm::StringMap<std::string> &renamed() const { return newNames; }

  /// The name the models use for \p qualifiedName: "at::Tensor" is "torch::Tensor".
  std::string canonicalName(llvm::StringRef qualifiedName) const;

  /// The role of the class or function of that canonical name, or None.
  TypeRole typeRole(llvm::StringRef canonicalName) const { return types.lookup(canonicalName); }
  FunctionRole functionRole(llvm::StringRef canonicalName) const {
    return functions.lookup(canonicalName);
  }

  /// The device that the constant of that canonical name stands for, or None.
  DeviceRole deviceRole(llvm::StringRef canonicalName) const {
    return devices.lookup(canonicalName);
  }
  /// What else holds of the class or function of that canonical name, or of the option of that
  /// simple name.
  Trait trait(llvm::StringRef name) const { return traits.lookup(name); }

  /// What the function or class of that canonical name computes, or None.
  Operation operation(llvm::StringRef canonicalName) const {
    return operations.lookup(canonicalName);
  }

  /// What the function, member or class of that canonical name is to those who read code, or the
  /// option of that simple name.
  Aspects aspects(llvm::StringRef name) const { return aspectTable.lookup(name); }

  /// The same of a member of which only the simple name is known: all that may hold.
  Aspects aspectsOfMember(llvm::StringRef simpleName) const {
    return memberAspects.lookup(simpleName);
  }

  /// The type of elements that the constant of that canonical name stands for, or Unknown.
  ElementType element(llvm::StringRef canonicalName) const {
    return elements.lookup(canonicalName);
  }

  /// How the elements and the shape of what it gives follow, or None.
  ResultRule rule(llvm::StringRef canonicalName) const { return results.lookup(canonicalName); }

  /// The operators of the frameworks.
  const OperatorIndex &operators() const { return operatorIndex; }

  /// The role of a member function of which only the simple name is known, and what it is called
  /// on (None if not even that). None unless there is just one answer.
  FunctionRole roleOfMember(TypeRole object, llvm::StringRef simpleName) const;

  /// The simple name of the function of that role in the same class as \p canonicalName:
  /// "zero_grad" for ClearGradients beside "torch::optim::Optimizer::step". Empty if there is none.
  llvm::StringRef sibling(llvm::StringRef canonicalName, FunctionRole role) const;

  /// What a fix-it writes in code that uses the classes of these canonical names; nothing if their
  /// frameworks have no such phrase. Of code that names none, the last model's framework is meant.
  llvm::StringRef phrase(Phrase phrase, llvm::ArrayRef<std::string> classes) const;

  /// The first constant that the models name for that type of elements, or for that device, where
  /// the code uses the classes of these canonical names; nothing if there is none.
  llvm::StringRef constant(ElementType element, llvm::ArrayRef<std::string> classes) const;
  llvm::StringRef constant(DeviceRole device, llvm::ArrayRef<std::string> classes) const;

  /// Whether a declaration of that name belongs to a framework: its outermost namespace is one in
  /// which the models name something.
  bool isFrameworkName(llvm::StringRef canonicalName) const {
    return outermostNames.contains(canonicalName.split("::").first);
  }

private:
  /// Of one model that names tensors.
  struct Framework {
    llvm::StringSet<> namespaces; ///< The outermost ones of its tensors.
    std::map<Phrase, std::string> phrases;
    std::map<ElementType, std::string> elements; ///< The constants that stand for them.
    std::map<DeviceRole, std::string> devices;
  };

  template <typename Key>
  llvm::StringRef written(std::map<Key, std::string> Framework::*texts, Key key,
                          llvm::ArrayRef<std::string> classes) const;

  std::vector<std::string> frameworkHeaders;
  std::vector<std::pair<std::string, std::string>> namespaces; ///< Longest prefix first.
  llvm::StringMap<std::string> newNames;
  llvm::StringMap<TypeRole> types;
  llvm::StringMap<FunctionRole> functions;
  llvm::StringMap<DeviceRole> devices;
  llvm::StringMap<Trait> traits;
  llvm::StringMap<Operation> operations;
  llvm::StringMap<Aspects> aspectTable;
  llvm::StringMap<Aspects> memberAspects; ///< By simple names.
  llvm::StringMap<ElementType> elements;
  llvm::StringMap<ResultRule> results;
  OperatorIndex operatorIndex;
  std::vector<Framework> frameworks; ///< In the order of their models.
  llvm::StringSet<> outermostNames;
};

} // namespace gradtidy
