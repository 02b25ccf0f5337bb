#include "HeldTypes.h"

#include "Vocabulary.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace gradtidy {

const Held &HeldTypes::of(QualType type) {
  static const Held none;
  if (type.isNull())
    return none;
  const void *key = type.getCanonicalType().getAsOpaquePtr();
  if (auto known = heldByType.find(key); known != heldByType.end())
    return *known->second;
  auto held = std::make_unique<Held>();
  add(type, *held, 0);
  return *(heldByType[key] = std::move(held));
}

/// What references, pointers and arrays lead to.
static QualType objectType(QualType type) {
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : QualType(type->getArrayElementTypeNoTypeQual(), 0);
  return type;
}

/// The class, which is that of the template where its arguments are not known yet.
static const CXXRecordDecl *classOf(QualType type) {
  if (const CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return record;
  const auto *open = type->getAs<TemplateSpecializationType>();
  const auto *generic =
      open ? dyn_cast_or_null<ClassTemplateDecl>(open->getTemplateName().getAsTemplateDecl())
           : nullptr;
  return generic ? generic->getTemplatedDecl() : nullptr;
}

void HeldTypes::add(QualType type, Held &held, unsigned depth) {
  if (type.isNull() || depth > 6)
    return;
  const CXXRecordDecl *record = classOf(objectType(type));
  if (!record)
    return;
  switch (vocabulary.roleOf(record)) {
  case TypeRole::Tensor:
    held.hasTensors = true;
    break;
  case TypeRole::Module:
    if (!llvm::is_contained(held.modules, record->getCanonicalDecl()))
      held.modules.push_back(record->getCanonicalDecl());
    break;
  case TypeRole::ModuleHolder:
    addHolder(record, held, depth + 1);
    break;
  default:
    addContainers(record, held, depth + 1);
    break;
  }
}

/// What it holds is the argument of the framework's template, somewhere among the bases.
void HeldTypes::addHolder(const CXXRecordDecl *holder, Held &held, unsigned depth) {
  if (const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(holder))
    addArguments(special->getTemplateArgs().asArray(), held, depth);
  else if (holder->hasDefinition())
    for (const CXXBaseSpecifier &base : holder->bases())
      add(base.getType(), held, depth);
}

/// Containers and the like, and what is nested in them: iterators, items.
void HeldTypes::addContainers(const CXXRecordDecl *record, Held &held, unsigned depth) {
  for (const DeclContext *scope = record; scope && !scope->isFileContext();
       scope = scope->getParent()) {
    const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(scope);
    if (special && (isStandard(special) || vocabulary.isFramework(special)) &&
        special->getName() != "weak_ptr" && special->getName() != "function")
      addArguments(special->getTemplateArgs().asArray(), held, depth);
  }
}

void HeldTypes::addArguments(llvm::ArrayRef<TemplateArgument> arguments, Held &held,
                             unsigned depth) {
  for (const TemplateArgument &argument : arguments)
    if (argument.getKind() == TemplateArgument::Type) {
      add(argument.getAsType(), held, depth);
    } else if (argument.getKind() == TemplateArgument::Pack) {
      for (const TemplateArgument &element : argument.pack_elements())
        if (element.getKind() == TemplateArgument::Type)
          add(element.getAsType(), held, depth);
    }
}

} // namespace gradtidy
