#include "Explain.h"

#include "Configuration.h"
#include "Installation.h"
#include "analyzer/report/Printable.h"
#include "checks/Catalogue.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace gradtidy {

namespace {

/// How the pages mark what was put into them.
bool isMarker(llvm::StringRef line) { return line.starts_with("<!--") || line.starts_with("!["); }

bool printPage(llvm::StringRef folder, llvm::StringRef check) {
  const auto page = llvm::MemoryBuffer::getFile(folder + "/" + check + ".md");
  if (!page)
    return false;
  for (const llvm::StringRef line : llvm::split((*page)->getBuffer().rtrim(), '\n'))
    if (!isMarker(line))
      llvm::outs() << line << '\n';
  return true;
}

} // namespace

int explain(const CommandLine &commandLine, llvm::StringRef executable) {
  if (commandLine.sources.empty())
    for (const CatalogueRow &row : catalogue())
      llvm::outs() << llvm::left_justify(row.name, 30) << ' ' << row.summary << '\n';
  const std::string folder = findPages(executable);
  for (const std::string &name : commandLine.sources) {
    if (!findRow(name)) {
      std::vector<llvm::StringRef> names;
      for (const CatalogueRow &row : catalogue())
        names.push_back(row.name);
      ErrorLine() << "unknown check '" << name << "'" << nearest(name, names);
      return commandLine.statusOfFailure();
    }
    if (!printPage(folder, name)) {
      ErrorLine() << "the page of '" << name
                  << "' is not to be found: docs/checks lies in share/gradtidy of an installation";
      return commandLine.statusOfFailure();
    }
  }
  return 0;
}

} // namespace gradtidy
