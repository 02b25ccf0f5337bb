#include "TerminalMarkdown.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Locale.h"

#include <algorithm>
#include <vector>

namespace gradtidy {
namespace {

using llvm::StringRef;

enum class Style : unsigned char { Plain, Heading, Code, Strong, Emphasis };

StringRef codeOf(Style style) {
  switch (style) {
  case Style::Plain:
    return "";
  case Style::Heading:
    return "\x1b[1;4m";
  case Style::Code:
    return "\x1b[36m";
  case Style::Strong:
    return "\x1b[1m";
  case Style::Emphasis:
    return "\x1b[3m";
  }
  return "";
}

/// A word, of which parts may be of several styles, with the columns that it takes.
struct Word {
  std::string text;
  size_t width = 0;
};

size_t widthOf(StringRef text) {
  // Bytes that are no UTF-8 are shown as one column each.
  const int columns = llvm::sys::locale::columnWidth(text);
  return columns < 0 ? text.size() : size_t(columns);
}

class Renderer {
public:
  Renderer(unsigned columns, bool colors) : columns(columns), colors(colors) {}

  std::string render(StringRef markdown) {
    llvm::SmallVector<StringRef> lines;
    markdown.split(lines, '\n');
    for (size_t i = 0; i < lines.size(); ++i) {
      const StringRef line = lines[i], trimmed = line.trim();
      if (trimmed.starts_with("```")) {
        endParagraph();
        for (++i; i < lines.size() && !lines[i].trim().starts_with("```"); ++i)
          addCode(lines[i]);
      } else if (trimmed.empty()) {
        endParagraph();
        addBlank();
      } else if (line.starts_with("    ") && paragraph.empty()) {
        addCode(line.drop_front(4));
      } else if (trimmed.starts_with("<!--") || trimmed.starts_with("![")) {
        endParagraph();
      } else if (trimmed.starts_with("#")) {
        endParagraph();
        out += styled(plain(trimmed.ltrim('#').trim()), Style::Heading) + "\n";
      } else if (trimmed.starts_with("|")) {
        endParagraph();
        const size_t begin = i;
        while (i + 1 < lines.size() && lines[i + 1].trim().starts_with("|"))
          ++i;
        addTable(llvm::ArrayRef(lines).slice(begin, i + 1 - begin));
      } else {
        if (isItem(trimmed))
          endParagraph();
        if (paragraph.empty())
          indent = line.size() - line.ltrim().size();
        paragraph += (paragraph.empty() ? "" : " ") + trimmed.str();
      }
    }
    endParagraph();
    return StringRef(out).rtrim('\n').str() + "\n";
  }

private:
  std::string styled(StringRef text, Style style) const {
    return colors && style != Style::Plain ? (codeOf(style) + text + "\x1b[0m").str() : text.str();
  }

  static bool isItem(StringRef line) {
    if (line.starts_with("- ") || line.starts_with("* "))
      return true;
    const StringRef rest = line.ltrim("0123456789");
    return rest.size() < line.size() && rest.starts_with(". ");
  }

  /// Calls \p use with each stretch of \p text and its style.
  template <typename Use> static void forEachSpan(StringRef text, const Use &use) {
    const auto take = [&](StringRef mark, Style style) {
      if (!text.starts_with(mark))
        return false;
      const size_t end = text.find(mark, mark.size());
      if (end == StringRef::npos || end == mark.size())
        return false;
      use(text.slice(mark.size(), end), style);
      text = text.drop_front(end + mark.size());
      return true;
    };
    while (!text.empty()) {
      if (take("`", Style::Code) || take("**", Style::Strong) || take("*", Style::Emphasis))
        continue;
      if (text.starts_with("[")) {
        const size_t middle = text.find("]("), end = text.find(')', middle);
        if (middle != StringRef::npos && end != StringRef::npos) {
          forEachSpan(text.slice(1, middle), use);
          text = text.drop_front(end + 1);
          continue;
        }
      }
      const size_t next = std::max<size_t>(1, std::min(text.find_first_of("`*["), text.size()));
      use(text.take_front(next), Style::Plain);
      text = text.drop_front(next);
    }
  }

  static std::string plain(StringRef text) {
    std::string result;
    forEachSpan(text, [&](StringRef part, Style) { result += part; });
    return result;
  }

  std::vector<Word> wordsOf(StringRef text) const {
    std::vector<Word> words(1);
    forEachSpan(text, [&](StringRef part, Style style) {
      while (!part.empty()) {
        const size_t end = std::min(part.find(' '), part.size());
        if (end) {
          words.back().text += styled(part.take_front(end), style);
          words.back().width += widthOf(part.take_front(end));
        }
        part = part.drop_front(end);
        if (part.consume_front(" ") && words.back().width)
          words.emplace_back();
      }
    });
    if (!words.back().width)
      words.pop_back();
    return words;
  }

  void endParagraph() {
    size_t hanging = indent;
    if (isItem(paragraph))
      hanging += paragraph.find(' ') + 1;
    size_t column = 0;
    for (const Word &word : wordsOf(paragraph)) {
      if (column && column + 1 + word.width > columns) {
        out += '\n';
        column = 0;
        out.append(hanging, ' ');
        column = hanging;
      } else if (column) {
        out += ' ';
        ++column;
      } else {
        out.append(indent, ' ');
        column = indent;
      }
      out += word.text;
      column += word.width;
    }
    if (!paragraph.empty())
      out += '\n';
    paragraph.clear();
  }

  void addCode(StringRef line) {
    out += line.empty() ? "\n" : "    " + styled(line, Style::Code) + "\n";
  }

  /// Never two, and none at the beginning.
  void addBlank() {
    if (!out.empty() && !StringRef(out).ends_with("\n\n"))
      out += '\n';
  }

  void addTable(llvm::ArrayRef<StringRef> lines) {
    std::vector<std::vector<std::string>> rows;
    std::vector<size_t> widths;
    for (StringRef line : lines) {
      line = line.trim();
      line.consume_front("|");
      line.consume_back("|");
      llvm::SmallVector<StringRef> cells;
      line.split(cells, '|');
      if (llvm::all_of(cells, [](StringRef cell) { return cell.trim(" :-").empty(); }) &&
          line.contains('-'))
        continue;
      rows.emplace_back();
      for (const auto &[i, cell] : llvm::enumerate(cells)) {
        rows.back().push_back(plain(cell.trim()));
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], widthOf(rows.back().back()));
      }
    }
    for (const auto &[number, row] : llvm::enumerate(rows)) {
      std::string text;
      for (const auto &[i, cell] : llvm::enumerate(row)) {
        text += "  " + styled(cell, number ? Style::Plain : Style::Strong);
        if (i + 1 < row.size())
          text.append(widths[i] - widthOf(cell), ' ');
      }
      out += StringRef(text).rtrim().str() + "\n";
    }
  }

  const size_t columns;
  const bool colors;
  std::string out, paragraph;
  size_t indent = 0; ///< Of the paragraph.
};

} // namespace

std::string renderMarkdown(StringRef markdown, unsigned columns, bool colors) {
  return Renderer(columns, colors).render(markdown);
}

} // namespace gradtidy
