// The fields of the IR, each named once: what writes the IR and what reads it go through the same
// lists. Internal to what does so (Print.cpp, Parse.cpp).
//
// An archive is called with the name of a field, the field, and the value that the field has where
// nothing is said. Fields are written in the order of the lists, and read in the same order.
#pragma once

#include "CalledModule.h"
#include "LoweredUnit.h"
#include "Typing.h"

#include "llvm/ADT/STLExtras.h"

#include <iterator>
#include <type_traits>

namespace gradtidy::text {

/// What an archive gets hold of: a reader changes it.
template <typename Archive, typename Value>
using Ref = std::conditional_t<Archive::isReading, Value, const Value> &;

// ---- names of enumerators ----------------------------------------------------------------------

/// The names of the values of an enumeration, in their order.
template <typename Enumeration> struct Enumerators;

template <> struct Enumerators<EventKind> {
  static constexpr EventKind last = EventKind::Access;
  static constexpr llvm::StringLiteral names[] = {"bind",
                                                  "construct",
                                                  "combine",
                                                  "call",
                                                  "forward",
                                                  "backward",
                                                  "step",
                                                  "clear-gradients",
                                                  "overwrite",
                                                  "detach",
                                                  "differentiate",
                                                  "create",
                                                  "move",
                                                  "set-mode",
                                                  "keep-mode",
                                                  "enter-grad-mode",
                                                  "keep-grad-mode",
                                                  "set-grad-mode",
                                                  "enter-autocast",
                                                  "set-autocast",
                                                  "set-autocast-cache",
                                                  "clear-autocast-cache",
                                                  "require-grad",
                                                  "load",
                                                  "return",
                                                  "end-lifetime",
                                                  "assign",
                                                  "release",
                                                  "access"};
};

template <> struct Enumerators<BindKind> {
  static constexpr BindKind last = BindKind::Value;
  static constexpr llvm::StringLiteral names[] = {"reference", "handle", "value"};
};

template <> struct Enumerators<Coverage> {
  static constexpr Coverage last = Coverage::Some;
  static constexpr llvm::StringLiteral names[] = {"all", "part", "some"};
};

template <> struct Enumerators<ListChange> {
  static constexpr ListChange last = ListChange::Other;
  static constexpr llvm::StringLiteral names[] = {"none", "clear", "size", "append", "other"};
};

template <> struct Enumerators<Registers> {
  static constexpr Registers last = Registers::Other;
  static constexpr llvm::StringLiteral names[] = {"none", "module", "parameter", "buffer", "other"};
};

template <> struct Enumerators<HostRead> {
  static constexpr HostRead last = HostRead::All;
  static constexpr llvm::StringLiteral names[] = {"none", "packed", "elements", "all"};
};

template <> struct Enumerators<Device::Kind> {
  static constexpr Device::Kind last = Device::Symbol;
  static constexpr llvm::StringLiteral names[] = {"unknown", "unset", "cpu", "cuda", "symbol"};
};

template <> struct Enumerators<Ending> {
  static constexpr Ending last = Ending::Mostly;
  static constexpr llvm::StringLiteral names[] = {"none", "always", "copied", "packed", "mostly"};
};

template <> struct Enumerators<Shown> {
  static constexpr Shown last = Shown::Printed;
  static constexpr llvm::StringLiteral names[] = {"no", "returned", "logged", "printed"};
};

template <> struct Enumerators<Reduction> {
  static constexpr Reduction last = Reduction::Kept;
  static constexpr llvm::StringLiteral names[] = {"unknown", "mean", "sum", "kept"};
};

template <> struct Enumerators<Pick> {
  static constexpr Pick last = Pick::Other;
  static constexpr llvm::StringLiteral names[] = {"all", "some", "one", "new", "rest", "other"};
};

template <> struct Enumerators<ir::SymbolKind> {
  static constexpr ir::SymbolKind last = ir::SymbolKind::Other;
  static constexpr llvm::StringLiteral names[] = {
      "variable",    "parameter",  "binding", "member",     "function", "method",
      "constructor", "destructor", "class",   "enumerator", "other"};
};

template <> struct Enumerators<ir::NodeKind> {
  static constexpr ir::NodeKind last = ir::NodeKind::NullPointer;
  static constexpr llvm::StringLiteral names[] = {"other",
                                                  "compound",
                                                  "declaration",
                                                  "if",
                                                  "for",
                                                  "range-for",
                                                  "while",
                                                  "do",
                                                  "switch",
                                                  "catch",
                                                  "break",
                                                  "continue",
                                                  "return",
                                                  "null",
                                                  "call",
                                                  "member-call",
                                                  "operator-call",
                                                  "kernel-call",
                                                  "construct",
                                                  "temporary",
                                                  "functional-cast",
                                                  "cast",
                                                  "typeid",
                                                  "list",
                                                  "reference",
                                                  "member",
                                                  "this",
                                                  "lambda",
                                                  "conditional",
                                                  "unary",
                                                  "binary",
                                                  "subscript",
                                                  "parentheses",
                                                  "throw",
                                                  "new",
                                                  "open",
                                                  "open-construct",
                                                  "damaged",
                                                  "default-argument",
                                                  "boolean",
                                                  "integer",
                                                  "real",
                                                  "string",
                                                  "null-pointer"};
};

template <> struct Enumerators<Answer> {
  static constexpr Answer last = Answer::Yes;
  static constexpr llvm::StringLiteral names[] = {"no", "unknown", "yes"};
};

template <> struct Enumerators<MemberDefinition::Kind> {
  static constexpr MemberDefinition::Kind last = MemberDefinition::Insertion;
  static constexpr llvm::StringLiteral names[] = {"default", "initializer", "assignment",
                                                  "insertion"};
};

template <> struct Enumerators<SizedLayer::Kind> {
  static constexpr SizedLayer::Kind last = SizedLayer::Same;
  static constexpr llvm::StringLiteral names[] = {"other",      "linear", "embed",    "convolve",
                                                  "transposed", "pool",   "adaptive", "flatten",
                                                  "normalize",  "same"};
};

template <typename Enumeration> constexpr bool isComplete() {
  return std::size(Enumerators<Enumeration>::names) ==
         static_cast<size_t>(Enumerators<Enumeration>::last) + 1;
}

/// Those of the model have names there.
template <typename Enumeration> llvm::StringRef nameOf(Enumeration value) {
  static_assert(isComplete<Enumeration>());
  return Enumerators<Enumeration>::names[static_cast<size_t>(value)];
}
inline llvm::StringRef nameOf(TypeRole role) { return roleName(role); }
inline llvm::StringRef nameOf(FunctionRole role) { return roleName(role); }
inline llvm::StringRef nameOf(Operation operation) { return operationName(operation); }
inline llvm::StringRef nameOf(Trait trait) { return traitName(trait); }
inline llvm::StringRef nameOf(ElementType element) { return elementName(element); }
inline llvm::StringRef nameOf(Phrase phrase) { return phraseName(phrase); }
inline llvm::StringRef nameOf(ResultRule rule) { return ruleName(rule); }

/// Gives \p value the value of that name; false if there is none.
template <typename Enumeration> bool takeName(llvm::StringRef name, Enumeration &value) {
  static_assert(isComplete<Enumeration>());
  const auto *found = llvm::find(Enumerators<Enumeration>::names, name);
  if (found == std::end(Enumerators<Enumeration>::names))
    return false;
  value = static_cast<Enumeration>(found - std::begin(Enumerators<Enumeration>::names));
  return true;
}

/// What the model has no name for is its first value, "none".
template <typename Value>
bool takeName(llvm::StringRef name, Value &value, std::optional<Value> named) {
  if (named || name == "none")
    value = named.value_or(Value());
  return named || name == "none";
}
inline bool takeName(llvm::StringRef name, TypeRole &role) {
  return takeName(name, role, typeRole(name));
}
inline bool takeName(llvm::StringRef name, FunctionRole &role) {
  return takeName(name, role, functionRole(name));
}
inline bool takeName(llvm::StringRef name, Operation &operation) {
  return takeName(name, operation, operationOf(name));
}
inline bool takeName(llvm::StringRef name, Trait &trait) {
  return takeName(name, trait, traitOf(name));
}
inline bool takeName(llvm::StringRef name, ElementType &element) {
  return takeName(name, element, elementOf(name));
}
inline bool takeName(llvm::StringRef name, Phrase &phrase) {
  const std::optional<Phrase> named = phraseOf(name);
  phrase = named.value_or(phrase);
  return named.has_value();
}
inline bool takeName(llvm::StringRef name, ResultRule &rule) {
  return takeName(name, rule, ruleOf(name));
}

// ---- the source map ----------------------------------------------------------------------------

/// Behind the kind, the range and, as lines of their own, the children.
template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Node> node) {
  archive("expression", node.isExpression, node.kind > ir::NodeKind::Null);
  archive("symbol", node.symbol);
  archive("op", node.op);
  archive("integer", node.integer);
  archive("real", node.real);
  archive("type", node.type);
  archive("effects", node.hasSideEffects);
  archive("constant", node.isConstant);
  archive("constexpr", node.isConstantBranch);
  archive("read", node.isOnlyRead);
  archive("declared", node.declared);
  archive("object", node.object);
  archive("arguments", node.arguments);
  archive("init", node.init);
  archive("condition", node.condition);
  archive("body", node.body);
  archive("else", node.otherwise);
  archive("spelled", node.spelledNode, node.isExpression ? &node : nullptr);
  archive("caret", node.caret, node.isExpression ? node.begin() : clang::SourceLocation());
  archive("name", node.name,
          node.kind == ir::NodeKind::Reference ? node.begin() : clang::SourceLocation());
  archive("brackets", node.brackets);
  archive("type-argument", node.typeArgument);
  archive("aspects", node.openAspects, Aspects());
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Type> type) {
  archive("reference", type.isReference);
  archive("const", type.isConst);
  archive("pointer", type.isPointer);
  archive("array", type.isArray);
  archive("arithmetic", type.isArithmetic);
  archive("integer", type.isInteger);
  archive("boolean", type.isBoolean);
  archive("bits", type.bits);
  archive("void", type.isVoid);
  archive("dependent", type.isDependent);
  archive("enumeration", type.isEnumeration);
  archive("text", type.isText);
  archive("name", type.name);
  archive("record", type.record);
  archive("role", type.role, TypeRole::None);
  archive("holds-tensors", type.holdsTensors);
  archive("tensors", type.leadsToTensors);
  archive("training", type.leadsToTraining);
  archive("pointee", type.pointee);
  archive("arguments", type.arguments);
  archive("modules", type.modules);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Initializer> init) {
  archive("member", init.member);
  archive("value", init.value);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Method> method) {
  archive("symbol", method.symbol);
  archive("generated", method.isGenerated);
  archive("defined", method.isDefined);
  archive("template", method.isOfTemplate);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Class> record) {
  archive("members", record.members);
  archive("constructors", record.constructors);
  archive("methods", record.methods);
  archive("generic", record.generic);
  archive("friends", record.hasFriends);
  archive("damaged", record.isDamaged);
  archive("abstract", record.isAbstract);
  archive("open-bases", record.hasOpenBases);
}

/// Behind the kind.
template <typename Archive> void fields(Archive &archive, Ref<Archive, ir::Symbol> symbol) {
  archive("name", symbol.name);
  archive("spelling", symbol.spelling, symbol.name);
  archive("qualified", symbol.qualifiedName, symbol.spelling);
  archive("space", symbol.space);
  archive("type", symbol.type);
  archive("owner", symbol.owner);
  archive("first", symbol.first, &symbol);
  archive("at", symbol.location);
  archive("range", symbol.range);
  archive("type-range", symbol.typeRange);
  archive("standard", symbol.isStandard);
  archive("system", symbol.isOfSystem);
  archive("framework", symbol.isFramework);
  archive("main-file", symbol.isOfMainFile);
  archive("user", symbol.isUser);
  archive("trait", symbol.trait, Trait::None);
  archive("operation", symbol.operation, Operation::None);
  archive("aspects", symbol.aspects, Aspects());
  archive("init", symbol.init);
  archive("names-device", symbol.namesDevice);
  archive("default", symbol.hasDefault);
  archive("index", symbol.index);
  archive("forwarded", symbol.isForwarded);
  archive("local", symbol.isLocal);
  archive("static", symbol.isStatic);
  archive("extern", symbol.isExtern);
  archive("of-thread", symbol.isOfThread);
  archive("may-be-unused", symbol.mayBeUnused);
  archive("element", symbol.isRangeElement);
  archive("sees-all", symbol.seesAll);
  archive("public", symbol.isPublic);
  archive("private", symbol.isPrivate);
  archive("definition", symbol.definition);
  archive("code", symbol.body);
  archive("initializers", symbol.initializers);
  archive("parameters", symbol.parameters);
  archive("overridden", symbol.overridden);
  archive("parentheses", symbol.parentheses);
  archive("main", symbol.isMain);
  archive("builtin", symbol.isBuiltin);
  archive("closure", symbol.isClosure);
  archive("pure", symbol.isPureVirtual);
  archive("dependent", symbol.isDependent);
  archive("delegating", symbol.isDelegating);
  archive("implicit", symbol.isImplicit);
  archive("const-method", symbol.isConstMethod);
  archive("static-method", symbol.isStaticMethod);
  archive("virtual", symbol.isVirtual);
  archive("copying", symbol.isCopying);
  archive("never-returns", symbol.neverReturns);
  archive("in-place", symbol.worksInPlace);
  archive("redefines", symbol.redefines);
  archive("of-template", symbol.isOfTemplate);
  archive("purpose", symbol.purpose, FunctionRole::None);
  archive("run", symbol.run);
  archive("inherited", symbol.inherited);
  archive("bases", symbol.bases);
  archive("role", symbol.role, TypeRole::None);
  archive("rule", symbol.rule, ResultRule::None);
  archive("stateless", symbol.isStateless);
  archive("held", symbol.held);
  archive("usr", symbol.usr);
  archive("record", symbol.record);
}

// ---- what takes part in events -----------------------------------------------------------------

template <typename Archive> void fields(Archive &archive, Ref<Archive, TextPart> part) {
  archive("literal", part.literal);
  archive("place", part.place);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Text> text) {
  archive("parts", text.parts);
}

/// Behind path, expression, role, and the marks for `fresh` and `escapes`.
template <typename Archive> void fields(Archive &archive, Ref<Archive, Operand> operand) {
  archive("closure", operand.isClosure);
  archive("tensor", operand.isTensor, operand.role == TypeRole::Tensor);
  archive("lent", operand.isLent);
  archive("given-away", operand.isGivenAway);
  archive("string", operand.isText);
  archive("moved-there", operand.isMovedThere);
  archive("for-host", operand.isForHost);
  archive("flag", operand.flag);
  archive("device", operand.device);
  archive("text", operand.text);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, SampleChange> change) {
  archive("call", change.call);
  archive("dropped", change.isDropped);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, LoaderOptions> options) {
  archive("workers", options.workers);
  archive("no-workers", options.lacksWorkers);
  archive("batch-size", options.batchSize);
  archive("no-batch-size", options.lacksBatchSize);
  archive("splits-samples", options.splitsSamples);
  archive("keeps-epoch", options.keepsEpoch);
  archive("gives-all", options.givesAll);
  archive("drops-last", options.dropsLast);
  archive("draw", options.draw);
  archive("read", options.read);
  archive("engine", options.engine);
  archive("shared", options.shared);
  archive("change", options.change);
  archive("sample-change", options.sampleChange);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, EarlyEnd> end) {
  archive("leave", end.leave);
  archive("conditional", end.isConditional);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, DanglingView> danglingView) {
  archive("ending", danglingView.ending);
  archive("copy", danglingView.copy);
  archive("original", danglingView.original);
  archive("temporary", danglingView.temporary);
  archive("keeper", danglingView.keeper);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Growth> growth) {
  archive("list", growth.list);
  archive("all", growth.isAll);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, CustomFunctionFacts> facts) {
  archive("inputs", facts.inputs, -1);
  archive("gradients", facts.gradients, -1);
  archive("misplaced", facts.misplaced, -1);
  archive("keeps-output", facts.keepsOutput);
  archive("changes-input", facts.changesInput);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, EqualNeurons> neurons) {
  archive("before", neurons.before);
  archive("behind", neurons.behind);
  archive("fill", neurons.fill);
  archive("other", neurons.other);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ElementLoop> loop) {
  archive("loop", loop.loop);
  archive("computed", loop.isComputed);
  archive("of-calls", loop.isOfCalls);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, NumberUse> use) {
  archive("assertion", use.assertion);
  archive("vain", use.isVain);
  archive("other-test", use.otherTest);
  archive("joined", use.joined);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, OrderMark> order) {
  archive("samples", order.samples, -1);
  archive("plain", order.isPlain);
  archive("pooled", order.pooled, -1);
  archive("keeps-first", order.keepsFirst);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, LearningRate> rate) {
  archive("expr", rate.expr);
  archive("value", rate.value);
  archive("given", rate.given);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Shape> shape) {
  archive("open", shape.isOpen, true);
  archive("many", shape.isMany);
  archive("sizes", shape.sizes);
  archive("squeezed", shape.isSqueezed);
  archive("arranged", shape.isArranged);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Typing> typing) {
  archive("rule", typing.rule, ResultRule::None);
  archive("rounded", typing.isRounded);
  archive("gives-indices", typing.givesIndices);
  archive("element", typing.element, ElementType::Unknown);
  archive("names-element", typing.namesElement);
  archive("number", typing.number, ElementType::Unknown);
  archive("shape", typing.shape);
  archive("numbers", typing.numbers);
  archive("picks", typing.picks);
  archive("keeps-axes", typing.keepsAxes);
  archive("reduction", typing.reduction, Reduction::Mean);
  archive("memory", typing.memory, ElementType::Unknown);
  archive("addresses", typing.holdsAddresses);
  archive("misread", typing.isMisread);
  archive("measured", typing.isMeasured);
  archive("scrambled", typing.isScrambled);
}

// ---- modules -----------------------------------------------------------------------------------

template <typename Archive> void fields(Archive &archive, Ref<Archive, WindowAxis> axis) {
  archive("kernel", axis.kernel, 1);
  archive("stride", axis.stride, 1);
  archive("padding", axis.padding);
  archive("dilation", axis.dilation, 1);
  archive("added", axis.added);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, SizedLayer> layer) {
  archive("kind", layer.kind, SizedLayer::Other);
  archive("keeps-input", layer.keepsInput);
  archive("takes", layer.takes, Shape::unknown);
  archive("features", layer.features, Shape::unknown);
  archive("axes", layer.axes);
  archive("ceiled", layer.isCeiled);
  archive("first", layer.first, 1);
  archive("last", layer.last, -1);
  archive("groups", layer.groups, 1);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Layer> layer) {
  archive("operation", layer.operation, Operation::None);
  archive("rule", layer.rule, ResultRule::None);
  archive("steps", layer.steps);
  archive("reduction", layer.reduction, Reduction::Unknown);
  archive("batch-first", layer.batchFirst, Answer::Unknown);
  archive("plain", layer.isPlain);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, CalledModule> module) {
  archive("class", module.view);
  archive("mode", module.dependsOnMode, Answer::Unknown);
  archive("stateless", module.isStateless);
  archive("layer", module.isLayer);
  archive("normalizes-batches", module.normalizesBatches);
  archive("ends-in", module.layer);
  archive("parameters", module.parameters);
  archive("lost-by-clone", module.lostByClone);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, MemberDefinition> value) {
  archive("kind", value.kind, MemberDefinition::DefaultInitializer);
  archive("value", value.value);
  archive("function", value.function);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ModuleMember> member) {
  archive("field", member.field);
  archive("role", member.role, TypeRole::Module);
  archive("registered", member.registered, Answer::No);
  archive("stateful", member.stateful, Answer::Yes);
  archive("requires-grad", member.requiresGrad);
  archive("registrable", member.isRegistrable);
  archive("made", member.isMade);
  archive("handed-in", member.isHandedIn);
  archive("managed", member.isManaged);
  archive("forward-uses", member.forwardUses);
  archive("user", member.user);
  archive("definitions", member.definitions);
  archive("replacements", member.replacements);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, Transient> transient) {
  archive("made", transient.made);
  archive("variable", transient.variable);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ModeFlag> flag) {
  archive("field", flag.field);
  archive("asked", flag.asked);
}

/// Behind the class. Members are lines of their own.
template <typename Archive> void fields(Archive &archive, Ref<Archive, ModuleClass> view) {
  archive("incomplete", view.isIncomplete);
  archive("visible", view.isVisible);
  archive("mode", view.dependsOnMode, Answer::Unknown);
  archive("asks-for-mode", view.asksForMode);
  archive("stuck-flag", view.stuckFlag);
  archive("registered", view.registeredNames);
  archive("transients", view.transients);
  archive("parameters", view.hasParameters);
  archive("copies", view.saysHowToCopy);
}

// ---- kernels -----------------------------------------------------------------------------------

template <typename Archive> void fields(Archive &archive, Ref<Archive, RawPointer> pointer) {
  archive("pointer", pointer.pointer);
  archive("tensor", pointer.tensor);
  archive("rearranged", pointer.rearranged);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, KernelLaunch> launch) {
  archive("call", launch.call);
  archive("configuration", launch.configuration);
  archive("default-stream", launch.isOnDefaultStream);
  archive("on-tensors", launch.isOnTensors);
  archive("pointers", launch.pointers);
  archive("handed-on", launch.handedOn);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, KernelCare> care) {
  archive("launches", care.launches);
  archive("calls", care.calls);
  archive("chooses-device", care.choosesDevice);
  archive("checks-device", care.checksDevice);
  archive("asks-for-layout", care.asksForLayout);
  archive("asks-for-errors", care.asksForErrors);
  archive("asks-last", care.asksLast);
}

// ---- events ------------------------------------------------------------------------------------

/// Behind kind, callee, subject, operands, result with its role, and site.
template <typename Archive> void fields(Archive &archive, Ref<Archive, Event> event) {
  EventDetails details = *event.details;
  archive("bind", event.bind, BindKind::Value);
  archive("module", event.called);
  archive("memory", event.memory);
  archive("holder", details.holder);
  archive("since", details.since);
  archive("operation", event.operation, Operation::None);
  archive("run", event.run);
  archive("changes-elements", event.changesElements);
  archive("coverage", event.coverage, Coverage::All);
  archive("typing", event.typing);
  archive("trait", event.trait, Trait::None);
  archive("rate", details.rate);
  archive("momentum", event.keepsMomentum);
  archive("loader", details.loader);
  archive("early-end", details.earlyEnd);
  archive("arithmetic", event.isArithmetic);
  archive("tensor", event.isTensor, event.resultRole == TypeRole::Tensor);
  archive("differentiable", event.isDifferentiable, true);
  archive("ends-graph", event.endsGraph);
  archive("dimensions", event.keepsDimensions, true);
  archive("noise", event.isNoise);
  archive("data", event.isData);
  archive("any-device", event.isAnyDevice);
  archive("attribute", event.isAttribute);
  archive("discarded", event.isDiscarded);
  archive("switches-gradients", event.switchesGradients);
  archive("ignores-mode", event.ignoresMode);
  archive("own-gradient", event.usesOwnGradient);
  archive("changes-copy", event.changesCopy);
  archive("host-read", event.hostRead, HostRead::None);
  archive("dangling-view", details.danglingView);
  archive("leads-in", event.leadsIn);
  archive("custom", details.custom);
  archive("growth", details.growth);
  archive("equal-neurons", details.equalNeurons);
  archive("list-change", event.listChange, ListChange::None);
  archive("file", details.file);
  archive("element", event.element);
  archive("filled", details.filled);
  archive("order", event.order);
  archive("element-loop", details.elementLoop);
  archive("last-of-loop", details.lastOfLoop);
  archive("read-before", details.readBefore);
  archive("parameter-loop", details.parameterLoop);
  archive("use", details.use);
  archive("shown", event.shown, Shown::No);
  archive("batch-loop", details.batchLoop);
  archive("drops-batch", event.dropsBatch);
  archive("keeps-strides", event.keepsStrides);
  archive("stateless", event.isStateless);
  archive("weightless", event.isWeightless);
  archive("follows-input", event.followsInput);
  archive("casts-weights", event.castsWeights);
  archive("guarded", event.isGuarded);
  archive("may-use-host", event.mayUseHost);
  archive("update", event.isUpdate);
  archive("async", event.isAsync);
  archive("pageable", event.isPageable);
  archive("gpu", event.namesGpu);
  archive("copied", details.copied);
  archive("shared-change", details.sharedChange);
  archive("keeps-best", event.keepsBest);
  archive("registered", event.isRegistered);
  archive("gives-parameters", event.givesParameters);
  archive("grows-subject", event.growsSubject);
  archive("registers", event.registers, Registers::None);
  archive("name", details.name);
  archive("parameters", event.hasParameters);
  archive("lost-edit", event.isLostEdit);
  archive("starts-thread", event.startsThread);
  archive("virtual", event.isVirtual);
  archive("clear", event.clear);
  archive("forgets", event.forgets);
  archive("choice", event.choice);
  archive("constant", event.constant);
  if constexpr (Archive::isReading)
    *event.details.change() = std::move(details);
}

// ---- functions ---------------------------------------------------------------------------------

template <typename Archive> void fields(Archive &archive, Ref<Archive, ShapeTest> test) {
  archive("tensor", test.tensor);
  archive("axis", test.axis);
  archive("least", test.least, 0);
  archive("most", test.most, std::numeric_limits<std::int64_t>::max());
  archive("holds", test.holds, true);
}

/// Behind the target.
template <typename Archive> void fields(Archive &archive, Ref<Archive, Block::Edge> edge) {
  archive("condition", edge.condition, -1);
  archive("holds", edge.value);
  archive("excluded", edge.excluded);
  archive("kept-apart", edge.isKeptApart, true);
  archive("undefined", edge.undefined);
  archive("exhausted", edge.exhausted);
  archive("lacks-gpu", edge.lacksGpu);
  archive("switched-off", edge.isSwitchedOff);
  archive("placed", edge.placed);
  archive("shape", edge.shape);
  archive("last-iteration", edge.lastRound, -1);
  archive("holds-in-last", edge.answerInLastRound);
}

/// Without events and edges.
template <typename Archive> void fields(Archive &archive, Ref<Archive, Block> block) {
  archive("loop-head", block.isLoopHead);
  archive("exit-edge", block.exitEdge, -1);
  archive("latch", block.latch);
  archive("never-returns", block.neverReturns);
  archive("switched-off", block.isSwitchedOff);
  archive("temporaries", block.temporaries);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, ParameterChoice> choice) {
  archive("condition", choice.condition);
  archive("value", choice.value);
}

/// Behind the place.
template <typename Archive>
void fields(Archive &archive, Ref<Archive, FunctionBody::Parameter> parameter) {
  archive("declaration", parameter.declaration);
  archive("bind", parameter.bind, BindKind::Value);
  archive("condition", parameter.condition, -1);
  archive("choices", parameter.choices);
  archive("moved-first", parameter.isMovedFirst);
  archive("meets-tensors", parameter.meetsTensors);
}

template <typename Archive> void fields(Archive &archive, Ref<Archive, RankGroup> group) {
  archive("variable", group.variable);
  archive("one-machine", group.isOnOneMachine);
  archive("chooses-device", group.choosesDevice);
  archive("chooses-more", group.choosesMore);
}

/// Without parameters, blocks and code.
template <typename Archive> void fields(Archive &archive, Ref<Archive, FunctionBody> body) {
  archive("code", body.body);
  archive("this", body.thisObject);
  archive("returned", body.returned);
  archive("module-method", body.isModuleMethod);
  archive("has-guard", body.hasGuard);
  archive("follows-input", body.followsInput);
  archive("dataset", body.isOfDataset);
  archive("step", body.isStep);
  archive("callback", body.isCallback);
  archive("own-backward", body.isOwnBackward);
  archive("asks-for-devices", body.asksForDevices);
  archive("asks-for-places", body.asksForPlaces);
  archive("returns-tensors", body.returnsTensors);
  archive("uses-gpu", body.usesGpu);
  archive("changes-order", body.changesOrder);
  archive("changes-elements", body.changesElements);
  archive("sets-default-type", body.setsDefaultType);
  archive("group", body.group);
  archive("batch-device", body.batchDevice);
  archive("inner", body.isInner);
  archive("linked-from", body.linkedFrom);
  archive("asks-for-mode", body.asksForMode);
  archive("kernels", body.kernelCare);
  archive("ordered-loaders", body.orderedLoaders);
}

/// Without functions and classes.
template <typename Archive>
void fields(Archive &archive, Ref<Archive, LoweredUnit::Contents> unit) {
  archive("namespaces", unit.namespaces);
  archive("phrases", unit.phrases);
  archive("guarded", unit.isGuarded);
  archive("cuda", unit.isCuda);
  archive("errors", unit.hasErrors);
}

} // namespace gradtidy::text
