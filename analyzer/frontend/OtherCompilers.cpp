#include "OtherCompilers.h"
#include "Paths.h"
#include "UserCode.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

namespace SrcMgr = clang::SrcMgr;
using llvm::StringRef;

namespace {

/// Beginnings of names that only clang has, or only gcc.
constexpr llvm::StringLiteral ofOneCompiler[] = {
    // clang
    "__clang", "__CLANG", "__llvm__", "__has_feature", "__has_extension", "__has_builtin",
    "__has_warning", "__is_identifier", "__building_module", "__has_declspec_attribute",
    "__has_attribute", "__has_cpp_attribute", "__has_c_attribute", "__has_constexpr_builtin",
    "__is_target_", "__BITINT_", "__BOOL_WIDTH__", "__CONSTANT_CFSTRINGS__", "__FPCLASS_",
    "__MEMORY_SCOPE_", "__OBJC_", "__OPENCL_", "__NO_MATH_INLINES", "__POINTER_WIDTH__",
    "__WINT_UNSIGNED__", "__private_extern__", "__seg_", "__tune_", "__STDC_EMBED",
    "__GNUC_GNU_INLINE__",
    // gcc
    "__DEC", "__FLT32", "__FLT64", "__FLT128", "__FLT_EVAL_METHOD", "__GCC_",
    "__GNUC_STDC_INLINE__", "__GNUC_EXECUTION", "__HAVE_SPECULATION", "__SIZEOF_FLOAT80__",
    "__STDC_IEC_", "__ATOMIC_HLE", "__MMX_WITH_SSE__", "__CHAR8_TYPE__", "__SCHAR_WIDTH__",
    "__LONG_LONG_WIDTH__", "__SIG_ATOMIC_TYPE__", "_STDC_PREDEF_H", "__OPTIMIZE__"};

/// Those that both have, with other values.
constexpr llvm::StringLiteral ofBoth[] = {
    "__GNUC__",      "__GNUC_MINOR__",    "__GNUC_PATCHLEVEL__", "__GNUG__",
    "__VERSION__",   "__GXX_ABI_VERSION", "__INT_FAST16",        "__INT_FAST32",
    "__UINT_FAST16", "__UINT_FAST32",     "__UINT_FAST16_TYPE__"};

/// What neither has on the system that the analysis runs on.
constexpr llvm::StringLiteral ofNeither[] = {
    "_MSC_VER",       "_MSC_FULL_VER",    "_WIN32",     "_WIN64",     "WIN32",
    "__MINGW32__",    "__MINGW64__",      "__CYGWIN__", "__APPLE__",  "__ANDROID__",
    "__EMSCRIPTEN__", "__INTEL_COMPILER", "__ICC",      "__ICL",      "__NVCC__",
    "__CUDACC__",     "__NVCOMPILER",     "__PGI",      "__IBMCPP__", "__SUNPRO_CC",
    "__BORLANDC__",   "__HIPCC__"};

bool startsWithOne(StringRef name, llvm::ArrayRef<llvm::StringLiteral> starts) {
  return name.starts_with("_") &&
         llvm::any_of(starts, [&](StringRef start) { return name.starts_with(start); });
}
bool isOfOneCompiler(StringRef name) { return startsWithOne(name, ofOneCompiler); }
bool isOfBoth(StringRef name) { return startsWithOne(name, ofBoth); }

bool isIdentifier(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Calls \p visit for each name in \p text, and gives what is left of \p text.
std::string withoutNames(StringRef text, llvm::function_ref<void(StringRef)> visit) {
  std::string rest;
  while (!text.empty()) {
    const StringRef word = text.take_while(isIdentifier);
    if (word.empty())
      rest += text.front();
    else if (llvm::isDigit(word.front()))
      rest += word;
    else if (word != "defined")
      visit(word);
    text = text.drop_front(word.empty() ? 1 : word.size());
  }
  return rest;
}

/// Whether \p condition can hold with other compilers alone, on whatever system they run.
bool isOfNeither(StringRef condition) {
  bool all = true, some = false;
  const std::string rest = withoutNames(condition, [&](StringRef name) {
    some = true;
    all &= llvm::is_contained(ofNeither, name);
  });
  return some && all && StringRef(rest).find_first_of("!<=?") == StringRef::npos;
}

/// From the start of \p text to the end of the directive there.
StringRef directiveIn(StringRef text) {
  size_t end = text.find('\n');
  while (end != StringRef::npos && text.take_front(end).rtrim().ends_with("\\"))
    end = text.find('\n', end + 1);
  return text.take_front(end);
}

StringRef directiveAt(clang::SourceLocation begin, const clang::SourceManager &sources) {
  const auto [file, offset] = sources.getDecomposedSpellingLoc(begin);
  return directiveIn(sources.getBufferData(file).drop_front(offset));
}

/// What is left out of a chain of branches, but for branches of isOfNeither().
struct LeftOutText {
  bool hasFunctions = false;             ///< Attributes, pragmas and macros are no code to analyze.
  llvm::SmallVector<StringRef, 4> names; ///< Of the macros that are defined there.
  llvm::SmallVector<StringRef, 2> conditions;
};

LeftOutText look(StringRef text) {
  LeftOutText found;
  unsigned depth = 0;
  bool counts = true, isFirst = true;
  for (StringRef line; !text.empty(); isFirst = false) {
    line = directiveIn(text);
    text = text.drop_front(std::min(line.size() + 1, text.size()));
    StringRef directive = line.ltrim();
    if (!directive.consume_front("#")) {
      found.hasFunctions |= counts && line.contains('{');
      continue;
    }
    directive = directive.ltrim();
    const StringRef word = directive.take_while(isIdentifier);
    const StringRef behind = directive.drop_front(word.size()).ltrim();
    if (word == "endif") {
      depth -= depth > 0;
    } else if (word.starts_with("if") && !isFirst) {
      ++depth;
    } else if ((word.starts_with("if") || word.starts_with("el")) && depth == 0) {
      counts = !isOfNeither(behind) || word.ends_with("ndef");
      if (counts)
        found.conditions.push_back(behind);
    } else if (counts && (word == "define" || word == "undef")) {
      found.names.push_back(behind.take_while(isIdentifier));
    }
  }
  return found;
}

} // namespace

std::set<std::string>
OtherCompilers::placesIn(const llvm::DenseSet<const clang::FileEntry *> &files) const {
  std::set<std::string> found;
  for (const clang::FileEntry *file : files)
    if (const auto places = hidden.find(file); places != hidden.end())
      for (const Place &place : places->second)
        if (!place.by.definer || files.contains(place.by.definer))
          found.insert(place.text);
  return found;
}

std::vector<std::string> OtherCompilers::tellingMacros() const {
  std::vector<std::string> names;
  for (const auto &macro : telling)
    names.push_back((macro.second.isChosen ? "!" : "") + macro.first().str());
  llvm::sort(names);
  return names;
}

void OtherCompilers::addTellingMacros(llvm::ArrayRef<std::string> names) {
  for (StringRef name : names) {
    const bool isChosen = name.consume_front("!");
    telling[name] = {nullptr, isChosen};
  }
}

clang::OptionalFileEntryRef OtherCompilers::userFileAt(clang::SourceLocation location) const {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::FileID file = sources.getFileID(sources.getFileLoc(location));
  const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry || SrcMgr::isSystem(sources.getFileCharacteristic(location)) ||
      !userCode.containsFile(*entry, SrcMgr::C_User, sources.getFileManager()))
    return std::nullopt;
  return entry;
}

std::optional<OtherCompilers::Asking> OtherCompilers::asks(StringRef condition) const {
  std::optional<Asking> result;
  bool namesBoth = false;
  const std::string rest = withoutNames(condition, [&](StringRef name) {
    if (const auto macro = telling.find(name); macro != telling.end() && !result)
      result = Asking{macro->second.definer};
    if (isOfOneCompiler(name))
      result = Asking{};
    namesBoth |= isOfBoth(name);
  });
  // `#ifdef __GNUC__` holds with both.
  if (namesBoth && StringRef(rest).find_first_of("<>=+-*/%^~?0123456789") != StringRef::npos)
    result = Asking{};
  return result;
}

void OtherCompilers::ask(clang::SourceLocation begin, StringRef text) {
  chain = begin;
  if (const std::optional<Asking> found = asks(text))
    asking[begin] = *found;
}

void OtherCompilers::If(clang::SourceLocation begin, clang::SourceRange, ConditionValueKind) {
  open.push_back(begin);
  ask(begin, directiveAt(begin, preprocessor.getSourceManager()));
}

void OtherCompilers::Elif(clang::SourceLocation place, clang::SourceRange, ConditionValueKind,
                          clang::SourceLocation begin) {
  ask(begin, directiveAt(place, preprocessor.getSourceManager()));
}

void OtherCompilers::Ifdef(clang::SourceLocation begin, const clang::Token &macro,
                           const clang::MacroDefinition &) {
  open.push_back(begin);
  ask(begin, macro.getIdentifierInfo()->getName());
}

void OtherCompilers::Ifndef(clang::SourceLocation begin, const clang::Token &macro,
                            const clang::MacroDefinition &) {
  open.push_back(begin);
  ask(begin, macro.getIdentifierInfo()->getName());
}

void OtherCompilers::Else(clang::SourceLocation, clang::SourceLocation begin) { ask(begin, ""); }

void OtherCompilers::Endif(clang::SourceLocation, clang::SourceLocation begin) {
  while (!open.empty() && open.pop_back_val() != begin)
    ;
}

void OtherCompilers::SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::OptionalFileEntryRef file = userFileAt(range.getBegin());
  if (!file)
    return;
  const LeftOutText text = look(clang::Lexer::getSourceText(
      clang::CharSourceRange::getCharRange(range), sources, preprocessor.getLangOpts()));
  std::optional<Asking> by;
  if (const auto found = asking.find(chain); found != asking.end())
    by = found->second;
  for (StringRef condition : text.conditions)
    if (!by)
      by = asks(condition);
  if (!by)
    return;
  for (StringRef name : text.names)
    tell(name, file->getFileEntry(), /*isChosen=*/true);
  if (text.hasFunctions)
    hide(*file, range.getBegin(), *by);
}

void OtherCompilers::PragmaDirective(clang::SourceLocation begin, clang::PragmaIntroducerKind) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  begin = sources.getFileLoc(begin);
  const clang::OptionalFileEntryRef file = userFileAt(begin);
  // Clang skips variants for other compilers.
  if (file && preprocessor.getLangOpts().OpenMP &&
      directiveAt(begin, sources).contains("begin declare variant"))
    hide(*file, begin, {});
}

bool OtherCompilers::isWithinAsking() const {
  return llvm::any_of(open, [&](clang::SourceLocation begin) { return asking.contains(begin); });
}

void OtherCompilers::tell(StringRef macro, const clang::FileEntry &definer, bool isChosen) {
  const auto [entry, isNew] = telling.try_emplace(macro, Telling{&definer, isChosen});
  entry->second.isChosen |= isChosen;
}

void OtherCompilers::hide(clang::FileEntryRef file, clang::SourceLocation location, Asking by) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  hidden[&file.getFileEntry()].push_back(
      {cleanPath(file, sources.getFileManager()) + ":" +
           std::to_string(sources.getSpellingLineNumber(sources.getFileLoc(location))),
       by});
}

void OtherCompilers::MacroDefined(const clang::Token &name,
                                  const clang::MacroDirective *directive) {
  const bool isChosen = isWithinAsking();
  const auto tellsApart = [&](const clang::Token &token) {
    const clang::IdentifierInfo *word = token.getIdentifierInfo();
    return word && (telling.contains(word->getName()) || isOfOneCompiler(word->getName()) ||
                    isOfBoth(word->getName()));
  };
  // Asked for last: a framework has very many macros.
  if (isChosen || llvm::any_of(directive->getMacroInfo()->tokens(), tellsApart))
    if (const clang::OptionalFileEntryRef file = userFileAt(directive->getLocation()))
      tell(name.getIdentifierInfo()->getName(), file->getFileEntry(), isChosen);
}

void OtherCompilers::MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                                    const clang::MacroDirective *directive) {
  if (directive && isWithinAsking())
    if (const clang::OptionalFileEntryRef file = userFileAt(directive->getLocation()))
      tell(name.getIdentifierInfo()->getName(), file->getFileEntry(), /*isChosen=*/true);
}

/// Whether the argument that begins at \p token has statements in it.
static bool hasStatements(const clang::Token *token) {
  for (; token->isNot(clang::tok::eof); ++token)
    if (token->isOneOf(clang::tok::l_brace, clang::tok::semi))
      return true;
  return false;
}

/// Whether \p macro leaves out an argument that has statements in it.
static bool dropsStatements(const clang::MacroInfo &macro, const clang::MacroArgs &arguments) {
  const auto isNamed = [&](const clang::IdentifierInfo *parameter) {
    return llvm::any_of(macro.tokens(), [&](const clang::Token &token) {
      return token.getIdentifierInfo() == parameter;
    });
  };
  for (const auto [index, parameter] : llvm::enumerate(macro.params()))
    if (!isNamed(parameter) && hasStatements(arguments.getUnexpArgument(unsigned(index))))
      return true;
  return false;
}

void OtherCompilers::MacroExpands(const clang::Token &name,
                                  const clang::MacroDefinition &definition,
                                  clang::SourceRange range, const clang::MacroArgs *arguments) {
  const auto macro = telling.find(name.getIdentifierInfo()->getName());
  if (macro == telling.end() || !macro->second.isChosen || range.getBegin().isMacroID() ||
      preprocessor.isParsingIfOrElifDirective())
    return;
  const clang::OptionalFileEntryRef file = userFileAt(range.getBegin());
  const clang::MacroInfo *info = definition.getMacroInfo();
  if (!file || !info)
    return;
  static constexpr llvm::StringLiteral statements[] = {"for",   "while", "do",     "if",    "else",
                                                       "break", "goto",  "return", "switch"};
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const auto [id, offset] = sources.getDecomposedSpellingLoc(range.getBegin());
  const StringRef before = sources.getBufferData(id).take_front(offset).rtrim();
  if (before.ends_with(".") || before.ends_with("->") || before.ends_with("::") ||
      llvm::is_contained(statements, macro->first()) ||
      (arguments && dropsStatements(*info, *arguments)))
    hide(*file, range.getBegin(), {macro->second.definer});
}

} // namespace gradtidy
