// Finds what is known of the modules that events call or make.
#pragma once

#include "ModuleClasses.h"
#include "analyzer/events/CalledModule.h"
#include "analyzer/events/Event.h"
#include "analyzer/events/ModuleFacts.h"

#include <memory>
#include <vector>

namespace gradtidy {

class CalledModules {
public:
  /// Looks at the user's code in the context's traversal scope. All arguments must outlive this
  /// object.
  CalledModules(clang::ASTContext &context, Vocabulary &vocabulary);

  /// What is known of the module that is the subject of \p event, or that it makes; null for
  /// nothing.
  std::unique_ptr<const CalledModule> describe(const Event &event) const;

  /// Whether \p function, or what it calls outside other modules, does by itself what depends on
  /// the mode.
  bool asksForMode(const clang::FunctionDecl &function) const;

  /// The module classes of the user, to which what was described leads.
  std::vector<std::unique_ptr<const ModuleClass>> takeClasses() { return std::move(classes); }

private:
  /// Whether it is a single layer of the framework.
  bool isLayer(const clang::CXXRecordDecl *record) const;

  Vocabulary &vocabulary;
  const ModuleClasses modules;
  std::vector<std::unique_ptr<const ModuleClass>> classes;
  const ModuleFacts facts;
};

} // namespace gradtidy
