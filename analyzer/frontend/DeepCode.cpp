#include "DeepCode.h"
#include "Bodies.h"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <utility>

namespace gradtidy {

namespace tok = clang::tok;

namespace {

/// What the stack of a unit has room for, with what clang takes for a token of any kind.
constexpr size_t maxTokens = size_t(3) * maxNesting;
constexpr size_t maxBrackets = maxNesting - 100; ///< Clang itself takes maxNesting of a kind.
constexpr size_t maxBraces = 1000;               ///< The time for closures is quadratic.
/// A less-than that is pending may open template arguments, which take more than one token.
constexpr unsigned tokensOfAngle = 2;
/// An `else` and what it stands in are a level of the tree. The time for the names in them is
/// quadratic.
constexpr unsigned tokensOfElse = 2;
/// Namespaces and classes within each other of which one alone can be left out.
constexpr size_t maxScopes = 64;
constexpr size_t maxConditions = 64; ///< Of the preprocessor, within each other.
constexpr unsigned maxOpen = 16;     ///< Declarations of a text that lack their end.

tok::TokenKind openerOf(tok::TokenKind closer) {
  return closer == tok::r_paren ? tok::l_paren : tok::l_square;
}

clang::LangOptions languageOptions() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.LineComment = options.RawStringLiterals = options.Bool = true;
  return options;
}

} // namespace

void NestingMeter::add(tok::TokenKind kind) {
  if (tok::isPragmaAnnotation(kind))
    return; // A line by itself, wherever it stands.
  const bool followsString = isString;
  isString = tok::isStringLiteral(kind);
  const unsigned ended = std::exchange(open.back().ended, 0);
  switch (kind) {
  case tok::l_paren:
  case tok::l_square:
  case tok::l_brace:
    count();
    return push(kind);
  case tok::r_paren:
  case tok::r_square:
    if (open.back().opener == openerOf(kind))
      pop();
    return;
  case tok::r_brace:
    if (braces == 0)
      return forget(0);
    while (open.back().opener != tok::l_brace)
      pop();
    pop();
    if (open.size() == 1 || open.back().opener == tok::l_brace)
      endStatement();
    return;
  case tok::semi:
    return endStatement();
  case tok::kw_else:
    return countHead(ended + tokensOfElse);
  case tok::kw_if:
  case tok::kw_for:
  case tok::kw_while:
  case tok::kw_do:
  case tok::kw_switch:
  case tok::colon: // Of a label, or of nothing that is deep.
    return countHead();
  case tok::comma:
    return forget(tokensOfAngle * open.back().angles);
  case tok::less:
    ++open.back().angles;
    return count();
  case tok::greater:
  case tok::greatergreater: {
    const unsigned closed = kind == tok::greater ? 1 : 2;
    open.back().angles -= std::min(open.back().angles, closed);
    return count();
  }
  default:
    if (!isString || !followsString)
      count();
  }
}

bool NestingMeter::isTooDeep() const {
  return tokens > maxTokens || braces > maxBraces || brackets() > maxBrackets;
}

void NestingMeter::count(unsigned added) {
  open.back().tokens += added;
  tokens += added;
}

void NestingMeter::countHead(unsigned added) {
  count(added);
  open.back().heads += added;
}

/// A separator ends what was begun at this level.
void NestingMeter::forget(unsigned kept) {
  Level &level = open.back();
  kept = std::min(kept, level.tokens);
  tokens -= level.tokens - kept;
  level.tokens = kept;
  if (!kept)
    level.angles = level.heads = 0;
}

void NestingMeter::endStatement() {
  const unsigned heads = open.back().heads;
  forget(0);
  open.back().ended = heads;
}

void NestingMeter::push(tok::TokenKind opener) {
  open.push_back({.opener = opener});
  braces += opener == tok::l_brace;
}

void NestingMeter::pop() {
  forget(0);
  braces -= open.back().opener == tok::l_brace;
  open.pop_back();
}

namespace {

/// Reads a text once.
class DeepCodeSearch {
public:
  DeepCodeSearch(llvm::StringRef text, std::optional<size_t> tooDeep)
      : text(text), tooDeep(tooDeep) {}

  std::vector<DeepCode> run() {
    const clang::LangOptions options = languageOptions();
    clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), options, text.data(),
                       text.data(), text.data() + text.size());
    clang::Token token;
    for (lexer.LexFromRawLexer(token); token.isNot(tok::eof); lexer.LexFromRawLexer(token))
      take(token);
    endDirective(text.size());
    isOpen = state.meter.brackets() > 0;
    for (; !state.scopes.empty(); state.scopes.pop_back())
      endDeclaration(text.size());
    return std::move(found);
  }

  /// Whether something was found that has no end: what is behind it was not looked at.
  bool endsEarly() const { return isCut; }

private:
  /// Of a namespace, class or file: the declaration that is being read.
  struct Scope {
    size_t begin = 0;
    unsigned tokens = 0;
    bool isTooDeep = false, isBodyTooDeep = false;
    size_t body = 0;    ///< Behind the brace that opens it.
    size_t tooDeep = 0; ///< Where that begins.
    std::string name;
    bool hasName = false; ///< For good: what follows is no part of it.
    std::string anyName;  ///< The first one, at whatever level.
    bool opensScope = false, isTemplate = false, isEnum = false, hasParameters = false,
         isInitialised = false, hasInitialisers = false;
    unsigned angles = 0; ///< Of the head of a template.
  };
  struct State {
    NestingMeter meter;
    std::vector<Scope> scopes{1};
  };

  void take(const clang::Token &token) {
    const size_t begin = token.getLocation().getRawEncoding() - 1;
    const llvm::StringRef spelling = text.substr(begin, token.getLength());
    if (token.isAtStartOfLine()) {
      endDirective(begin);
      inDirective = token.is(tok::hash);
      if (inDirective) {
        directiveTokens = 0;
        return;
      }
    }
    if (inDirective)
      takeOfDirective(spelling, begin);
    else if (!takeOfPragma(token.getKind(), spelling, begin))
      takeOfCode(token.getKind(), spelling, begin);
  }

  /// `_Pragma("text")` is no part of a declaration, wherever it stands. False for what is none.
  bool takeOfPragma(tok::TokenKind kind, llvm::StringRef spelling, size_t begin) {
    if (kind == tok::raw_identifier && spelling == "_Pragma") {
      pragma = Pragma::Name;
    } else if (pragma == Pragma::Name && kind == tok::l_paren) {
      pragma = Pragma::Open;
      pragmaBracket = begin;
    } else if (pragma == Pragma::Open && tok::isStringLiteral(kind)) {
      pragma = Pragma::Text;
    } else if (pragma == Pragma::Text && kind == tok::r_paren) {
      pragma = Pragma::None;
    } else {
      if (pragma == Pragma::Open || pragma == Pragma::Text)
        takeOfCode(tok::l_paren, "(", pragmaBracket);
      pragma = Pragma::None;
      return false;
    }
    return true;
  }

  // --- Directives ---

  void takeOfDirective(llvm::StringRef spelling, size_t begin) {
    if (++directiveTokens == 1)
      directive = spelling;
    else if (directiveTokens == 2)
      condition = begin;
  }

  /// Alternatives begin alike.
  void endDirective(size_t end) {
    if (!inDirective)
      return;
    inDirective = false;
    const bool isChoice = directive == "if" || directive == "elif";
    const bool isMarked = directiveTokens > 1 && tooDeep && *tooDeep >= condition && *tooDeep < end;
    if (isChoice && (directiveTokens > maxTokens || isMarked))
      found.push_back({.begin = condition,
                       .end = text.rfind('\n', end) == llvm::StringRef::npos
                                  ? end
                                  : std::max(condition + 1, text.rfind('\n', end)),
                       .declaration = condition,
                       .isCondition = true,
                       .name = ("#" + directive).str()});
    if (directive.starts_with("if")) {
      ++conditions;
      if (conditions <= maxConditions && state.meter.brackets() <= maxScopes)
        before.emplace_back(conditions, state);
    } else if (directive.starts_with("el")) {
      if (!before.empty() && before.back().first == conditions)
        state = before.back().second;
    } else if (directive == "endif" && conditions > 0) {
      if (!before.empty() && before.back().first == conditions)
        before.pop_back();
      --conditions;
    }
  }

  // --- Code ---

  void takeOfCode(tok::TokenKind kind, llvm::StringRef spelling, size_t begin) {
    const size_t end = begin + spelling.size();
    const bool isOutermost = state.meter.brackets() + 1 == state.scopes.size();
    if (isOutermost && state.scopes.back().tokens == 0)
      state.scopes.back().begin = begin;
    const size_t bracketsBefore = state.meter.brackets();
    state.meter.add(kind == tok::raw_identifier ? words.get(spelling).getTokenID() : kind);
    if (isOutermost)
      takeOfDeclaration(kind, spelling, begin, end);
    else if (kind == tok::raw_identifier && state.scopes.back().anyName.empty() && isName(spelling))
      state.scopes.back().anyName = spelling.str();
    if (state.meter.brackets() < bracketsBefore)
      close(kind, end);
    if (state.meter.isTooDeep() || (tooDeep && *tooDeep >= begin && *tooDeep < end))
      mark(begin);
    last = kind;
    lastSpelling = spelling;
  }

  void takeOfDeclaration(tok::TokenKind kind, llvm::StringRef spelling, size_t begin, size_t end) {
    Scope &scope = state.scopes.back();
    ++scope.tokens;
    if (scope.angles > 0 || (scope.isTemplate && scope.tokens == 2)) {
      takeOfTemplateHead(kind);
      return;
    }
    switch (kind) {
    case tok::raw_identifier:
      return takeWord(spelling);
    case tok::l_paren:
      if (!isAttribute(lastSpelling)) {
        scope.hasParameters = true;
        scope.opensScope = false;
        scope.hasName |= !scope.name.empty();
      }
      return;
    case tok::equal:
      scope.isInitialised |= lastSpelling != "operator";
      [[fallthrough]];
    case tok::l_square:
      scope.hasName |= !scope.name.empty();
      return;
    case tok::colon:
      if (scope.tokens == 2 && isAccess(lastSpelling))
        scope = {};
      else
        scope.hasInitialisers |= scope.hasParameters;
      scope.hasName |= !scope.name.empty();
      return;
    case tok::semi:
      return endDeclaration(end);
    case tok::l_brace:
      scope.hasName |= !scope.name.empty();
      if (isScope(scope)) {
        scope.opensScope = true;
        state.scopes.emplace_back();
      } else if (scope.body == 0 && isBody(scope)) {
        scope.body = end;
      }
      return;
    default:
      return;
    }
  }

  void takeOfTemplateHead(tok::TokenKind kind) {
    unsigned &angles = state.scopes.back().angles;
    if (kind == tok::less)
      ++angles;
    else if (kind == tok::greater || kind == tok::greatergreater)
      angles -= std::min(angles, kind == tok::greater ? 1u : 2u);
  }

  void takeWord(llvm::StringRef word) {
    Scope &scope = state.scopes.back();
    if (word == "template" && scope.tokens == 1) {
      scope.isTemplate = true;
    } else if (word == "enum") {
      scope.isEnum = true;
    } else if (isScopeKey(word)) {
      scope.opensScope = true;
    } else if (!scope.hasName && word == "operator") {
      scope.name = word.str();
      scope.hasName = true;
    } else if (!scope.hasName && isName(word)) {
      scope.name = last == tok::coloncolon ? scope.name + "::" + word.str() : word.str();
    }
  }

  bool isScope(const Scope &scope) const {
    const bool isLinkage = tok::isStringLiteral(last);
    return state.scopes.size() < maxScopes && !scope.isEnum && !scope.isInitialised &&
           (scope.opensScope || isLinkage);
  }

  bool isBody(const Scope &scope) const {
    const bool isMember = scope.hasInitialisers && last == tok::raw_identifier;
    return scope.hasParameters && !scope.isInitialised && !isMember;
  }

  /// A bracket was closed.
  void close(tok::TokenKind kind, size_t end) {
    while (state.scopes.size() > state.meter.brackets() + 1) {
      endDeclaration(end);
      state.scopes.pop_back();
    }
    Scope &scope = state.scopes.back();
    if (kind == tok::r_brace && state.meter.brackets() + 1 == state.scopes.size() &&
        (scope.body || scope.opensScope))
      endDeclaration(end);
  }

  void mark(size_t place) {
    Scope &scope = state.scopes.back();
    if (!scope.isTooDeep && !scope.isBodyTooDeep)
      scope.tooDeep = place;
    if (scope.body)
      scope.isBodyTooDeep = true;
    else
      scope.isTooDeep = true;
  }

  void endDeclaration(size_t end) {
    Scope &scope = state.scopes.back();
    if (scope.isTooDeep || scope.isBodyTooDeep) {
      DeepCode code;
      code.begin = code.declaration = scope.begin;
      code.end = end;
      code.isBody = !scope.isTooDeep;
      code.name = !scope.name.empty() ? scope.name : scope.anyName;
      if (code.name.empty())
        code.name = "a declaration";
      if (isOpen) {
        code.isOpen = isCut = true;
        code.end = nextDeclaration(scope);
      }
      if (code.isBody) {
        code.begin = scope.body;
        code.end -= !code.isOpen; // The brace.
      }
      found.push_back(std::move(code));
    }
    scope = {};
  }

  /// The first line behind what is too deep that is indented no further than the declaration.
  size_t nextDeclaration(const Scope &scope) const {
    const auto indentAt = [this](size_t line) {
      const size_t code = text.find_first_not_of(" \t", line);
      return code == llvm::StringRef::npos || text[code] == '\n' ? text.size() : code - line;
    };
    const size_t line = text.rfind('\n', scope.begin) + 1; // npos + 1 is 0.
    const size_t indent = indentAt(line);
    for (size_t end = text.find('\n', scope.tooDeep); end != llvm::StringRef::npos;
         end = text.find('\n', end + 1))
      if (indentAt(end + 1) <= indent)
        return end;
    return text.size();
  }

  bool isName(llvm::StringRef word) { return words.get(word).getTokenID() == tok::identifier; }

  static bool isScopeKey(llvm::StringRef word) {
    return word == "namespace" || word == "class" || word == "struct" || word == "union";
  }

  static bool isAccess(llvm::StringRef word) {
    return word == "public" || word == "protected" || word == "private";
  }

  static bool isAttribute(llvm::StringRef word) {
    return llvm::StringSwitch<bool>(word)
        .Cases({"alignas", "__attribute__", "__declspec", "decltype", "explicit", "requires"}, true)
        .Default(false);
  }

  llvm::StringRef text;
  const std::optional<size_t> tooDeep;
  clang::IdentifierTable words{languageOptions()}; ///< Keywords, and the names of the text.
  State state;
  std::vector<std::pair<size_t, State>> before; ///< The #if of each level.
  size_t conditions = 0;
  bool inDirective = false;
  enum class Pragma { None, Name, Open, Text } pragma = Pragma::None; ///< What was last of one.
  size_t pragmaBracket = 0;
  llvm::StringRef directive;
  size_t directiveTokens = 0, condition = 0;
  tok::TokenKind last = tok::unknown;
  llvm::StringRef lastSpelling;
  bool isOpen = false, isCut = false;
  std::vector<DeepCode> found;
};

} // namespace

std::vector<DeepCode> findDeepCode(llvm::StringRef text, std::optional<size_t> tooDeep) {
  std::string rest = text.str();
  std::vector<DeepCode> all;
  for (unsigned round = 0; round < maxOpen; ++round) {
    DeepCodeSearch search(rest, tooDeep);
    const std::vector<DeepCode> found = search.run();
    llvm::append_range(all, found);
    if (!search.endsEarly())
      break;
    rest = without(found, std::move(rest));
    tooDeep.reset();
  }
  return all;
}

/// Where the line at \p begin ends, which may go on behind a backslash.
static size_t endOfDirective(llvm::StringRef text, size_t begin) {
  size_t end = text.find('\n', begin);
  while (end != llvm::StringRef::npos && text.take_front(end).rtrim(" \t\r").ends_with("\\"))
    end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

std::vector<DeepCode> findEmbeds(llvm::StringRef text, size_t first) {
  std::vector<DeepCode> all;
  for (size_t begin = first; begin < text.size();) {
    const size_t end = endOfDirective(text, begin);
    const llvm::StringRef line = text.slice(begin, end).ltrim();
    llvm::StringRef word = line;
    if (begin == first || (word.consume_front("#") && word.ltrim().starts_with("embed"))) {
      DeepCode code;
      code.begin = code.declaration = static_cast<size_t>(line.data() - text.data());
      code.end = end;
      code.isCondition = true;
      const llvm::StringRef file = line.drop_until([](char c) { return c == '"' || c == '<'; })
                                       .drop_front(line.find_first_of("\"<") < line.size() ? 1 : 0)
                                       .take_until([](char c) { return c == '"' || c == '>'; });
      code.name = "#embed of '" + file.str() + "'";
      all.push_back(std::move(code));
    }
    begin = end + 1;
  }
  return all;
}

std::string without(const std::vector<DeepCode> &code, std::string text) {
  for (const DeepCode &each : code) {
    for (size_t i = each.begin; i < std::min(each.end, text.size()); ++i)
      if (text[i] != '\n')
        text[i] = ' ';
    if (each.isCondition)
      text[each.begin] = '0';
    if (each.isOpen && each.isBody && each.end > each.begin)
      text[each.end - 1] = '}';
  }
  return text;
}

} // namespace gradtidy
