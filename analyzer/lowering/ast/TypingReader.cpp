#include "TypingReader.h"

#include "Integers.h"
#include "Syntax.h"
#include "Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gradtidy {

/// \p expr without what changes neither value nor type for us; unlike strip(), a list of one value
/// stays a list.
static const Expr *peel(const Expr *expr) {
  while (true) {
    const Expr *inner = expr->IgnoreParenImpCasts();
    if (const auto *full = dyn_cast<FullExpr>(inner))
      inner = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (const auto *functional = dyn_cast<CXXFunctionalCastExpr>(inner))
      inner = functional->getSubExpr();
    else if (const auto *substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(inner))
      inner = substituted->getReplacement();
    else if (const auto *copy = dyn_cast<CXXConstructExpr>(inner);
             copy && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor())
      inner = copy->getArg(0);
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

/// Whether nothing in \p statement but its declaration gives the variable a value.
static bool isNeverChanged(const Stmt *statement, const VarDecl &variable) {
  if (!statement)
    return true;
  if (const auto *cast = dyn_cast<ImplicitCastExpr>(statement))
    if (cast->getCastKind() == CK_LValueToRValue || cast->getType().isConstQualified())
      if (isa<DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
        return true;
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  return !(reference && reference->getDecl() == &variable) &&
         llvm::all_of(statement->children(),
                      [&](const Stmt *child) { return isNeverChanged(child, variable); });
}

/// A variable that has one value as long as it lives, or null.
static const VarDecl *fixedVariable(const Expr *expr, const Stmt *body) {
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || isa<ParmVarDecl>(variable) || !variable->hasInit())
    return nullptr;
  const QualType type = variable->getType();
  if (type->isReferenceType())
    return nullptr;
  return type.isConstQualified() ||
                 (body && variable->isLocalVarDecl() && isNeverChanged(body, *variable))
             ? variable
             : nullptr;
}

/// The type of elements that a type of C++ is kept as.
static ElementType elementOf(QualType type, const ASTContext &context) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (type->isBooleanType())
    return ElementType::Bool;
  if (type->isSpecificBuiltinType(BuiltinType::Float))
    return ElementType::Float32;
  if (type->isSpecificBuiltinType(BuiltinType::Double))
    return ElementType::Float64;
  if (!type->isIntegerType() || type->isEnumeralType())
    return ElementType::Unknown;
  switch (context.getTypeSize(type)) {
  case 8:
    return type->isUnsignedIntegerType() ? ElementType::UInt8 : ElementType::Int8;
  case 16:
    return ElementType::Int16;
  case 32:
    return ElementType::Int32;
  case 64:
    return ElementType::Int64;
  default:
    return ElementType::Unknown;
  }
}

static bool isNamed(QualType type, llvm::StringRef name) {
  type = type.getNonReferenceType();
  if (const auto *enumeration = type->getAs<EnumType>())
    return enumeration->getDecl()->getName() == name;
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == name;
}

/// Whether a parameter of that type takes a number of any kind, or none: never a dimension.
static bool takesNumber(QualType type, Vocabulary &vocabulary) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  if (record && isNamed(type, "optional"))
    type = record->getTemplateArgs().get(0).getAsType();
  return vocabulary.is(type, {Aspect::Scalar});
}

/// Whether a parameter of that type takes a word: `x.div(y, "floor")`.
static bool takesText(QualType type) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  if (record && isNamed(type, "optional") &&
      record->getTemplateArgs().get(0).getKind() == TemplateArgument::Type)
    type = record->getTemplateArgs().get(0).getAsType();
  return isNamed(type, "basic_string_view");
}

bool namesElements(QualType type, Vocabulary &vocabulary) {
  return vocabulary.is(type, {Aspect::ElementNames});
}

ElementType TypingReader::elementIn(const Expr *expr, bool &named, unsigned depth) const {
  expr = peel(expr);
  if (expr->isTypeDependent() && depth > 0)
    named = true; // Whatever it is.
  if (depth > 8 || isa<CXXDefaultArgExpr>(expr) || expr->isTypeDependent())
    return ElementType::Unknown;
  const QualType type = expr->getType();
  const bool isElement = namesElements(type, vocabulary);
  const auto isOptionsType = [&](QualType each) {
    const CXXRecordDecl *record = each.getNonReferenceType()->getAsCXXRecordDecl();
    return record && vocabulary.traitOf(record) == Trait::TensorOptions;
  };
  const bool isOptions = isOptionsType(type);
  const auto *construct = dyn_cast<CXXConstructExpr>(expr);
  if (construct && !isOptions && !isElement) // An optional of a type.
    return construct->getNumArgs() == 1 ? elementIn(construct->getArg(0), named, depth + 1)
                                        : ElementType::Unknown;
  if (!isElement && !isOptions)
    return ElementType::Unknown;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr))
    if (const ElementType element = vocabulary.elementOf(reference->getDecl());
        element != ElementType::Unknown) {
      named = true;
      return element;
    }
  if (construct) {
    ElementType element = ElementType::Unknown;
    if (construct->getNumArgs() > 0)
      element = elementIn(construct->getArg(0), named, depth + 1);
    return element;
  }
  if (const VarDecl *variable = fixedVariable(expr, body))
    return elementIn(variable->getInit(), named, depth + 1);
  const auto *call = dyn_cast<CallExpr>(expr);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  named = true; // Whatever it is, but for what follows.
  if (isa_and_nonnull<CXXConversionDecl>(callee))
    return ElementType::Unknown;
  const auto *method = dyn_cast_or_null<CXXMemberCallExpr>(call);
  if (isOptions && vocabulary.is(callee, {Aspect::TellsElements})) {
    if (call->getNumArgs() > 0)
      return elementIn(call->getArg(0), named, depth + 1);
    const TemplateArgumentList *arguments = callee->getTemplateSpecializationArgs();
    return arguments && arguments->size() > 0 &&
                   arguments->get(0).getKind() == TemplateArgument::Type
               ? gradtidy::elementOf(arguments->get(0).getAsType(), context)
               : ElementType::Unknown;
  }
  if (isOptions && method && isOptionsType(method->getImplicitObjectArgument()->getType())) {
    named = false;
    return elementIn(method->getImplicitObjectArgument(), named, depth + 1);
  }
  if (isOptions && callee && !isa<CXXMethodDecl>(callee) && vocabulary.isFramework(callee))
    named = false; // `torch::device(…)`
  return ElementType::Unknown;
}

std::optional<std::int64_t> TypingReader::integer(const Expr *expr, unsigned depth) const {
  expr = peel(expr);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(expr); construct && depth < 4)
    return construct->getNumArgs() == 1 ? integer(construct->getArg(0), depth + 1) : std::nullopt;
  if (const auto *made = dyn_cast<InitListExpr>(expr); made && depth < 4)
    return made->getNumInits() == 1 ? integer(made->getInit(0), depth + 1) : std::nullopt;
  if (expr->isTypeDependent() || !expr->getType()->isIntegralOrEnumerationType() ||
      expr->getType()->isBooleanType())
    return std::nullopt;
  if (const auto number = integerIn(*expr, context))
    return number;
  if (const VarDecl *variable = depth < 4 ? fixedVariable(expr, body) : nullptr)
    return integer(variable->getInit(), depth + 1).value_or(Typing::noNumber);
  return Typing::noNumber;
}

std::optional<Shape> TypingReader::list(const Expr *expr) const {
  expr = peel(expr);
  bool isList = false;
  for (unsigned depth = 0; depth < 6; ++depth) {
    if (const auto *wrapped = dyn_cast<CXXStdInitializerListExpr>(expr)) {
      expr = peel(wrapped->getSubExpr());
    } else if (const auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
      const CXXRecordDecl *record = construct->getConstructor()->getParent();
      const StringRef name = record->getIdentifier() ? record->getName() : StringRef();
      isList |= name == "vector" || vocabulary.viewsElements(record);
      if (!isList)
        return std::nullopt;
      if (construct->getNumArgs() == 0)
        return Shape::of({});
      if (name == "vector" && construct->getNumArgs() > 1 &&
          !isa<CXXStdInitializerListExpr>(peel(construct->getArg(0))))
        return std::nullopt; // `vector(n, x)`
      expr = peel(construct->getArg(0));
    } else {
      break;
    }
  }
  std::vector<std::int64_t> sizes;
  if (const auto *values = dyn_cast<InitListExpr>(expr)) {
    for (const Expr *value : values->inits()) {
      const std::int64_t size = integer(value).value_or(Typing::noNumber);
      sizes.push_back(size);
    }
    return Shape::of(sizes);
  }
  if (const auto one = isList ? integer(expr) : std::nullopt)
    return Shape::of({*one});
  return std::nullopt;
}

/// The braces that \p expr is converted from, or null.
static const InitListExpr *bracesIn(const Expr *expr) {
  for (expr = peel(expr); !isa<InitListExpr>(expr);) {
    const auto *wrapped = dyn_cast<CXXStdInitializerListExpr>(expr);
    const auto *construct = dyn_cast<CXXConstructExpr>(expr);
    if (!wrapped && !(construct && construct->getNumArgs() > 0))
      return nullptr;
    expr = peel(wrapped ? wrapped->getSubExpr() : construct->getArg(0));
  }
  return cast<InitListExpr>(expr);
}

/// Whether a parameter of that type takes a list of numbers.
static bool takesList(QualType type, const Vocabulary &vocabulary) {
  return vocabulary.viewsElements(type.getNonReferenceType()->getAsCXXRecordDecl());
}

void TypingReader::readValues(const Expr *expr, Typing &typing) const {
  std::vector<std::int64_t> sizes;
  expr = peel(expr);
  for (unsigned depth = 0; depth < 8; ++depth) {
    if (const auto *wrapped = dyn_cast<CXXStdInitializerListExpr>(expr)) {
      expr = peel(wrapped->getSubExpr());
    } else if (const auto *values = dyn_cast<InitListExpr>(expr)) {
      sizes.push_back(values->getNumInits());
      if (values->getNumInits() == 0)
        break;
      expr = peel(values->getInit(0));
    } else if (const auto *construct = dyn_cast<CXXConstructExpr>(expr);
               construct && construct->getNumArgs() > 0 &&
               !isStandard(construct->getConstructor()->getParent())) {
      expr = peel(construct->getArg(0));
    } else {
      break;
    }
  }
  const auto kept = [&](QualType type) {
    const ElementType element = gradtidy::elementOf(type, context);
    return element == ElementType::Bool ? element
           : isFloating(element)        ? ElementType::Float32
           : isIntegral(element)        ? ElementType::Int64
                                        : ElementType::Unknown;
  };
  const QualType type = expr->getType().getNonReferenceType();
  if (isArithmetic(expr)) {
    typing.number = kept(type);
  } else {
    const auto *record =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    const StringRef name = record && record->getIdentifier() ? record->getName() : StringRef();
    const bool holdsNumbers =
        (name == "vector" || name == "array" || vocabulary.viewsElements(record)) &&
        record->getTemplateArgs().get(0).getKind() == TemplateArgument::Type;
    if (!holdsNumbers)
      return;
    typing.number = kept(record->getTemplateArgs().get(0).getAsType());
    if (typing.number == ElementType::Unknown)
      return;
    sizes.push_back(Shape::many);
  }
  typing.shape = Shape::of(sizes);
}

/// The type of the only kind of elements that a structure is made of; null if there is no such.
static QualType onlyElementOf(const CXXRecordDecl *record, const ASTContext &context) {
  QualType only;
  for (const FieldDecl *field : record->fields()) {
    QualType type = field->getType();
    while (const auto *array = type->getAsArrayTypeUnsafe())
      type = array->getElementType();
    if (!only.isNull() && !context.hasSameUnqualifiedType(only, type))
      return {};
    only = type;
  }
  return record->getNumBases() ? QualType() : only;
}

/// Whether an object of the type tells only where its elements are.
bool TypingReader::isAddress(QualType type) const {
  if (type->isPointerType() || vocabulary.roleOf(type) == TypeRole::Tensor)
    return true;
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getIdentifier() &&
         llvm::StringSwitch<bool>(record->getName())
             .Cases({"vector", "basic_string", "deque", "list", "map", "set", "unordered_map",
                     "unordered_set", "unique_ptr", "shared_ptr"},
                    true)
             .Default(false);
}

void TypingReader::readMemory(const Expr *pointer, Typing &typing) const {
  const auto pointed = [](const Expr *expr) -> QualType {
    const QualType type = expr->getType();
    if (type->isPointerType())
      return type->getPointeeType();
    const auto *array = type->getAsArrayTypeUnsafe();
    return array ? array->getElementType() : QualType();
  };
  // A cast may give the memory another type, but does not bring the elements there.
  for (const Expr *expr = pointer->IgnoreParenImpCasts(); expr;) {
    QualType element = pointed(expr);
    if (element.isNull())
      return;
    while (const auto *array = element->getAsArrayTypeUnsafe())
      element = array->getElementType();
    const bool isFirst = typing.memory == ElementType::Unknown;
    if (isFirst && !element->isVoidType())
      typing.memory = gradtidy::elementOf(element, context);
    if (const CXXRecordDecl *record = element->getAsCXXRecordDecl();
        isFirst && record && record->hasDefinition()) {
      const QualType only = onlyElementOf(record->getDefinition(), context);
      if (!only.isNull() && only->isFloatingType())
        typing.memory = gradtidy::elementOf(only, context);
    }
    typing.holdsAddresses |= isAddress(element);
    const auto *cast = dyn_cast<ExplicitCastExpr>(expr);
    expr = cast ? cast->getSubExpr()->IgnoreParenImpCasts() : nullptr;
  }
}

/// Whether a template parameter, or an alias in a function, names the type of the elements: the
/// program has chosen it by that of the tensor.
static bool isChosen(const Expr *pointer) {
  const auto isAbstract = [](QualType type) {
    if (type.isNull()) // The address is cast to a number.
      return false;
    const auto *alias = type->getAs<TypedefType>();
    return type->getAs<SubstTemplateTypeParmType>() ||
           (alias && alias->getDecl()->getDeclContext()->isFunctionOrMethod());
  };
  pointer = pointer->IgnoreParenImpCasts();
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(pointer))
    return isAbstract(cast->getTypeAsWritten()->getPointeeType());
  const auto *call = dyn_cast<CallExpr>(pointer);
  const auto *method = call ? dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens()) : nullptr;
  return method && llvm::any_of(method->template_arguments(), [&](const TemplateArgumentLoc &each) {
           return each.getArgument().getKind() == TemplateArgument::Type &&
                  isAbstract(each.getArgument().getAsType());
         });
}

Typing TypingReader::readPointer(const Expr *pointer) const {
  Typing typing;
  if (!isChosen(pointer))
    readMemory(pointer, typing);
  return typing;
}

/// What \p product is a product of: constants, and variables or members.
static void factorsOf(const Expr *product, const ASTContext &context,
                      std::vector<std::pair<const void *, std::int64_t>> &factors) {
  product = strip(product);
  if (const auto number = integerIn(*product, context)) {
    if (number != 1)
      factors.push_back({nullptr, *number});
  } else if (const auto *operation = dyn_cast<BinaryOperator>(product);
             operation && operation->getOpcode() == BO_Mul) {
    factorsOf(operation->getLHS(), context, factors);
    factorsOf(operation->getRHS(), context, factors);
  } else {
    const Entity entity = entityOf(product);
    factors.push_back({entity ? static_cast<const void *>(canonical(entity)) : product, 0});
  }
}

/// Constants last, multiplied.
static void normalize(std::vector<std::pair<const void *, std::int64_t>> &factors) {
  std::int64_t constant = 1;
  llvm::erase_if(factors, [&](const auto &factor) {
    if (!factor.first)
      constant *= factor.second;
    return !factor.first;
  });
  llvm::sort(factors);
  factors.push_back({nullptr, constant});
}

bool TypingReader::fillsMemory(const Expr *pointer, const Expr *sizes) const {
  const auto *call = dyn_cast<CXXMemberCallExpr>(strip(pointer)); // `bytes.data()`
  const Expr *owner = call ? call->getImplicitObjectArgument() : pointer;
  const VarDecl *memory = variableOf(owner);
  if (!memory)
    return false;
  std::vector<std::pair<const void *, std::int64_t>> held, shaped;
  const Expr *made = memory->getInit() ? strip(memory->getInit()) : nullptr;
  const auto *construct = dyn_cast_or_null<CXXConstructExpr>(made);
  if (const auto *array = context.getAsConstantArrayType(memory->getType()))
    held.push_back({nullptr, static_cast<std::int64_t>(array->getZExtSize())});
  else if (construct && construct->getNumArgs() > 0 &&
           construct->getArg(0)->getType()->isIntegerType())
    factorsOf(construct->getArg(0), context, held);
  else
    return false;
  // It may be made longer.
  bool isChanged = false;
  forEach(body, [&](const Stmt *part) {
    const auto *change = dyn_cast<CXXMemberCallExpr>(part);
    isChanged |= change && variableOf(change->getImplicitObjectArgument()) == memory &&
                 !change->getMethodDecl()->isConst() &&
                 simpleName(change->getMethodDecl()) != "data";
  });
  const Expr *list = strip(sizes);
  while (const auto *inner = dyn_cast<CXXConstructExpr>(list)) {
    if (inner->getNumArgs() == 0)
      return false;
    list = strip(inner->getArg(0));
  }
  if (const auto *written = dyn_cast<InitListExpr>(list)) {
    for (const Expr *size : written->inits())
      factorsOf(size, context, shaped);
  } else if (isArithmetic(list)) {
    factorsOf(list, context, shaped);
  } else {
    return false;
  }
  normalize(held);
  normalize(shaped);
  return !isChanged && held == shaped;
}

bool TypingReader::separatesChannels(const Stmt *statement) const {
  if (!statement)
    return false;
  const auto *call = dyn_cast<CallExpr>(statement);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return (callee && vocabulary.operationOf(callee) == Operation::SeparateChannels) ||
         llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return separatesChannels(child); });
}

const Expr *TypingReader::pixelsAt(const Expr *pointer, unsigned depth) const {
  const auto ofImage = [&](const Expr *object) {
    const CXXRecordDecl *record = vocabulary.classOf(object->getType());
    const bool isImage = record && vocabulary.operationOf(record) == Operation::InterleaveChannels;
    return isImage ? pointer : nullptr;
  };
  pointer = strip(pointer);
  if (const auto *member = dyn_cast<MemberExpr>(pointer))
    return ofImage(member->getBase()); // `image.data`
  const auto *call = dyn_cast<CallExpr>(pointer);
  if (const auto *method = dyn_cast_or_null<CXXMemberCallExpr>(call)) // `image.ptr()`
    return method->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(method->getArg(0))
               ? ofImage(method->getImplicitObjectArgument())
               : nullptr;
  if (call && call->getDirectCallee())
    return vocabulary.operationOf(call->getDirectCallee()) == Operation::InterleaveChannels
               ? call
               : nullptr;
  const auto *reference = dyn_cast<DeclRefExpr>(pointer);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool isPointer = variable && depth < 4 && variable->isLocalVarDecl() &&
                         variable->hasInit() && variable->getType()->isPointerType();
  return isPointer ? pixelsAt(variable->getInit(), depth + 1) : nullptr;
}

/// Whether the sizes of a tensor name the colours of an image before its rows and columns.
static bool namesChannelsFirst(ArrayRef<std::int64_t> sizes) {
  const auto areColours = [](std::int64_t size) { return size == 3 || size == 4; };
  if (sizes.size() != 3 && sizes.size() != 4)
    return false;
  sizes = sizes.take_back(3);
  return areColours(sizes[0]) && !areColours(sizes[1]) && !areColours(sizes[2]);
}

Reduction TypingReader::reductionIn(ArrayRef<const Expr *> arguments) const {
  Reduction reduction = Reduction::Mean;
  const auto visit = [&](const auto &self, const Stmt *statement, unsigned depth) -> void {
    const auto *expr = dyn_cast_or_null<Expr>(statement);
    if (!statement || isa<CXXDefaultArgExpr>(statement) || depth > 24 ||
        (expr && vocabulary.roleOf(expr->getType()) == TypeRole::Tensor))
      return;
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
      const ValueDecl *named = reference->getDecl();
      if (vocabulary.traitOf(named) == Trait::KeepsLosses)
        reduction = Reduction::Kept;
      else if (vocabulary.traitOf(named) == Trait::SumsLosses)
        reduction = Reduction::Sum;
      else if (const VarDecl *variable = fixedVariable(reference, body);
               variable && !vocabulary.isFramework(named))
        self(self, variable->getInit(), depth + 1);
      else if (isa<VarDecl>(named) && !vocabulary.isFramework(named) && givesOne(reduction))
        reduction = Reduction::Unknown;
      return;
    }
    if (isa<MemberExpr>(statement) && cast<MemberExpr>(statement)->getMemberDecl() &&
        isa<FieldDecl>(cast<MemberExpr>(statement)->getMemberDecl()) && givesOne(reduction))
      reduction = Reduction::Unknown;
    for (const Stmt *child : statement->children())
      self(self, child, depth + 1);
  };
  for (const Expr *argument : arguments)
    visit(visit, argument, 0);
  return reduction;
}

std::int64_t TypingReader::numberAt(unsigned index, ArrayRef<const Expr *> arguments) const {
  while (!arguments.empty()) {
    const Expr *first = peel(arguments.front());
    if (isArithmetic(first)) {
      const bool isNumber = arguments.size() > index && isArithmetic(peel(arguments[index]));
      const std::int64_t number =
          isNumber ? integer(arguments[index]).value_or(Typing::noNumber) : Typing::noNumber;
      return number > 0 ? number : Shape::unknown;
    }
    while (const auto *setter = dyn_cast<CXXMemberCallExpr>(first)) // `LinearOptions(…).bias(…)`
      first = peel(setter->getImplicitObjectArgument());
    const auto *options = dyn_cast<CXXConstructExpr>(first);
    if (!options)
      break;
    arguments = {options->getArgs(), options->getNumArgs()};
  }
  return Shape::unknown;
}

/// What \p index does.
static Pick pickOf(const Expr *index, Vocabulary &vocabulary) {
  index = strip(index);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(index)) {
    const bool isCopied = construct->getNumArgs() == 1;
    if (vocabulary.is(construct->getType(), {Aspect::IndexRange}) && !isCopied)
      return llvm::all_of(construct->arguments(),
                          [](const Expr *part) { return isa<CXXDefaultArgExpr>(part); })
                 ? Pick::All
                 : Pick::Some;
    if (!isCopied)
      break;
    index = strip(construct->getArg(0));
  }
  const QualType type = index->getType();
  if (vocabulary.is(type, {Aspect::IndexRange}))
    return Pick::Some;
  if (vocabulary.is(type, {Aspect::Nothing}))
    return Pick::New;
  if (vocabulary.is(type, {Aspect::IndexRest}) || isa<clang::StringLiteral>(index))
    return Pick::Rest;
  return type->isIntegerType() && !type->isBooleanType() ? Pick::One : Pick::Other;
}

/// What each of the \p indices of a tensor does.
static SmallVector<Pick, 4> picksOf(const Expr *indices, Vocabulary &vocabulary) {
  SmallVector<Pick, 4> picks;
  const Expr *list = strip(indices);
  const auto *construct = dyn_cast<CXXConstructExpr>(list);
  while (construct && construct->getNumArgs() > 0) {
    list = strip(construct->getArg(0));
    construct = dyn_cast<CXXConstructExpr>(list);
  }
  if (const auto *braces = dyn_cast<InitListExpr>(list))
    for (const Expr *index : braces->inits())
      picks.push_back(pickOf(index, vocabulary));
  else
    picks.push_back(pickOf(indices, vocabulary));
  return picks;
}

Typing TypingReader::read(ResultRule rule, ArrayRef<const Expr *> arguments) const {
  Typing typing;
  typing.rule = rule;
  bool isFirst = true, hasStrides = false;
  for (const Expr *argument : arguments) {
    const bool isLeading = std::exchange(isFirst, false);
    if (isa<CXXDefaultArgExpr>(argument) || argument->isTypeDependent())
      continue;
    if (isLeading && (rule == ResultRule::Stack || rule == ResultRule::Join)) {
      if (const InitListExpr *tensors = bracesIn(argument)) // `{a, b}`
        typing.shape = Shape::of({tensors->getNumInits()});
      continue;
    }
    if (isLeading && rule == ResultRule::Values) {
      readValues(argument, typing);
      continue;
    }
    if (rule == ResultRule::Pick) {
      typing.picks = picksOf(argument, vocabulary);
      continue;
    }
    if (isLeading && rule == ResultRule::Memory) {
      readMemory(argument, typing);
      continue;
    }
    const Expr *value = peel(argument);
    const QualType type = argument->getType();
    if (vocabulary.roleOf(type) == TypeRole::Tensor)
      continue;
    if (value->getType()->isBooleanType()) {
      bool keeps = false;
      typing.keepsAxes =
          !value->isValueDependent() && value->EvaluateAsBooleanCondition(keeps, context) && keeps;
      continue;
    }
    if (rule == ResultRule::Real && takesText(type)) {
      typing.isRounded = true;
      continue;
    }
    if (const std::optional<Shape> sizes =
            takesList(type, vocabulary) ? list(argument) : std::nullopt) {
      hasStrides = typing.shape.has_value(); // They come behind the sizes.
      if (!hasStrides)
        typing.shape = sizes;
      continue;
    }
    if (takesList(type, vocabulary)) {
      typing.shape = typing.shape.value_or(Shape{});
      continue;
    }
    bool named = false;
    if (const ElementType element = elementIn(argument, named); named) {
      typing.element = element;
      typing.namesElement = true;
      continue;
    }
    if (takesNumber(type, vocabulary)) {
      const Expr *number = convertedFrom(argument);
      const ElementType kind = number && isArithmetic(number)
                                   ? gradtidy::elementOf(number->getType(), context)
                                   : ElementType::Unknown;
      const ElementType kept = isFloating(kind)            ? ElementType::Float32
                               : kind == ElementType::Bool ? kind
                               : isIntegral(kind)          ? ElementType::Int64
                                                           : ElementType::Unknown;
      const bool isSecond = typing.number != ElementType::Unknown;
      if (!isSecond || kept == ElementType::Float32)
        typing.number = kept;
      continue;
    }
    if (const std::optional<std::int64_t> number = integer(argument))
      typing.numbers.push_back(*number);
  }
  if (isLoss(rule))
    typing.reduction = reductionIn(arguments);
  if (rule == ResultRule::Memory) {
    const ElementType read = typing.namesElement ? typing.element : ElementType::Float32;
    const Expr *pixels = pixelsAt(arguments.front());
    // Bytes that are pixels are nothing else.
    const bool arePixels = isa_and_nonnull<CallExpr>(pixels) && !isa<CXXMemberCallExpr>(pixels);
    typing.isMisread =
        !mayHold(typing.memory, read) ||
        (typing.holdsAddresses && read != ElementType::Unknown && read != ElementType::Int64) ||
        (arePixels && read != ElementType::Unknown && sizeOf(typing.memory) == 1 &&
         sizeOf(read) != 1) ||
        (read != ElementType::Unknown && sizeOf(typing.memory) == 1 && sizeOf(read) != 1 &&
         arguments.size() > 1 && fillsMemory(arguments[0], arguments[1]));
    typing.isScrambled = pixels && typing.shape && !hasStrides &&
                         namesChannelsFirst(typing.shape->sizes) && !separatesChannels(body);
  }
  return typing;
}

} // namespace gradtidy
