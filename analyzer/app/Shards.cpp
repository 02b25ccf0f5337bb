#include "Shards.h"

#include "OutputFile.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/BoundedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <map>

namespace gradtidy {

using Json = nlohmann::json;

namespace {

constexpr const char *format = "gradtidy results 3 " GRADTIDY_VERSION;

llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Adds what a shard holds to \p run; says of how many it is which one.
std::pair<unsigned, unsigned> addShard(const Json &shard, Run &run) {
  for (const Json &unit : shard.at("units")) {
    Outcome outcome{unit.at(0), unit.at(1), {}, unit.at(2)};
    const auto &bytes = unit.at(3).get_ref<const Json::binary_t &>();
    std::optional<UnitResult> result =
        fromBytes(llvm::StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    if (result)
      outcome.result = std::move(*result);
    else
      outcome.loss = "the results of '" + outcome.file + "' cannot be read";
    run.outcomes.push_back(std::move(outcome));
  }
  run.errors = shard.at("errors").get<std::vector<std::string>>();
  return {shard.at("shard"), shard.at("shards")};
}

} // namespace

llvm::Error writeShard(const std::string &file, const Run &run, const CommandLine &commandLine) {
  Json units = Json::array();
  for (const Outcome &outcome : run.outcomes) {
    const std::string bytes = toBytes(outcome.result);
    units.push_back({outcome.number, outcome.file, outcome.loss,
                     Json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()))});
  }
  const std::vector<uint8_t> bytes = Json::to_cbor({{"format", format},
                                                    {"shard", commandLine.shard},
                                                    {"shards", commandLine.shards},
                                                    {"errors", run.errors},
                                                    {"units", std::move(units)}});
  std::error_code code;
  const auto out = openOutput(file, code);
  if (!code) {
    out->write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    out->close();
    code = out->error();
    out->clear_error();
  }
  return code ? fail("cannot write '" + file + "': " + code.message()) : llvm::Error::success();
}

llvm::Expected<Run> readShards(llvm::ArrayRef<std::string> files) {
  Run run;
  std::map<unsigned, std::string> fileOf; // By the number of the shard.
  unsigned shards = 0;
  for (const std::string &file : files) {
    const auto notResults = [&](const llvm::Twine &why) {
      return fail("'" + file + "' holds no results of gradtidy" + why + "; --results writes them");
    };
    auto text = readFile(file, limits::results);
    if (!text)
      return fail("cannot read '" + file + "': " + llvm::toString(text.takeError()));
    llvm::Expected<Json> parsed = parseCbor((*text)->getBuffer());
    if (!parsed)
      return notResults(": " + llvm::toString(parsed.takeError()));
    try {
      const Json &shard = *parsed;
      if (shard.at("format") != format)
        return fail("'" + file + "' is of another version of gradtidy");
      const auto [number, count] = addShard(shard, run);
      if (number < 1 || number > count)
        return notResults("");
      if (!shards)
        shards = count;
      if (shards != count)
        return fail("'" + file + "' is one of " + llvm::Twine(count) + " shards, '" +
                    files.front() + "' one of " + llvm::Twine(shards));
      if (const auto [known, added] = fileOf.try_emplace(number, file); !added)
        return fail("'" + file + "' and '" + known->second + "' are the same shard");
    } catch (const std::exception &) {
      return notResults("");
    }
  }
  for (unsigned number = 1; number <= shards; ++number)
    if (!fileOf.contains(number))
      return fail("shard " + llvm::Twine(number) + " of " + llvm::Twine(shards) + " is missing");
  llvm::sort(run.outcomes,
             [](const Outcome &left, const Outcome &right) { return left.number < right.number; });
  return run;
}

} // namespace gradtidy
