// Looks declarations of the AST up in the model.
#pragma once

#include "CodeMap.h"
#include "HeldTypes.h"
#include "analyzer/model/Model.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace gradtidy {

class Vocabulary {
public:
  /// All arguments must outlive this object.
  Vocabulary(const Model &model, clang::ASTContext &context, CodeMap::IsUserCode isUserCode)
      : model(model), map(context, *this, std::move(isUserCode)) {}

  /// The nodes and symbols of the code whose names are looked up.
  CodeMap &code() const { return map; }

  /// The role of a value of this type, seen through references, pointers and smart pointers.
  TypeRole roleOf(clang::QualType type);

  /// The role of a class: its own, or that of its nearest base.
  TypeRole roleOf(const clang::CXXRecordDecl *record);

  /// The role of a function: its own, or that of a function it overrides.
  FunctionRole roleOf(const clang::FunctionDecl *function);

  /// The role of a member function of which only the name is known (see Model::roleOfMember).
  FunctionRole roleOfMember(TypeRole object, llvm::StringRef name) const {
    return model.roleOfMember(object, name);
  }

  /// The name of the function of that role in the framework's class that declares \p function.
  llvm::StringRef sibling(const clang::FunctionDecl *function, FunctionRole role) const;

  /// The device that a constant of the framework stands for, or None.
  DeviceRole deviceOf(const clang::ValueDecl *constant) const {
    return model.deviceRole(canonicalName(constant));
  }
  /// What else the model says of a class or function. A module class has the trait of its holder.
  Trait traitOf(const clang::NamedDecl *declaration) const;

  /// What a function, a class or its holder, or a member or parameter of the framework is to those
  /// who read code. A method is also what one of that name is in a base that is the framework's.
  Aspects aspectsOf(const clang::NamedDecl *declaration);
  /// Whether \p function, which may be null, is one of these.
  bool is(const clang::FunctionDecl *function, Aspects aspects) {
    return function && aspectsOf(function).hasAny(aspects);
  }
  /// Whether values of the type, seen through references, are of such a class or enumeration.
  bool is(clang::QualType type, Aspects aspects);
  /// Whether the class is one that looks over elements that others hold.
  bool viewsElements(const clang::CXXRecordDecl *record) const {
    return record && traitOf(record) == Trait::ViewsElements;
  }
  /// The same of a member of which only the name is known: all that may hold.
  Aspects aspectsOfMember(llvm::StringRef name) const { return model.aspectsOfMember(name); }

  /// What a function computes, or modules of a class or of its holder.
  Operation operationOf(const clang::NamedDecl *declaration) const;

  /// The operator of the framework that a function runs, or null.
  const Operator *operatorOf(const clang::FunctionDecl *function) const;

  /// Whether a function changes its object or first argument in place, be it its shape alone. An
  /// assignment does not: `x = y` makes another tensor of the handle.
  bool worksInPlace(const clang::FunctionDecl *function) const;
  /// The same of a method of which only the name is known.
  bool worksInPlace(llvm::StringRef member) const;

  /// The type of elements that a constant of the framework stands for, or Unknown.
  ElementType elementOf(const clang::ValueDecl *constant) const {
    return model.element(canonicalName(constant));
  }

  /// How the elements and the shape follow of what a function gives, or modules of a class or of
  /// its holder.
  ResultRule ruleOf(const clang::NamedDecl *declaration) const;

  /// Whether modules of that class have neither parameters nor a mode: as the model says, or
  /// because nothing is in the class.
  bool isStateless(const clang::CXXRecordDecl &record);

  /// Whether modules of that type have no tensors that move with them: dropout, and classes of the
  /// user's that register nothing.
  bool isWeightless(clang::QualType type);

  /// Whether autocast keeps casts of the parameters of modules of that type, or of their members.
  bool castsWeights(clang::QualType type);

  /// Whether modules of that type certainly have parameters: layers that do, and classes with
  /// members of such types.
  bool hasParameters(clang::QualType type);

  /// Whether objects of the class fill a container with layers that have parameters.
  bool makesLayers(const clang::CXXRecordDecl &record);

  /// What the model says of the class or the nearest of its bases.
  Trait traitOfClass(const clang::CXXRecordDecl &record) const;
  /// The same for the class of an object, be it behind a pointer.
  Trait traitOfObject(clang::QualType type);

  /// What the model says of an option of that simple name.
  Trait traitOfOption(llvm::StringRef name) const { return model.trait(name); }

  /// The canonical names of the classes that have a role, of those that were asked for.
  llvm::ArrayRef<std::string> roleNames() const { return classes; }

  /// Whether the declaration belongs to a framework of the model.
  bool isFramework(const clang::Decl *declaration);

  /// Whether a copy of a value of this type shares the object: pointers, smart pointers, module
  /// holders, modules (copies share their parameters), closures.
  bool isHandle(clang::QualType type);

  /// The class of the object behind references, pointers and module holders, or null.
  const clang::CXXRecordDecl *classOf(clang::QualType type);

  /// The class that a module holder holds, or null.
  const clang::CXXRecordDecl *heldBy(const clang::CXXRecordDecl *holder);

  /// The modules and tensors in values of a type; nothing if it is null. Stays where it is.
  const Held &heldIn(clang::QualType type) { return heldTypes.of(type); }

  /// Whether values of this type are lambdas or std::function.
  static bool isClosure(clang::QualType type);

  /// Whether this is a list of tensors: who gets a copy still shares what is in it.
  bool isTensorList(clang::QualType type);

  /// Whether values of this type are tensors or hold some.
  bool holdsTensors(clang::QualType type);

  /// Whether something of this type can lead to modules or optimizers: through its fields, what it
  /// points to, its template arguments, a closure.
  bool reachesTraining(clang::QualType type);

private:
  /// Whether a class of the user's module has no other bases than the framework's, no member that
  /// \p counts, and nothing that is out of sight can add one.
  bool isPlain(const clang::CXXRecordDecl &record,
               llvm::function_ref<bool(const clang::FieldDecl &)> counts);
  std::string canonicalName(const clang::NamedDecl *declaration) const;
  bool pointsToMemory(const clang::NamedDecl *function) const;

  const Model &model;
  mutable CodeMap map;
  llvm::DenseMap<const clang::CXXRecordDecl *, TypeRole> records;
  std::vector<std::string> classes; ///< The canonical names of those to which the model gives one.
  llvm::DenseMap<const clang::FunctionDecl *, FunctionRole> functions;
  mutable llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<const Operator>> operators;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> reaching;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> holding;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> casting;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> parametrised;
  HeldTypes heldTypes{*this};
};

/// "std::vector" for anything called vector in namespace std, inline namespaces left out.
std::string qualifiedName(const clang::NamedDecl *declaration);

/// Whether the declaration is in namespace std (or an implementation namespace below it).
bool isStandard(const clang::Decl *declaration);

/// Whether \p type is a thread of the standard library, or a list of such.
bool isThread(clang::QualType type);

/// The type a smart pointer or the like of the standard library points to, or null.
clang::QualType pointee(clang::QualType type);

} // namespace gradtidy
