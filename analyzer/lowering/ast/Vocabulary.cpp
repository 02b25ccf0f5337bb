#include "Vocabulary.h"

#include "Syntax.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

namespace gradtidy {

std::string qualifiedName(const clang::NamedDecl *declaration) {
  std::string name = declaration->getNameAsString();
  for (const clang::DeclContext *context = declaration->getDeclContext(); context;
       context = context->getParent()) {
    if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(context)) {
      if (space->isInline() || space->isAnonymousNamespace())
        continue;
      name = space->getNameAsString() + "::" + name;
    } else if (const auto *record = llvm::dyn_cast<clang::RecordDecl>(context)) {
      name = record->getNameAsString() + "::" + name;
    } else if (const auto *enumeration = llvm::dyn_cast<clang::EnumDecl>(context)) {
      name = enumeration->getNameAsString() + "::" + name;
    }
  }
  return name;
}

bool isStandard(const clang::Decl *declaration) {
  for (const clang::DeclContext *context = declaration->getDeclContext(); context;
       context = context->getParent())
    if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(context))
      if (space->getParent()->getRedeclContext()->isTranslationUnit())
        return space->getName() == "std" || space->getName() == "__gnu_cxx";
  return false;
}

bool isThread(clang::QualType type) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || !isStandard(record))
    return false;
  if (record->getName() == "thread" || record->getName() == "jthread")
    return true;
  const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  const clang::TemplateArgument *first =
      special && special->getTemplateArgs().size() > 0 ? &special->getTemplateArgs()[0] : nullptr;
  return first && first->getKind() == clang::TemplateArgument::Type && isThread(first->getAsType());
}

clang::QualType pointee(clang::QualType type) {
  if (type.isNull())
    return {};
  type = type.getNonReferenceType();
  if (type->isPointerType())
    return type->getPointeeType();
  const auto *record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  // LibTorch 1.13 has an optional of its own.
  if (!record || !record->getIdentifier() ||
      !(isStandard(record) || record->getName() == "optional"))
    return {};
  bool pointsToFirstArgument = llvm::StringSwitch<bool>(record->getName())
                                   .Cases({"unique_ptr", "shared_ptr", "weak_ptr"}, true)
                                   .Cases({"optional", "reference_wrapper"}, true)
                                   .Default(false);
  const clang::TemplateArgumentList &arguments = record->getTemplateArgs();
  if (!pointsToFirstArgument || arguments.size() == 0 ||
      arguments[0].getKind() != clang::TemplateArgument::Type)
    return {};
  return arguments[0].getAsType();
}

std::string Vocabulary::canonicalName(const clang::NamedDecl *declaration) const {
  return model.canonicalName(qualifiedName(declaration));
}

TypeRole Vocabulary::roleOf(clang::QualType type) {
  if (type.isNull())
    return TypeRole::None;
  type = type.getNonReferenceType();
  for (clang::QualType inner = pointee(type); !inner.isNull(); inner = pointee(type))
    type = inner;
  if (const auto *enumeration = type->getAs<clang::EnumType>())
    return model.typeRole(canonicalName(enumeration->getDecl()));
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? roleOf(record) : TypeRole::None;
}

TypeRole Vocabulary::roleOf(const clang::CXXRecordDecl *record) {
  record = record->getCanonicalDecl();
  if (auto known = records.find(record); known != records.end())
    return known->second;
  std::string name = canonicalName(record);
  TypeRole role = model.typeRole(name);
  if (role != TypeRole::None)
    classes.push_back(std::move(name));
  records[record] = role; // In a template, it may be a base of itself, with other arguments.
  if (role == TypeRole::None && record->hasDefinition())
    for (const clang::CXXBaseSpecifier &base : record->getDefinition()->bases()) {
      const clang::CXXRecordDecl *baseRecord = base.getType()->getAsCXXRecordDecl();
      if (const auto *generic = base.getType()->getAs<clang::TemplateSpecializationType>();
          generic && !baseRecord) // In a template.
        if (const clang::TemplateDecl *pattern = generic->getTemplateName().getAsTemplateDecl())
          baseRecord = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(pattern->getTemplatedDecl());
      if (baseRecord && (role = roleOf(baseRecord)) != TypeRole::None)
        break;
    }
  return records[record] = role;
}

/// Whether a method of a tensor gives a pointer to numbers, as `x.data<float>()` does beside
/// `x.data()`.
bool Vocabulary::pointsToMemory(const clang::NamedDecl *function) const {
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  const clang::QualType type = method ? method->getReturnType() : clang::QualType();
  return method && type->isPointerType() && !type->getPointeeType()->isFunctionType() &&
         (!type->getPointeeType()->isRecordType() || method->isTemplateInstantiation()) &&
         model.typeRole(canonicalName(method->getParent())) == TypeRole::Tensor;
}

const Operator *Vocabulary::operatorOf(const clang::FunctionDecl *function) const {
  if (!function)
    return nullptr;
  auto [known, isNew] = operators.try_emplace(function->getCanonicalDecl());
  if (isNew && !pointsToMemory(function))
    if (std::optional<Operator> found = model.operators().find(canonicalName(function)))
      known->second = std::make_unique<const Operator>(std::move(*found));
  return known->second.get();
}

bool Vocabulary::worksInPlace(const clang::FunctionDecl *function) const {
  if (!function || function->getOverloadedOperator() == clang::OO_Equal)
    return false;
  const Operator *run = operatorOf(function);
  return (run && run->changes(0)) ||
         model.functionRole(canonicalName(function)) == FunctionRole::Overwrite;
}

bool Vocabulary::worksInPlace(llvm::StringRef member) const {
  const std::optional<Operator> run = model.operators().findMember(member);
  return run ? run->changes(0)
             : model.roleOfMember(TypeRole::Tensor, member) == FunctionRole::Overwrite;
}

FunctionRole Vocabulary::roleOf(const clang::FunctionDecl *function) {
  function = function->getCanonicalDecl();
  if (auto known = functions.find(function); known != functions.end())
    return known->second;
  FunctionRole role =
      pointsToMemory(function) ? FunctionRole::None : model.functionRole(canonicalName(function));
  if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
    for (auto overridden = method->begin_overridden_methods();
         role == FunctionRole::None && overridden != method->end_overridden_methods(); ++overridden)
      role = roleOf(*overridden);
  return functions[function] = role;
}

llvm::StringRef Vocabulary::sibling(const clang::FunctionDecl *function, FunctionRole role) const {
  llvm::StringRef name = model.sibling(canonicalName(function), role);
  if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
    for (auto overridden = method->begin_overridden_methods();
         name.empty() && overridden != method->end_overridden_methods(); ++overridden)
      name = sibling(*overridden, role);
  return name;
}

const clang::CXXRecordDecl *Vocabulary::classOf(clang::QualType type) {
  if (type.isNull())
    return nullptr;
  type = type.getNonReferenceType();
  for (clang::QualType inner = pointee(type); !inner.isNull(); inner = pointee(type))
    type = inner;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  bool isHolder = record && roleOf(record) == TypeRole::ModuleHolder;
  return isHolder ? heldBy(record) : record;
}

/// Whether the methods of the class register tensors or modules, as far as they are seen.
static bool registersAny(const clang::CXXRecordDecl &record, const Vocabulary &vocabulary) {
  const auto isOne = [&](const clang::NamedDecl *named) {
    return named && registers(vocabulary.traitOf(named->getUnderlyingDecl()));
  };
  bool isFound = false;
  for (const clang::CXXMethodDecl *method : record.methods())
    if (const clang::FunctionDecl *body = method->getDefinition())
      forEach(body->getBody(), [&](const clang::Stmt *part) {
        const auto *call = llvm::dyn_cast<clang::CallExpr>(part);
        const auto *open = llvm::dyn_cast<clang::OverloadExpr>(part); // It does not compile.
        isFound |= (call && isOne(call->getDirectCallee())) ||
                   (open && llvm::any_of(open->decls(), isOne));
      });
  return isFound;
}

bool Vocabulary::isStateless(const clang::CXXRecordDecl &record) {
  if (!record.hasDefinition() || isFramework(&record))
    return traitOf(&record) == Trait::Stateless;
  // Tensors in structs of the user's own are settings.
  return isPlain(*record.getDefinition(),
                 [&](const clang::FieldDecl &field) {
                   const clang::CXXRecordDecl *type = field.getType()->getAsCXXRecordDecl();
                   const bool isStruct = type && !isStandard(type) && !isFramework(type);
                   return (holdsTensors(field.getType()) && !isStruct) ||
                          reachesTraining(field.getType());
                 }) &&
         !registersAny(*record.getDefinition(), *this);
}

bool Vocabulary::isPlain(const clang::CXXRecordDecl &record,
                         llvm::function_ref<bool(const clang::FieldDecl &)> counts) {
  const auto isBare = [&](const clang::CXXBaseSpecifier &base) {
    const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
    return parent && isFramework(parent) && traitOf(parent) == Trait::Opaque;
  };
  // Others may derive from it, or a constructor out of sight register what has no member.
  const auto mayAdd = [](const clang::CXXMethodDecl *method) {
    return llvm::isa<clang::CXXConstructorDecl>(method)
               ? !method->isDefaulted() && !method->hasBody()
               : method->isVirtual() && method->size_overridden_methods() == 0;
  };
  // What does not compile may be anything.
  const auto isCounted = [&](const clang::FieldDecl *field) {
    const clang::CXXRecordDecl *type = field->getType()->getAsCXXRecordDecl();
    return field->isInvalidDecl() || (type && !isFramework(type) && isDamaged(*type)) ||
           counts(*field);
  };
  return llvm::all_of(record.bases(), isBare) && llvm::none_of(record.fields(), isCounted) &&
         llvm::none_of(record.methods(), mayAdd);
}

bool Vocabulary::isWeightless(clang::QualType type) {
  const clang::CXXRecordDecl *record = classOf(type);
  if (!record || !record->hasDefinition())
    return false;
  if (!isFramework(record))
    return isPlain(
               *record->getDefinition(),
               [&](const clang::FieldDecl &field) { return reachesTraining(field.getType()); }) &&
           !registersAny(*record->getDefinition(), *this);
  if (traitOf(record) != Trait::ModeDependent)
    return false;
  const auto hasTensors = [&](const clang::CXXRecordDecl *each) {
    return traitOf(each) != Trait::Opaque && !isStandard(each) &&
           llvm::any_of(each->fields(), [&](const clang::FieldDecl *field) {
             return holdsTensors(field->getType()) || reachesTraining(field->getType());
           });
  };
  bool isFound = hasTensors(record->getDefinition());
  record->getDefinition()->forallBases([&](const clang::CXXRecordDecl *base) {
    isFound |= hasTensors(base);
    return true;
  });
  return !isFound;
}

bool Vocabulary::castsWeights(clang::QualType type) {
  const clang::CXXRecordDecl *record = classOf(type);
  if (!record || !record->hasDefinition() || isFramework(record))
    return record && traitOf(record) == Trait::CastsWeights;
  auto [known, isNew] = casting.try_emplace(record->getDefinition(), false);
  if (!isNew)
    return known->second;
  bool result = llvm::any_of(record->getDefinition()->fields(), [&](const clang::FieldDecl *field) {
    return isModule(roleOf(field->getType())) && castsWeights(field->getType());
  });
  return casting[record->getDefinition()] = result;
}

/// The statements in which an object of the class is made, and the initializers of its members.
static llvm::SmallVector<const clang::Stmt *, 8> makingOf(const clang::CXXRecordDecl &record) {
  llvm::SmallVector<const clang::Stmt *, 8> parts;
  for (const clang::FieldDecl *field : record.fields())
    if (field->hasInClassInitializer())
      parts.push_back(field->getInClassInitializer());
  for (const clang::CXXConstructorDecl *constructor : record.ctors()) {
    const clang::FunctionDecl *definition = nullptr;
    if (!constructor->hasBody(definition))
      continue;
    parts.push_back(definition->getBody());
    for (const clang::CXXCtorInitializer *init :
         llvm::cast<clang::CXXConstructorDecl>(definition)->inits())
      parts.push_back(init->getInit());
  }
  return parts;
}

bool Vocabulary::makesLayers(const clang::CXXRecordDecl &record) {
  const auto isContainer = [&](const clang::FieldDecl *field) {
    const clang::CXXRecordDecl *held = classOf(field->getType());
    return held && roleOf(field->getType()) == TypeRole::ModuleHolder &&
           traitOf(held) == Trait::Container;
  };
  bool makes = false;
  if (llvm::any_of(record.fields(), isContainer))
    for (const clang::Stmt *part : makingOf(record))
      forEach(part, [&](const clang::Stmt *inner) {
        const auto *made = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
        makes |= made && roleOf(made->getType()) == TypeRole::ModuleHolder &&
                 isFramework(made->getConstructor()) && hasParameters(made->getType());
      });
  return makes;
}

bool Vocabulary::hasParameters(clang::QualType type) {
  const clang::CXXRecordDecl *record = classOf(type);
  if (!record || !record->hasDefinition() || isStandard(record) || !isModule(roleOf(record)))
    return false;
  if (isFramework(record)) {
    const Trait trait = traitOf(record);
    return trait == Trait::None || trait == Trait::CastsWeights || trait == Trait::ModeByOption;
  }
  const auto [known, isNew] = parametrised.try_emplace(record->getDefinition(), false);
  if (!isNew)
    return known->second;
  const bool result = llvm::any_of(record->getDefinition()->fields(),
                                   [&](const clang::FieldDecl *field) {
                                     return roleOf(field->getType()) == TypeRole::ModuleHolder &&
                                            hasParameters(field->getType());
                                   }) ||
                      makesLayers(*record->getDefinition());
  return parametrised[record->getDefinition()] = result;
}

Trait Vocabulary::traitOfClass(const clang::CXXRecordDecl &record) const {
  Trait trait = traitOf(&record);
  if (trait == Trait::None && record.hasDefinition())
    for (const clang::CXXBaseSpecifier &base : record.bases())
      if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
          parent && trait == Trait::None)
        trait = traitOfClass(*parent);
  return trait;
}

Trait Vocabulary::traitOfObject(clang::QualType type) {
  if (const clang::QualType object = pointee(type); !object.isNull())
    type = object;
  const clang::CXXRecordDecl *record = classOf(type);
  return record ? traitOfClass(*record) : Trait::None;
}

Trait Vocabulary::traitOf(const clang::NamedDecl *declaration) const {
  std::string name = canonicalName(declaration);
  Trait trait = model.trait(name);
  if (llvm::StringRef holder = name; trait == Trait::None && holder.consume_back("Impl"))
    trait = model.trait(holder);
  return trait;
}

Aspects Vocabulary::aspectsOf(const clang::NamedDecl *declaration) {
  if (!llvm::isa<clang::FunctionDecl, clang::TagDecl, clang::FieldDecl, clang::ParmVarDecl>(
          declaration))
    return {};
  const llvm::StringRef simple =
      declaration->getIdentifier() ? declaration->getName() : llvm::StringRef();
  if (llvm::isa<clang::ParmVarDecl, clang::FieldDecl>(declaration)) {
    const auto *around = llvm::dyn_cast<clang::NamedDecl>(declaration->getDeclContext());
    if (simple.empty() || !around || !isFramework(around))
      return {};
    Aspects aspects = model.aspects(simple);
    aspects |= model.aspects(canonicalName(around) + "::" + simple.str());
    return aspects;
  }
  const std::string name = canonicalName(declaration);
  Aspects result = model.aspects(name);
  if (llvm::StringRef holder = name; holder.consume_back("Impl"))
    result |= model.aspects(holder);
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(declaration);
  if (!method || simple.empty())
    return result;
  if (isFramework(method->getParent())) // An option.
    result |= model.aspects(simple);
  if (method->getParent()->hasDefinition())
    method->getParent()->forallBases([&](const clang::CXXRecordDecl *base) {
      result |= model.aspects(canonicalName(base) + "::" + simple.str());
      return true;
    });
  return result;
}

bool Vocabulary::is(clang::QualType type, Aspects aspects) {
  const clang::TagDecl *declared =
      type.isNull() ? nullptr : type.getNonReferenceType()->getAsTagDecl();
  return declared && aspectsOf(declared).hasAny(aspects);
}

Operation Vocabulary::operationOf(const clang::NamedDecl *declaration) const {
  if (pointsToMemory(declaration))
    return Operation::PointToMemory;
  const std::string name = canonicalName(declaration);
  const Operation operation = model.operation(name);
  llvm::StringRef holder = name;
  return operation == Operation::None && holder.consume_back("Impl") ? model.operation(holder)
                                                                     : operation;
}

ResultRule Vocabulary::ruleOf(const clang::NamedDecl *declaration) const {
  const std::string name = canonicalName(declaration);
  const ResultRule rule = model.rule(name);
  if (rule != ResultRule::None)
    return rule;
  if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
    if (const Operator *run = operatorOf(function))
      return run->rule;
  llvm::StringRef holder = name;
  return holder.consume_back("Impl") ? model.rule(holder) : rule;
}

bool Vocabulary::isFramework(const clang::Decl *declaration) {
  const auto *named = llvm::dyn_cast<clang::NamedDecl>(declaration);
  return named && model.isFrameworkName(canonicalName(named));
}

bool Vocabulary::isHandle(clang::QualType type) {
  if (type.isNull())
    return false;
  type = type.getNonReferenceType();
  if (!pointee(type).isNull())
    return true;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return false;
  if (isClosure(type))
    return true;
  return isModule(roleOf(record));
}

const clang::CXXRecordDecl *Vocabulary::heldBy(const clang::CXXRecordDecl *holder) {
  holder = holder->getDefinition();
  if (!holder)
    return nullptr;
  const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(holder);
  if (special && model.typeRole(canonicalName(holder)) == TypeRole::ModuleHolder &&
      special->getTemplateArgs().size() > 0 &&
      special->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type)
    return special->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  for (const clang::CXXBaseSpecifier &base : holder->bases())
    if (const clang::CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
        record && roleOf(record) == TypeRole::ModuleHolder)
      return heldBy(record);
  return nullptr;
}

bool Vocabulary::isClosure(clang::QualType type) {
  if (type.isNull())
    return false;
  const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && (record->isLambda() || (record->getIdentifier() && isStandard(record) &&
                                           record->getName() == "function"));
}

bool Vocabulary::isTensorList(clang::QualType type) {
  if (type.isNull())
    return false;
  const auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!record || !record->getIdentifier() || record->getTemplateArgs().size() == 0)
    return false;
  bool isList = llvm::StringSwitch<bool>(record->getName())
                    .Cases({"vector", "list", "deque", "array", "initializer_list", "span"}, true)
                    .Default(viewsElements(record));
  const clang::TemplateArgument &element = record->getTemplateArgs()[0];
  return isList && element.getKind() == clang::TemplateArgument::Type &&
         roleOf(element.getAsType()) == TypeRole::Tensor;
}

bool Vocabulary::holdsTensors(clang::QualType type) {
  if (type.isNull())
    return false;
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return type->isDependentType();
  record = record->getCanonicalDecl();
  if (auto known = holding.find(record); known != holding.end())
    return known->second;
  holding[record] = false; // For types that hold themselves.
  bool result = false;
  if (TypeRole role = roleOf(record); role != TypeRole::None) {
    result = role == TypeRole::Tensor;
  } else if (isStandard(record) || isFramework(record)) {
    result = traitOf(record) == Trait::HoldsTensors;
    if (const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      for (const clang::TemplateArgument &argument : special->getTemplateArgs().asArray()) {
        if (argument.getKind() == clang::TemplateArgument::Type)
          result |= holdsTensors(argument.getAsType());
        else if (argument.getKind() == clang::TemplateArgument::Pack)
          for (const clang::TemplateArgument &part : argument.pack_elements())
            result |=
                part.getKind() == clang::TemplateArgument::Type && holdsTensors(part.getAsType());
      }
  } else if (const clang::CXXRecordDecl *definition = record->getDefinition()) {
    for (const clang::CXXBaseSpecifier &base : definition->bases())
      result |= holdsTensors(base.getType());
    for (const clang::FieldDecl *field : definition->fields())
      result |= holdsTensors(field->getType());
  }
  return holding[record] = result;
}

bool Vocabulary::reachesTraining(clang::QualType type) {
  if (type.isNull())
    return false;
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return type->isDependentType() || type->isVoidType();
  record = record->getCanonicalDecl();
  if (auto known = reaching.find(record); known != reaching.end())
    return known->second;
  reaching[record] = false; // For types that hold themselves.
  bool result = false;
  TypeRole role = roleOf(record);
  if (role != TypeRole::None) {
    result = isModule(role) || role == TypeRole::Optimizer;
  } else if (isStandard(record)) {
    // What a standard class holds is among its template arguments; a function may hold anything.
    result =
        record->getIdentifier() && (record->getName() == "function" || record->getName() == "any");
    if (const auto *special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      for (const clang::TemplateArgument &argument : special->getTemplateArgs().asArray())
        result |= argument.getKind() == clang::TemplateArgument::Type &&
                  reachesTraining(argument.getAsType());
  } else if (const clang::CXXRecordDecl *definition = record->getDefinition();
             definition && !isFramework(record)) {
    for (const clang::CXXBaseSpecifier &base : definition->bases())
      result |= reachesTraining(base.getType());
    for (const clang::FieldDecl *field : definition->fields())
      result |= reachesTraining(field->getType());
  }
  return reaching[record] = result;
}

} // namespace gradtidy
