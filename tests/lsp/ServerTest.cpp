#include "analyzer/lsp/Server.h"

#include <catch2/catch.hpp>

#include <map>

using namespace gradtidy;
using Json = Server::Json;

namespace {

const std::string file = "/home/ada/train.cpp", uri = "file:///home/ada/train.cpp";
const std::string source = "int a;\nstep(); // ä\nint b;\n";

/// A finding of "step()", which is repaired by a line before it.
Json finding(int level = 0, const std::string &check = "ml-missing-zero-grad") {
  return {{"check", check},
          {"severity", "warning"},
          {"level", level},
          {"file", file},
          {"line", 2},
          {"column", 1},
          {"endLine", 2},
          {"endColumn", 7},
          {"message", "clear them"},
          {"notes", {{{"file", file}, {"line", 1}, {"column", 5}, {"message", "from here"}}}},
          {"fixes",
           {{{"file", file},
             {"offset", 7},
             {"length", 0},
             {"line", 2},
             {"column", 1},
             {"endLine", 2},
             {"endColumn", 1},
             {"text", "clear();\n"}}}}};
}

/// What a compiler says.
Json compilerError() {
  Json error = finding();
  error["check"] = "clang-diagnostic-error";
  error["level"] = nullptr;
  error["severity"] = "error";
  return error;
}

std::string resultOf(const Json &findings) {
  return Json({{"version", 1}, {"findings", findings}}).dump();
}

class Client {
public:
  Client()
      : server([this](const std::string &text) { heard.push_back(Json::parse(text)); },
               [](llvm::StringRef check) { return "/doc/" + check.str() + ".md"; }) {}

  Json ask(const std::string &method, const Json &parameters) {
    server.take(Json({{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", parameters}})
                    .dump());
    return last();
  }
  void tell(const std::string &method, const Json &parameters) {
    server.take(Json({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}).dump());
  }
  void start(const Json &capabilities = Json::object()) {
    ask("initialize", {{"capabilities", capabilities}});
    tell("initialized", Json::object());
  }
  void open(const std::string &text = source) {
    tell("textDocument/didOpen",
         {{"textDocument", {{"uri", uri}, {"languageId", "cpp"}, {"version", 1}, {"text", text}}}});
  }
  void change(const Json &changes, int version = 2) {
    tell("textDocument/didChange",
         {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", changes}});
  }
  /// Lets the server have the document analysed.
  Server::Task analyse(const Json &findings) {
    const std::optional<Server::Task> task = server.next();
    REQUIRE(task);
    server.finish(*task, resultOf(findings), "");
    return *task;
  }
  Json actions(int line, const Json &context = Json::object()) {
    const Json place = {{"line", line}, {"character", 0}};
    return ask("textDocument/codeAction", {{"textDocument", {{"uri", uri}}},
                                           {"range", {{"start", place}, {"end", place}}},
                                           {"context", context}})["result"];
  }
  Json last() const {
    REQUIRE_FALSE(heard.empty());
    return heard.back();
  }

  std::vector<Json> heard;
  Server server;
  int id = 0;
};

Json range(int line, int begin, int endLine, int end) {
  return {{"start", {{"line", line}, {"character", begin}}},
          {"end", {{"line", endLine}, {"character", end}}}};
}

} // namespace

TEST_CASE("Messages that are nested too deep, or are no JSON, are answered with an error") {
  for (const std::string &text :
       {"{\"method\": \"x\", \"params\": " + std::string(200'000, '[') + std::string(200'000, ']') +
            "}",
        std::string(200'000, '['), std::string("[1e999]"), std::string("\xff"), std::string("7")}) {
    std::vector<Json> heard;
    Server server([&](const std::string &said) { heard.push_back(Json::parse(said)); },
                  [](llvm::StringRef) { return std::string(); });
    server.take(text);
    REQUIRE(heard.size() == 1);
    CHECK(heard.front()["error"]["code"] == -32700);
  }
}

TEST_CASE("Lines and versions that no document has are no crash") {
  Client client;
  client.ask("initialize", {{"capabilities", Json::object()}});
  client.tell("textDocument/didOpen",
              {{"textDocument", {{"uri", uri}, {"text", source}, {"version", 1e300}}}});
  for (const Json &line : {Json(-1), Json(1e300), Json("x"), Json(18446744073709551615U)})
    client.tell("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", "x"}}},
                                           {"contentChanges",
                                            {{{"range",
                                               {{"start", {{"line", line}, {"character", 0}}},
                                                {"end", {{"line", line}, {"character", 0}}}}},
                                              {"text", "y"}}}}});
  const auto task = client.server.next();
  REQUIRE(task);
  CHECK(task->text == source + "y"); // Behind the last line: at the end.
}

TEST_CASE("A server says what it can do, and ends as it is told to") {
  Client client;
  const Json result = client.ask("initialize", {{"capabilities", Json::object()}})["result"];
  CHECK(result["serverInfo"]["name"] == "gradtidy");
  CHECK(result["capabilities"]["positionEncoding"] == "utf-16");
  CHECK(client.ask("shutdown", nullptr)["result"].is_null());
  CHECK_FALSE(client.server.exitStatus());
  client.tell("exit", nullptr);
  CHECK(client.server.exitStatus() == 0);
}

TEST_CASE("A client that leaves without a shutdown gets status 1") {
  Client client;
  client.tell("exit", nullptr);
  CHECK(client.server.exitStatus() == 1);
}

TEST_CASE("A document is analysed once for each of its texts") {
  Client client;
  client.start();
  CHECK_FALSE(client.server.next());
  client.open();
  const std::optional<Server::Task> task = client.server.next();
  REQUIRE(task);
  CHECK(task->file == file);
  CHECK(task->text == source);
  CHECK_FALSE(client.server.next());
  client.tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
  CHECK(client.server.next());
}

TEST_CASE("Findings become diagnostics; what the compiler says does not") {
  Client client;
  client.start();
  client.open();
  client.analyse({finding(0), finding(2, "ml-retain-graph"), compilerError()});
  const Json said = client.last();
  CHECK(said["method"] == "textDocument/publishDiagnostics");
  CHECK(said["params"]["uri"] == uri);
  CHECK(said["params"]["version"] == 1);
  const Json diagnostics = said["params"]["diagnostics"];
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0]["severity"] == 1);
  CHECK(diagnostics[0]["code"] == "ml-missing-zero-grad");
  CHECK(diagnostics[0]["codeDescription"]["href"] == "file:///doc/ml-missing-zero-grad.md");
  CHECK(diagnostics[0]["range"] == range(1, 0, 1, 6));
  CHECK(diagnostics[0]["relatedInformation"][0]["location"]["range"] == range(0, 4, 0, 4));
  CHECK(diagnostics[1]["severity"] == 3);
}

TEST_CASE("Findings of a text that has changed are not shown") {
  Client client;
  client.start();
  client.open();
  const std::optional<Server::Task> task = client.server.next();
  client.change({{{"range", range(2, 4, 2, 5)}, {"text", "count"}}});
  const size_t before = client.heard.size();
  client.server.finish(*task, resultOf({finding()}), "");
  CHECK(client.heard.size() == before);
  CHECK(client.analyse(Json::array()).text == "int a;\nstep(); // ä\nint count;\n");
  CHECK(client.last()["params"]["version"] == 2);
}

TEST_CASE("Changes are made one after the other, or replace the text") {
  Client client;
  client.start();
  client.open();
  client.change({{{"range", range(0, 0, 1, 0)}, {"text", ""}},
                 {{"range", range(0, 11, 0, 12)}, {"text", "ö!"}}});
  CHECK(client.server.next()->text == "step(); // ö!\nint b;\n");
  client.change({{{"text", "x\n"}}});
  CHECK(client.server.next()->text == "x\n");
}

TEST_CASE("An analysis that fails leaves what was found, and says so once") {
  Client client;
  client.start();
  client.open();
  client.analyse(Json::array({finding()}));
  client.tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
  for (int i = 0; i < 2; ++i) {
    client.tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
    client.server.finish(*client.server.next(), "", "no database\n");
  }
  int shown = 0, published = 0;
  for (const Json &message : client.heard) {
    shown += message.value("method", "") == "window/showMessage";
    published += message.value("method", "") == "textDocument/publishDiagnostics";
  }
  CHECK(shown == 1);
  CHECK(published == 1);
}

TEST_CASE("A fix-it and a comment are offered where the finding is") {
  Client client;
  client.start();
  client.open();
  client.analyse(Json::array({finding()}));
  const Json quickFixes = Json::parse(R"({"only": ["quickfix"]})");
  CHECK(client.actions(0, quickFixes).empty());
  const Json actions = client.actions(1, quickFixes);
  REQUIRE(actions.size() == 2);
  CHECK(actions[0]["isPreferred"] == true);
  CHECK(actions[0]["title"] == "Insert 'clear();'");
  CHECK(actions[0]["edit"]["changes"][uri] ==
        Json::array({{{"range", range(1, 0, 1, 0)}, {"newText", "clear();\n"}}}));
  CHECK(actions[1]["edit"]["changes"][uri] ==
        Json::array(
            {{{"range", range(1, 12, 1, 12)}, {"newText", " // NOLINT(ml-missing-zero-grad)"}}}));
}

TEST_CASE("All fixes at once make each change once") {
  Client client;
  client.start();
  client.open();
  client.analyse({finding(), finding(1, "ml-retain-graph")});
  const Json actions = client.actions(0, Json::parse(R"({"only": ["source"]})"));
  REQUIRE(actions.size() == 1);
  CHECK(actions[0]["kind"] == "source.fixAll");
  CHECK(actions[0]["edit"]["changes"][uri].size() == 1);
}

TEST_CASE("Actions say what they change") {
  Client client;
  client.start();
  client.open();
  Json other = finding(1, "ml-retain-graph");
  const auto titleWith = [&](unsigned offset, unsigned length, const std::string &text) {
    other["fixes"][0]["offset"] = offset;
    other["fixes"][0]["length"] = length;
    other["fixes"][0]["text"] = text;
    client.tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
    client.analyse({finding(), other});
    const Json actions = client.actions(1);
    CHECK(actions[4]["title"] == "Make all 2 fixes of gradtidy in this file");
    CHECK(actions[4]["edit"]["changes"][uri].size() == 1 + other["fixes"].size());
    return actions[2]["title"].get<std::string>();
  };
  CHECK(titleWith(7, 4, "leap") == "Replace 'step' by 'leap'");
  CHECK(titleWith(7, 7, "") == "Remove 'step();'");
  const std::string umlauts = "äääääääääääääääääääääääääääää";
  CHECK(titleWith(0, 0, "x" + umlauts) == "Insert 'x" + umlauts.substr(0, 48) + "…'");
  other["fixes"].push_back(other["fixes"][0]);
  CHECK(titleWith(7, 4, "leap") == "Replace 'step' by 'leap' and 1 more change");
}

TEST_CASE("A client may ask for diagnostics, and is answered when there are some") {
  Client client;
  client.start(Json::parse(R"({"textDocument": {"diagnostic": {}},
                               "workspace": {"diagnostics": {"refreshSupport": true}}})"));
  client.open();
  const auto pull = [&](const std::string &known) {
    const size_t before = client.heard.size();
    client.ask("textDocument/diagnostic",
               {{"textDocument", {{"uri", uri}}}, {"previousResultId", known}});
    return client.heard.size() > before ? client.last()["result"] : Json();
  };
  CHECK(pull("").is_null());
  client.analyse(Json::array({finding()}));
  CHECK(client.last()["id"] == client.id);
  const Json report = client.last()["result"];
  CHECK(report["kind"] == "full");
  REQUIRE(report["items"].size() == 1);
  CHECK(report["items"][0]["code"] == "ml-missing-zero-grad");
  CHECK(pull(report["resultId"])["kind"] == "unchanged");
  CHECK(pull("")["items"] == report["items"]);
  // News that nobody has asked for.
  client.tell("textDocument/didSave", {{"textDocument", {{"uri", uri}}}});
  client.analyse(Json::array());
  CHECK(client.last()["method"] == "workspace/diagnostic/refresh");
  CHECK(pull(report["resultId"])["items"].empty());
  // An analysis that fails answers, too.
  client.change({{{"text", source + "\n"}}});
  CHECK(pull("").is_null());
  client.server.finish(*client.server.next(), "", "");
  CHECK(client.last()["result"]["items"].empty());
  // What is cancelled gets an answer of its own.
  client.change({{{"text", source}}}, 3);
  pull("");
  client.tell("$/cancelRequest", {{"id", client.id}});
  CHECK(client.last()["error"]["code"] == -32800);
  for (const Json &message : client.heard)
    CHECK(message.value("method", "") != "textDocument/publishDiagnostics");
}

TEST_CASE("A client that shows progress is told what takes long") {
  for (const bool shows : {true, false}) {
    Client client;
    client.start({{"window", {{"workDoneProgress", shows}}}});
    client.open();
    const Server::Task task = *client.server.next();
    client.heard.clear();
    client.server.delay(task, "precompiling");
    client.server.delay(task, "more");
    client.server.finish(task, resultOf(Json::array()), "");
    REQUIRE(client.heard.size() == (shows ? 5 : 1));
    if (!shows)
      continue;
    CHECK(client.heard[0]["method"] == "window/workDoneProgress/create");
    const Json token = client.heard[0]["params"]["token"];
    const std::vector<Json> values = {
        {{"kind", "begin"}, {"title", "gradtidy"}, {"message", "precompiling"}},
        {{"kind", "report"}, {"message", "more"}},
        {{"kind", "end"}}};
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(client.heard[i + 1]["params"] == Json({{"token", token}, {"value", values[i]}}));
  }
}

TEST_CASE("Findings stay, where they have moved to, while code is half typed") {
  Client client;
  client.start();
  client.open();
  client.analyse(Json::array({finding()}));
  client.change({{{"range", range(0, 0, 0, 0)}, {"text", "int x(\n"}}});
  const size_t before = client.heard.size();
  client.analyse(Json::array({compilerError()}));
  CHECK(client.heard.size() == before);
  // For those who ask.
  const Json asked =
      client.ask("textDocument/diagnostic", {{"textDocument", {{"uri", uri}}}})["result"];
  REQUIRE(asked["items"].size() == 1);
  CHECK(asked["items"][0]["range"] == range(2, 0, 2, 6));
  CHECK(asked["items"][0]["relatedInformation"][0]["location"]["range"] == range(1, 4, 1, 4));
  // Within a line, too.
  client.change({{{"range", range(2, 0, 2, 0)}, {"text", "äa"}},
                 {{"range", range(1, 0, 2, 0)}, {"text", ""}},
                 {{"range", range(1, 12, 1, 14)}, {"text", "longer"}}},
                3);
  client.analyse(Json::array({compilerError()}));
  CHECK(client.ask("textDocument/diagnostic",
                   {{"textDocument", {{"uri", uri}}}})["result"]["items"][0]["range"] ==
        range(1, 2, 1, 8));
  // What compiles counts again.
  client.change({{{"text", source}}}, 4);
  client.analyse(Json::array());
  CHECK(client.last()["params"]["diagnostics"].empty());
  // A text that never compiled shows what is found in it.
  client.tell("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  client.open();
  client.analyse(Json::array({compilerError(), finding()}));
  CHECK(client.last()["params"]["diagnostics"].size() == 1);
}

TEST_CASE("An analysis sees what else is open and not saved") {
  Client client;
  client.start();
  client.open();
  client.tell("textDocument/didOpen",
              {{"textDocument", {{"uri", "file:///home/ada/loop.h"}, {"text", "one"}}}});
  const auto tasks = [&] {
    std::map<std::string, std::map<std::string, std::string>> unsaved;
    while (const std::optional<Server::Task> task = client.server.next())
      unsaved[task->file] = task->unsaved;
    return unsaved;
  };
  CHECK(tasks()[file] == std::map<std::string, std::string>{{"/home/ada/loop.h", "one"}});
  // Who includes a header that has changed is analyzed again.
  client.tell("textDocument/didChange",
              {{"textDocument", {{"uri", "file:///home/ada/loop.h"}, {"version", 2}}},
               {"contentChanges", {{{"text", "two"}}}}});
  CHECK(tasks()[file] == std::map<std::string, std::string>{{"/home/ada/loop.h", "two"}});
  client.change({{{"text", source + "\n"}}});
  CHECK(tasks().size() == 1);
}

TEST_CASE("Nothing is offered for a text that was not analysed yet") {
  Client client;
  client.start();
  client.open();
  client.analyse(Json::array({finding()}));
  client.change({{{"text", source + "\n"}}});
  CHECK(client.actions(1).is_null());
}

TEST_CASE("A place with a finding tells what its check finds") {
  Client client;
  client.start();
  client.open();
  client.analyse(Json::array({finding()}));
  const auto hover = [&](int line) {
    return client.ask("textDocument/hover",
                      {{"textDocument", {{"uri", uri}}},
                       {"position", {{"line", line}, {"character", 2}}}})["result"];
  };
  CHECK(hover(0).is_null());
  CHECK_THAT(
      hover(1)["contents"]["value"].get<std::string>(),
      Catch::StartsWith("[**ml-missing-zero-grad**](file:///doc/ml-missing-zero-grad.md): "));
}

TEST_CASE("A document that is closed has no diagnostics any more") {
  Client client;
  client.start();
  client.open();
  const std::optional<Server::Task> task = client.server.next();
  client.tell("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  CHECK(client.last()["params"]["diagnostics"].empty());
  const size_t before = client.heard.size();
  client.server.finish(*task, resultOf({finding()}), "");
  CHECK(client.heard.size() == before);
}

TEST_CASE("Places are counted in bytes if the client can") {
  Client client;
  client.start(Json::parse(R"({"general": {"positionEncodings": ["utf-8", "utf-16"]}})"));
  client.open();
  client.analyse(Json::array({finding()}));
  CHECK(client.actions(1)[1]["edit"]["changes"][uri][0]["range"] == range(1, 13, 1, 13));
}

TEST_CASE("Messages that make no sense are answered, if they want an answer") {
  Client client;
  CHECK(client.ask("textDocument/hover", Json::object())["error"]["code"] == -32002);
  client.server.take("{");
  CHECK(client.last()["error"]["code"] == -32700);
  client.start();
  CHECK(client.ask("textDocument/rename", Json::object())["error"]["code"] == -32601);
  CHECK(client.ask("textDocument/codeAction", Json::object())["error"]["code"] == -32602);
  const size_t before = client.heard.size();
  client.tell("textDocument/didChange", Json::object());
  client.tell("$/cancelRequest", {{"id", 1}});
  client.tell("textDocument/didOpen", {{"textDocument", {{"uri", "untitled:1"}, {"text", ""}}}});
  CHECK(client.heard.size() == before);
  CHECK_FALSE(client.server.next());
}
