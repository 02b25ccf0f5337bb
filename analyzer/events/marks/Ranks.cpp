#include "Ranks.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gradtidy {

/// The class of an object, be it behind a pointer of any kind, or null.
static const CXXRecordDecl *classBehind(QualType type) {
  if (type.isNull())
    return nullptr;
  type = type.getNonReferenceType();
  if (const QualType object = pointee(type); !object.isNull())
    return classBehind(object);
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const auto *pointer = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (pointer && pointer->getName() == "intrusive_ptr" &&
      pointer->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    return pointer->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  return record;
}

static Trait traitBehind(QualType type, const Vocabulary &vocabulary) {
  const CXXRecordDecl *record = classBehind(type);
  return record ? vocabulary.traitOfClass(*record) : Trait::None;
}

bool isExchange(const FunctionDecl &function, const Vocabulary &vocabulary) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  if (!method)
    return vocabulary.operationOf(&function) == Operation::Exchange;
  return vocabulary.traitOfClass(*method->getParent()) == Trait::JoinsRanks &&
         llvm::any_of(llvm::ArrayRef<StringRef>{"reduce", "gather", "broadcast", "scatter", "send",
                                                "recv", "alltoall"},
                      [&](StringRef part) { return simpleName(method).contains(part); });
}

namespace {

/// Reads a function in which a group is made.
class Ranks {
public:
  Ranks(const FunctionDecl &function, Vocabulary &vocabulary)
      : function(function), vocabulary(vocabulary) {}

  RankGroup find() {
    collect(function.getBody(), false);
    if (groups.size() != 1 || isAlone)
      return group;
    visit(function.getBody());
    if (!isHandedOn)
      group.variable = vocabulary.code().symbol(groups.front());
    return group;
  }

private:
  bool isGroup(QualType type) const { return traitBehind(type, vocabulary) == Trait::JoinsRanks; }

  /// The groups, the variables that hold the rank, and what else is said of processes.
  void collect(const Stmt *statement, bool isInClosure) {
    if (!statement)
      return;
    if (const auto *made = dyn_cast<CXXConstructExpr>(statement)) {
      const StringRef name = made->getConstructor()->getParent()->getName();
      group.choosesDevice |= name.contains("DeviceGuard") || name.contains("CUDAGuard") ||
                             (name == "Device" && isComputed(*made));
    }
    if (const auto *call = dyn_cast<CallExpr>(statement)) {
      const FunctionDecl *callee = call->getDirectCallee();
      const StringRef name = simpleName(callee);
      isHandedOn |= isInClosure && callee && isExchange(*callee, vocabulary);
      group.choosesDevice |= name == "set_device" || name == "cudaSetDevice" || name == "setenv" ||
                             name == "putenv" || name == "setDevice";
    }
    if (const auto *declarations = dyn_cast<DeclStmt>(statement); declarations && !isInClosure)
      for (const Decl *each : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each))
          collect(*variable);
    for (const Stmt *child : statement->children())
      collect(child, isInClosure || isa<LambdaExpr>(statement));
  }

  /// Whether \p device is not written as the constants that it is made of.
  static bool isComputed(const CXXConstructExpr &device) {
    if (device.getNumArgs() > 1)
      return !isa<CXXDefaultArgExpr>(device.getArg(1)) &&
             !isa<IntegerLiteral>(strip(device.getArg(1)));
    bool isNamed = false;
    if (device.getNumArgs() == 1 && device.getArg(0)->getType()->isRecordType() &&
        !isCopyOrMove(&device)) // Text.
      forEach(device.getArg(0), [&](const Stmt *each) { isNamed |= isa<DeclRefExpr>(each); });
    return isNamed;
  }

  void collect(const VarDecl &variable) {
    if (isGroup(variable.getType())) {
      groups.push_back(&variable);
      if (variable.hasInit())
        readConstruction(*variable.getInit());
    } else if (variable.hasInit() && isRank(*strip(variable.getInit()))) {
      ranks.insert(&variable);
    }
  }

  bool isRank(const Expr &expr) const {
    const auto *call = dyn_cast<CXXMemberCallExpr>(&expr);
    return call && simpleName(call->getMethodDecl()) == "getRank" &&
           isGroup(call->getImplicitObjectArgument()->getType());
  }

  /// `ProcessGroupGloo(store, rank, size)`, be it by a factory.
  void readConstruction(const Stmt &init) {
    forEach(&init, [&](const Stmt *each) {
      const auto *call = dyn_cast<CallExpr>(each);
      const auto *made = dyn_cast<CXXConstructExpr>(each);
      const bool isIts = (call && isGroup(call->getType())) || (made && isGroup(made->getType()));
      if (!isIts || (call ? call->getNumArgs() : made->getNumArgs()) < 3)
        return;
      const Expr *rank = strip(call ? call->getArg(1) : made->getArg(1));
      const Expr *size = strip(call ? call->getArg(2) : made->getArg(2));
      const auto *number = dyn_cast<IntegerLiteral>(size);
      isAlone |= number && number->getValue().ule(1);
      const VarDecl *variable = variableOf(rank);
      if (variable && variable->getDeclContext() == &function)
        ranks.insert(variable);
      else
        group.choosesMore |= !isa<IntegerLiteral>(rank);
    });
  }

  void notePlace(const Stmt *statement) {
    if (const auto *literal = dyn_cast<StringLiteral>(statement);
        literal && literal->getCharByteWidth() == 1)
      group.isOnOneMachine |=
          literal->getString() == "localhost" || literal->getString() == "127.0.0.1";
    if (const auto *expr = dyn_cast<Expr>(statement))
      if (const CXXRecordDecl *record = classBehind(expr->getType()))
        group.isOnOneMachine |= record->getName() == "HashStore";
  }

  void visit(const Stmt *statement) {
    if (!statement)
      return;
    notePlace(statement);
    around.push_back(statement);
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
      if (reference->getDecl() == groups.front())
        isHandedOn |= isInClosure() || !isObjectOfMethod();
      else if (ranks.contains(reference->getDecl()))
        noteRank();
    } else if (const auto *expr = dyn_cast<Expr>(statement); expr && isRank(*expr)) {
      noteRank();
    }
    for (const Stmt *child : statement->children())
      visit(child);
    around.pop_back();
  }

  bool isInClosure() const {
    return llvm::any_of(around, [](const Stmt *each) { return isa<LambdaExpr>(each); });
  }

  /// Whether what is visited is nothing but the object of a call of the group's own methods.
  bool isObjectOfMethod() const {
    for (const Stmt *outer : llvm::drop_begin(llvm::reverse(around))) {
      const auto *operation = dyn_cast<CXXOperatorCallExpr>(outer);
      const bool isAccess = operation && (operation->getOperator() == OO_Arrow ||
                                          operation->getOperator() == OO_Star);
      if (const auto *member = dyn_cast<MemberExpr>(outer)) {
        const auto *method = dyn_cast<CXXMethodDecl>(member->getMemberDecl());
        return method && vocabulary.traitOfClass(*method->getParent()) == Trait::JoinsRanks;
      }
      if (!isAccess && !isa<CastExpr, ParenExpr, UnaryOperator>(outer))
        return false;
    }
    return false;
  }

  /// What the rank that is visited decides on.
  void noteRank() {
    if (isInClosure()) {
      group.choosesMore = true;
      return;
    }
    const Stmt *inner = around.back();
    bool isQuestion = false;
    for (const Stmt *outer : llvm::drop_begin(llvm::reverse(around))) {
      if (const auto *made = dyn_cast<CXXConstructExpr>(outer)) {
        const Trait trait = traitBehind(made->getType(), vocabulary);
        if (trait == Trait::JoinsRanks || trait == Trait::SplitsSamples)
          return;
        if (vocabulary.roleOf(made->getType()) == TypeRole::Device) {
          group.choosesDevice = true;
          return;
        }
        if (made->getNumArgs() > 1)
          break;
      } else if (const auto *call = dyn_cast<CallExpr>(outer)) {
        const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
        const Trait trait = traitBehind(call->getType(), vocabulary);
        if (trait == Trait::JoinsRanks || trait == Trait::SplitsSamples ||
            (operation && operation->getOperator() == OO_LessLess))
          return;
        const StringRef name = simpleName(call->getDirectCallee());
        if (name == "set_device" || name == "cudaSetDevice")
          return; // Counts already.
        break;
      } else if (const auto *branch = dyn_cast<IfStmt>(outer)) {
        if (branch->getCond() == inner && !branch->getElse())
          return;
        break;
      } else if (const auto *comparison = dyn_cast<BinaryOperator>(outer)) {
        isQuestion |= comparison->isComparisonOp();
      } else if (const auto *declarations = dyn_cast<DeclStmt>(outer)) {
        if (isRank(*cast<Expr>(inner)->IgnoreImplicit()) && declarations->isSingleDecl())
          return; // Into one of the variables.
        break;
      } else if (!isa<CastExpr, ParenExpr, ExprWithCleanups, MaterializeTemporaryExpr>(outer) &&
                 !(isQuestion && isa<UnaryOperator>(outer))) {
        break;
      }
      inner = outer;
    }
    group.choosesMore = true;
  }

  const FunctionDecl &function;
  Vocabulary &vocabulary;
  RankGroup group;
  llvm::SmallVector<const VarDecl *, 1> groups;
  llvm::SmallPtrSet<const ValueDecl *, 2> ranks;
  llvm::SmallVector<const Stmt *, 32> around; ///< The statements around the one that is visited.
  bool isAlone = false;                       ///< A group is of one process.
  bool isHandedOn = false; ///< Others get hold of the group, or a closure may do what it is for.
};

} // namespace

RankGroup rankGroupOf(const FunctionDecl &function, Vocabulary &vocabulary) {
  return function.getBody() ? Ranks(function, vocabulary).find() : RankGroup();
}

} // namespace gradtidy
