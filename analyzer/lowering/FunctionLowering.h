// How one function becomes events. Internal to the folder: others see Lowering.h.
//
// Its parts are in files by what they lower: Lowering.cpp blocks, statements and declarations,
// AssignmentLowering.cpp what gives a place its value, CallResolution.cpp and CallLowering.cpp
// calls, Purity.cpp those that nobody needs, ConstructLowering.cpp constructions, GuardLowering.cpp
// guards, EdgeLowering.cpp where control goes.
#pragma once

#include "CallSite.h"
#include "Conditions.h"
#include "Survey.h"
#include "analyzer/idioms/Temporaries.h"
#include "analyzer/lowering/ast/FunctionCode.h"
#include "analyzer/lowering/ast/LastValues.h"
#include "analyzer/lowering/ast/Syntax.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/ExprCXX.h"

namespace clang {
class CFG;
class CFGAutomaticObjDtor;
class CFGBlock;
class CFGElement;
} // namespace clang

namespace gradtidy {

class FunctionLowering {
public:
  FunctionLowering(const clang::FunctionDecl *function, PathTable &paths, Vocabulary &vocabulary,
                   clang::ASTContext &context)
      : function(function), paths(paths), vocabulary(vocabulary), context(context),
        values(function, paths, vocabulary) {}

  /// Null where clang cannot build a CFG.
  std::unique_ptr<FunctionBody> run();

private:
  using Expressions = llvm::ArrayRef<const clang::Expr *>;
  using BlockNumbers = llvm::DenseMap<const clang::CFGBlock *, unsigned>;

  // --- blocks and statements (Lowering.cpp) -----------------------------------------------------

  std::unique_ptr<clang::CFG> buildCFG(clang::Stmt *body) const;
  /// What is known of the function before its blocks: parameters, `this`, what it returns.
  void describePass();
  void describeFunction();
  void lowerBlocks(const clang::CFG &cfg);
  void lowerBlock(const clang::CFGBlock &block, const BlockNumbers &numbers);
  /// The CFG does not tell that parameters end: those in whose memory tensors lie.
  void endParameters(Block &exit);
  /// Of the current block, if it has very many, the first events get set aside.
  void setAside();
  /// Divides blocks of very many events. Gives the new number of the first part of each.
  std::vector<unsigned> divideLongBlocks();
  void markLoopHeads();
  /// Finds the blocks that no edge leads to but those that are switched off.
  void markSwitchedOff();
  /// Finds the temporaries of each block that no other block mentions.
  void findTemporaries();

  const ir::Node *node(const clang::Stmt *code) { return vocabulary.code().node(code); }
  const ir::Symbol *symbol(const clang::NamedDecl *declaration) {
    return vocabulary.code().symbol(declaration);
  }

  Event make(EventKind kind, const clang::Stmt *site);
  /// The reference is good until the next event.
  Event &emit(EventKind kind, const clang::Stmt *site);

  PathId pathOf(const clang::VarDecl *variable);
  bool isGradient(const clang::Expr *expr);
  /// The repeated condition that \p expr asks.
  Flag flagOf(const clang::Expr *expr) const;
  /// What \p expr says literally or as a constant, seen through conversions; an argument left out
  /// says its default.
  std::optional<bool> literalBool(const clang::Expr *expr) const;
  /// What \p condition answers where it is a flag of the function that nothing sets.
  std::optional<bool> fixedAnswer(const clang::Expr *condition) const;

  void lowerElement(const clang::CFGElement &element);
  void lowerDestructor(const clang::CFGAutomaticObjDtor &end);
  void lowerStatement(const clang::Stmt *statement);
  void lowerDeclaration(const clang::Decl *declaration, const clang::Stmt *site);
  void lowerChoice(const clang::AbstractConditionalOperator *choice);
  /// Whether the list is an argument of the framework, not what keeps tensors side by side.
  bool isComputedWith(const clang::InitListExpr &list) const;
  void lowerList(const clang::InitListExpr *list);
  void lowerReturn(const clang::ReturnStmt *returned);
  /// What the variable that \p pointer names leads to is read or written.
  void lowerAccess(const clang::Expr *pointer, const clang::Stmt *site);
  /// What errors leave of a call is its callee and its arguments.
  void lowerError(const clang::RecoveryExpr *error);
  void endLifetime(const clang::VarDecl *variable, const clang::Stmt *site);
  /// The event, if the result may be of interest.
  Event *combine(const clang::Expr *expr, Expressions parts);

  // --- assignments (AssignmentLowering.cpp) -----------------------------------------------------

  Event &bind(PathId place, clang::QualType type, const clang::Expr *value,
              const clang::Stmt *site);
  /// A variable of a repeated condition changes.
  void assign(const clang::VarDecl *variable, const clang::Expr *value, const clang::Stmt *site);
  /// The same for whatever \p target names, in a way that is not known.
  void modify(const clang::Expr *target, const clang::Stmt *site);
  void lowerAssignment(const clang::BinaryOperator *assignment);
  /// `object = value` of classes.
  void lowerAssignment(const CallSite &site);
  /// `std::tie(a, b) = tuple`, or a tuple of tuples of references.
  bool assignTie(const clang::Expr *assignment, const clang::Expr *object, PathId tuple);
  /// `std::make_tuple(a, b)`.
  void bindElements(const clang::Expr *made, Expressions parts);
  void swapTensors(const clang::CallExpr *call, const clang::Expr *left, const clang::Expr *right);
  /// The tensor that \p expr is a view of, or null.
  const clang::Expr *viewed(const clang::Expr *expr);
  /// What is written to a view goes into the tensor \p base, and its graph with it.
  void writeInto(const clang::Expr *base, const clang::CallExpr *call,
                 llvm::ArrayRef<Operand> written);

  // --- what a call is (CallResolution.cpp) ------------------------------------------------------

  CallSite resolve(const clang::CallExpr *call);
  /// The object of a member call that clang could not resolve because of errors or in a template;
  /// sets \p name.
  const clang::Expr *unresolvedMember(const clang::CallExpr *call, std::string &name);
  llvm::StringRef lastToken(const clang::Expr &expr) const;
  /// Whether what is wrong is the member of an object, of a type that is missing.
  bool namesField(const clang::RecoveryExpr &error);
  /// The variable of the function, or of one around it, that an error has left nothing of but its
  /// name; null if it is none.
  const clang::VarDecl *variableIn(const clang::RecoveryExpr &error) const;
  /// Finds which event the call is, and what of the user's it runs by way of a factory.
  void classify(CallSite &site);
  /// Which event a call is that has no role of its own.
  EventKind kindByCallee(CallSite &site);
  /// `module(x)`, `module->forward(x)`: a method of a module that makes tensors of what it is
  /// given.
  bool isForwardCall(const CallSite &site);
  /// An assignment that does what the compiler makes of it: each member is assigned. A member that
  /// now and then takes the place of another module is still the module that it was, as far as is
  /// known.
  bool isMemberwise(const CallSite &site);
  /// The function whose body the call runs, as far as is known.
  const clang::FunctionDecl *bodyOf(const CallSite &site);
  /// The method that a forward pass runs: operator() of a module holder calls that of the module.
  const clang::FunctionDecl *forwardOf(const clang::FunctionDecl *callee,
                                       const clang::Expr *object);
  /// Whether the type of the object at run time decides what is called.
  bool isVirtual(const clang::CallExpr *call) const;

  // --- calls (CallLowering.cpp) -----------------------------------------------------------------

  void lowerCall(const clang::CallExpr *call);
  /// `begin()` of a loader gives batches; they come from the host unless the dataset moves them.
  void lowerBatches(const clang::CallExpr *call);
  bool isEmplaced(const CallSite &site);
  /// The class of which the call of a list makes an element of its arguments, or null.
  const clang::CXXRecordDecl *emplacedBy(const CallSite &site);
  /// \p event gives the list an \p element that it makes of its operands.
  void emplace(Event &event, const CallSite &site, const clang::CXXRecordDecl &element);
  /// Calls of the standard library that only hand values around; false for any other.
  bool lowerStandard(const CallSite &site);
  void describeCallee(Event &event, const CallSite &site);
  void describeResult(Event &event, const CallSite &site);
  /// What kind of tensor the call makes, and of what.
  void describeTensor(Event &event, const CallSite &site);
  /// What the arguments switch on or off, literally or by a condition.
  void describeSwitch(Event &event, const CallSite &site);
  /// Takes the subject from the object or the first argument, which is then no operand any more.
  void describeSubject(Event &event, CallSite &site);
  void describeOperands(Event &event, const CallSite &site);
  /// What a forward pass does by itself.
  void describePass(Event &event, const CallSite &site);
  /// Emits the event of a call, and what follows from it.
  void finishCall(Event event, const CallSite &site);
  /// The variable by which \p call frees or moves memory in which tensors lie, or null; sets
  /// \p isCertain where it does so for certain.
  const clang::VarDecl *releasedBy(const CallSite &site, bool &isCertain) const;
  void release(const clang::VarDecl *holder, const clang::Stmt *site, bool isCertain);
  /// The second part of what the last event gives has no gradient.
  void addIndices();
  void addArguments(Event &event, const clang::FunctionDecl *callee, Expressions arguments);
  /// Event::constant of a call.
  std::optional<bool> constantOf(FunctionRole role, const clang::CallExpr *call) const;
  /// Whether gradients that the call computes have no graph of their own: they are not told to.
  bool endsGraph(const clang::CallExpr &call) const;
  /// What a layer computes.
  Operation operationOf(const clang::Expr &layer);
  /// Whether a factory gets the values of the tensor, or where they are, from variables that
  /// change, or draws them as it is told.
  bool holdsData(const clang::FunctionDecl *factory, const clang::CallExpr *call) const;

  // --- calls for nothing but their result (Purity.cpp) ------------------------------------------

  /// Whether this is a module's way to its result, where nothing is tried out or measured.
  bool isForwardPass() const;
  bool setsOption(const clang::CXXMethodDecl &method) const;
  /// Whether all that a function of the framework does is to make a new tensor of another one, or
  /// new options.
  bool isPure(const clang::FunctionDecl *callee, const clang::CallExpr *call);
  /// Whether the layer that \p object names only makes a tensor of another one, for a forward pass.
  bool isPureLayer(const clang::Expr *object, const clang::CallExpr *call) const;

  // --- what the writing says (MarkLowering.cpp) --------------------------------------------------

  void markCall(Event &event, const CallSite &site);
  /// Where the event makes tensors or copies them to, and how.
  void markPlace(Event &event, const CallSite &site);
  void markVariable(Event &event, const clang::VarDecl &variable);
  /// The same, with the paths of what it is about.
  DanglingView located(const Dangling &left);
  void markMember(Event &event, const clang::Expr &value);
  void markReturn(Event &event, const clang::ReturnStmt &returned);
  void markAssignment(Event &event, const CallSite &site, const clang::Expr *value);
  void markConstruction(Event &event, clang::QualType type, Expressions arguments);
  /// Event::order of a call.
  void markOrder(Event &event, const CallSite &site);
  /// Event::typing of a call.
  void markTyping(Event &event, const CallSite &site);
  /// Emits that \p size is asked of what names a type of elements, which has a size of its own.
  void lowerMeasure(const clang::UnaryExprOrTypeTraitExpr &size);
  void keepMode(PathId place, const clang::Expr *value, const clang::Stmt *site);
  /// What the string \p expr is put together from, or null where that is not known.
  const Text *textOf(const ir::Node &expr);
  /// Operand::text of the arguments of a call of a function that has a name.
  void markTexts(Event &event);
  void markClock(Event &event, const clang::CallExpr &now);
  /// Emits what a call that registers something does besides.
  void lowerRegistration(const clang::CallExpr *call);
  /// Whether the last argument is a module that certainly has parameters.
  bool givesLayer(Expressions arguments);
  /// Whether \p variable holds options for tensors that nothing in the function mentions.
  bool isUnusedOptions(const clang::VarDecl &variable);
  /// Whether \p statement asks for the gradient of \p tensor.
  bool namesGradient(const clang::Stmt *statement, PathId tensor);
  /// Whether an assignment changes a copy of a handle, and nothing reads it after that.
  bool isRebindingInVain(const CallSite &site);
  /// Whether the loop of \p element, around \p inside, goes over a list that is made for it alone.
  bool isOfTemporary(const clang::VarDecl &element, const clang::Stmt *inside) const;

  // --- constructions (ConstructLowering.cpp) ----------------------------------------------------

  void lowerConstruct(const clang::CXXConstructExpr *construct);
  /// The call of the method that a thread is started with: `std::thread(&Player::run, this)`.
  void startMethod(const clang::Expr *site, Expressions arguments);
  /// In a template, where nothing says which constructor it is.
  void lowerUnresolved(const clang::CXXUnresolvedConstructExpr *construct);
  /// Whether \p arguments make a pair or tuple, \p record, of its elements, tensors among them. Of
  /// modules it is enough to know that they are in there.
  bool isOfParts(const clang::CXXRecordDecl &record, Expressions arguments);
  /// The constructor of the user's class that a factory or module holder calls with \p arguments,
  /// if there is only one that takes as many. \p record is the class or its holder.
  const clang::CXXConstructorDecl *constructorOf(const clang::CXXRecordDecl *record,
                                                 Expressions arguments);

  // --- guards (GuardLowering.cpp) ---------------------------------------------------------------

  /// `torch::NoGradGuard();`, which ends at once.
  bool isDiscardedGuard(const clang::Stmt *statement);
  /// What \p variable, whose class is no guard of the framework, has to do with gradient mode.
  void lowerGradMode(const clang::VarDecl *variable, const clang::Stmt *site);
  /// A guard comes to life in the variable \p guard, made by \p value.
  void enterGuard(PathId guard, const clang::Expr *value, const clang::Stmt *site);
  void enterGuard(PathId guard, TypeRole role, Expressions arguments, const clang::Stmt *site);
  /// Calls of a pointer or optional that holds a guard: `guard.reset()`; false for any other.
  bool lowerGuardCall(const CallSite &site);

  // --- edges (EdgeLowering.cpp) -----------------------------------------------------------------

  /// What the two ways from a block answer differently.
  struct Question;

  void lowerEdges(const clang::CFGBlock &block, const BlockNumbers &numbers);
  Question questionOf(const clang::CFGBlock &block);
  /// The data loader over which \p loop goes, if it goes over one.
  PathId loaderOf(const clang::Stmt *loop);
  /// What holds along \p edge, which is taken where the branch that asks goes (\p taken) or not.
  void answer(Block::Edge &edge, const Question &question, bool taken) const;
  /// What holds along \p edge, which leads from a `switch` to the block \p target.
  void chooseCase(Block::Edge &edge, const clang::CFGBlock &block,
                  const clang::CFGBlock &target) const;
  /// What a condition `x.defined()` asks for.
  PathId askedForDefined(const clang::Expr *condition);
  /// What \p condition asks of the shape of a tensor.
  std::optional<ShapeTest> shapeTestIn(const clang::Expr &condition);
  /// Finds the tensors that \p condition asks for their devices.
  void findPlaced(const clang::Stmt *condition, llvm::SmallVectorImpl<PathId> &found);

  const clang::FunctionDecl *function;
  PathTable &paths;
  Vocabulary &vocabulary;
  clang::ASTContext &context;
  Values values;
  Survey survey;
  Conditions conditions;
  std::unique_ptr<FunctionBody> result;
  std::optional<FunctionCode> code;     ///< Of the result.
  std::optional<LastValues> lastValues; ///< Made when it is first asked.
  Block *current = nullptr;             ///< The block to which events are added.
  /// Of blocks, the first of their events, in parts: one piece of memory is not to hold them all.
  llvm::DenseMap<const Block *, std::vector<std::vector<Event>>> aside;
};

} // namespace gradtidy
