// How facts are put into words, for `gradtidy ir --values`.
#pragma once

#include "Tables.h"

#include "analyzer/ir/Device.h"
#include "analyzer/ir/Print.h"

namespace gradtidy {

/// Puts words about one thing into a line.
class Words {
public:
  Words(const Tables &tables, const Labels &labels) : tables(tables), labels(labels) {}

  void add(const llvm::Twine &word) { words.push_back(word.str()); }
  void addIf(bool holds, llvm::StringRef word) {
    if (holds)
      add(word);
  }
  void add(llvm::StringRef name, const Event *event);
  void add(llvm::StringRef name, PathId path);
  /// Nothing where the device is not known.
  void add(llvm::StringRef name, const Device &device);
  /// What is possible, of which \p names tells the bits from the lowest.
  void add(llvm::StringRef name, std::uint8_t possible, llvm::ArrayRef<llvm::StringRef> names);
  void addPaths(llvm::StringRef name, SourcesId set);
  void addSites(llvm::StringRef name, SourcesId set);
  void addType(TypeId type);

  std::string take();

private:
  void addMembers(llvm::StringRef name, llvm::SmallVector<std::string, 4> members, bool mayBeMore);

  const Tables &tables;
  const Labels &labels;
  std::vector<std::string> words;
};

} // namespace gradtidy
