#include "Linking.h"

#include "analyzer/frontend/UserCode.h"
#include "analyzer/plugin/Plugin.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

void Linking::add(const Job &job, std::optional<UnitResult> lowered) {
  Known &entry = known[job.file];
  entry.lowered = std::move(lowered);
  entry.world = context.getOptionsForFile(job.file).CheckOptions.lookup(modelsOption).Value + "\n" +
                findProjectRoot(job.file, projectFolder);
  entry.isUsable = entry.lowered && !entry.lowered->ir.empty();
}

const UnitResult *Linking::find(const std::string &source) const {
  const auto entry = known.find(source);
  return entry != known.end() && entry->second.lowered ? &*entry->second.lowered : nullptr;
}

bool Linking::isLinkable(const Job &job, const Job &other) const {
  const auto unit = known.find(job.file), linked = known.find(other.file);
  return unit != known.end() && linked != known.end() && linked->second.isUsable &&
         unit->second.world == linked->second.world;
}

Linking::Links Linking::linksOf(const Job &job) {
  Links links;
  std::set<std::string> callers = {job.file};
  const auto ask = [&](const Job &asking) {
    Question question{asking.file, {}, {}};
    for (const SharedFunction &function : find(asking.file)->unit.shared)
      if (function.source.empty() ? !function.completesClass || asking.file == job.file
                                  : function.source == asking.file && callers.contains(asking.file))
        question.functions.push_back(function);
    if (question.functions.empty())
      return;
    question.found = sharedSources.of(asking, question.functions);
    follow(question, job, callers, links);
    links.questions.push_back(std::move(question));
  };
  if (find(job.file))
    ask(job);
  for (size_t i = 0; i < links.jobs.size(); ++i)
    if (const Job &other = *links.jobs[i]; !known.contains(other.file))
      links.missing.push_back(&other);
    else if (isLinkable(job, other))
      ask(other);
  return links;
}

void Linking::follow(const Question &question, const Job &job, std::set<std::string> &callers,
                     Links &links) {
  const auto isNew = [&](const std::string &file) {
    return file != job.file &&
           llvm::none_of(links.jobs, [&](const Job *linked) { return linked->file == file; });
  };
  const auto add = [&](const std::string &file) {
    if (const Job *found = isNew(file) ? sharedSources.jobOf(file, job) : nullptr)
      links.jobs.push_back(found);
  };
  for (const std::string &file : question.found.defining)
    if (links.jobs.size() < SharedSources::limit)
      add(file);
  // What all callers do counts.
  const size_t more = llvm::count_if(question.found.calling, isNew);
  if (links.jobs.size() + more > SharedSources::limit)
    return;
  callers.insert(question.found.calling.begin(), question.found.calling.end());
  llvm::for_each(question.found.calling, add);
}

} // namespace gradtidy
