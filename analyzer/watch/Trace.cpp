#include "Trace.h"

#include "analyzer/report/Printable.h"
#include "analyzer/report/RunChecks.h"
#include "analyzer/source/BoundedText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

#include <cmath>
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
      for (const Frame &frame : framesAt(address.at(0), address.at(1)))
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
    if (!llvm::sys::fs::is_regular_file(file))
      return frames;
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

enum class Assignment : unsigned char { None, Declaration, Rebinding };

/// What the statement at \p frame does with its value, by its text.
Assignment assignmentAt(SourceText &text, const Frame &frame) {
  const StringRef line = text.line(frame.file, frame.line).split("//").first.trim();
  if (line.starts_with("return"))
    return Assignment::Declaration;
  for (size_t at = line.find('='); at != StringRef::npos; at = line.find('=', at + 1)) {
    const char before = at ? line[at - 1] : ' ', after = at + 1 < line.size() ? line[at + 1] : ' ';
    if (after == '=')
      ++at;
    else if (!StringRef("=!<>+-*/%&|^").contains(before))
      // A name alone is a handle that there is already.
      return llvm::all_of(line.take_front(at).rtrim(),
                          [](char letter) { return llvm::isAlnum(letter) || letter == '_'; })
                 ? Assignment::Rebinding
                 : Assignment::Declaration;
  }
  return Assignment::None;
}

/// Whether the code behind \p frame reads memory by its address, which no operation shows.
bool readsMemory(SourceText &text, const Frame &frame) {
  for (unsigned line = frame.line; line < frame.line + 12; ++line)
    for (const char *name : {"data_ptr", "accessor", "->data", "storage("})
      if (text.line(frame.file, line).contains(name))
        return true;
  return false;
}

/// Whether the statement at \p frame ends in a call of \p name, in one line: its result is dropped.
bool dropsResult(SourceText &text, const Frame &frame, const std::string &name) {
  const StringRef line = text.line(frame.file, frame.line).split("//").first.rtrim();
  const size_t at = line.rfind(name + "(");
  if (at == StringRef::npos)
    return false;
  int depth = 0;
  for (size_t i = at + name.size(); i < line.size(); ++i) {
    depth += line[i] == '(';
    depth -= line[i] == ')';
    if (depth == 0)
      return line.substr(i + 1).ltrim().starts_with(";") &&
             line.take_front(at).count('(') == line.take_front(at).count(')');
  }
  return false;
}

/// Whether \p names, what stands in the brackets of a NOLINT comment, has \p check.
bool hasCheck(StringRef names, StringRef check) {
  llvm::SmallVector<StringRef> all;
  names.split(all, ',');
  return llvm::any_of(all, [&](StringRef name) {
    name = name.trim();
    return name == check || (name.ends_with("*") && check.starts_with(name.drop_back()));
  });
}

/// Whether a comment \p word of clang-tidy's in \p line is about \p check.
bool silences(StringRef line, StringRef word, StringRef check) {
  const size_t at = line.find(word);
  if (at == StringRef::npos)
    return false;
  const StringRef rest = line.substr(at + word.size());
  if (!rest.empty() && llvm::isAlpha(rest.front()))
    return false; // A longer word.
  return !rest.starts_with("(") || hasCheck(rest.drop_front().split(')').first, check);
}

/// Comments of clang-tidy's that silence a finding: in its line, the one before, or around it.
bool isSilenced(SourceText &text, const ReportedFinding &finding) {
  const auto has = [&](unsigned line, StringRef word) {
    return line && silences(text.line(finding.file, line), word, finding.check);
  };
  if (finding.line == 0)
    return false;
  if (has(finding.line, "NOLINT") || has(finding.line - 1, "NOLINTNEXTLINE"))
    return true;
  bool isInside = false;
  for (unsigned line = 1; line < finding.line; ++line)
    isInside = has(line, "NOLINTBEGIN") || (isInside && !has(line, "NOLINTEND"));
  return isInside;
}

std::optional<double> numberOf(const Json &object, const char *name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional<double>(found->get<double>())
                                                     : std::nullopt;
}

std::optional<ReportedFinding> findingOf(const Json &record, Symbols &symbols, SourceText &text) {
  const std::vector<Frame> all = symbols.frames(record.at("stack"));
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
  const std::optional<size_t> index = indexOf(record.at("place").get<std::string>(), user);
  if (!index)
    return std::nullopt;
  const Frame &frame = user[*index];
  if (record.contains("usedBy")) {
    const std::vector<Frame> users = symbols.frames(record.at("usedBy"));
    const StringRef owner = lastNames(frame.function).first;
    if (llvm::none_of(users, [&](const Frame &one) {
          return isForward(one.function) && lastNames(one.function).first == owner;
        }))
      return std::nullopt;
  }

  ReportedFinding finding;
  finding.check = record.at("finding");
  const std::string ifAssigned = record.value("ifAssigned", "");
  const std::string statement = record.value("statement", "");
  if (!ifAssigned.empty()) {
    const Assignment assignment = assignmentAt(text, frame);
    if (assignment == Assignment::None) {
      if (!statement.empty() && !dropsResult(text, frame, statement))
        return std::nullopt;
    } else if (assignment == Assignment::Declaration || ifAssigned == "none" ||
               readsMemory(text, frame)) {
      return std::nullopt;
    } else {
      finding.check = ifAssigned;
    }
  }
  const std::optional<RunCheck> row = findAnyCheck(finding.check);
  if (!row)
    return std::nullopt;
  finding.severity = "warning";
  finding.level = record.value("advice", false) ? Level::Advice : row->level;
  finding.message = record.at("message").get<std::string>() + "; seen in step " +
                    std::to_string(record.at("step").get<unsigned>());
  if (frame.file.empty()) {
    finding.file = frame.program;
    finding.message =
        "in " + frame.function + ": " + finding.message + " (no line: built without -g)";
  } else {
    finding.file = frame.file;
    finding.line = finding.endLine = frame.line;
    finding.column = finding.endColumn = std::max(1U, frame.column);
  }
  for (size_t i = *index + 1; i < user.size() && finding.notes.size() < 3; ++i)
    if (!user[i].file.empty())
      finding.notes.push_back(
          {user[i].file, user[i].line, std::max(1U, user[i].column),
           printable("called from " + user[i].function.substr(0, user[i].function.find('(')))});
  finding.message = printable(finding.message);
  if (isSilenced(text, finding))
    return std::nullopt;
  return finding;
}

} // namespace

namespace {

/// The parameters of one process behind a step, by what they sum up to.
struct Parameters {
  unsigned process = 0;
  int64_t count = 0;
  double norm = 0, sum = 0;
  Json stack;
};

/// Takes the lines of all records.
class Reader {
public:
  Reader(Trace &trace, const std::string &torch) : trace(trace), symbols(torch) {}

  void read(StringRef record) {
    std::vector<WatchedStep> steps;
    std::optional<unsigned> end;
    for (StringRef rest = record; !rest.empty();) {
      const auto [line, next] = rest.split('\n');
      rest = next;
      // The last line of a program that crashed may be half a line, and whoever can write into the
      // file may have written anything.
      llvm::Expected<Json> one = parseJson(line);
      if (!one) {
        llvm::consumeError(one.takeError());
        continue;
      }
      try {
        take(*one, steps, end);
      } catch (const Json::exception &) {
        continue;
      }
    }
    if (process++ == 0 || steps.size() > trace.steps.size()) {
      trace.steps = std::move(steps);
      trace.end = end;
    }
  }

  /// Processes that add up their gradients must have the same parameters.
  void compareProcesses() {
    for (const auto &[step, all] : parameters) {
      const auto differs = [&first = all.front()](const Parameters &one) {
        const double bound = 1e-3 * std::max(std::abs(first.norm), std::abs(one.norm));
        return one.process != first.process && one.count == first.count &&
               (std::abs(one.norm - first.norm) > bound || std::abs(one.sum - first.sum) > bound);
      };
      const auto other = llvm::find_if(all, differs);
      if (other == all.end())
        continue;
      const auto text = [](double number) { return llvm::formatv("{0:F4}", number).str(); };
      add({{"finding", "ml-distributed-misuse"},
           {"message",
            "the processes add up their gradients, but their parameters differ: behind this step "
            "they have norms of " +
                text(all.front().norm) + " and " + text(other->norm) +
                " and other sums; make them the same before the first step, by broadcast() or by "
                "the same seed"},
           {"step", step},
           {"place", "innermost"},
           {"stack", other->stack}});
      return;
    }
  }

private:
  void add(const Json &line) {
    if (auto finding = findingOf(line, symbols, text))
      if (known.emplace(finding->check, finding->file, finding->line).second)
        trace.findings.push_back(std::move(*finding));
  }

  /// Throws Json::exception if \p line is none of a record.
  void take(const Json &line, std::vector<WatchedStep> &steps, std::optional<unsigned> &end) {
    if (line.contains("finding")) {
      add(line);
    } else if (line.contains("reached")) {
      for (const Frame &frame : symbols.frames(line.at("stack")))
        if (symbols.isUser(frame) && frame.line && reached.emplace(frame.file, frame.line).second)
          trace.reached.push_back({frame.file, frame.line});
    } else if (line.contains("end")) {
      end = line.at("end").get<unsigned>();
    } else if (line.contains("parameters")) {
      parameters[line.at("step").get<unsigned>()].push_back(
          {process, line.at("parameters").get<int64_t>(), line.at("norm").get<double>(),
           line.at("sum").get<double>(), line.at("stack")});
    } else if (line.contains("step")) {
      steps.push_back({line.at("step"), numberOf(line, "loss"), numberOf(line, "gradient norm"),
                       numberOf(line, "milliseconds"), numberOf(line, "bytes")});
    }
  }

  Trace &trace;
  Symbols symbols;
  SourceText text;
  unsigned process = 0;
  std::map<unsigned, std::vector<Parameters>> parameters; ///< By step.
  std::set<std::tuple<std::string, std::string, unsigned>> known;
  std::set<std::pair<std::string, unsigned>> reached;
};

} // namespace

Trace readTrace(llvm::ArrayRef<StringRef> records, const std::string &torch) {
  Trace trace;
  Reader reader(trace, torch);
  for (const StringRef record : records)
    reader.read(record);
  try {
    reader.compareProcesses();
  } catch (const Json::exception &) {
    // No stack, but something else that was written into the file.
  }
  llvm::sort(trace.findings, [](const ReportedFinding &left, const ReportedFinding &right) {
    return std::tie(left.file, left.line, left.column, left.check) <
           std::tie(right.file, right.line, right.column, right.check);
  });
  return trace;
}

} // namespace gradtidy
