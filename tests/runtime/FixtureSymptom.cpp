// fixture-symptom SYMPTOM.json BUG FIX: runs both programs and checks that the relations of the
// symptom hold between the metrics they print. Exit status 0 if all hold, 1 if one does not, 2 if
// the question cannot be answered (a program fails, a metric is missing, the file is malformed).
// fixtures/README.md describes the file.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Metrics = std::map<std::string, std::vector<double>>;

/// Sets what the programs are to find in their environment.
void setEnvironment(const Json &variables) {
  for (const auto &[name, value] : variables.items())
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
}

Metrics run(const std::string &program) {
  std::FILE *pipe = popen(("'" + program + "'").c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot start " + program);
  std::string output;
  std::array<char, 4096> buffer;
  while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  if (int status = pclose(pipe); status != 0)
    throw std::runtime_error(program + " ended with status " + std::to_string(status));
  Metrics metrics;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    Json record = Json::parse(line);
    const Json &value = record.at("value");
    metrics[record.at("metric")].push_back(value.is_null() ? std::numeric_limits<double>::infinity()
                                                           : value.get<double>());
  }
  return metrics;
}

double take(const std::vector<double> &values, const std::string &how) {
  if (how == "first")
    return values.front();
  if (how == "last")
    return values.back();
  if (how == "last/first")
    return values.back() / values.front();
  if (how == "min")
    return *std::min_element(values.begin(), values.end());
  if (how == "max")
    return *std::max_element(values.begin(), values.end());
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (how == "sum")
    return sum;
  if (how == "mean")
    return sum / static_cast<double>(values.size());
  if (how == "count")
    return static_cast<double>(values.size());
  throw std::runtime_error("symptom.json: unknown \"take\": " + how);
}

struct Value {
  double number;
  std::string text;
};

Value evaluate(const Json &side, const std::map<std::string, Metrics> &programs) {
  if (side.is_number())
    return {side, side.dump()};
  std::string program = side.at("program"), metric = side.at("metric"), how = side.at("take");
  auto ran = programs.find(program);
  if (ran == programs.end())
    throw std::runtime_error("symptom.json: no program \"" + program + "\"; there are bug and fix");
  auto recorded = ran->second.find(metric);
  if (recorded == ran->second.end())
    throw std::runtime_error(program + " records no metric \"" + metric + "\"");
  double number = take(recorded->second, how);
  return {number, how + " " + metric + " of " + program + " (" + std::to_string(number) + ")"};
}

bool holds(const Json &relation, const std::map<std::string, Metrics> &programs) {
  Value left = evaluate(relation.at("left"), programs);
  Value right = evaluate(relation.at("right"), programs);
  double factor = relation.value("factor", 1.0);
  std::string is = relation.at("is");
  if (is != ">" && is != "<")
    throw std::runtime_error("symptom.json: \"is\" must be > or <, not " + is);
  double bound = factor * right.number;
  bool result = is == ">" ? left.number > bound : left.number < bound;
  std::cout << (result ? "holds: " : "FAILS: ") << left.text << " " << is << " " << factor << " x "
            << right.text << "\n";
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "usage: fixture-symptom SYMPTOM.json BUG FIX\n";
    return 2;
  }
  try {
    std::ifstream file(argv[1]);
    if (!file)
      throw std::runtime_error(std::string("cannot read ") + argv[1]);
    Json symptom = Json::parse(file);
    setEnvironment(symptom.value("environment", Json::object()));
    std::map<std::string, Metrics> programs{{"bug", run(argv[2])}, {"fix", run(argv[3])}};
    const Json &relations = symptom.at("relations");
    if (relations.empty())
      throw std::runtime_error("symptom.json: no relations");
    bool all = true;
    for (const Json &relation : relations)
      all = holds(relation, programs) && all;
    return all ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << "fixture-symptom: " << error.what() << "\n";
    return 2;
  }
}
