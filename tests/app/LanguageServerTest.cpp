// gradtidy as a language server, as an editor sees it.
#include "tests/Project.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

using namespace gradtidy::test;
using Json = nlohmann::json;

namespace {

const std::string include = "#include <axon/axon.h>\n";

/// Runs `gradtidy lsp` in a project.
class Editor {
public:
  /// Of the folder \p folder of a project, as its root.
  explicit Editor(const Project &project, const std::string &folder = {})
      : root(project.path(folder)) {
    std::array<int, 2> in{}, out{};
    REQUIRE(::pipe(in.data()) == 0);
    REQUIRE(::pipe(out.data()) == 0);
    process = ::fork();
    if (process == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int each : {in[0], in[1], out[0], out[1]})
        ::close(each);
      const std::string model = "--model=" + axonModel();
      if (::chdir(root.c_str()) == 0)
        ::execl(gradtidyProgram().c_str(), "gradtidy", "lsp", model.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input = in[1];
    output = out[0];
    send({{"id", 1}, {"method", "initialize"}, {"params", {{"capabilities", Json::object()}}}});
    await([](const Json &message) { return message.contains("id"); });
    send({{"method", "initialized"}, {"params", Json::object()}});
  }
  ~Editor() {
    ::close(input);
    ::close(output);
    if (process > 0)
      ::waitpid(process, nullptr, 0);
  }
  Editor(const Editor &) = delete;
  Editor &operator=(const Editor &) = delete;

  void send(Json message) const {
    message["jsonrpc"] = "2.0";
    const std::string text = message.dump();
    const std::string all = "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
    REQUIRE(::write(input, all.data(), all.size()) == ssize_t(all.size()));
  }

  /// The next message that is \p wanted.
  Json await(const std::function<bool(const Json &)> &wanted) {
    for (;;) {
      const Json message = receive();
      if (wanted(message))
        return message;
    }
  }

  /// The actions for \p diagnostics of \p file.
  Json actionsFor(const std::string &file, const Json &diagnostics) {
    send({{"id", 2},
          {"method", "textDocument/codeAction"},
          {"params",
           {{"textDocument", {{"uri", uri(file)}}},
            {"range", diagnostics[0]["range"]},
            {"context", {{"diagnostics", diagnostics}}}}}});
    return await([](const Json &message) { return message.value("id", 0) == 2; })["result"];
  }

  Json awaitDiagnostics() {
    return await([](const Json &message) {
      return message.value("method", "") == "textDocument/publishDiagnostics";
    })["params"]["diagnostics"];
  }

  std::string uri(const std::string &file) const { return "file://" + root + "/" + file; }

  void open(const std::string &file, const std::string &text) const {
    send({{"method", "textDocument/didOpen"},
          {"params",
           {{"textDocument",
             {{"uri", uri(file)}, {"languageId", "cpp"}, {"version", 1}, {"text", text}}}}}});
  }
  void change(const std::string &file, const std::string &text) const {
    send({{"method", "textDocument/didChange"},
          {"params",
           {{"textDocument", {{"uri", uri(file)}, {"version", 2}}},
            {"contentChanges", {{{"text", text}}}}}}});
  }

  /// The exit status of the server.
  int end() {
    int status = 0;
    ::waitpid(process, &status, 0);
    process = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void closeInput() {
    ::close(input);
    input = -1;
  }

private:
  Json receive() {
    for (;;) {
      const size_t blank = buffer.find("\r\n\r\n");
      if (blank != std::string::npos) {
        const size_t length = std::stoul(buffer.substr(std::string("Content-Length: ").size()));
        if (buffer.size() >= blank + 4 + length) {
          const Json message = Json::parse(buffer.substr(blank + 4, length));
          buffer.erase(0, blank + 4 + length);
          return message;
        }
      }
      std::array<char, 4096> bytes{};
      const ssize_t count = ::read(output, bytes.data(), bytes.size());
      REQUIRE(count > 0);
      buffer.append(bytes.data(), size_t(count));
    }
  }

  std::string root, buffer;
  pid_t process = -1;
  int input = -1, output = -1;
};

} // namespace

TEST_CASE("An editor sees findings of what is open in it, saved or not") {
  const Project project;
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20 -I" + axonFolder());
  const std::string right = include + trainingLoop("train", "solver.zero_grad();");
  const std::string wrong = include + "// ä\n" + trainingLoop("train");
  project.write("train.cpp", right);
  Editor editor(project);

  editor.open("train.cpp", right);
  CHECK(editor.awaitDiagnostics().empty());
  editor.change("train.cpp", wrong);
  Json found = editor.awaitDiagnostics();
  REQUIRE(found.size() == 1);
  CHECK(found[0]["code"] == "ml-missing-zero-grad");
  CHECK(found[0]["range"]["start"] == Json({{"line", 7}, {"character", 4}}));
  CHECK(project.read("train.cpp") == right);

  // What it says of a text that is not saved is not kept for the one that is.
  CHECK(project.gradtidy({"--model=" + axonModel(), "train.cpp"}).out.empty());
  editor.change("train.cpp", right);
  CHECK(editor.awaitDiagnostics().empty());

  editor.send({{"id", 2}, {"method", "shutdown"}});
  editor.await([](const Json &message) { return message.value("id", 0) == 2; });
  editor.send({{"method", "exit"}});
  CHECK(editor.end() == 0);
}

TEST_CASE("An editor applies a fix-it, and sees that the finding is gone") {
  const Project project;
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20 -I" + axonFolder());
  const std::string wrong = include + trainingLoop("train");
  project.write("train.cpp", wrong);
  Editor editor(project);
  editor.open("train.cpp", wrong);
  const Json found = editor.awaitDiagnostics();
  REQUIRE(found.size() == 1);
  const Json actions = editor.actionsFor("train.cpp", found);
  REQUIRE(actions.size() >= 2);
  const Json edit = actions[0]["edit"]["changes"][editor.uri("train.cpp")][0];
  editor.send({{"method", "textDocument/didChange"},
               {"params",
                {{"textDocument", {{"uri", editor.uri("train.cpp")}, {"version", 3}}},
                 {"contentChanges", {{{"range", edit["range"]}, {"text", edit["newText"]}}}}}}});
  CHECK(editor.awaitDiagnostics().empty());
}

TEST_CASE("An editor whose root is a link to the project sees the same") {
  const Project project;
  const std::string wrong = include + trainingLoop("train");
  project.write("real/train.cpp", wrong);
  project.writeDatabase("real", {"real/train.cpp"}, "-std=c++20 -I" + axonFolder());
  std::filesystem::create_directory_symlink("real", project.path("link"));
  Editor editor(project, "link");
  for (const std::string &text : {wrong, "\n" + wrong}) { // As it is saved, and not.
    editor.open("train.cpp", text);
    const Json found = editor.awaitDiagnostics();
    REQUIRE(found.size() == 1);
    const Json actions = editor.actionsFor("train.cpp", found);
    REQUIRE(!actions.empty());
    CHECK(actions[0]["edit"]["changes"].contains(editor.uri("train.cpp")));
  }
}

TEST_CASE("A saved header is analysed through a source that includes it") {
  const Project project;
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20 -I" + axonFolder());
  const std::string header = "#pragma once\n" + include + trainingLoop("train");
  project.write("train.h", header);
  project.write("train.cpp", "#include \"train.h\"\n");
  Editor editor(project);
  editor.open("train.h", header);
  CHECK(editor.awaitDiagnostics().size() == 1);
}

TEST_CASE("What is not saved of a header counts in a source that includes it") {
  const Project project;
  const std::string header =
      "#pragma once\n" + include + "inline void prepare(axon::Solver &solver) {";
  project.write("loop.h", header + "}\n");
  const std::string source = "#include \"loop.h\"\n" + trainingLoop("train", "prepare(solver);");
  project.write("train.cpp", source);
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20 -I" + axonFolder());
  Editor editor(project);
  const auto findingsOfSource = [&] {
    return editor.await([&](const Json &message) {
      return message.value("method", "") == "textDocument/publishDiagnostics" &&
             message["params"]["uri"] == editor.uri("train.cpp");
    })["params"]["diagnostics"];
  };
  editor.open("train.cpp", source);
  CHECK(findingsOfSource().size() == 1);
  editor.open("loop.h", header + "}\n");
  editor.change("loop.h", header + "solver.zero_grad();}\n");
  CHECK(findingsOfSource().empty());
  editor.change("loop.h", header + "}\n");
  CHECK(findingsOfSource().size() == 1);
}

TEST_CASE("The page of a check is shown where it has found something") {
  const Project project;
  const std::string source = include + trainingLoop("train");
  project.write("train.cpp", source);
  project.writeDatabase("build", {"train.cpp"}, "-std=c++20 -I" + axonFolder());
  Editor editor(project);
  editor.open("train.cpp", source);
  const Json found = editor.awaitDiagnostics();
  REQUIRE(found.size() == 1);
  editor.send({{"id", 3},
               {"method", "textDocument/hover"},
               {"params",
                {{"textDocument", {{"uri", editor.uri("train.cpp")}}},
                 {"position", found[0]["range"]["start"]}}}});
  const Json hover = editor.await([](const Json &message) { return message.value("id", 0) == 3; });
  const std::string text = hover["result"]["contents"]["value"];
  CHECK(count(text, "## Symptom\n") == 1);
  CHECK(count(text, "<!--") == 0);
  CHECK(count(text, "](file:///") > 1);
  CHECK(count(text, "](../") == 0);
}

TEST_CASE("An editor is told where there is no database") {
  const Project project;
  const std::string text = include + trainingLoop("train");
  project.write("train.cpp", text);
  Editor editor(project);
  editor.open("train.cpp", text);
  const Json said = editor.await(
      [](const Json &message) { return message.value("method", "") == "window/showMessage"; });
  CHECK_THAT(said["params"]["message"].get<std::string>(),
             Catch::Contains("compile_commands.json"));
}

TEST_CASE("A server ends with its editor") {
  const Project project;
  Editor editor(project);
  editor.closeInput();
  CHECK(editor.end() == 1);
}
