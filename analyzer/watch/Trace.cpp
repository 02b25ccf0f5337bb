#include "Trace.h"

#include "checks/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <tuple>

namespace gradtidy {

using Json = nlohmann::json;
using llvm::StringRef;

namespace {

struct Frame {
  std::string file; ///< Empty if there is no debug information.
  unsigned line = 0, column = 0;
  std::string function; ///< With its arguments.
  std::string program;
};

/// The last part of a function's name, and the one before: "Net" and "Net" of "a::Net::Net(int)".
std::pair<StringRef, StringRef> lastNames(StringRef function) {
  // Templates and arguments have names and brackets of their own.
  size_t end = function.size();
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    depth += function[i] == '<';
    depth -= function[i] == '>';
    if (function[i] == '(' && depth == 0 && !function.substr(i).starts_with("(anonymous")) {
      end = i;
      break;
    }
  }
  const StringRef name = function.take_front(end);
  const auto [scope, last] = name.rsplit("::");
  return {scope.rsplit("::").second.empty() ? scope : scope.rsplit("::").second, last};
}

bool isConstructor(StringRef function) {
  const auto [scope, name] = lastNames(function);
  return !name.empty() && scope == name;
}

bool isForward(StringRef function) {
  const StringRef name = lastNames(function).second;
  return name.starts_with("forward") || name == "operator";
}

class Symbols {
public:
  explicit Symbols(std::string torch) : torch(std::move(torch)) {}

  /// The frames of a stack, those of inlined functions too.
  std::vector<Frame> frames(const Json &stack) {
    std::vector<Frame> result;
    for (const Json &address : stack)
      for (const Frame &frame : framesAt(address[0], address[1]))
        result.push_back(frame);
    return result;
  }

  bool isUser(const Frame &frame) const {
    if (frame.file.empty()) {
      const StringRef name = StringRef(frame.function).ltrim("void ");
      return !name.empty() &&
             llvm::none_of(
                 std::initializer_list<StringRef>{"torch::", "at::", "c10::", "std::", "_start",
                                                  "__"},
                 [&](StringRef prefix) { return StringRef(frame.function).starts_with(prefix); });
    }
    return !StringRef(frame.file).starts_with(torch + "/") &&
           !StringRef(frame.file).starts_with("/usr/");
  }

private:
  const std::vector<Frame> &framesAt(const std::string &file, uint64_t address) {
    const auto [found, isNew] = known.try_emplace({file, address});
    if (!isNew)
      return found->second;
    std::vector<Frame> &frames = found->second;
    auto inlined = symbolizer.symbolizeInlinedCode(
        file, {address, llvm::object::SectionedAddress::UndefSection});
    if (!inlined) {
      llvm::consumeError(inlined.takeError());
      return frames;
    }
    for (uint32_t i = 0; i < inlined->getNumberOfFrames(); ++i) {
      const llvm::DILineInfo &info = inlined->getFrame(i);
      Frame frame;
      frame.program = file;
      if (info.FileName != llvm::DILineInfo::BadString) {
        llvm::SmallString<256> path(info.FileName);
        llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
        frame.file = std::string(path);
        frame.line = info.Line;
        frame.column = info.Column;
      }
      if (info.FunctionName != llvm::DILineInfo::BadString)
        frame.function = llvm::demangle(info.FunctionName);
      frames.push_back(std::move(frame));
    }
    return frames;
  }

  static llvm::symbolize::LLVMSymbolizer::Options options() {
    llvm::symbolize::LLVMSymbolizer::Options result;
    result.Demangle = true;
    result.UseSymbolTable = true;
    return result;
  }

  const std::string torch;
  llvm::symbolize::LLVMSymbolizer symbolizer{options()};
  std::map<std::pair<std::string, uint64_t>, std::vector<Frame>> known;
};

/// The index in \p user of the frame that \p place is about; none if the finding is none.
std::optional<size_t> indexOf(StringRef place, const std::vector<Frame> &user) {
  size_t index = 0;
  if (place == "constructor" && !isConstructor(user[0].function))
    return std::nullopt;
  if (place == "construction")
    while (index + 1 < user.size() && isConstructor(user[index].function))
      ++index;
  if (place == "forward")
    while (index + 1 < user.size() && isForward(user[index].function))
      ++index;
  return index;
}

/// Whether the statement at \p frame assigns to something or gives it its first value.
bool isAssigned(SourceText &text, const Frame &frame) {
  const StringRef line = text.line(frame.file, frame.line);
  for (size_t at = line.find('='); at != StringRef::npos; at = line.find('=', at + 1)) {
    const char before = at ? line[at - 1] : ' ', after = at + 1 < line.size() ? line[at + 1] : ' ';
    if (after != '=' && !StringRef("=!<>+-*/%&|^").contains(before))
      return true;
    if (after == '=')
      ++at;
  }
  return line.trim().starts_with("return");
}

/// Comments of clang-tidy's that silence \p check in a line, or in the next one.
bool isSilenced(SourceText &text, const ReportedFinding &finding) {
  const auto silences = [&](StringRef line, StringRef word) {
    const size_t at = line.find(word);
    if (at == StringRef::npos)
      return false;
    const StringRef rest = line.substr(at + word.size());
    if (rest.starts_with("NEXTLINE") || rest.starts_with("BEGIN") || rest.starts_with("END"))
      return false;
    const StringRef names = rest.take_until([](char letter) { return letter == ')'; });
    return !rest.starts_with("(") || names.contains(finding.check) || names == "(*" ||
           names == "(ml-*";
  };
  return silences(text.line(finding.file, finding.line), "NOLINT") ||
         (finding.line > 1 &&
          silences(text.line(finding.file, finding.line - 1), "NOLINTNEXTLINE"));
}

std::optional<double> numberOf(const Json &object, const char *name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional<double>(found->get<double>())
                                                     : std::nullopt;
}

std::optional<ReportedFinding> findingOf(const Json &record, Symbols &symbols, SourceText &text) {
  const std::vector<Frame> all = symbols.frames(record["stack"]);
  std::vector<Frame> user;
  llvm::copy_if(all, std::back_inserter(user),
                [&](const Frame &frame) { return symbols.isUser(frame); });
  if (user.empty())
    return std::nullopt;
  const std::string through = record.value("through", "");
  if (!through.empty() && llvm::none_of(all, [&](const Frame &frame) {
        return StringRef(frame.function).contains(through);
      }))
    return std::nullopt;
  const std::optional<size_t> index = indexOf(record["place"].get<std::string>(), user);
  if (!index)
    return std::nullopt;
  const Frame &frame = user[*index];

  ReportedFinding finding;
  finding.check = record["finding"];
  const std::string ifAssigned = record.value("ifAssigned", "");
  if (!ifAssigned.empty() && isAssigned(text, frame)) {
    if (ifAssigned == "none")
      return std::nullopt;
    finding.check = ifAssigned;
  }
  const CatalogueRow *row = findRow(finding.check);
  if (!row)
    return std::nullopt;
  finding.severity = "warning";
  finding.level = row->level;
  finding.message = record["message"].get<std::string>() + "; seen in step " +
                    std::to_string(record["step"].get<unsigned>());
  if (frame.file.empty()) {
    finding.file = frame.program;
    finding.message = "in " + frame.function + ": " + finding.message;
  } else {
    finding.file = frame.file;
    finding.line = finding.endLine = frame.line;
    finding.column = finding.endColumn = std::max(1U, frame.column);
  }
  for (size_t i = *index + 1; i < user.size() && finding.notes.size() < 3; ++i)
    if (!user[i].file.empty())
      finding.notes.push_back(
          {user[i].file, user[i].line, std::max(1U, user[i].column),
           "called from " + user[i].function.substr(0, user[i].function.find('('))});
  if (isSilenced(text, finding))
    return std::nullopt;
  return finding;
}

} // namespace

Trace readTrace(StringRef record, const std::string &torch) {
  Trace trace;
  Symbols symbols(torch);
  SourceText text;
  llvm::SmallVector<StringRef> lines;
  record.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::set<std::tuple<std::string, std::string, unsigned>> known;
  std::set<std::pair<std::string, unsigned>> reached;
  for (const StringRef line : lines) {
    // The last line of a program that crashed may be half a line.
    const Json one = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!one.is_object())
      continue;
    if (one.contains("finding")) {
      if (auto finding = findingOf(one, symbols, text))
        if (known.emplace(finding->check, finding->file, finding->line).second)
          trace.findings.push_back(std::move(*finding));
    } else if (one.contains("reached")) {
      for (const Frame &frame : symbols.frames(one["stack"]))
        if (symbols.isUser(frame) && frame.line && reached.emplace(frame.file, frame.line).second)
          trace.reached.push_back({frame.file, frame.line});
    } else if (one.contains("end")) {
      trace.end = one["end"].get<unsigned>();
    } else if (one.contains("step")) {
      trace.steps.push_back({one["step"], numberOf(one, "loss"), numberOf(one, "gradient norm"),
                             numberOf(one, "milliseconds")});
    }
  }
  llvm::sort(trace.findings, [](const ReportedFinding &left, const ReportedFinding &right) {
    return std::tie(left.file, left.line, left.column, left.check) <
           std::tie(right.file, right.line, right.column, right.check);
  });
  return trace;
}

} // namespace gradtidy
