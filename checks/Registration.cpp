#include "Registration.h"

#include "Fixes.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

/// Writes the repair. Every way in which the member is made must be repaired, or none is.
class Registration {
public:
  Registration(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function)
      : visit(visit), member(member), function(function), name(member.field->name) {}

  Fix fix() {
    bool isNameFree = !llvm::is_contained(visit.view.registeredNames, name);
    if (!isNameFree || name.empty() || !member.isRegistrable)
      return {};
    bool isWhole = member.definitions.empty() ||
                   llvm::all_of(member.definitions, [](const MemberDefinition &definition) {
                     return definition.kind == MemberDefinition::DefaultInitializer ||
                            definition.kind == MemberDefinition::Insertion;
                   });
    if (isWhole ? !registerInConstructors() : !wrapDefinitions())
      return {};
    return std::move(fixes);
  }

private:
  /// `register_module("fc", fc);` at the start of every constructor.
  bool registerInConstructors() {
    for (const ir::Symbol *constructor : ir::classOf(*visit.view.record).constructors) {
      if (constructor->isImplicit)
        continue;
      const ir::Symbol *definition = constructor->definition;
      const ir::Node *body =
          ir::as(ir::NodeKind::Compound, definition ? ir::codeOf(*definition) : nullptr);
      if (!body || body->brackets.getBegin().isMacroID())
        return false;
      if (definition->isDelegating)
        continue;
      const bool isHidden = llvm::any_of(definition->parameters, [&](const ir::Symbol *parameter) {
        return parameter->name == name;
      });
      const std::string call =
          (function + "(\"" + name + "\", " + (isHidden ? "this->" : "") + name + ");").str();
      const clang::SourceLocation brace = body->brackets.getBegin();
      if (body->children.empty())
        insert(brace.getLocWithOffset(1), " " + call + " ");
      else if (clang::SourceLocation first = body->children.front()->begin(); first.isMacroID())
        return false;
      else
        insert(first, call + (lineOf(first) == lineOf(brace)
                                  ? " "
                                  : "\n" + visit.source.indentation(first).str()));
    }
    return !fixes.empty();
  }

  bool wrapDefinitions() {
    llvm::SmallPtrSet<const ir::Symbol *, 2> seen;
    for (const MemberDefinition &definition : member.definitions)
      if (definition.kind == MemberDefinition::Insertion ||
          definition.kind == MemberDefinition::DefaultInitializer)
        continue;
      else if (!seen.insert(definition.function).second || !isOwn(definition.function) ||
               !wrap(definition))
        return false;
    return true;
  }

  /// Whether it is a method of the class, in which the registering functions can be called.
  bool isOwn(const ir::Symbol *definer) const {
    return definer && definer->isMethod() && definer->owner == visit.view.record;
  }

  static bool isCopy(const ir::Symbol &constructor) {
    return !constructor.parameters.empty() && constructor.parameters.front()->type->isReference &&
           constructor.parameters.front()->type->record == constructor.owner;
  }

  bool wrap(const MemberDefinition &definition) {
    std::string before = (function + "(\"" + name + "\", ").str();
    const ir::Node *value = definition.value;
    if (const ir::Node *construct = ir::as(ir::NodeKind::Construct, value)) {
      clang::SourceRange brackets = construct->brackets;
      if (brackets.isValid() && definition.kind == MemberDefinition::MemberInitializer &&
          !isCopy(*construct->symbol)) {
        // `fc(64, 10)`: the type is not written, but it is that of the member.
        const std::string type = visit.source.text(member.field->typeRange).str();
        const bool isBrace = *visit.source.manager.getCharacterData(brackets.getBegin()) == '{';
        if (type.empty() || brackets.getBegin().isMacroID() || brackets.getEnd().isMacroID())
          return false;
        insert(brackets.getBegin().getLocWithOffset(1), before + type + (isBrace ? "{" : "("));
        insert(brackets.getEnd(), isBrace ? "})" : "))");
        return true;
      }
      // An implicit conversion to the type of the member.
      if (construct->arguments.size() != 1)
        return false;
      value = construct->arguments[0];
    }
    if (value->begin().isMacroID() || value->end().isMacroID() || value->kind == ir::NodeKind::List)
      return false;
    insert(value->begin(), before);
    insert(visit.source.behind(value->end()), ")");
    return true;
  }

  void insert(clang::SourceLocation where, llvm::StringRef what) {
    fixes.push_back(clang::FixItHint::CreateInsertion(where, what));
  }

  unsigned lineOf(clang::SourceLocation location) const {
    return visit.source.manager.getSpellingLineNumber(location);
  }

  const ClassVisit &visit;
  const ModuleMember &member;
  llvm::StringRef function, name;
  Fix fixes;
};

} // namespace

bool isForgotten(const ModuleClass &view, const ModuleMember &member) {
  return view.isVisible && member.registered == Answer::No && member.stateful == Answer::Yes &&
         !member.isHandedIn && !member.isManaged && member.isMade && !member.forwardUses.empty();
}

std::string userOf(const ModuleMember &member) {
  return member.user ? member.user->spelling.str() + "()" : "forward()";
}

/// Where the member is made, if that is a constructor written elsewhere than the class: beside the
/// registrations of others. Else where it is declared.
static clang::SourceRange placeOf(const ClassVisit &visit, const ModuleMember &member) {
  const Source &sources = visit.source;
  const clang::SourceRange own = visit.view.record->range;
  const auto isElsewhere = [&](const MemberDefinition &definition) {
    const clang::SourceLocation place = sources.manager.getExpansionLoc(definition.value->caret);
    return (definition.kind == MemberDefinition::Assignment ||
            definition.kind == MemberDefinition::MemberInitializer) &&
           definition.function && definition.function->kind == ir::SymbolKind::Constructor &&
           (sources.isBefore(place, own.getBegin()) || sources.isBefore(own.getEnd(), place));
  };
  const auto made = llvm::find_if(member.definitions, isElsewhere);
  return made == member.definitions.end() ? member.field->range : made->value->range;
}

Finding unregistered(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function,
                     std::string message) {
  const clang::SourceRange range = placeOf(visit, member);
  const bool isAtDeclaration = range == member.field->range;
  Finding finding(Level::Certain, isAtDeclaration ? Place(*member.field) : Place(range),
                  std::move(message));
  finding.notes.push_back({member.forwardUses.front()->caret, "it is used here"});
  if (!member.definitions.empty() && isAtDeclaration)
    finding.notes.push_back({member.definitions.front().value->caret, "it is made here"});
  finding.fixes = Registration(visit, member, function).fix();
  return finding;
}

Finding replaced(const ModuleMember &member, const MemberDefinition &definition,
                 llvm::StringRef kind, llvm::StringRef reaching) {
  Finding finding(Level::Certain, {definition.value->caret, definition.value->range});
  finding.message =
      (kind + " '" + member.field->name +
       "' is replaced, but the old one stays registered: " + reaching + " do not reach the new one")
          .str();
  return finding;
}

} // namespace gradtidy
