#include "SourceText.h"
#include "analyzer/source/BoundedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace gradtidy {

using llvm::StringRef;

SourceText::Text SourceText::textOf(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  Text text;
  text.buffer = std::move(buffer);
  text.lineStarts.push_back(0);
  StringRef content = text.buffer->getBuffer();
  for (size_t i = 0; i < content.size(); ++i)
    if (content[i] == '\n' || (content[i] == '\r' && !content.substr(i + 1).starts_with("\n")))
      text.lineStarts.push_back(i + 1);
  return text;
}

void SourceText::set(StringRef file, StringRef content) {
  texts[file] = textOf(llvm::MemoryBuffer::getMemBufferCopy(content));
}

const SourceText::Text &SourceText::read(StringRef file) {
  auto [entry, added] = texts.try_emplace(file);
  if (added)
    if (auto buffer = readFileIfPossible(file))
      entry->second = textOf(std::move(buffer));
  return entry->second;
}

std::optional<StringRef> SourceText::content(StringRef file) {
  const Text &text = read(file);
  return text.buffer ? std::optional(text.buffer->getBuffer()) : std::nullopt;
}

std::string SourceText::withItsLineEnds(StringRef file, unsigned offset, StringRef text) {
  const StringRef all = content(file).value_or(StringRef());
  // The end of the line; of the line before, if it is the last one and has none.
  size_t end = all.find('\n', offset);
  if (end == StringRef::npos)
    end = all.take_front(offset).rfind('\n');
  if (end == StringRef::npos || !all.take_front(end).ends_with("\r"))
    return text.str();
  std::string result;
  for (size_t i = 0; i < text.size(); ++i)
    result += text[i] == '\n' && (i == 0 || text[i - 1] != '\r') ? "\r\n" : std::string(1, text[i]);
  return result;
}

Position SourceText::position(StringRef file, unsigned offset) {
  const Text &text = read(file);
  if (!text.buffer)
    return {};
  size_t place = std::min<size_t>(offset, text.buffer->getBufferSize());
  auto next = llvm::upper_bound(text.lineStarts, place);
  return {unsigned(next - text.lineStarts.begin()), unsigned(place - *std::prev(next)) + 1};
}

StringRef SourceText::line(StringRef file, unsigned number) {
  const Text &text = read(file);
  if (number == 0 || number > text.lineStarts.size())
    return {};
  size_t begin = text.lineStarts[number - 1];
  size_t end = number < text.lineStarts.size() ? text.lineStarts[number] : StringRef::npos;
  return text.buffer->getBuffer().slice(begin, end).rtrim("\r\n");
}

unsigned SourceText::lineCount(StringRef file) {
  const Text &text = read(file);
  if (!text.buffer)
    return 0;
  // Behind the last line end there is no line.
  const bool isEnded = text.lineStarts.back() == text.buffer->getBufferSize();
  return static_cast<unsigned>(text.lineStarts.size()) - isEnded;
}

std::string SourceText::statement(StringRef file, unsigned number, unsigned column) {
  const Text &text = read(file);
  if (number == 0 || number > text.lineStarts.size())
    return {};
  const size_t place = text.lineStarts[number - 1] + (column ? column - 1 : 0);
  const StringRef content = text.buffer->getBuffer();
  std::string result;
  // From the start of the file: only so is it known what is a comment or a literal.
  for (size_t i = 0; i < content.size();) {
    const StringRef rest = content.substr(i);
    const char c = rest.front();
    size_t length = 1;
    if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
      continue;
    }
    if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      i += end == StringRef::npos ? rest.size() : end + 2;
      continue;
    }
    // Behind a digit it is a separator.
    if (c == '"' || (c == '\'' && (i == 0 || !llvm::isAlnum(content[i - 1])))) {
      while (length < rest.size() && rest[length] != c && rest[length] != '\n')
        length += rest[length] == '\\' ? 2 : 1;
      length = std::min(length + 1, rest.size());
      result += rest.take_front(length);
    } else if (c == ';' || c == '{' || c == '}') {
      if (i >= place)
        break;
      result.clear();
    } else if (!llvm::isSpace(c)) {
      result += c;
    }
    i += length;
  }
  return result;
}

unsigned SourceText::codePointColumn(StringRef file, unsigned number, unsigned column) {
  if (column == 0)
    return 0;
  StringRef before = line(file, number).take_front(column - 1);
  auto continues = [](char byte) { return (byte & 0xC0) == 0x80; };
  return column - unsigned(llvm::count_if(before, continues));
}

} // namespace gradtidy
