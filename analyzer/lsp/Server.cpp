#include "Server.h"
#include "analyzer/report/Uri.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"
#include "analyzer/source/Paths.h"

#include "checks/Catalogue.h"
#include "checks/Finding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace gradtidy {

using llvm::StringRef;
using Json = Server::Json;

namespace {

/// Error codes of the protocol.
enum ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  NotInitialized = -32002,
  RequestCancelled = -32800,
};

struct Failure {
  ErrorCode code;
  std::string message;
};

enum Severity : int { Error = 1, Warning, Information };
enum MessageType : int { ShowsWarning = 2 };

Severity severityOf(const Json &level) {
  switch (static_cast<Level>(level.get<int>())) {
  case Level::Certain:
    return Error;
  case Level::Likely:
    return Warning;
  case Level::Advice:
    return Information;
  }
  return Warning;
}

/// What the compiler says is the affair of other tools.
bool isOwn(const Json &finding) { return !finding["level"].is_null(); }

/// A line or column; one that no text has is that of its end.
unsigned number(const Json &json) {
  if (!json.is_number_unsigned())
    throw Failure{InvalidParams, "a line or character is no number from 0 on"};
  return unsigned(std::min<uint64_t>(json.get<uint64_t>(), std::numeric_limits<int>::max()));
}

int versionIn(const Json &document, int otherwise) {
  const auto found = document.find("version");
  return found != document.end() && found->is_number_integer() ? found->get<int>() : otherwise;
}

std::string text(const Json &json, const char *key) { return json.at(key).get<std::string>(); }

} // namespace

// --- messages -----------------------------------------------------------------------------------

void Server::take(StringRef message) {
  llvm::Expected<Json> parsed = parseJson(message);
  const auto fail = [&](const Json &id, const Failure &failure) {
    send(Json({{"jsonrpc", "2.0"},
               {"id", id},
               {"error", {{"code", int(failure.code)}, {"message", failure.message}}}})
             .dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  if (!parsed)
    return fail(nullptr, {ParseError, "this is no JSON: " + llvm::toString(parsed.takeError())});
  const Json &request = *parsed;
  if (!request.is_object())
    return fail(nullptr, {ParseError, "this is no JSON object"});
  if (!request.contains("method"))
    return; // An answer: this server asks for nothing.
  const bool wantsAnswer = request.contains("id");
  try {
    const std::string method = text(request, "method");
    const Json parameters = request.value("params", Json::object());
    if (!isInitialized && method != "initialize" && method != "exit") {
      if (wantsAnswer)
        throw Failure{NotInitialized, "the first request has to be 'initialize'"};
      return;
    }
    if (!wantsAnswer)
      return note(method, parameters);
    if (method == "textDocument/diagnostic") {
      Document *document = isShutDown ? nullptr : documentOf(parameters);
      if (!document)
        throw Failure{InvalidParams, "the document is not open"};
      document->pulls.push_back(
          {{"id", request["id"]}, {"known", parameters.value("previousResultId", "")}});
      if (!document->isPending)
        answerPulls(*document);
      return; // Else when the text is analyzed.
    }
    send(Json({{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", answer(method, parameters)}})
             .dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const Failure &failure) {
    if (wantsAnswer)
      fail(request["id"], failure);
  } catch (const Json::exception &wrong) {
    if (wantsAnswer)
      fail(request["id"], {InvalidParams, wrong.what()});
  }
}

Json Server::answer(StringRef method, const Json &parameters) {
  if (method == "initialize")
    return initialize(parameters);
  if (isShutDown)
    throw Failure{InvalidRequest, "the server was shut down"};
  if (method == "shutdown") {
    isShutDown = true;
    return nullptr;
  }
  if (method == "textDocument/codeAction" || method == "textDocument/hover") {
    const Document *document = documentOf(parameters);
    if (!document || !document->isShown)
      return nullptr;
    return method == "textDocument/hover" ? hover(parameters, *document)
                                          : codeActions(parameters, *document);
  }
  throw Failure{MethodNotFound, "this server knows no '" + method.str() + "'"};
}

void Server::note(StringRef method, const Json &parameters) {
  if (method == "exit") {
    status = isShutDown ? 0 : 1;
  } else if (method == "textDocument/didOpen") {
    open(parameters);
  } else if (method == "textDocument/didChange") {
    change(parameters);
  } else if (method == "textDocument/didClose") {
    close(parameters);
  } else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") {
    // What is in this file, or in a configuration, may matter to all others.
    for (auto &[file, document] : documents)
      outdate(document);
  } else if (method == "$/cancelRequest") {
    for (auto &[file, document] : documents)
      llvm::erase_if(document.pulls, [&](const Json &pull) {
        if (pull["id"] != parameters.at("id"))
          return false;
        send(Json({{"jsonrpc", "2.0"},
                   {"id", pull["id"]},
                   {"error", {{"code", int(RequestCancelled)}, {"message", "cancelled"}}}})
                 .dump());
        return true;
      });
  }
}

Json Server::initialize(const Json &parameters) {
  isInitialized = true;
  const Json encodings =
      parameters.value("/capabilities/general/positionEncodings"_json_pointer, Json::array());
  if (llvm::find(encodings, "utf-8") != encodings.end())
    encoding = PositionEncoding::Utf8;
  showsProgress = parameters.value("/capabilities/window/workDoneProgress"_json_pointer, false);
  clientPulls =
      parameters.value("/capabilities/textDocument/diagnostic"_json_pointer, Json()).is_object();
  refreshes =
      parameters.value("/capabilities/workspace/diagnostics/refreshSupport"_json_pointer, false);
  return {{"capabilities",
           {{"positionEncoding", encoding == PositionEncoding::Utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll"}}}},
            {"hoverProvider", true},
            {"diagnosticProvider",
             {{"identifier", "gradtidy"},
              {"interFileDependencies", true},
              {"workspaceDiagnostics", false}}}}},
          {"serverInfo", {{"name", "gradtidy"}, {"version", GRADTIDY_VERSION}}}};
}

void Server::notify(StringRef method, Json parameters) const {
  send(Json({{"jsonrpc", "2.0"}, {"method", method.str()}, {"params", std::move(parameters)}})
           .dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::request(StringRef method, Json parameters) {
  send(Json({{"jsonrpc", "2.0"},
             {"id", "gradtidy-" + std::to_string(++requests)},
             {"method", method.str()},
             {"params", std::move(parameters)}})
           .dump(-1, ' ', false, Json::error_handler_t::replace));
}

// --- documents ----------------------------------------------------------------------------------

Server::Document *Server::documentOf(const Json &parameters) {
  const auto found = documents.find(fileOf(text(parameters.at("textDocument"), "uri")));
  return found == documents.end() ? nullptr : &found->second;
}

void Server::open(const Json &parameters) {
  const Json &given = parameters.at("textDocument");
  const std::string uri = text(given, "uri"), file = fileOf(uri);
  if (file.empty())
    return; // It is not on a disk: nothing is known of how it is compiled.
  Document &document = documents[file];
  document = {uri, text(given, "text"), versionIn(given, 0), false, Json::array(), true, false, {},
              0};
  outdate(document);
}

void Server::change(const Json &parameters) {
  Document *document = documentOf(parameters);
  if (!document)
    return;
  for (const Json &change : parameters.at("contentChanges")) {
    size_t begin = 0, end = document->text.size();
    if (change.contains("range")) {
      const auto offset = [&](const char *key) {
        const Json &place = change.at("range").at(key);
        return offsetOf(document->text, {number(place.at("line")), number(place.at("character"))},
                        encoding);
      };
      begin = offset("start");
      end = std::max(begin, offset("end"));
    }
    const std::string fresh = text(change, "text");
    if (change.contains("range"))
      shift(*document, begin, end, fresh);
    document->text.replace(begin, end - begin, fresh);
  }
  document->version = versionIn(parameters["textDocument"], document->version);
  document->isShown = false;
  outdate(*document);
  // Who includes a header sees its text, saved or not.
  static constexpr StringRef headers[] = {"h", "hh", "hpp", "hxx", "cuh", "inl", "ipp", "tpp"};
  const std::string file = fileOf(document->uri);
  if (llvm::is_contained(headers, StringRef(file).rsplit('.').second))
    for (auto &[name, other] : documents)
      if (&other != document)
        outdate(other);
}

void Server::shift(Document &document, size_t begin, size_t end, StringRef fresh) {
  const StringRef text = document.text;
  const auto positionAt = [&](size_t offset) {
    const StringRef before = text.take_front(offset);
    return std::pair(int(before.count('\n')) + 1, int(offset - (before.rfind('\n') + 1)) + 1);
  };
  const auto [line, column] = positionAt(begin);
  const auto [endLine, endColumn] = positionAt(end);
  const int newLines = int(fresh.count('\n'));
  const int freshEnd =
      newLines ? int(fresh.size() - fresh.rfind('\n')) : column + int(fresh.size());
  const std::string file = fileOf(document.uri);
  const auto move = [&](Json &place, const char *lineKey, const char *columnKey) {
    if (place["file"] != file)
      return;
    const int oldLine = place[lineKey], oldColumn = place[columnKey];
    if (oldLine < endLine || (oldLine == endLine && oldColumn < endColumn))
      return;
    place[lineKey] = oldLine + newLines - (endLine - line);
    if (oldLine == endLine)
      place[columnKey] = freshEnd + oldColumn - endColumn;
  };
  for (Json &finding : document.findings) {
    move(finding, "line", "column");
    move(finding, "endLine", "endColumn");
    for (Json &note : finding["notes"])
      move(note, "line", "column");
  }
}

void Server::close(const Json &parameters) {
  Document *document = documentOf(parameters);
  if (!document)
    return;
  if (!clientPulls)
    publish(*document, Json::array());
  document->isShown = true;
  document->findings = Json::array();
  answerPulls(*document);
  documents.erase(fileOf(document->uri));
}

std::string Server::textOf(const std::string &file) const {
  if (const auto open = documents.find(file); open != documents.end())
    return open->second.text;
  const auto buffer = readFileIfPossible(file);
  return buffer ? buffer->getBuffer().str() : std::string();
}

// --- findings -----------------------------------------------------------------------------------

std::optional<Server::Task> Server::next() {
  std::map<std::string, Document>::value_type *oldest = nullptr;
  for (auto &entry : documents)
    if (entry.second.changed && (!oldest || entry.second.changed < oldest->second.changed))
      oldest = &entry;
  if (!oldest)
    return std::nullopt;
  oldest->second.changed = 0;
  Task task{oldest->first, oldest->second.text, oldest->second.version, {}};
  for (const auto &[file, document] : documents)
    if (file != task.file) {
      const auto saved = readFileIfPossible(file);
      if (!saved || saved->getBuffer() != document.text)
        task.unsaved.emplace(file, document.text);
    }
  return task;
}

void Server::delay(const Task &task, StringRef what) {
  if (!showsProgress)
    return;
  const bool isFirst = progress.empty();
  if (isFirst) {
    progress = "gradtidy-" + std::to_string(++requests);
    request("window/workDoneProgress/create", {{"token", progress}});
  }
  const Json value = isFirst
                         ? Json{{"kind", "begin"}, {"title", "gradtidy"}, {"message", what.str()}}
                         : Json{{"kind", "report"}, {"message", what.str()}};
  notify("$/progress", {{"token", progress}, {"value", value}});
}

void Server::finish(const Task &task, StringRef findings, StringRef said) {
  if (!progress.empty())
    notify("$/progress", {{"token", progress}, {"value", {{"kind", "end"}}}});
  progress.clear();
  said = said.trim();
  if (!said.empty() && said != lastSaid)
    notify("window/showMessage", {{"type", int(ShowsWarning)}, {"message", said.str()}});
  lastSaid = said.str();
  const auto found = documents.find(task.file);
  if (found == documents.end() || found->second.text != task.text)
    return;
  Document &document = found->second;
  document.isPending = document.changed;
  Json result = Json::parse(findings.begin(), findings.end(), nullptr, false);
  const bool isKnown = result.is_object() && result.contains("findings");
  const bool compiles = isKnown && llvm::none_of(result["findings"], [](const Json &finding) {
                          return !isOwn(finding) && finding["severity"] == "error";
                        });
  if (!isKnown || (document.compiles && !compiles))
    return answerPulls(document); // With what was found before.
  const bool isNews = document.findings != result["findings"];
  document.isShown = true;
  document.compiles = compiles;
  document.findings = std::move(result["findings"]);
  if (!clientPulls)
    publish(document, diagnosticsOf(document));
  else if (document.pulls.empty() && isNews && refreshes)
    request("workspace/diagnostic/refresh", nullptr);
  answerPulls(document);
}

Json Server::diagnosticsOf(const Document &document) const {
  Json diagnostics = Json::array();
  for (const Json &finding : document.findings)
    if (isOwn(finding) && finding["file"] == fileOf(document.uri))
      diagnostics.push_back(diagnosticOf(finding, document));
  return diagnostics;
}

void Server::answerPulls(Document &document) {
  if (document.pulls.empty())
    return;
  const Json diagnostics = diagnosticsOf(document);
  const std::string id = std::to_string(
      std::hash<std::string>()(diagnostics.dump(-1, ' ', false, Json::error_handler_t::replace)));
  for (const Json &pull : document.pulls) {
    const Json report = pull["known"] == id
                            ? Json{{"kind", "unchanged"}, {"resultId", id}}
                            : Json{{"kind", "full"}, {"resultId", id}, {"items", diagnostics}};
    send(Json({{"jsonrpc", "2.0"}, {"id", pull["id"]}, {"result", report}})
             .dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  document.pulls.clear();
}

void Server::publish(const Document &document, const Json &diagnostics) const {
  notify("textDocument/publishDiagnostics",
         {{"uri", document.uri}, {"version", document.version}, {"diagnostics", diagnostics}});
}

Json Server::placeOf(StringRef text, unsigned line, unsigned column) const {
  const TextPosition place = positionOf(text, line, column, encoding);
  return {{"line", place.line}, {"character", place.character}};
}

Json Server::rangeOf(StringRef text, const Json &place) const {
  return {{"start", placeOf(text, place["line"], place["column"])},
          {"end", placeOf(text, place["endLine"], place["endColumn"])}};
}

Json Server::diagnosticOf(const Json &finding, const Document &document) const {
  Json related = Json::array();
  for (const Json &note : finding["notes"])
    if (const std::string file = text(note, "file"); !file.empty()) {
      const Json place = placeOf(textOf(file), note["line"], note["column"]);
      related.push_back(
          {{"location", {{"uri", uriOf(file)}, {"range", {{"start", place}, {"end", place}}}}},
           {"message", note["message"]}});
    }
  const std::string check = text(finding, "check");
  Json diagnostic = {{"range", rangeOf(document.text, finding)},
                     {"severity", int(severityOf(finding["level"]))},
                     {"code", check},
                     {"source", "gradtidy"},
                     {"message", finding["message"]},
                     {"relatedInformation", std::move(related)}};
  if (const std::string page = pageOf(check); !page.empty())
    diagnostic["codeDescription"] = {{"href", uriOf(page)}};
  return diagnostic;
}

std::vector<Json> Server::findingsIn(const Json &parameters, const Document &document) const {
  const bool isPlace = parameters.contains("position");
  const Json &begin = isPlace ? parameters["position"] : parameters.at("range").at("start");
  const Json &end = isPlace ? parameters["position"] : parameters.at("range").at("end");
  std::vector<Json> found;
  for (const Json &finding : document.findings)
    if (isOwn(finding) && finding["file"] == fileOf(document.uri) &&
        finding["line"].get<uint64_t>() <= uint64_t(number(end.at("line"))) + 1 &&
        finding["endLine"].get<unsigned>() > number(begin.at("line")))
      found.push_back(finding);
  return found;
}

// --- what the client may do about them ----------------------------------------------------------

std::optional<Json> Server::editsOf(const std::vector<Json> &fixes,
                                    const Document &document) const {
  const std::string own = fileOf(document.uri);
  Json edits = Json::object();
  for (const Json &edit : fixes) {
    const std::string file = text(edit, "file");
    if (file != own && documents.contains(file))
      return std::nullopt;
    edits[uriOf(file)].push_back(
        {{"range", rangeOf(textOf(file), edit)}, {"newText", edit["text"]}});
  }
  return edits;
}

/// Silences the findings of \p check in the line of \p finding.
static Json suppression(const Json &finding, StringRef text, PositionEncoding encoding) {
  const unsigned line = finding["line"];
  constexpr unsigned behindAll = ~0U;
  const TextPosition end = positionOf(text, line, behindAll, encoding);
  const Json place = {{"line", end.line}, {"character", end.character}};
  return {{"range", {{"start", place}, {"end", place}}},
          {"newText", " // NOLINT(" + finding["check"].get<std::string>() + ")"}};
}

/// "Insert 'clear();'": what the first of \p edits does, and how many more there are.
static std::string titleOf(const std::vector<Json> &edits, StringRef before) {
  const auto shown = [](StringRef text) {
    constexpr size_t longest = 50;
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(text, words);
    const std::string line = llvm::join(words, " ");
    if (line.size() <= longest)
      return "'" + line + "'";
    size_t end = longest;
    while (end > 0 && (line[end] & 0xC0) == 0x80) // Within a character of UTF-8.
      --end;
    return "'" + line.substr(0, end) + "…'";
  };
  const Json &first = edits.front();
  const std::string fresh = text(first, "text");
  const size_t offset = std::min(first["offset"].get<size_t>(), before.size());
  const StringRef old = before.substr(offset, first["length"].get<size_t>());
  std::string title;
  if (old.trim().empty())
    title = "Insert " + shown(fresh);
  else if (StringRef(fresh).trim().empty())
    title = "Remove " + shown(old);
  else
    title = "Replace " + shown(old) + " by " + shown(fresh);
  if (const size_t more = edits.size() - 1)
    title += " and " + std::to_string(more) + " more change" + (more == 1 ? "" : "s");
  return title;
}

Json Server::codeActions(const Json &parameters, const Document &document) const {
  Json actions = Json::array();
  std::vector<Json> only = parameters.value("/context/only"_json_pointer, std::vector<Json>());
  const auto isWanted = [&](StringRef kind) {
    return only.empty() || llvm::any_of(only, [&](const Json &wanted) {
             return kind == wanted.get<std::string>() ||
                    kind.starts_with(wanted.get<std::string>() + ".");
           });
  };
  const auto add = [&](const std::string &title, const char *kind, Json edits,
                       const std::vector<Json> &solved, bool isPreferred) {
    Json diagnostics = Json::array();
    for (const Json &finding : solved)
      diagnostics.push_back(diagnosticOf(finding, document));
    Json action = {{"title", title},
                   {"kind", kind},
                   {"diagnostics", std::move(diagnostics)},
                   {"edit", {{"changes", std::move(edits)}}}};
    if (isPreferred)
      action["isPreferred"] = true;
    actions.push_back(std::move(action));
  };
  if (isWanted("quickfix"))
    for (const Json &finding : findingsIn(parameters, document)) {
      const std::vector<Json> fixes = finding["fixes"];
      const std::optional<Json> edits = editsOf(fixes, document);
      if (!fixes.empty() && edits)
        add(titleOf(fixes, textOf(text(fixes.front(), "file"))), "quickfix", *edits, {finding},
            true);
      add("Silence " + text(finding, "check") + " in this line", "quickfix",
          {{document.uri, Json::array({suppression(finding, document.text, encoding)})}}, {finding},
          false);
    }
  // Of findings that ask for one and the same change the first makes it.
  std::vector<Json> all, solved;
  for (const Json &finding : document.findings) {
    const std::vector<Json> fixes = finding["fixes"];
    const bool isNew =
        llvm::none_of(fixes, [&](const Json &edit) { return llvm::is_contained(all, edit); });
    if (!isOwn(finding) || fixes.empty() || !isNew || finding["file"] != fileOf(document.uri))
      continue;
    all.insert(all.end(), fixes.begin(), fixes.end());
    solved.push_back(finding);
  }
  const std::optional<Json> edits = editsOf(all, document);
  if (all.empty() || !edits)
    return actions;
  if (isWanted("quickfix") && solved.size() > 1 && !actions.empty())
    add("Make all " + std::to_string(solved.size()) + " fixes of gradtidy in this file", "quickfix",
        *edits, solved, false);
  if (isWanted("source.fixAll"))
    add("Fix all findings of gradtidy", "source.fixAll", *edits, solved, false);
  return actions;
}

/// The text of a page for a window beside the code: without marks and pictures, and with links that
/// lead to files from anywhere.
static std::string hoverTextOf(const std::string &page) {
  const auto buffer = readFileIfPossible(page);
  if (!buffer)
    return {};
  const StringRef folder = llvm::sys::path::parent_path(page);
  std::string text;
  for (const StringRef line : llvm::split(buffer->getBuffer().rtrim(), '\n')) {
    if (line.starts_with("<!--") || line.starts_with("![") || line.starts_with("# "))
      continue;
    StringRef rest = line;
    while (!rest.empty()) {
      const size_t link = std::min(rest.find("]("), rest.size());
      text += rest.take_front(link);
      rest = rest.drop_front(link);
      if (!rest.consume_front("]("))
        continue;
      const StringRef target = rest.take_until([](char c) { return c == ')'; });
      const bool isFile = !target.contains("://") && !target.starts_with("#");
      text += "](" + (isFile ? uriOf(absolutePath(target, folder)) : target.str());
      rest = rest.drop_front(target.size());
    }
    text += '\n';
  }
  return StringRef(text).trim().str();
}

Json Server::hover(const Json &parameters, const Document &document) const {
  std::string markdown;
  std::set<std::string> told;
  for (const Json &finding : findingsIn(parameters, document)) {
    const std::string check = text(finding, "check");
    const CatalogueRow *row = findRow(check);
    if (!row || !told.insert(check).second)
      continue;
    const std::string page = pageOf(check);
    markdown += (markdown.empty() ? "" : "\n\n") +
                (page.empty() ? "**" + check + "**" : "[**" + check + "**](" + uriOf(page) + ")") +
                ": " + row->summary.str() + ".";
    if (const std::string whole = hoverTextOf(page); !page.empty() && !whole.empty())
      markdown += "\n\n" + whole;
  }
  if (markdown.empty())
    return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", markdown}}}};
}

} // namespace gradtidy
