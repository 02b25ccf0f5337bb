#include "DroppedCode.h"

#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

bool DroppedCode::precedes(clang::SourceLocation location) {
  if (!unit.contents().hasErrors || location.isInvalid())
    return false;
  const clang::SourceLocation place = source.manager.getFileLoc(location);
  return llvm::any_of(unit.functions(), [&](const FunctionBody *function) {
    const ir::Node *body = ir::as(ir::NodeKind::Compound, function->body);
    return body && function->linkedFrom.empty() && source.isBefore(body->begin(), place) &&
           source.isBefore(place, body->end()) &&
           llvm::any_of(droppedIn(*function),
                        [&](clang::SourceLocation each) { return source.isBefore(each, place); });
  });
}

const DroppedCode::Places &DroppedCode::droppedIn(const FunctionBody &function) {
  const auto [known, isNew] = dropped.try_emplace(&function);
  if (!isNew)
    return known->second;
  Places places;
  const llvm::StringSet<> names = namesThatMatter(function);
  ir::forEach(function.body, [&](const ir::Node &node) {
    if (node.kind != ir::NodeKind::Compound || node.brackets.isInvalid() ||
        node.brackets.getBegin().isMacroID())
      return;
    clang::SourceLocation end = source.behind(node.brackets.getBegin());
    for (const ir::Node *child : node.children) {
      if (child->range.isInvalid())
        continue;
      const clang::SourceRange written =
          source.manager.getExpansionRange(child->range).getAsRange();
      if (hasStatement(end, written.getBegin(), names))
        places.push_back(end);
      end = source.behind(written.getEnd());
    }
    if (hasStatement(end, node.brackets.getEnd(), names))
      places.push_back(end);
  });
  return known->second = std::move(places);
}

llvm::StringSet<> DroppedCode::namesThatMatter(const FunctionBody &function) const {
  llvm::StringSet<> names;
  for (const std::string &space : unit.contents().namespaces)
    names.insert(space);
  const auto add = [&](const ir::Symbol *symbol) {
    const ir::Type *type = symbol && !symbol->isFunction() ? symbol->type : nullptr;
    if (type && (type->role != TypeRole::None || type->holdsTensors || type->leadsToTensors ||
                 !type->modules.empty()))
      names.insert(symbol->name);
  };
  llvm::for_each(function.function->parameters, add);
  ir::forEach(function.body, [&](const ir::Node &node) {
    add(node.symbol);
    llvm::for_each(node.declared, add);
  });
  return names;
}

bool DroppedCode::hasStatement(clang::SourceLocation begin, clang::SourceLocation end,
                               const llvm::StringSet<> &names) const {
  const auto [file, first] = source.manager.getDecomposedLoc(begin);
  const auto [endFile, last] = source.manager.getDecomposedLoc(end);
  if (begin.isInvalid() || end.isInvalid() || file != endFile || first >= last)
    return false;
  const llvm::StringRef text = source.manager.getBufferData(file);
  clang::Lexer lexer(source.manager.getLocForStartOfFile(file), source.language, text.begin(),
                     text.begin() + first, text.end());
  clang::Token token;
  bool isDirective = false, isExcluded = false; // Sections that are left out are none of its.
  bool isFirst = true;
  while (!lexer.LexFromRawLexer(token) &&
         source.manager.getFileOffset(token.getLocation()) < last) {
    if (token.isAtStartOfLine())
      isDirective = token.is(clang::tok::hash);
    if (token.isNot(clang::tok::raw_identifier))
      continue;
    const llvm::StringRef name = token.getRawIdentifier();
    if (isDirective && (name.starts_with("if") || name.starts_with("el")))
      isExcluded = true;
    if (isDirective && name == "endif")
      isExcluded = false;
    if (isDirective || isExcluded)
      continue;
    // Declarations and labels are no statements of their own.
    if (std::exchange(isFirst, false) &&
        llvm::is_contained({"case", "default", "using", "typedef", "static_assert", "struct",
                            "class", "enum", "namespace", "extern", "else"},
                           name))
      return false;
    if (names.contains(name))
      return true;
  }
  return false;
}

} // namespace gradtidy
