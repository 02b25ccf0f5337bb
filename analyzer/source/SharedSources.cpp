#include "SharedSources.h"
#include "BoundedFile.h"
#include "Paths.h"

#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

using clang::tooling::CompileCommand;
using llvm::StringRef;

namespace {

// ---- text --------------------------------------------------------------------------------------

bool isWordPart(char c) { return clang::isAsciiIdentifierContinue(c); }

/// Where \p word stands in \p text, as a word of its own, from \p start on; or npos.
size_t findWord(StringRef text, StringRef word, size_t start = 0) {
  for (size_t at = text.find(word, start); at != StringRef::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isWordPart(text[at - 1])) &&
        (at + word.size() == text.size() || !isWordPart(text[at + word.size()])))
      return at;
  return StringRef::npos;
}

/// What follows the parentheses at the beginning of \p text; empty if there are none.
StringRef behindParentheses(StringRef text) {
  if (!text.starts_with("("))
    return {};
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (depth == 0)
      return text.substr(i + 1).ltrim();
  }
  return {};
}

/// What follows the template arguments at the beginning of \p text, such as `<float, 32>`; all of
/// it if there are none.
StringRef behindTemplateArguments(StringRef text) {
  const size_t end = text.starts_with("<") ? text.find_first_of("<>;{}", 1) : StringRef::npos;
  return end != StringRef::npos && text[end] == '>' ? text.substr(end + 1).ltrim() : text;
}

/// Whether \p text has what looks like a call of the free function \p name, its address or its
/// declaration.
bool names(StringRef text, StringRef name) {
  for (size_t at = findWord(text, name); at != StringRef::npos; at = findWord(text, name, at + 1)) {
    const StringRef before = text.take_front(at).rtrim();
    const StringRef behind = text.substr(at + name.size()).ltrim();
    const StringRef rest = behindTemplateArguments(behind);
    const bool isCall = rest.starts_with("(") || rest.size() < behind.size(); // `run(step<32>)`
    if (!before.ends_with(".") && !before.ends_with("->") && (isCall || before.ends_with("&")))
      return true;
  }
  return false;
}

/// Whether \p text has what looks like the definition of the free function \p name.
bool defines(StringRef text, StringRef name) {
  for (size_t at = findWord(text, name); at != StringRef::npos; at = findWord(text, name, at + 1)) {
    // A call is no definition, nor is a declaration.
    const StringRef rest = behindParentheses(text.substr(at + name.size()).ltrim());
    if (rest.starts_with("{") || rest.starts_with("->") || rest.starts_with("noexcept"))
      return true;
  }
  return false;
}

/// An operator goes by this word, whichever it is.
StringRef wordOf(StringRef name) {
  return name.take_while(isWordPart) == "operator" ? "operator" : name;
}

/// What looks like the names of functions of \p record that \p text defines, as words.
llvm::StringSet<> methodsIn(StringRef text, StringRef record) {
  llvm::StringSet<> names;
  for (size_t at = findWord(text, record); at != StringRef::npos;
       at = findWord(text, record, at + 1)) {
    StringRef rest = text.substr(at + record.size()).ltrim();
    if (rest.consume_front("::"))
      names.insert(rest.ltrim().take_while(isWordPart));
  }
  return names;
}

/// A holder is named without the "Impl" of the class it holds.
StringRef holderOf(StringRef record) {
  record.consume_back("Impl");
  return record;
}

} // namespace

// ---- the sources of a program ------------------------------------------------------------------

class SharedSources::Program {
public:
  void add(const CompileCommand &unit) {
    folder = units.empty() ? llvm::sys::path::parent_path(unit.Filename).str()
                           : commonFolder(folder, unit.Filename).str();
    unitOf.try_emplace(unit.Filename, &unit);
    units.push_back(&unit);
  }

  /// \p project has the headers of the sources.
  void finish(StringRef project) {
    if (!project.empty())
      folder = project.str();
    for (unsigned number = 0; number < units.size(); ++number)
      addWords(number);
  }

  const CompileCommand *find(StringRef file) const { return unitOf.lookup(file); }

  /// The sources that define \p function, if none is known, else those that may call it.
  const std::vector<std::string> &sourcesOf(const SharedFunction &function) {
    const auto [entry, added] = sources.try_emplace(function);
    if (added)
      entry->second = findSourcesOf(function);
    return entry->second;
  }

private:
  void addWords(unsigned number) {
    const auto buffer = readFileIfPossible(units[number]->Filename);
    if (!buffer)
      return;
    StringRef text = buffer->getBuffer();
    while (!text.empty()) {
      const auto [line, rest] = text.split('\n');
      text = rest;
      // The name of a header is often that of what it declares.
      if (!line.ltrim().starts_with("#include"))
        addWords(line, number);
    }
  }

  void addWords(StringRef line, unsigned number) {
    for (size_t i = 0; i < line.size();) {
      const size_t begin = i;
      while (i < line.size() && isWordPart(line[i]))
        ++i;
      if (i > begin) {
        llvm::SmallVector<unsigned, 2> &with = unitsWith[line.slice(begin, i)];
        if (with.empty() || with.back() != number)
          with.push_back(number);
      } else {
        ++i;
      }
    }
  }

  std::vector<std::string> findSourcesOf(const SharedFunction &function) {
    const bool isUndefined = function.source.empty();
    if (isUndefined && !function.record.empty())
      return findMethod(function);
    // Who calls an operator names the class at most.
    StringRef word = function.name;
    if (!isUndefined && wordOf(word) == "operator")
      word = holderOf(function.record);
    std::vector<std::string> found;
    for (unsigned number : candidates(function, word)) {
      const CompileCommand &unit = *units[number];
      const auto text = readFileIfPossible(unit.Filename);
      if (text &&
          (isUndefined ? defines(text->getBuffer(), function.name)
                       : mayCall(text->getBuffer(), function)) &&
          shares(unit, function, text->getBuffer()))
        found.push_back(unit.Filename);
    }
    // The source that defines it need not include the header.
    if (found.empty() && isUndefined)
      for (StringRef file : definitionsFor(function.name, function.header))
        found.push_back(file.str());
    return found;
  }

  std::vector<std::string> findMethod(const SharedFunction &method) {
    const auto [entry, added] = methods.try_emplace(method.record);
    if (added)
      for (unsigned number : unitsWith.lookup(method.record))
        if (const auto text = readFileIfPossible(units[number]->Filename))
          entry->second.emplace_back(number, methodsIn(text->getBuffer(), method.record));
    std::vector<std::string> found;
    for (const auto &[number, names] : entry->second)
      if (names.contains(wordOf(method.name)) && shares(*units[number], method, {}))
        found.push_back(units[number]->Filename);
    return found;
  }

  /// Those of the sources with \p word that can share \p function.
  llvm::SmallVector<unsigned, 2> candidates(const SharedFunction &function, StringRef word) {
    const bool isMethodOfSource = !function.record.empty() && find(function.header);
    return isMethodOfSource && !function.source.empty() ? llvm::SmallVector<unsigned, 2>()
                                                        : unitsWith.lookup(word);
  }

  static bool mayCall(StringRef text, const SharedFunction &function) {
    return function.record.empty() || findWord(text, function.record) != StringRef::npos ||
           findWord(text, holderOf(function.record)) != StringRef::npos;
  }

  /// Whether \p unit, of this text, means the same function: both include the header that declares
  /// it, or the source that defines it includes none, and no definition is nearer to the caller.
  bool shares(const CompileCommand &unit, const SharedFunction &function, StringRef text) {
    if (!find(function.header))
      return scan.reaches(unit, function.header, folder);
    if (!function.record.empty())
      return false;
    if (function.source.empty())
      return llvm::is_contained(definitionsFor(function.name, function.header), unit.Filename);
    return names(text, function.name) && !defines(text, function.name) &&
           llvm::is_contained(definitionsFor(function.name, unit.Filename), function.source);
  }

  /// The sources that may define the free function \p name for \p caller, of which nothing else
  /// says where it is defined: those of its folder, or else the nearest one. Of several as near
  /// nobody knows which it is.
  llvm::SmallVector<StringRef, 1> definitionsFor(StringRef name, StringRef caller) {
    const auto [entry, added] = definitions.try_emplace(name);
    if (added)
      for (unsigned number : unitsWith.lookup(name)) {
        const auto text = readFileIfPossible(units[number]->Filename);
        if (text && defines(text->getBuffer(), name))
          entry->second.push_back(number);
      }
    const StringRef folder = llvm::sys::path::parent_path(caller);
    llvm::SmallVector<StringRef, 1> beside, nearest;
    size_t shared = 0;
    for (unsigned number : entry->second) {
      const StringRef file = units[number]->Filename;
      if (llvm::sys::path::parent_path(file) == folder)
        beside.push_back(file);
      const size_t length = commonFolder(file, caller).size();
      if (length > shared)
        nearest.clear();
      if (length >= shared)
        nearest.push_back(file);
      shared = std::max(shared, length);
    }
    if (!beside.empty())
      return beside;
    if (nearest.size() > 1)
      nearest.clear();
    return nearest;
  }

  std::vector<const CompileCommand *> units;
  llvm::StringMap<const CompileCommand *> unitOf; ///< By file.
  std::string folder;
  llvm::StringMap<llvm::SmallVector<unsigned, 2>> unitsWith;   ///< By a word in them.
  llvm::StringMap<llvm::SmallVector<unsigned, 2>> definitions; ///< Of a free function, by its name.
  /// For a class, the sources that name it, and the functions of it that they define.
  llvm::StringMap<std::vector<std::pair<unsigned, llvm::StringSet<>>>> methods;
  std::map<SharedFunction, std::vector<std::string>> sources; ///< As sourcesOf tells.
  IncludeScan scan;
};

SharedSources::SharedSources(const JobList &list) : list(list) {
  for (const Job &job : list.jobs)
    listed.try_emplace(job.file, &job);
}
SharedSources::~SharedSources() = default;

SharedSources::Program &SharedSources::programOf(const Job &job) {
  const auto [entry, added] = programs.try_emplace(job.database);
  std::unique_ptr<Program> &program = entry->second;
  if (!added)
    return *program;
  program = std::make_unique<Program>();
  if (job.database)
    for (const std::string &source : job.database->sources())
      program->add(*job.database->find(source));
  else
    for (const Job &other : list.jobs)
      if (!other.database)
        program->add(other.command);
  program->finish(job.database ? job.database->commonFolder() : "");
  return *program;
}

SharedSources::Found SharedSources::of(const Job &job, llvm::ArrayRef<SharedFunction> functions) {
  Found found;
  if (functions.empty())
    return found;
  Program &program = programOf(job);
  if (!program.find(job.file))
    return found;
  std::map<std::pair<StringRef, StringRef>, std::vector<std::string>> ofClasses;
  for (const SharedFunction &function : functions) {
    std::vector<std::string> &added = function.completesClass
                                          ? ofClasses[{function.header, function.record}]
                                      : function.source.empty() ? found.defining
                                                                : found.calling;
    for (const std::string &source : program.sourcesOf(function))
      if (source != job.file && !llvm::is_contained(added, source))
        added.push_back(source);
  }
  for (const auto &[record, defining] : ofClasses)
    if (defining.size() <= classLimit)
      for (const std::string &source : defining)
        if (!llvm::is_contained(found.defining, source))
          found.defining.push_back(source);
  llvm::erase_if(found.calling,
                 [&](const std::string &file) { return llvm::is_contained(found.defining, file); });
  found.defining = nearestFirst(found.defining, job.file);
  found.calling = nearestFirst(found.calling, job.file);
  if (found.defining.size() > limit)
    found.defining.resize(limit);
  if (found.defining.size() + found.calling.size() > limit)
    found.calling.clear();
  return found;
}

const Job *SharedSources::jobOf(const std::string &file, const Job &job) {
  if (const Job *known = listed.lookup(file))
    return known;
  const auto [entry, added] = others.try_emplace(file);
  std::optional<Job> &other = entry->second;
  if (added && job.database)
    other = gradtidy::jobOf(file, *job.database, list);
  if (added && other)
    other->readsAll = true; // No header is made of what nobody edits.
  if (added && other && job.others) {
    other->others = job.others;
    if (const auto text = job.others->find(file); text != job.others->end())
      other->text = text->second;
  }
  return other ? &*other : nullptr;
}

} // namespace gradtidy
