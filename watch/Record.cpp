#include "Record.h"

#include <cmath>

namespace gradtidy::watch {

namespace {

const char *nameOf(Place place) {
  switch (place) {
  case Place::Innermost:
    return "innermost";
  case Place::Forward:
    return "forward";
  case Place::Construction:
    return "construction";
  case Place::Constructor:
    return "constructor";
  }
  return "";
}

std::string number(double value) {
  if (!std::isfinite(value))
    return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

} // namespace

std::string text(double number) {
  char result[32];
  std::snprintf(result, sizeof result, "%.4g", number);
  return result;
}

void Record::add(const Finding &finding, unsigned step) {
  if (!known.emplace(finding.check, finding.stack.hash()).second)
    return;
  std::string line =
      "{\"finding\": " + quoted(finding.check) + ", \"message\": " + quoted(finding.message) +
      ", \"step\": " + std::to_string(step) + ", \"place\": " + quoted(nameOf(finding.place)) +
      ", \"stack\": " + finding.stack.json();
  if (!finding.through.empty())
    line += ", \"through\": " + quoted(finding.through);
  if (!finding.ifAssigned.empty())
    line += ", \"ifAssigned\": " + quoted(finding.ifAssigned);
  if (!finding.statement.empty())
    line += ", \"statement\": " + quoted(finding.statement);
  if (!finding.usedBy.empty())
    line += ", \"usedBy\": " + finding.usedBy.json();
  if (finding.isAdvice)
    line += ", \"advice\": true";
  std::fprintf(file, "%s}\n", line.c_str());
  std::fflush(file);
}

void Record::addStep(unsigned step, double loss, double gradientNorm, double milliseconds,
                     int64_t bytes) {
  std::fprintf(file,
               "{\"step\": %u, \"loss\": %s, \"gradient norm\": %s, \"milliseconds\": %s, "
               "\"bytes\": %lld}\n",
               step, number(loss).c_str(), number(gradientNorm).c_str(),
               number(milliseconds).c_str(), static_cast<long long>(bytes));
  // Whoever waits for the program sees how it goes on.
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed < std::chrono::milliseconds(500))
    return;
  flushed = now;
  std::fflush(file);
}

void Record::addParameters(unsigned step, int64_t count, double norm, double sum,
                           const Stack &stack) {
  std::fprintf(file,
               "{\"parameters\": %lld, \"step\": %u, \"norm\": %.17g, \"sum\": %.17g, \"stack\": "
               "%s}\n",
               static_cast<long long>(count), step, norm, sum, stack.json().c_str());
  std::fflush(file);
}

void Record::addReached(const char *what, const Stack &stack) {
  if (known.emplace(std::string("reached ") + what, stack.hash()).second)
    std::fprintf(file, "{\"reached\": %s, \"stack\": %s}\n", quoted(what).c_str(),
                 stack.json().c_str());
}

void Record::end(unsigned steps) {
  std::fprintf(file, "{\"end\": %u}\n", steps);
  std::fflush(file);
}

} // namespace gradtidy::watch
