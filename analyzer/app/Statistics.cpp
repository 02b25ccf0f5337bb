#include "Statistics.h"

#include "analyzer/report/Printable.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gradtidy {

using Json = nlohmann::json;

void printTimes(llvm::raw_ostream &out, const Run &run, const Results &results) {
  const size_t files = run.outcomes.size();
  double total = 0;
  std::vector<std::pair<double, llvm::StringRef>> phases;
  for (const auto &[phase, seconds] : results.seconds) {
    total += seconds;
    phases.emplace_back(seconds, phase);
  }
  std::sort(phases.rbegin(), phases.rend());
  out << llvm::formatv("{0} files: {1} analysed now, {2} of them over a precompiled header; {3} "
                       "known from earlier runs\n",
                       files, files - run.known, results.overHeader, run.known);
  out << llvm::formatv("{0} functions analysed, {1} of them not to the end\n",
                       results.coverage.functions, results.coverage.cutShort.size());
  out << llvm::formatv("{0,9:F2} s of processor time in {1:F2} s\n", total, run.wallSeconds);
  for (const auto &[seconds, phase] : phases)
    out << llvm::formatv("{0,9:F2} s {1,5:P1} {2}\n", seconds, total > 0 ? seconds / total : 0,
                         printableLine(phase));
}

std::string joinTraces(const Run &run) {
  Json events = Json::array();
  double start = 0; // Of the first file, in microseconds of the clock.
  for (const Outcome &outcome : run.outcomes)
    for (const std::string &text : outcome.result.unit.traces) {
      if (text.empty())
        continue;
      Json trace = Json::parse(text);
      const double begin = trace.value("beginningOfTime", 0.0);
      start = start > 0 ? std::min(start, begin) : begin;
      const size_t process = outcome.number + 1;
      if (&text == &outcome.result.unit.traces.front())
        events.push_back({{"name", "process_name"},
                          {"ph", "M"},
                          {"pid", process},
                          {"ts", begin},
                          {"args", {{"name", outcome.file}}}});
      for (Json &event : trace["traceEvents"]) {
        if (event.value("name", "") == "process_name")
          continue;
        event["pid"] = process;
        event["ts"] = event.value("ts", 0.0) + begin;
        events.push_back(std::move(event));
      }
    }
  for (Json &event : events)
    event["ts"] = event["ts"].get<double>() - start;
  return Json({{"traceEvents", std::move(events)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace gradtidy
