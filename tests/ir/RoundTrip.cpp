// Whether the text of the IR is all there is to it: reads what `gradtidy ir --values` prints of
// sources, and prints it again, but for the remarks. For the first source, what `gradtidy ir`
// prints must be the same.
//
// ir-round-trip GRADTIDY SOURCE... -- COMPILER-FLAG...
#include "analyzer/ir/Parse.h"
#include "analyzer/ir/Print.h"
#include "analyzer/model/Model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace gradtidy;
using llvm::StringRef;

namespace {

/// What `gradtidy ir` prints; empty if it cannot. Code with errors has a text, too.
std::string textOf(StringRef gradtidy, std::vector<StringRef> options, StringRef source,
                   llvm::ArrayRef<StringRef> flags) {
  llvm::SmallString<128> out;
  if (llvm::sys::fs::createTemporaryFile("ir", "txt", out))
    return {};
  std::vector<StringRef> arguments = {gradtidy, "ir", "--quiet"};
  llvm::append_range(arguments, options);
  arguments.push_back(source);
  arguments.push_back("--");
  llvm::append_range(arguments, flags);
  const int status = llvm::sys::ExecuteAndWait(gradtidy, arguments, std::nullopt,
                                               {std::nullopt, StringRef(out), std::nullopt});
  const auto text = llvm::MemoryBuffer::getFile(out);
  const std::string result =
      (status == 0 || status == 1) && text ? (*text)->getBuffer().str() : std::string();
  llvm::sys::fs::remove(out);
  return result;
}

std::string withoutRemarks(StringRef text) {
  std::string result;
  for (const StringRef line : llvm::split(text.drop_back(), '\n'))
    if (!line.ltrim().starts_with(";"))
      result += line.str() + "\n";
  return result;
}

/// Whether two texts are equal; says where they are not.
bool areEqual(StringRef source, StringRef what, StringRef expected, StringRef found) {
  if (expected == found)
    return true;
  for (unsigned line = 1;; ++line) {
    StringRef one, other;
    std::tie(one, expected) = expected.split('\n');
    std::tie(other, found) = found.split('\n');
    if (one == other && !(expected.empty() && found.empty()))
      continue;
    llvm::errs() << source << ": " << what << " differs in line " << line << "\n- " << one << "\n+ "
                 << other << "\n";
    return false;
  }
}

bool isRepeated(StringRef gradtidy, StringRef source, llvm::ArrayRef<StringRef> flags,
                bool isFirst) {
  const std::string values = textOf(gradtidy, {"--whole", "--values"}, source, flags);
  if (values.empty()) {
    llvm::errs() << source << ": there is no text\n";
    return false;
  }
  const std::string text = withoutRemarks(values);
  auto parsed = parseIr(values, Model::bundled());
  if (!parsed) {
    llvm::errs() << source << ": " << llvm::toString(parsed.takeError()) << "\n";
    return false;
  }
  std::string again;
  llvm::raw_string_ostream out(again);
  print(out, *parsed->unit, *parsed->places);
  return areEqual(source, "the text that was read and printed again", text, again) &&
         (!isFirst || areEqual(source, "the text without values", text,
                               textOf(gradtidy, {"--whole"}, source, flags)));
}

} // namespace

int main(int count, char **arguments) {
  std::vector<StringRef> sources, flags;
  for (bool isFlag = false;
       const StringRef argument : llvm::ArrayRef(arguments, count).drop_front())
    if (argument == "--" && !isFlag)
      isFlag = true;
    else
      (isFlag ? flags : sources).push_back(argument);
  if (sources.size() < 2) {
    llvm::errs() << "ir-round-trip GRADTIDY SOURCE... -- COMPILER-FLAG...\n";
    return 2;
  }
  // The first run makes headers: where the framework lies in the project, it sees less of that.
  (void)textOf(sources.front(), {"--whole"}, sources[1], flags);
  bool isGood = true;
  for (const StringRef source : llvm::ArrayRef(sources).drop_front())
    isGood &= isRepeated(sources.front(), source, flags, source == sources[1]);
  return isGood ? 0 : 1;
}
