#include "Loaders.h"

#include "Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

/// Whether the statement calls for a random order, by a function of any library.
static bool drawsOrder(const Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *call = dyn_cast<CallExpr>(statement)) {
    const StringRef name = simpleName(call->getDirectCallee());
    if (name.contains_insensitive("shuffle") || name == "randperm" || name == "randint" ||
        name == "multinomial")
      return true;
  }
  return llvm::any_of(statement->children(), drawsOrder);
}

/// Whether a dataset of that class, or one that it wraps, does.
static bool drawsOrder(const CXXRecordDecl &record) {
  if (const auto *specialisation = dyn_cast<ClassTemplateSpecializationDecl>(&record))
    for (const TemplateArgument &argument : specialisation->getTemplateArgs().asArray())
      if (argument.getKind() == TemplateArgument::Type)
        if (const CXXRecordDecl *part = argument.getAsType()->getAsCXXRecordDecl();
            part && drawsOrder(*part))
          return true;
  // A transform may draw what it likes: it gets one sample.
  const CXXRecordDecl *definition = record.getDefinition();
  const auto isGetter = [](const CXXMethodDecl *method) {
    return simpleName(method).starts_with("get");
  };
  return definition && llvm::any_of(definition->methods(), isGetter) &&
         llvm::any_of(definition->methods(), [](const CXXMethodDecl *method) {
           const FunctionDecl *body = nullptr;
           return method->hasBody(body) && drawsOrder(body->getBody());
         });
}

bool keepsOrder(const VarDecl &loader, const Vocabulary &vocabulary) {
  QualType type = loader.getType().getNonReferenceType();
  if (const QualType object = pointee(type); !object.isNull())
    type = object;
  const auto *record =
      dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record)
    return false;
  const auto isOrdered = [&](const TemplateArgument &argument) {
    const CXXRecordDecl *sampler = argument.getKind() == TemplateArgument::Type
                                       ? argument.getAsType()->getAsCXXRecordDecl()
                                       : nullptr;
    return sampler && vocabulary.traitOf(sampler) == Trait::KeepsOrder;
  };
  const auto *function = dyn_cast<FunctionDecl>(loader.getDeclContext());
  return llvm::any_of(record->getTemplateArgs().asArray(), isOrdered) && !drawsOrder(*record) &&
         !(function && drawsOrder(function->getBody()));
}

} // namespace gradtidy
