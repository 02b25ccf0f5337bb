#include "Finding.h"

#include "analyzer/events/Event.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace gradtidy {

Place::Place(const clang::Stmt &code) : Place(code.getSourceRange()) {}

Place::Place(const clang::NamedDecl &declaration)
    : Place(declaration.getLocation(), declaration.getSourceRange()) {}

Place::Place(const Event &event) : Place(*event.site) {}

} // namespace gradtidy
