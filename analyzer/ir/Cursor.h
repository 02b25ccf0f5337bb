// Reads the words of one line of the IR's text. Internal to what reads texts.
#pragma once

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace gradtidy::text {

/// The text is wrong: thrown and caught by what reads it.
struct Malformed {
  std::string why;
};

[[noreturn]] inline void fail(const llvm::Twine &why) { throw Malformed{why.str()}; }

class Cursor {
public:
  explicit Cursor(llvm::StringRef line) : rest(line) {}

  bool isAtEnd() {
    skip();
    return rest.empty();
  }

  /// Passes over \p text if it is what comes next, without spaces before it.
  bool takeNext(llvm::StringRef text) { return rest.consume_front(text); }
  bool take(llvm::StringRef text) {
    skip();
    return takeNext(text);
  }
  void expect(llvm::StringRef text) {
    if (!take(text))
      fail("expected '" + text + "' before '" + rest.take_front(20) + "'");
  }

  /// A word of lower case letters, digits and hyphens.
  llvm::StringRef word() {
    skip();
    const llvm::StringRef result = peekWord();
    if (result.empty())
      fail("expected a word before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(result.size());
    return result;
  }

  /// Whether the next word is \p name, and no longer.
  bool takeWord(llvm::StringRef name) {
    skip();
    if (!startsWithWord(rest, name))
      return false;
    rest = rest.drop_front(name.size());
    return true;
  }
  /// The same with "not-" before it.
  bool takeNotWord(llvm::StringRef name) {
    skip();
    constexpr llvm::StringLiteral negation = "not-";
    if (!rest.starts_with(negation) || !startsWithWord(rest.drop_front(negation.size()), name))
      return false;
    rest = rest.drop_front(negation.size() + name.size());
    return true;
  }

  /// The name of a field with a value.
  bool takeField(llvm::StringRef name) {
    skip();
    if (rest.size() <= name.size() || rest[name.size()] != '=' || !rest.starts_with(name))
      return false;
    rest = rest.drop_front(name.size() + 1);
    return true;
  }

  template <typename Number> Number number() {
    Number result{};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result);
    if (error != std::errc())
      fail("expected a number before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(end - rest.data());
    return result;
  }

  std::string string() {
    expect("\"");
    const size_t plain = std::min(rest.find_first_of("\"\\"), rest.size());
    std::string result = rest.take_front(plain).str();
    rest = rest.drop_front(plain);
    for (;;) {
      if (rest.empty())
        fail("a string has no end");
      const char c = rest.front();
      rest = rest.drop_front();
      if (c == '"')
        return result;
      if (c != '\\') {
        result += c;
        continue;
      }
      unsigned code = 0;
      if (!rest.consume_front("x")) {
        result += rest.empty() ? '\\' : rest.front();
        rest = rest.drop_front(!rest.empty());
      } else if (rest.take_front(2).getAsInteger(16, code)) {
        fail("expected two hexadecimal digits after '\\x'");
      } else {
        result += static_cast<char>(code);
        rest = rest.drop_front(2);
      }
    }
  }

  /// A name as a whole: bare or quoted, with the number behind it.
  llvm::StringRef label() {
    skip();
    const llvm::StringRef start = rest;
    if (rest.starts_with("\"")) {
      string();
    } else {
      while (rest.consume_front("::") || (!rest.empty() && isOfName(rest.front())))
        if (!rest.empty() && isOfName(rest.front()))
          rest = rest.drop_front();
    }
    takeOrdinal();
    const llvm::StringRef result = start.drop_back(rest.size());
    if (result.empty())
      fail("expected a name before '" + rest.take_front(20) + "'");
    return result;
  }

  /// The name of a type as a whole.
  llvm::StringRef typeLabel() {
    skip();
    const llvm::StringRef start = rest;
    const size_t end = rest.find('>');
    if (!rest.starts_with("<") || end == llvm::StringRef::npos)
      fail("expected a type before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(end + 1);
    takeOrdinal();
    return start.drop_back(rest.size());
  }

  /// A place, up to what cannot be part of it.
  llvm::StringRef place() {
    skip();
    size_t length = 0;
    while (length < rest.size() && isOfPlace(rest[length]))
      ++length;
    const llvm::StringRef result = rest.take_front(length);
    rest = rest.drop_front(length);
    return result;
  }

  bool startsWith(llvm::StringRef text) {
    skip();
    return rest.starts_with(text);
  }
  bool startsWithNext(llvm::StringRef text) const { return rest.starts_with(text); }
  llvm::StringRef left() const { return rest; }
  void skip() {
    while (!rest.empty() && rest.front() == ' ')
      rest = rest.drop_front();
  }

private:
  static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_' || c == '~' || c == '$'; }
  static bool isOfPlace(char c) {
    return llvm::isDigit(c) || c == ':' || c == 'f' || c == '^' || c == '&' || c == '-';
  }
  static bool isOfWord(char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '-'; }
  static bool startsWithWord(llvm::StringRef text, llvm::StringRef name) {
    return text.starts_with(name) && (text.size() == name.size() || !isOfWord(text[name.size()]));
  }
  llvm::StringRef peekWord() const { return rest.take_while(isOfWord); }
  void takeOrdinal() {
    if (rest.consume_front("#"))
      number<unsigned>();
  }

  llvm::StringRef rest;
};

} // namespace gradtidy::text
