// JSON, CBOR and YAML that somebody else wrote, parsed without trusting their depth and numbers.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gradtidy {

/// How deep lists and objects lie in each other, at most.
inline constexpr unsigned maxNesting = 100;
/// How many values a document has, at most: one takes 16 bytes and more.
inline constexpr size_t maxValues = 50'000'000;

/// Why a text could not be parsed.
class TextError : public llvm::ErrorInfo<TextError> {
public:
  static char ID;
  TextError(std::string reason, size_t offset) : reason(std::move(reason)), offset(offset) {}

  const std::string reason; ///< Without place, and in one line.
  const size_t offset;      ///< Of the byte at which it was noticed.

  void log(llvm::raw_ostream &out) const override { out << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

/// The value of a JSON text. Fails with a TextError for what is no JSON, nested deeper than
/// maxNesting, or has more than maxValues values, or numbers that no double can hold. Bytes that
/// are no UTF-8 are errors, too.
llvm::Expected<nlohmann::json> parseJson(llvm::StringRef text);

/// The same for CBOR, whose strings may hold any bytes.
llvm::Expected<nlohmann::json> parseCbor(llvm::StringRef bytes);

/// The texts of the elements of a JSON list, found by counting brackets outside of strings: an
/// element that is no JSON by itself keeps nobody from reading its neighbors. Fails for what is no
/// list, or no whole one.
llvm::Expected<std::vector<llvm::StringRef>> splitList(llvm::StringRef text);

/// "line 2, column 12", counted from 1.
std::string placeIn(llvm::StringRef text, size_t offset);

/// Why a YAML text (JSON among it) may be nested deeper than maxNesting; empty if it is not.
/// Parsers of YAML call themselves for each level.
std::string yamlTooDeep(llvm::StringRef text);

} // namespace gradtidy
