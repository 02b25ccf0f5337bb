#include "Samples.h"

#include "CodeForms.h"
#include "analyzer/ir/UserWords.h"
#include "analyzer/model/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace ir;

/// Whether \p expr is an engine that does not begin anew with each sample.
static bool isEngine(const Node &expr) {
  const Symbol *record = expr.type ? expr.type->record : nullptr;
  if (!record)
    return false;
  if (record->isStandard && record->name == "random_device")
    return entityOf(strip(&expr));
  const Symbol *variable = variableOf(&expr);
  return record->trait == Trait::DrawsNumbers &&
         !(variable && variable->isLocal && !variable->isStatic);
}

static bool draws(const Node &call) {
  const Symbol &callee = *call.symbol;
  if (callee.trait == Trait::MakesRandom)
    return true;
  if (callee.run)
    return callee.run->isRandom();
  if (callee.aspects.has(Aspect::DrawsNumber))
    return true;
  // `engine()`, `distribution(engine)`, `std::shuffle(…, engine)`.
  const Node *object = objectOf(call);
  return (object && isEngine(*object)) ||
         llvm::any_of(call.arguments, [](const Node *each) { return isEngine(*each); });
}

namespace {

/// Follows the code that gives a sample.
class Giving {
public:
  const Node *draw = nullptr, *read = nullptr;
  bool isSeeded = false; ///< What is drawn may be the same each time.

  /// \param isSure Whether giving a sample always comes there.
  void visit(const Symbol &function, bool isSure = true, unsigned depth = 0) {
    const Symbol *definition = function.definition;
    if (!definition || !definition->body || depth == 4 || !visited.insert(definition).second)
      return;
    const FunctionBody body(definition, definition->body);
    visit(*body.body, body, isSure, depth);
  }

private:
  void visit(const Node &code, const FunctionBody &function, bool isSure, unsigned depth) {
    if (code.kind == NodeKind::Lambda)
      return;
    for (const Node *child : code.children)
      visit(*child, function, isSure, depth);
    const Symbol *made = asConstruction(&code) ? gradtidy::classOf(code.symbol) : nullptr;
    if (made && (made->name == "basic_ifstream" || made->name == "basic_fstream") &&
        !code.arguments.empty() && !read)
      read = &code;
    const Symbol *callee = code.isCall() ? code.symbol : nullptr;
    if (!callee)
      return;
    isSeeded |= words::speaksOfSeeds(callee->name);
    if (!draw && isSure && draws(code) && !function.isConditional(&code))
      draw = &code;
    if (callee->isStandard)
      return;
    if (!callee->isFramework && callee->definition)
      visit(*callee, isSure && !draw && !function.isConditional(&code), depth + 1);
    else if (words::speaksOfReading(callee->name) && !read)
      read = &code;
  }

  llvm::SmallPtrSet<const Symbol *, 8> visited;
};

} // namespace

llvm::SmallVector<const Symbol *, 2> sampleClasses(const Type *dataset) {
  dataset = behindPointers(dataset);
  const Symbol *record = dataset ? dataset->record : nullptr;
  if (!record || isClosure(dataset))
    return {};
  if (!record->isFramework)
    return {record};
  llvm::SmallVector<const Symbol *, 2> wrapped;
  for (const Type *argument : dataset->arguments)
    wrapped.append(sampleClasses(argument));
  return wrapped;
}

bool givesSamples(const Symbol &method) {
  return method.aspects.hasAny({Aspect::GivesSample, Aspect::GivesBatch, Aspect::TransformsSample});
}

void markSamples(LoaderOptions &options, const Type *dataset) {
  for (const Symbol *record : sampleClasses(dataset)) {
    Giving giving;
    for (const Method &method : ir::classOf(*record).methods)
      if (givesSamples(*method.symbol) || method.symbol->spelling == "operator()")
        giving.visit(*method.symbol);
    if (!options.draw && !giving.isSeeded)
      options.draw = giving.draw;
    if (!options.read)
      options.read = giving.read;
  }
}

} // namespace gradtidy
