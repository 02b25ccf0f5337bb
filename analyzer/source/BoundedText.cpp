#include "BoundedText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace gradtidy {

using llvm::StringRef;
using Json = nlohmann::json;

char TextError::ID = 0;

namespace {

/// Hears what a parser finds, and stops it at the limits. Nothing is kept.
class Bounds : public nlohmann::json_sax<Json> {
public:
  std::string reason; ///< Why the parser stopped.
  size_t offset = 0;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override { return value(); }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t &) override { return value(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &error) override {
    offset = position > 0 ? position - 1 : 0;
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    StringRef what = error.what();
    what = what.split("] ").second;
    if (what.starts_with("parse error at "))
      what = what.split(": ").second;
    reason = what.str();
    return false;
  }

private:
  size_t values = 0;
  unsigned depth = 0;

  bool value() {
    if (++values > maxValues)
      reason = "it has more than " + std::to_string(maxValues) + " values";
    return reason.empty();
  }
  bool enter() {
    if (++depth > maxNesting)
      reason = "it is nested deeper than " + std::to_string(maxNesting) + " levels";
    return reason.empty() && value();
  }
  bool leave() {
    --depth;
    return true;
  }
};

llvm::Expected<Json> parse(StringRef text, Json::input_format_t format) {
  Bounds bounds;
  try {
    if (Json::sax_parse(text.begin(), text.end(), &bounds, format))
      return format == Json::input_format_t::json ? Json::parse(text.begin(), text.end())
                                                  : Json::from_cbor(text.begin(), text.end());
  } catch (const Json::exception &error) {
    bounds.reason = StringRef(error.what()).split("] ").second.str();
  }
  return llvm::make_error<TextError>(std::move(bounds.reason),
                                     std::min(bounds.offset, text.size()));
}

} // namespace

llvm::Expected<Json> parseJson(StringRef text) { return parse(text, Json::input_format_t::json); }

llvm::Expected<Json> parseCbor(StringRef bytes) { return parse(bytes, Json::input_format_t::cbor); }

llvm::Expected<std::vector<StringRef>> splitList(StringRef text) {
  static constexpr StringRef blanks = " \t\r\n";
  const auto fail = [](const char *reason, size_t offset) {
    return llvm::make_error<TextError>(reason, offset);
  };
  size_t at = text.find_first_not_of(blanks);
  if (at == StringRef::npos || text[at] != '[')
    return fail("expected a list", at == StringRef::npos ? text.size() : at);
  std::vector<StringRef> elements;
  size_t begin = ++at, depth = 0;
  for (; at < text.size(); ++at)
    switch (text[at]) {
    case '"':
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
      break;
    case '[':
    case '{':
      ++depth;
      break;
    case ',':
    case ']':
    case '}':
      if (depth == 0) {
        const StringRef element = text.slice(begin, at).trim(blanks);
        if (text[at] == '}' || (element.empty() && (text[at] == ',' || !elements.empty())))
          return fail("a value is missing", at);
        if (!element.empty())
          elements.push_back(element);
        begin = at + 1;
        if (text[at] == ']') {
          if (!text.drop_front(begin).trim(blanks).empty())
            return fail("more text behind the list", begin);
          return elements;
        }
      } else if (text[at] != ',') {
        --depth;
      }
      break;
    default:
      break;
    }
  return fail("the list has no end", text.size());
}

std::string placeIn(StringRef text, size_t offset) {
  const StringRef before = text.take_front(offset);
  const size_t lineStart = before.rfind('\n');
  const size_t column = before.size() - (lineStart == StringRef::npos ? 0 : lineStart + 1) + 1;
  return "line " + std::to_string(before.count('\n') + 1) + ", column " + std::to_string(column);
}

std::string yamlTooDeep(StringRef text) {
  // More than a parser would open: strings, comments and text blocks are looked at like all else.
  // What is refused for them is no configuration that anybody writes.
  size_t flow = 0;
  std::vector<size_t> columns; // At which blocks may be open.
  while (!text.empty()) {
    const size_t end = text.find_first_of("\r\n");
    const StringRef line = text.take_front(end);
    text = end == StringRef::npos ? StringRef() : text.drop_front(end + 1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == StringRef::npos)
      continue;
    while (!columns.empty() && columns.back() >= first)
      columns.pop_back();
    for (size_t at = first; at < line.size(); ++at) {
      const char letter = line[at];
      const bool opens = StringRef("-?:").contains(letter) &&
                         (at + 1 == line.size() || StringRef(" \t").contains(line[at + 1]));
      if (opens || at == first)
        columns.push_back(at);
      if (letter == '[' || letter == '{')
        ++flow;
      else if ((letter == ']' || letter == '}') && flow > 0)
        --flow;
      if (flow + columns.size() > maxNesting)
        return "it is nested deeper than " + std::to_string(maxNesting) + " levels";
    }
  }
  return {};
}

} // namespace gradtidy
