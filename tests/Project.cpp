#include "Project.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

namespace gradtidy::test {

namespace fs = std::filesystem;

namespace {

std::string inQuotes(const std::string &argument) {
  std::string result = "'";
  for (const char letter : argument)
    result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

std::string readFile(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

Project::Project() {
  // Not in /tmp: a stray /tmp/build would be taken for the build folder of every project there.
  std::string pattern = fs::canonical("/var/tmp") / "gradtidy-test-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()));
  root = pattern;
  // The outputs of programs lie beside the project.
  fs::create_directory(root + "/project");
}

Project::~Project() {
  std::error_code ignored;
  fs::remove_all(root, ignored);
}

std::string Project::path(const std::string &file) const {
  return file.empty() ? root + "/project" : root + "/project/" + file;
}

void Project::write(const std::string &file, const std::string &text) const {
  fs::create_directories(fs::path(path(file)).parent_path());
  std::ofstream stream(path(file), std::ios::binary);
  stream << text;
  REQUIRE(stream.flush());
}

void Project::overwrite(const std::string &file, const std::string &text) const {
  const fs::perms mode = fs::status(path(file)).permissions();
  fs::permissions(path(file), fs::perms::owner_write, fs::perm_options::add);
  write(file, text);
  fs::permissions(path(file), mode);
}

std::string Project::read(const std::string &file) const { return readFile(path(file)); }

void Project::writeDatabase(const std::string &folder, std::initializer_list<std::string> sources,
                            const std::string &flags) const {
  std::string text;
  for (const std::string &source : sources)
    text += (text.empty() ? "[\n" : ",\n") + std::string(R"(  {"directory": ")") + path() +
            R"(", "file": ")" + source + R"(", "command": "c++ )" + flags + " -c " + source +
            R"("})";
  write(folder + "/compile_commands.json", text + "\n]\n");
}

Run Project::run(const std::string &program, const std::vector<std::string> &arguments,
                 const std::string &in) const {
  std::string command = "cd " + inQuotes(path(in)) + " && exec " + inQuotes(program);
  for (const std::string &argument : arguments)
    command += " " + inQuotes(argument);
  command += " >" + inQuotes(root + "/out") + " 2>" + inQuotes(root + "/err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(root + "/out"),
          readFile(root + "/err")};
}

Run Project::gradtidy(const std::vector<std::string> &arguments, const std::string &in) const {
  return run(gradtidyProgram(), arguments, in);
}

std::string gradtidyProgram() { return GRADTIDY_PROGRAM; }
std::string axonFolder() { return AXON_FOLDER; }
std::string axonModel() { return AXON_FOLDER "/axon.json"; }

std::string trainingLoop(const std::string &name, const std::string &clear,
                         const std::string &step) {
  return "inline void " + name +
         "(axon::Block &net, axon::Array input, axon::Array target) {\n"
         "  axon::Solver solver(net.weights());\n"
         "  for (int i = 0; i < 10; ++i) {\n" +
         (clear.empty() ? "" : "    " + clear + "\n") +
         "    axon::Array loss = axon::distance(net(input), target);\n"
         "    loss.backpropagate();\n"
         "    " +
         step +
         "\n"
         "  }\n"
         "}\n";
}

std::string crashingCode() {
  std::string condition(100, '~');
  for (unsigned i = 0; i < 12; ++i)
    condition = "CRASH(" + condition + ")";
  return "#define CRASH(x) x x\n#if " + condition + " 1\n#endif\n";
}

unsigned count(const std::string &text, const std::string &part) {
  unsigned found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

} // namespace gradtidy::test
