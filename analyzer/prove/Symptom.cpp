#include "Symptom.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gradtidy {

using Json = nlohmann::json;
using Values = std::vector<double>;

namespace {

double mean(const Values &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

/// The mean square of the distances from the mean; exactly 0 where all values are the same.
double variance(const Values &values) {
  Values shifted;
  for (const double value : values)
    shifted.push_back(value - values.front());
  const double center = mean(shifted);
  for (double &value : shifted)
    value = (value - center) * (value - center);
  return mean(shifted);
}

/// By how much the values rise from one to the next: of the line nearest to them.
double slope(const Values &values) {
  const double middle = double(values.size() - 1) / 2, center = mean(values);
  double products = 0, squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    products += (double(i) - middle) * (values[i] - center);
    squares += (double(i) - middle) * (double(i) - middle);
  }
  return products / squares;
}

struct Summary {
  const char *name;
  double (*of)(const Values &);
};
const Summary summaries[] = {
    {"first", [](const Values &values) { return values.front(); }},
    {"last", [](const Values &values) { return values.back(); }},
    {"last/first", [](const Values &values) { return values.back() / values.front(); }},
    {"min", [](const Values &values) { return *llvm::min_element(values); }},
    {"max", [](const Values &values) { return *llvm::max_element(values); }},
    {"mean", mean},
    {"variance", variance},
    {"slope", slope},
};

} // namespace

/// The value of one side: a number, or a summary of what a program recorded.
struct Side {
  std::string program; ///< Empty for a number.
  std::string metric;
  const Summary *summary = nullptr;
  double number = 0;

  double value(const Recordings &recordings) const {
    if (program.empty())
      return number;
    const Recording &recording = program == "bug" ? recordings.bug : recordings.fix;
    const auto found = recording.metrics.find(metric);
    if (found == recording.metrics.end())
      throw std::runtime_error(program + ".cpp records no '" + metric + "'" +
                               (recording.error.empty() ? "" : ": " + recording.error));
    return summary->of(found->second);
  }
};

/// Either: the program ends with an error that contains a text; or: left > factor * right.
struct Relation {
  std::string program, error;
  Side left, right;
  bool greater = false;
  double factor = 1;
  std::vector<std::string> backends; ///< None for all.
};

namespace {

std::string programOf(const Json &json) {
  std::string program = json.at("program");
  if (program != "bug" && program != "fix")
    throw std::runtime_error("there is no program '" + program + "', only bug and fix");
  return program;
}

Side readSide(const Json &json) {
  Side side;
  if (json.is_number()) {
    side.number = json;
    return side;
  }
  side.program = programOf(json);
  side.metric = json.at("metric");
  const std::string take = json.at("take");
  side.summary = llvm::find_if(summaries, [&](const Summary &one) { return take == one.name; });
  if (side.summary == std::end(summaries))
    throw std::runtime_error("unknown \"take\": " + take);
  return side;
}

Relation readRelation(const Json &json) {
  Relation relation;
  relation.backends = json.value("backends", std::vector<std::string>());
  if (json.contains("error")) {
    relation.program = programOf(json);
    relation.error = json.at("error");
    return relation;
  }
  relation.left = readSide(json.at("left"));
  relation.right = readSide(json.at("right"));
  relation.factor = json.value("factor", 1.0);
  const std::string is = json.at("is");
  if (is != ">" && is != "<")
    throw std::runtime_error("\"is\" must be > or <, not " + is);
  if (relation.left.program.empty())
    throw std::runtime_error("\"left\" must be of a program");
  relation.greater = is == ">";
  return relation;
}

Measurement measure(const Relation &relation, const Recordings &recordings) {
  Measurement result;
  const auto show = [&](const std::string &program, const std::string &text) {
    if (!program.empty())
      (program == "bug" ? result.bug : result.fix) = text;
  };
  if (!relation.error.empty()) {
    const bool bug = relation.program == "bug";
    const std::string &error = (bug ? recordings.bug : recordings.fix).error;
    result.what = "error";
    show(relation.program, error.empty() ? "none" : error);
    result.relation = relation.program + " throws";
    result.holds = llvm::StringRef(error).contains(relation.error);
    return result;
  }
  const Side &left = relation.left, &right = relation.right;
  const double value = left.value(recordings), bound = right.value(recordings);
  result.what = left.metric + ", " + left.summary->name;
  result.relation = left.program + (relation.greater ? " > " : " < ");
  if (relation.factor != 1)
    result.relation += numberText(relation.factor) + " × ";
  if (right.program.empty()) {
    result.relation += numberText(right.number);
  } else if (right.metric == left.metric && right.summary == left.summary) {
    result.relation += right.program;
  } else {
    result.relation += right.metric + " (" + numberText(bound) + ")";
  }
  show(left.program, numberText(value));
  if (right.program != left.program)
    show(right.program, numberText(bound));
  result.holds =
      relation.greater ? value > relation.factor * bound : value < relation.factor * bound;
  return result;
}

} // namespace

Recording Recording::parse(llvm::StringRef output) {
  Recording recording;
  llvm::SmallVector<llvm::StringRef> lines;
  output.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef line : lines) {
    const Json record = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || !(record.contains("error") || record.contains("metric")))
      throw std::runtime_error("a line is not from the harness: " + line.str());
    if (record.contains("error")) {
      recording.error = record["error"];
      continue;
    }
    const Json &value = record["value"];
    recording.metrics[record["metric"]].push_back(
        value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>());
  }
  return recording;
}

std::string numberText(double number) {
  char text[32];
  // Large numbers in full: 1250 rather than 1.25e+03.
  std::snprintf(text, sizeof text,
                std::abs(number) >= 999.5 && std::abs(number) < 1e6 ? "%.0f" : "%.3g", number);
  return text;
}

Symptom::Symptom(const std::string &file) try {
  std::ifstream stream(file);
  if (!stream)
    throw std::runtime_error("cannot be read");
  const Json json = Json::parse(stream);
  words = json.at("symptom");
  metric = json.at("plot").at("metric");
  over = json.at("plot").value("over", "step");
  logarithmic = json.at("plot").value("logarithmic", false);
  leftOut = json.value("left out", leftOut);
  for (const Json &relation : json.at("relations"))
    relations.push_back(readRelation(relation));
} catch (const std::exception &failure) {
  throw std::runtime_error(file + ": " + failure.what());
}

Symptom::~Symptom() = default;
Symptom::Symptom(Symptom &&) noexcept = default;

std::string Symptom::whyLeftOut(const std::string &backend) const {
  const auto found = leftOut.find(backend);
  return found == leftOut.end() ? "" : found->second;
}

std::vector<Measurement> Symptom::judge(const Recordings &recordings,
                                        const std::string &backend) const {
  std::vector<Measurement> measurements;
  bool bugMayThrow = false, fixMayThrow = false;
  for (const Relation &relation : relations) {
    if (!relation.backends.empty() && !llvm::is_contained(relation.backends, backend))
      continue;
    bugMayThrow |= relation.program == "bug";
    fixMayThrow |= relation.program == "fix";
    measurements.push_back(measure(relation, recordings));
  }
  if (!recordings.bug.error.empty() && !bugMayThrow)
    measurements.push_back({"error", recordings.bug.error, "", "bug does not throw", false});
  if (!recordings.fix.error.empty() && !fixMayThrow)
    measurements.push_back({"error", "", recordings.fix.error, "fix does not throw", false});
  return measurements;
}

} // namespace gradtidy
