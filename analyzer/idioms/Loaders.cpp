#include "Loaders.h"

#include "CodeForms.h"
#include "Samples.h"
#include "analyzer/ir/UserWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// Whether \p holds of something in the code of the class's methods, as far as the unit shows it.
static bool anyInMethods(const Symbol &record, llvm::function_ref<bool(const Node *)> holds) {
  return llvm::any_of(ir::classOf(record).methods, [&](const Method &method) {
    return codeOf(*method.symbol) && holds(codeOf(*method.symbol));
  });
}

// --- the order of samples -----------------------------------------------------------------------

/// Whether the code calls for a random order, by a function of any library.
static bool drawsOrder(const Node *code) {
  bool isFound = false;
  forEach(code, [&](const Node &each) {
    isFound |= each.calledAspects().hasAny({Aspect::DrawsOrder, Aspect::DrawsIndices}) ||
               words::speaksOfShuffling(each.calledName());
  });
  return isFound;
}

/// Whether a dataset of that type, or one that it wraps, does. A transform may draw what it likes:
/// it gets one sample.
static bool drawsOrder(const Type &type) {
  const auto isGetter = [](const Method &method) {
    return method.symbol->aspects.hasAny({Aspect::GivesSample, Aspect::GivesBatch});
  };
  return llvm::any_of(type.arguments, [](const Type *part) { return drawsOrder(*part); }) ||
         (type.record && llvm::any_of(ir::classOf(*type.record).methods, isGetter) &&
          anyInMethods(*type.record, [](const Node *code) { return drawsOrder(code); }));
}

/// Whether \p body makes a dataset of tensors that it lists, as `TensorDataset({a, b, c})`: they
/// are its samples, which only their positions tell apart.
static bool listsSamples(const Node *body) {
  bool isFound = false;
  forEach(body, [&](const Node &made) {
    const Symbol *record = asConstruction(&made) ? gradtidy::classOf(made.symbol) : nullptr;
    if (record && record->trait == Trait::KeepsSamples)
      forEach(&made, [&](const Node &part) {
        isFound |= part.kind == NodeKind::List && part.children.size() > 1;
      });
  });
  return isFound;
}

bool keepsOrder(const Symbol &loader) {
  const Type *type = behindPointers(loader.type);
  const auto isOrdered = [](const Type *sampler) {
    return sampler->record && sampler->record->trait == Trait::KeepsOrder;
  };
  const Node *maker = loader.owner ? codeOf(*loader.owner) : nullptr;
  return type && llvm::any_of(type->arguments, isOrdered) && !drawsOrder(*type) &&
         !drawsOrder(maker) && !listsSamples(maker);
}

bool stacksSamples(const Type *loader) {
  loader = behindPointers(loader);
  if (!loader || loader->arguments.size() != 2) // a base class does not tell the sampler
    return false;
  const Type *dataset = behindPointers(loader->arguments[0]);
  const Symbol *sampler = loader->arguments[1]->record;
  const Symbol *last = dataset->arguments.size() > 1 ? dataset->arguments[1]->record : nullptr;
  return last && last->trait == Trait::StacksSamples && sampler &&
         sampler->trait != Trait::KeepsOrder;
}

// --- what loaders are made with -----------------------------------------------------------------

namespace {

class Options {
public:
  explicit Options(const FunctionBody &function) : function(function) {}

  LoaderOptions options;
  bool isKnown = true; ///< Whether all that is set is seen.
  bool isBatchSet = false;
  bool isWorkersSet = false;

  void read(const Node *expr, unsigned depth = 0) {
    if (expr->kind == NodeKind::DefaultArgument)
      return;
    expr = strip(expr);
    const Symbol *variable = variableOf(expr);
    if (isArithmetic(*expr)) {
      setBatch(*expr);
    } else if (expr->kind == NodeKind::MemberCall) {
      set(*expr);
      read(expr->object, depth);
    } else if (expr->kind == NodeKind::List) {
      for (const Node *part : expr->children)
        read(part, depth);
    } else if (asConstruction(expr)) {
      if (!expr->arguments.empty())
        read(expr->arguments.front(), depth);
    } else if (variable && variable->isLocal && variable->init && depth < 2) {
      read(variable->init, depth + 1);
      readSetters(*variable);
    } else {
      isKnown = false;
    }
  }

private:
  void setBatch(const Node &size) {
    const std::optional<double> number = numberOf(size, function);
    const bool isFirst = !std::exchange(isBatchSet, true);
    options.batchSize = isFirst && number && *number > 0 ? static_cast<unsigned>(*number) : 0;
  }

  void set(const Node &setter) {
    const llvm::StringRef name = setter.calledName();
    if (setter.arguments.size() != 1)
      isKnown = false;
    else if (name == "batch_size")
      setBatch(*setter.arguments.front());
    else if (name == "workers")
      setWorkers(*setter.arguments.front());
    else if (name == "drop_last")
      setDropLast(*setter.arguments.front());
  }

  void setWorkers(const Node &count) {
    const Node *literal = as(NodeKind::Integer, strip(&count));
    isWorkersSet |= !literal || literal->integer != 0;
    if (const auto number = numberOf(count, function); number && *number > 0)
      options.workers = static_cast<unsigned>(*number);
  }

  void setDropLast(const Node &flag) {
    const Node *literal = as(NodeKind::Boolean, strip(&flag));
    options.dropsLast = literal && literal->integer == 1 ? literal : nullptr;
  }

  /// What else the function does to the options \p variable.
  void readSetters(const Symbol &variable) {
    unsigned mentions = 0, known = 0;
    forEach(function.body, [&](const Node &code) {
      mentions += code.kind == NodeKind::Reference && code.symbol == &variable;
      if (code.kind == NodeKind::MemberCall && variableOf(code.object) == &variable) {
        set(code);
        ++known;
      }
    });
    isKnown &= mentions <= known + 1; // The loader itself mentions it, too.
  }

  const FunctionBody &function;
};

} // namespace

/// The arguments of the template of datasets over others, if the type is made of it: the first is
/// the other dataset.
static llvm::ArrayRef<const Type *> mappedBy(const Type &dataset) {
  return dataset.record && dataset.record->trait == Trait::MapsSamples
             ? dataset.arguments
             : llvm::ArrayRef<const Type *>();
}

/// Whether \p dataset gives one sample after the other, be it through transforms.
static bool givesSingles(const Type &dataset) {
  const Trait trait = traitOfClass(dataset.record);
  const llvm::ArrayRef<const Type *> mapped = mappedBy(dataset);
  return trait == Trait::GivesSamples || trait == Trait::KeepsSamples ||
         (!mapped.empty() && givesSingles(*mapped.front()));
}

namespace {

/// Finds the member from which objects of a class draw random numbers when they give a sample.
class Engines {
public:
  explicit Engines(const Symbol &record) : record(record) {}

  const Symbol *find() {
    for (const Method &method : ir::classOf(record).methods)
      if (method.symbol->isCopying && !method.isGenerated)
        return nullptr; // A copy may draw others.
    for (const Method &method : ir::classOf(record).methods)
      if (givesSamples(*method.symbol) || method.symbol->spelling == "operator()")
        visit(*method.symbol);
    return isSeeded ? nullptr : found;
  }

private:
  void visit(const Symbol &method) {
    if (method.definition && visited.insert(method.definition).second)
      forEach(method.definition->body, [&](const Node &code) { visit(code); });
  }

  void visit(const Node &code) {
    const Symbol *member = code.kind == NodeKind::Member ? entityOf(&code) : nullptr;
    if (member && !found && drawsNumbers(member->type->record) &&
        as(NodeKind::This, strip(code.object)))
      found = member;
    const Symbol *owner = code.isCall() ? gradtidy::classOf(code.symbol) : nullptr;
    if (drawsNumbers(owner)) // Seeded for each sample, or replaced.
      isSeeded |= code.symbol->name == "seed" || code.op == "=";
    if (owner == &record)
      visit(*code.symbol);
  }

  static bool drawsNumbers(const Symbol *record) {
    return record && record->trait == Trait::DrawsNumbers;
  }

  const Symbol &record;
  llvm::SmallPtrSet<const Symbol *, 4> visited;
  const Symbol *found = nullptr;
  bool isSeeded = false;
};

} // namespace

/// The same of \p dataset, or of what it wraps.
static const Symbol *engineOf(const Type &dataset) {
  const llvm::ArrayRef<const Type *> mapped = mappedBy(dataset);
  for (const Type *argument : mapped)
    if (const Symbol *engine = engineOf(*argument))
      return engine;
  return mapped.empty() && dataset.record ? Engines(*dataset.record).find() : nullptr;
}

/// Whether the function itself makes \p dataset, and of nothing that it is given but text and
/// numbers.
static bool isOwn(const Node &dataset, unsigned depth = 0) {
  bool isOwnOnly = depth < 4;
  forEach(&dataset, [&](const Node &each) {
    const Symbol *variable = each.kind == NodeKind::Reference ? variableOf(&each) : nullptr;
    const Symbol *record = variable && variable->type ? variable->type->record : nullptr;
    if (each.kind == NodeKind::This)
      isOwnOnly = false;
    else if (record && !record->isStandard)
      isOwnOnly &= variable->isLocal && variable->init && isOwn(*variable->init, depth + 1);
  });
  return isOwnOnly;
}

LoaderOptions optionsOf(const Node &make, const FunctionBody &function) {
  if (make.arguments.size() < 2)
    return {};
  Options reader(function);
  reader.read(make.arguments.back());
  LoaderOptions &options = reader.options;
  const Node &dataset = *make.arguments.front();
  options.lacksBatchSize =
      reader.isKnown && !reader.isBatchSet && dataset.type && givesSingles(*dataset.type);
  if (options.lacksBatchSize)
    options.batchSize = 1;
  else if (!reader.isKnown)
    options.batchSize = 0;
  options.lacksWorkers = reader.isKnown && !reader.isWorkersSet;
  const Type *loader = behindPointers(make.type);
  const Symbol *sampler =
      loader && loader->arguments.size() > 1 ? loader->arguments[1]->record : nullptr;
  const Trait trait = traitOfClass(sampler);
  options.splitsSamples = trait == Trait::SplitsSamples;
  options.keepsEpoch = options.splitsSamples && !sampler->isUser;
  options.givesAll = (trait == Trait::GivesAllSamples || trait == Trait::KeepsOrder) &&
                     sampler->trait == trait && isOwn(dataset);
  options.engine = dataset.type ? engineOf(*dataset.type) : nullptr;
  return options;
}

// --- page-locked memory -------------------------------------------------------------------------

bool pinsMemory(const Node *code) {
  bool isFound = false;
  forEach(code, [&](const Node &each) {
    isFound |= each.isCall() && each.symbol && each.symbol->operation == Operation::PinMemory;
  });
  return isFound;
}

bool mayPinMemory(const Type *loader) {
  loader = behindPointers(loader);
  return loader && ((loader->record && anyInMethods(*loader->record, pinsMemory)) ||
                    llvm::any_of(loader->arguments, mayPinMemory));
}

// --- loops that end early -----------------------------------------------------------------------

/// Adds what leaves the loop of which \p code is a part.
static void addLeaves(const Node &code, bool isInnermost,
                      llvm::SmallVectorImpl<const Node *> &all) {
  if (code.kind == NodeKind::Return || (isInnermost && code.kind == NodeKind::Break))
    all.push_back(&code);
  isInnermost &= !code.isLoop() && code.kind != NodeKind::Switch;
  if (code.kind != NodeKind::Lambda)
    for (const Node *child : code.children)
      addLeaves(*child, isInnermost, all);
}

using Names = llvm::SmallPtrSet<const Symbol *, 8>;

/// Adds the variables and members that \p code names, constants left out.
static void addNames(const Node *code, const FunctionBody &function, Names &names) {
  for (const Symbol *named : function.namedIn(code))
    if (!named->type || !named->type->isConst)
      names.insert(named);
}

/// The same of the conditions in \p code, but for those in \p apart.
static void addConditions(const Node &code, const Node &apart, const FunctionBody &function,
                          Names &names) {
  if (&code == &apart)
    return;
  addNames(code.condition, function, names);
  for (const Node *child : code.children)
    addConditions(*child, apart, function, names);
}

/// Whether \p condition may tell the last batch by its size.
static bool asksForSize(const Node *condition) {
  bool isFound = false;
  forEach(condition, [&](const Node &each) { isFound |= asksForSize(each); });
  return isFound;
}

/// The loop over the batches that \p begin gives, which its iterator does not outlive; null if
/// there is none, or \p begin itself if nothing but its first batch is looked at.
static const Node *loopOver(const Node &begin, const FunctionBody &function) {
  const Node *declaration = nullptr;
  for (const Node *outer : function.around(&begin)) {
    if (outer->kind == NodeKind::OperatorCall && (outer->op == "*" || outer->op == "->"))
      return &begin;
    if (outer->isCall())
      return nullptr;
    if (declaration || (!outer->isExpression && outer->kind != NodeKind::Declaration))
      return declaration && outer->isLoop() && outer->init == declaration ? outer : nullptr;
    declaration = as(NodeKind::Declaration, outer);
  }
  return nullptr;
}

EarlyEnd earlyEndOf(const Node &begin, const FunctionBody &function) {
  const Node *loop = loopOver(begin, function);
  if (!loop || loop == &begin)
    return {loop, false};
  llvm::SmallVector<const Node *, 2> leaves;
  addLeaves(*loop->body, /*isInnermost=*/true, leaves);
  EarlyEnd end;
  Names asked;
  for (const Node *leave : leaves) {
    bool isConditional = false;
    for (const Node *outer : function.around(leave)) {
      if (outer == loop)
        break;
      if (outer->kind == NodeKind::Compound)
        continue;
      isConditional = true;
      if (leave->kind == NodeKind::Return) // The caller may know.
        return {};
      if (outer->kind != NodeKind::If || asksForSize(outer->condition))
        return {};
      addNames(outer, function, asked);
    }
    if (!isConditional)
      return {leave, false};
    if (!end.leave)
      end = {leave, true};
  }
  // What the whole program has, callers ask for before they begin again.
  if (llvm::any_of(asked, [](const Symbol *name) { return !name->hasLocalStorage(); }))
    return {};
  // What is asked around the loop may keep it from beginning again.
  Names around;
  for (const Node *outer : function.loopsAround(loop))
    addConditions(*outer, *loop, function, around);
  const bool isAskedAgain =
      llvm::any_of(around, [&](const Symbol *name) { return asked.contains(name); });
  return isAskedAgain ? EarlyEnd() : end;
}

// --- samplers -----------------------------------------------------------------------------------

/// The variable or own member that \p expr names, be it moved.
static Entity namedIn(const Node *expr) {
  expr = originalOf(expr);
  while (isMove(*expr))
    expr = originalOf(expr->arguments.front());
  const bool isOfOther = expr->kind == NodeKind::Member && !as(NodeKind::This, strip(expr->object));
  return isOfOther ? nullptr : entityOf(expr);
}

/// The first call in \p code that makes a loader with \p sampler, or null.
static llvm::SmallVector<const Node *, 1> loadersOf(Entity sampler, const Node *code) {
  llvm::SmallVector<const Node *, 1> found;
  forEach(code, [&](const Node &each) {
    if (each.isCall() && each.symbol && each.symbol->operation == Operation::MakeLoader &&
        each.arguments.size() == 3 && namedIn(each.arguments[1]) == sampler)
      found.push_back(&each);
  });
  return found;
}

/// The call that makes a loader with the member \p sampler, if only constructors make any.
static const Node *loaderOfMember(Entity sampler) {
  const Node *last = nullptr;
  for (const Method &method : ir::classOf(*sampler->owner).methods) {
    const Symbol *definition = definitionOf(method.symbol);
    if (!definition)
      continue;
    auto made = loadersOf(sampler, definition->body);
    if (method.symbol->kind != SymbolKind::Constructor && !made.empty())
      return nullptr;
    for (const Initializer &init : definition->initializers)
      made.append(loadersOf(sampler, init.value));
    if (!made.empty())
      last = made.front();
  }
  return last;
}

const Node *missedLoader(const Node &setEpoch, const FunctionBody &function) {
  const Node *object = objectOf(setEpoch);
  const Entity sampler = object ? namedIn(object) : nullptr;
  if (!sampler || !sampler->type || !sampler->type->record || sampler->type->isReference)
    return nullptr;
  const auto makes = loadersOf(sampler, function.body);
  if (makes.empty() && sampler->kind == SymbolKind::Member) {
    const SymbolKind kind = function.function->kind;
    return kind == SymbolKind::Constructor || kind == SymbolKind::Destructor
               ? nullptr
               : loaderOfMember(sampler);
  }
  const auto loops = function.loopsAround(&setEpoch);
  for (const Node *make : makes)
    for (const Node *loop : function.loopsAround(make)) // The next round makes another.
      if (llvm::is_contained(loops, loop) && !declares(*loop, sampler))
        return nullptr;
  const auto isLater = [&](const Node *make) { return isBefore(setEpoch, *make, function); };
  return makes.empty() || llvm::any_of(makes, isLater) ? nullptr : makes.front();
}

} // namespace gradtidy
