#include "Loaders.h"

#include "Samples.h"

#include "analyzer/events/values/LearningRates.h"
#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Whether \p body makes a dataset of tensors that it lists, as `TensorDataset({a, b, c})`: they
/// are its samples, which only their positions tell apart.
static bool listsSamples(const Stmt *body) {
  bool isFound = false;
  forEach(body, [&](const Stmt *statement) {
    const auto *made = dyn_cast<CXXConstructExpr>(statement);
    if (!made || made->getConstructor()->getParent()->getName() != "TensorDataset")
      return;
    for (const Expr *argument : made->arguments())
      forEach(argument, [&](const Stmt *part) {
        const auto *list = dyn_cast<InitListExpr>(part);
        isFound |= list && list->getNumInits() > 1;
      });
  });
  return isFound;
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
         !(function && (drawsOrder(function->getBody()) || listsSamples(function->getBody())));
}

bool stacksSamples(QualType loader, const Vocabulary &vocabulary) {
  const auto templateOf = [](QualType type) -> const ClassTemplateSpecializationDecl * {
    type = type.getNonReferenceType();
    if (const QualType object = pointee(type); !object.isNull())
      type = object;
    return dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  };
  const auto argumentOf = [](const ClassTemplateSpecializationDecl *record,
                             unsigned index) -> QualType {
    return record && record->getTemplateArgs().size() > index &&
                   record->getTemplateArgs()[index].getKind() == TemplateArgument::Type
               ? record->getTemplateArgs()[index].getAsType()
               : QualType();
  };
  const auto *record = templateOf(loader);
  if (!record || record->getTemplateArgs().size() != 2) // a base class does not tell the sampler
    return false;
  const QualType dataset = argumentOf(record, 0), sampler = argumentOf(record, 1);
  if (dataset.isNull() || sampler.isNull())
    return false;
  const QualType transform = argumentOf(templateOf(dataset), 1);
  const CXXRecordDecl *last = transform.isNull() ? nullptr : transform->getAsCXXRecordDecl();
  const CXXRecordDecl *drawn = sampler->getAsCXXRecordDecl();
  return last && vocabulary.traitOf(last) == Trait::StacksSamples && drawn &&
         vocabulary.traitOf(drawn) != Trait::KeepsOrder;
}

// --- what loaders are made with -----------------------------------------------------------------

namespace {

class Options {
public:
  Options(const Stmt &body, const ASTContext &context, CodeMap &map)
      : body(body), context(context), map(map) {}

  LoaderOptions options;
  bool isKnown = true; ///< Whether all that is set is seen.
  bool isBatchSet = false;
  bool isWorkersSet = false;

  void read(const Expr *expr, unsigned depth = 0) {
    expr = strip(expr);
    if (isa<CXXDefaultArgExpr>(expr))
      return;
    if (isArithmetic(expr)) {
      setBatch(*expr);
    } else if (const auto *setter = dyn_cast<CXXMemberCallExpr>(expr)) {
      set(*setter);
      read(setter->getImplicitObjectArgument(), depth);
    } else if (const auto *list = dyn_cast<InitListExpr>(expr)) {
      for (const Expr *part : list->inits())
        read(part, depth);
    } else if (const auto *made = dyn_cast<CXXConstructExpr>(expr)) {
      if (made->getNumArgs() > 0)
        read(made->getArg(0), depth);
    } else if (const VarDecl *variable = variableOf(expr);
               variable && variable->isLocalVarDecl() && variable->hasInit() && depth < 2) {
      read(variable->getInit(), depth + 1);
      readSetters(*variable);
    } else {
      isKnown = false;
    }
  }

private:
  void setBatch(const Expr &size) {
    const std::optional<double> number = numberOf(&size, body, context);
    const bool isFirst = !std::exchange(isBatchSet, true);
    options.batchSize = isFirst && number && *number > 0 ? static_cast<unsigned>(*number) : 0;
  }

  void set(const CXXMemberCallExpr &setter) {
    const StringRef name = simpleName(setter.getMethodDecl());
    if (setter.getNumArgs() != 1)
      isKnown = false;
    else if (name == "batch_size")
      setBatch(*setter.getArg(0));
    else if (name == "workers")
      setWorkers(*setter.getArg(0));
    else if (name == "drop_last")
      setDropLast(*setter.getArg(0));
  }

  void setWorkers(const Expr &count) {
    const auto *literal = dyn_cast<IntegerLiteral>(strip(&count));
    isWorkersSet |= !literal || literal->getValue() != 0;
    if (const auto number = numberOf(&count, body, context); number && *number > 0)
      options.workers = static_cast<unsigned>(*number);
  }

  void setDropLast(const Expr &flag) {
    const auto *literal = dyn_cast<CXXBoolLiteralExpr>(strip(&flag));
    options.dropsLast = map.node(literal && literal->getValue() ? literal : nullptr);
  }

  /// What else the function does to the options \p variable.
  void readSetters(const VarDecl &variable) {
    unsigned mentions = 0, known = 0;
    forEach(&body, [&](const Stmt *statement) {
      const auto *reference = dyn_cast<DeclRefExpr>(statement);
      mentions += reference && reference->getDecl() == &variable;
      const auto *setter = dyn_cast<CXXMemberCallExpr>(statement);
      if (setter && variableOf(setter->getImplicitObjectArgument()) == &variable) {
        set(*setter);
        ++known;
      }
    });
    isKnown &= mentions <= known + 1; // The loader itself mentions it, too.
  }

  const Stmt &body;
  const ASTContext &context;
  CodeMap &map;
};

} // namespace

/// The arguments of the template of datasets over others, if the class is made of it: the first is
/// the other dataset.
static ArrayRef<TemplateArgument> mappedBy(const CXXRecordDecl &record,
                                           const Vocabulary &vocabulary) {
  const auto *wrapper = dyn_cast<ClassTemplateSpecializationDecl>(&record);
  return wrapper && vocabulary.traitOf(wrapper) == Trait::MapsSamples
             ? wrapper->getTemplateArgs().asArray()
             : ArrayRef<TemplateArgument>();
}

/// Whether \p dataset gives one sample after the other, be it through transforms.
static bool givesSamples(QualType dataset, const Vocabulary &vocabulary) {
  const CXXRecordDecl *record = dataset.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record)
    return false;
  if (const Trait trait = vocabulary.traitOfClass(*record);
      trait == Trait::GivesSamples || trait == Trait::KeepsSamples)
    return true;
  const ArrayRef<TemplateArgument> mapped = mappedBy(*record, vocabulary);
  return !mapped.empty() && mapped.front().getKind() == TemplateArgument::Type &&
         givesSamples(mapped.front().getAsType(), vocabulary);
}

// --- random numbers -----------------------------------------------------------------------------

namespace {

/// Finds the member from which objects of a class draw random numbers when they give a sample.
class Engines {
public:
  Engines(const CXXRecordDecl &record, const Vocabulary &vocabulary)
      : record(record), vocabulary(vocabulary) {}

  const FieldDecl *find() {
    for (const CXXConstructorDecl *constructor : record.ctors())
      if (constructor->isCopyConstructor() && constructor->isUserProvided())
        return nullptr; // A copy may draw others.
    for (const CXXMethodDecl *method : record.methods())
      if (givesSamples(*method) || method->getOverloadedOperator() == OO_Call)
        visit(*method);
    return isSeeded ? nullptr : found;
  }

private:
  void visit(const CXXMethodDecl &method) {
    const FunctionDecl *body = method.getDefinition();
    if (body && body->doesThisDeclarationHaveABody() && visited.insert(body).second)
      forEach(body->getBody(), [&](const Stmt *each) { visit(*each); });
  }

  void visit(const Stmt &statement) {
    if (const auto *member = dyn_cast<MemberExpr>(&statement)) {
      const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      const CXXRecordDecl *engine = field ? field->getType()->getAsCXXRecordDecl() : nullptr;
      if (engine && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) &&
          vocabulary.traitOf(engine) == Trait::DrawsNumbers && !found)
        found = field;
      return;
    }
    const auto *call = dyn_cast<CallExpr>(&statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    // Seeded for each sample, or replaced.
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    if (method && vocabulary.traitOf(method->getParent()) == Trait::DrawsNumbers)
      isSeeded |= simpleName(method) == "seed" || method->getOverloadedOperator() == OO_Equal;
    if (method && declaresSameEntity(method->getParent(), &record))
      visit(*method);
  }

  const CXXRecordDecl &record;
  const Vocabulary &vocabulary;
  llvm::SmallPtrSet<const FunctionDecl *, 4> visited;
  const FieldDecl *found = nullptr;
  bool isSeeded = false;
};

} // namespace

/// The same of \p dataset, or of what it wraps.
static const FieldDecl *engineOf(QualType dataset, const Vocabulary &vocabulary) {
  const CXXRecordDecl *record = dataset.getNonReferenceType()->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isLambda())
    return nullptr;
  const ArrayRef<TemplateArgument> mapped = mappedBy(*record, vocabulary);
  for (const TemplateArgument &argument : mapped)
    if (argument.getKind() == TemplateArgument::Type)
      if (const FieldDecl *engine = engineOf(argument.getAsType(), vocabulary))
        return engine;
  if (!mapped.empty())
    return nullptr;
  return Engines(*record, vocabulary).find();
}

/// The class of the sampler of the loader that \p make makes, or null.
static const CXXRecordDecl *samplerOf(const CallExpr &make) {
  const QualType loader = pointee(make.getType());
  const auto *record =
      loader.isNull()
          ? nullptr
          : dyn_cast_or_null<ClassTemplateSpecializationDecl>(loader->getAsCXXRecordDecl());
  return record && record->getTemplateArgs().size() > 1 &&
                 record->getTemplateArgs()[1].getKind() == TemplateArgument::Type
             ? record->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl()
             : nullptr;
}

/// Whether the function itself makes \p dataset, and of nothing that it is given but text and
/// numbers.
static bool isOwn(const Expr &dataset, unsigned depth = 0) {
  bool isOwnOnly = depth < 4;
  forEach(&dataset, [&](const Stmt *each) {
    const auto *reference = dyn_cast<DeclRefExpr>(each);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    const CXXRecordDecl *record =
        variable ? variable->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
    if (isa<CXXThisExpr>(each))
      isOwnOnly = false;
    else if (record && !isStandard(record))
      isOwnOnly &= variable->isLocalVarDecl() && variable->hasInit() &&
                   isOwn(*variable->getInit(), depth + 1);
  });
  return isOwnOnly;
}

LoaderOptions optionsOf(const CallExpr &make, const Stmt &body, const Vocabulary &vocabulary,
                        const ASTContext &context) {
  if (make.getNumArgs() < 2)
    return {};
  Options reader(body, context, vocabulary.code());
  reader.read(make.getArg(make.getNumArgs() - 1));
  reader.options.lacksBatchSize =
      reader.isKnown && !reader.isBatchSet && givesSamples(make.getArg(0)->getType(), vocabulary);
  if (reader.options.lacksBatchSize)
    reader.options.batchSize = 1;
  else if (!reader.isKnown)
    reader.options.batchSize = 0;
  reader.options.lacksWorkers = reader.isKnown && !reader.isWorkersSet;
  if (const CXXRecordDecl *sampler = samplerOf(make)) {
    const Trait trait = vocabulary.traitOfClass(*sampler);
    reader.options.splitsSamples = trait == Trait::SplitsSamples;
    reader.options.keepsEpoch =
        reader.options.splitsSamples && vocabulary.traitOf(sampler) == trait;
    reader.options.givesAll = (trait == Trait::GivesAllSamples || trait == Trait::KeepsOrder) &&
                              vocabulary.traitOf(sampler) == trait && isOwn(*make.getArg(0));
  }
  reader.options.engine = vocabulary.code().symbol(engineOf(make.getArg(0)->getType(), vocabulary));
  return reader.options;
}

// --- page-locked memory -------------------------------------------------------------------------

bool pinsMemory(const Stmt *statement, const Vocabulary &vocabulary) {
  bool found = false;
  forEach(statement, [&](const Stmt *each) {
    const auto *call = dyn_cast<CallExpr>(each);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    found |= callee && vocabulary.operationOf(callee) == Operation::PinMemory;
  });
  return found;
}

bool mayPinMemory(QualType loader, const Vocabulary &vocabulary) {
  if (const QualType object = pointee(loader); !object.isNull())
    return mayPinMemory(object, vocabulary);
  const CXXRecordDecl *record = loader.getNonReferenceType()->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record)
    return false;
  for (const CXXMethodDecl *method : record->methods())
    if (const FunctionDecl *body = method->getDefinition();
        body && body->doesThisDeclarationHaveABody() && pinsMemory(body->getBody(), vocabulary))
      return true;
  const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(record);
  return special && llvm::any_of(special->getTemplateArgs().asArray(), [&](const auto &argument) {
           return argument.getKind() == TemplateArgument::Type &&
                  mayPinMemory(argument.getAsType(), vocabulary);
         });
}

// --- loops that end early -----------------------------------------------------------------------

namespace {

/// Finds what leaves a loop.
class Leaves {
public:
  struct Leave {
    const Stmt *statement;
    llvm::SmallVector<const Stmt *, 2> choices; ///< The statements in the loop that may skip it.
  };
  llvm::SmallVector<Leave, 2> found;

  void collect(const Stmt *statement, bool isInnermost = true) {
    if (!statement || isa<LambdaExpr>(statement))
      return;
    if (isa<ReturnStmt>(statement) || (isInnermost && isa<BreakStmt>(statement)))
      found.push_back({statement, choices});
    const bool isSwitch = isa<SwitchStmt>(statement);
    const bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement);
    const bool isChoice = isSwitch || isLoop || isa<IfStmt, CXXTryStmt>(statement);
    if (isChoice)
      choices.push_back(statement);
    for (const Stmt *child : statement->children())
      collect(child, isInnermost && !isLoop && !isSwitch);
    if (isChoice)
      choices.pop_back();
  }

private:
  llvm::SmallVector<const Stmt *, 2> choices;
};

using Names = llvm::SmallPtrSet<const ValueDecl *, 8>;

} // namespace

static const Stmt *bodyOfLoop(const Stmt &loop) {
  if (const auto *over = dyn_cast<CXXForRangeStmt>(&loop))
    return over->getBody();
  const auto *counted = dyn_cast<ForStmt>(&loop);
  return counted ? counted->getBody() : nullptr;
}

static const Expr *conditionOf(const Stmt &statement) {
  if (const auto *counted = dyn_cast<ForStmt>(&statement))
    return counted->getCond();
  if (const auto *whole = dyn_cast<WhileStmt>(&statement))
    return whole->getCond();
  if (const auto *last = dyn_cast<DoStmt>(&statement))
    return last->getCond();
  const auto *branch = dyn_cast<IfStmt>(&statement);
  return branch ? branch->getCond() : nullptr;
}

/// Adds the variables and members that \p statement names, constants left out.
static void addNames(const Stmt *statement, Names &names) {
  forEach(statement, [&](const Stmt *each) {
    const auto *reference = dyn_cast<DeclRefExpr>(each);
    const auto *member = dyn_cast<MemberExpr>(each);
    const ValueDecl *named = reference ? reference->getDecl()
                             : member  ? member->getMemberDecl()
                                       : nullptr;
    if (isa_and_nonnull<VarDecl, FieldDecl>(named) && !named->getType().isConstQualified())
      names.insert(named);
  });
}

/// Whether \p condition may tell the last batch by its size.
static bool asksForSize(const Stmt *condition) {
  bool found = false;
  forEach(condition, [&](const Stmt *each) {
    const auto *call = dyn_cast<CallExpr>(each);
    const StringRef name = call ? simpleName(call->getDirectCallee()) : StringRef();
    found |= name == "size" || name == "sizes" || name == "numel";
  });
  return found;
}

/// The loop over the batches that \p begin gives, which its iterator does not outlive; null if
/// there is none, or \p begin itself if nothing but its first batch is looked at.
static const Stmt *loopOver(const CallExpr &begin, const FunctionCode &function) {
  const Stmt *inner = &begin;
  const Stmt *outer = function.statementAround(inner);
  for (; isa_and_nonnull<Expr>(outer); outer = function.statementAround(inner = outer)) {
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(outer);
    if (operation && (operation->getOperator() == OO_Star || operation->getOperator() == OO_Arrow))
      return &begin;
    if (isa<CallExpr>(outer))
      return nullptr;
  }
  const Stmt *loop = isa_and_nonnull<DeclStmt>(outer) ? function.statementAround(outer) : nullptr;
  const auto *over = dyn_cast_or_null<CXXForRangeStmt>(loop);
  const auto *counted = dyn_cast_or_null<ForStmt>(loop);
  return (over && over->getBeginStmt() == outer) || (counted && counted->getInit() == outer)
             ? loop
             : nullptr;
}

EarlyEnd earlyEndOf(const CallExpr &begin, const FunctionCode &function) {
  const Stmt *loop = loopOver(begin, function);
  if (!loop || loop == &begin)
    return {function.map.node(loop), false};
  Leaves leaves;
  leaves.collect(bodyOfLoop(*loop));
  EarlyEnd end;
  Names asked;
  for (const Leaves::Leave &leave : leaves.found) {
    if (leave.choices.empty())
      return {function.map.node(leave.statement), false};
    if (isa<ReturnStmt>(leave.statement))
      return {}; // The caller may know.
    for (const Stmt *choice : leave.choices) {
      if (!isa<IfStmt>(choice) || asksForSize(conditionOf(*choice)))
        return {};
      addNames(choice, asked);
    }
    if (!end.leave)
      end = {function.map.node(leave.statement), true};
  }
  // What the whole program has, callers ask for before they begin again.
  if (llvm::any_of(asked, [](const ValueDecl *name) {
        const auto *variable = dyn_cast<VarDecl>(name);
        return !variable || variable->hasGlobalStorage();
      }))
    return {};
  // What is asked around the loop may keep it from beginning again.
  Names around;
  const auto addConditions = [&](const Stmt *statement, const auto &recurse) -> void {
    if (!statement || statement == loop)
      return;
    addNames(conditionOf(*statement), around);
    for (const Stmt *child : statement->children())
      recurse(child, recurse);
  };
  for (const Stmt *outer : function.loopsAround(loop))
    addConditions(outer, addConditions);
  const bool isAskedAgain =
      llvm::any_of(around, [&](const ValueDecl *name) { return asked.contains(name); });
  return isAskedAgain ? EarlyEnd() : end;
}

// --- samplers -----------------------------------------------------------------------------------

/// The variable or member that \p expr names, be it moved.
static const ValueDecl *named(const Expr *expr) {
  expr = strip(expr);
  while (true) {
    const auto *copy = dyn_cast<CXXConstructExpr>(expr);
    const auto *moved = dyn_cast<CallExpr>(expr);
    if (copy && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor())
      expr = strip(copy->getArg(0));
    else if (moved && moved->isCallToStdMove())
      expr = strip(moved->getArg(0));
    else
      break;
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
    return dyn_cast<VarDecl>(reference->getDecl());
  const auto *member = dyn_cast<MemberExpr>(expr);
  return member && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
             ? member->getMemberDecl()
             : nullptr;
}

/// The calls in \p body that make a loader with \p sampler.
static llvm::SmallVector<const CallExpr *, 1> loadersOf(const ValueDecl &sampler, const Stmt *body,
                                                        const Vocabulary &vocabulary) {
  llvm::SmallVector<const CallExpr *, 1> found;
  forEach(body, [&](const Stmt *each) {
    const auto *call = dyn_cast<CallExpr>(each);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && vocabulary.operationOf(callee) == Operation::MakeLoader &&
        call->getNumArgs() == 3 && named(call->getArg(1)) == &sampler)
      found.push_back(call);
  });
  return found;
}

const CallExpr *missedLoader(const CXXMemberCallExpr &setEpoch, const FunctionCode &function,
                             const Vocabulary &vocabulary) {
  const ValueDecl *sampler = named(setEpoch.getImplicitObjectArgument());
  if (!sampler || !sampler->getType()->isRecordType())
    return nullptr;
  const auto makes = loadersOf(*sampler, function.body, vocabulary);
  if (const auto *field = dyn_cast<FieldDecl>(sampler); field && makes.empty()) {
    // Made by a constructor, once and for all.
    const auto *record = dyn_cast<CXXRecordDecl>(field->getParent());
    const CallExpr *first = nullptr;
    for (const CXXMethodDecl *method : record->methods()) {
      const FunctionDecl *body = method->getDefinition();
      if (!body || !body->doesThisDeclarationHaveABody())
        continue;
      llvm::SmallVector<const CallExpr *, 1> made =
          loadersOf(*sampler, body->getBody(), vocabulary);
      if (const auto *constructor = dyn_cast<CXXConstructorDecl>(body))
        for (const CXXCtorInitializer *initialiser : constructor->inits())
          made.append(loadersOf(*sampler, initialiser->getInit(), vocabulary));
      else if (!made.empty())
        return nullptr;
      if (!made.empty())
        first = made.front();
    }
    return isa<CXXConstructorDecl, CXXDestructorDecl>(function.function) ? nullptr : first;
  }
  const SourceManager &sources = function.function->getASTContext().getSourceManager();
  const auto loops = function.loopsAround(&setEpoch);
  const auto isBefore = [&](SourceLocation a, SourceLocation b) {
    return sources.isBeforeInTranslationUnit(a, b);
  };
  for (const CallExpr *make : makes)
    for (const Stmt *loop : function.loopsAround(make)) // The next round makes another.
      if (llvm::is_contained(loops, loop) && isBefore(sampler->getLocation(), loop->getBeginLoc()))
        return nullptr;
  const auto isLater = [&](const CallExpr *make) {
    return isBefore(setEpoch.getBeginLoc(), make->getBeginLoc());
  };
  return makes.empty() || llvm::any_of(makes, isLater) ? nullptr : makes.front();
}

} // namespace gradtidy
