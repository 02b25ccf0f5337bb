// A harness for libFuzzer: what gradtidy parses by itself, and strangers may have written.
//
//     parser-fuzzer --door=NAME [OPTIONS OF LIBFUZZER] CORPUS...
#include "analyzer/app/Changes.h"
#include "analyzer/app/CommandLine.h"
#include "analyzer/app/Configuration.h"
#include "analyzer/app/Shards.h"
#include "analyzer/app/UnitResult.h"
#include "analyzer/lsp/MessageStream.h"
#include "analyzer/lsp/Server.h"
#include "analyzer/model/Model.h"
#include "analyzer/report/Fingerprints.h"
#include "analyzer/source/Database.h"
#include "analyzer/source/Flags.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace gradtidy;
namespace fs = std::filesystem;

namespace {

/// A folder of this process, which goes with it.
class Folder {
public:
  Folder() : folder(fs::temp_directory_path() / ("parser-fuzzer." + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~Folder() { fs::remove_all(folder); }

  std::string write(const char *name, llvm::StringRef text) const {
    const fs::path file = folder / name;
    std::ofstream(file, std::ios::binary).write(text.data(), std::streamsize(text.size()));
    return file;
  }
  std::string path() const { return folder; }

private:
  fs::path folder;
};

const Folder &folder() {
  static const Folder own;
  return own;
}

void parseDatabase(llvm::StringRef text) {
  auto database = Database::load(folder().write("compile_commands.json", text));
  if (!database)
    return llvm::consumeError(database.takeError());
  for (const std::string &source : (*database)->sources())
    if (const auto *command = (*database)->find(source))
      normaliseFlags(command->CommandLine, source, command->Directory);
}

void parseResponseFile(llvm::StringRef text) {
  const std::string file = folder().write("words", text);
  normaliseFlags({"c++", "@" + file}, "unit.cpp", folder().path());
}

void parseConfiguration(llvm::StringRef text) {
  for (const char *name : {".clang-tidy", ".gradtidy"}) {
    const std::string file = folder().write(name, text);
    std::vector<std::string> errors;
    CommandLine commandLine;
    auto provider = makeOptionsProvider(commandLine, folder().path(), errors);
    if (provider)
      llvm::consumeError(verifyConfiguration(**provider, folder().path() + "/unit.cpp"));
    else
      llvm::consumeError(provider.takeError());
    fs::remove(file);
  }
}

void parseModel(llvm::StringRef text) {
  Model model;
  llvm::consumeError(model.add(text, "model.json"));
}

void parseBaseline(llvm::StringRef text) {
  if (auto known = readFingerprints(folder().write("known.sarif", text)); !known)
    llvm::consumeError(known.takeError());
}

void parseShard(llvm::StringRef bytes) {
  if (auto run = readShards({folder().write("one.shard", bytes)}); !run)
    llvm::consumeError(run.takeError());
}

void parseResult(llvm::StringRef bytes) {
  if (const std::optional<UnitResult> result = fromBytes(bytes))
    if (!fromBytes(toBytes(*result)))
      std::abort(); // What was read can be written and read again.
}

void parsePatch(llvm::StringRef text) {
  if (auto changes = Changes::ofPatch(text, folder().path()); !changes)
    llvm::consumeError(changes.takeError());
}

void parseMessages(llvm::StringRef bytes) {
  const int in = ::memfd_create("messages", 0), out = ::open("/dev/null", O_WRONLY);
  if (in < 0 || out < 0 || ::write(in, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
    std::abort();
  ::lseek(in, 0, SEEK_SET);
  MessageStream stream(in, out);
  Server server([&](const std::string &message) { stream.write(message); },
                [](llvm::StringRef) { return std::string(); });
  bool isOpen = true;
  while (isOpen) {
    isOpen = stream.fill();
    while (const std::optional<std::string> message = stream.next())
      server.take(*message);
    while (const std::optional<Server::Task> task = server.next())
      server.finish(*task, "{}", "");
  }
  ::close(in);
  ::close(out);
}

using Parser = void (*)(llvm::StringRef);
const std::map<llvm::StringRef, Parser> doors = {
    {"baseline", parseBaseline},
    {"configuration", parseConfiguration},
    {"database", parseDatabase},
    {"editor", parseMessages},
    {"model", parseModel},
    {"patch", parsePatch},
    {"response-file", parseResponseFile},
    {"result", parseResult},
    {"shard", parseShard},
};
Parser parse = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int *count, char ***words) {
  for (llvm::StringRef word : llvm::ArrayRef(*words, *count))
    if (word.consume_front("--door="))
      if (const auto door = doors.find(word); door != doors.end())
        parse = door->second;
  if (!parse) {
    llvm::errs() << "parser-fuzzer: one of these is needed:";
    for (const auto &[name, parser] : doors)
      llvm::errs() << " --door=" << name;
    llvm::errs() << '\n';
    std::exit(2);
  }
  folder();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  parse(llvm::StringRef(reinterpret_cast<const char *>(data), size));
  return 0;
}
