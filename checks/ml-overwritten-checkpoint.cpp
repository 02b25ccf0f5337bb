// torch::save() begins the file anew. Two things that are saved under one name leave the second.

#include "Check.h"

#include "analyzer/flow/Files.h"

namespace gradtidy {
namespace {

class OverwrittenCheckpoint : public Check {
public:
  bool wants(const Moment &moment) const override { return writesFile(moment.event.operation); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &save = visit.event;
    const FileId file = fileOf(save, visit.callers, visit.before);
    const SavedFile *before = file == noFile ? nullptr : visit.before.savedIn(file);
    if (!before || !isAnother(visit, *before))
      return;
    const Event &naming = namingOf(save, visit.callers);
    const bool isOneCall = &naming == before->named;
    const Event &written = isOneCall ? *before->save : *before->named;
    const Event &overwritten = isOneCall ? save : naming;
    const std::string first = nameOf(visit, *before->save, written),
                      second = nameOf(visit, save, overwritten);
    Finding finding(Level::Certain, overwritten,
                    second + " overwrites the file in which " + first + " was just saved: only " +
                        second + " can be loaded from it; use another name");
    finding.notes.push_back({written, first + " is saved here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether what is saved is certainly something else than what is in the file.
  static bool isAnother(const Visit &visit, const SavedFile &before) {
    const PathTable &paths = visit.unit.tables().paths;
    const Operand &contents = storedBy(visit.event), &others = storedBy(*before.save);
    if (contents.role != others.role &&
        (contents.role == TypeRole::Optimizer || others.role == TypeRole::Optimizer))
      return true;
    const PathId object = visit.before.resolve(contents.path);
    return object && before.object && object != before.object && !paths.isTemporary(object) &&
           !paths.isTemporary(before.object) && !paths.overlap(object, before.object) &&
           before.save != &visit.event;
  }

  /// What \p save saves, as it is called where the file is named.
  static std::string nameOf(const Visit &visit, const Event &save, const Event &naming) {
    const auto isStored = [](const Operand &operand) {
      return isModule(operand.role) || operand.role == TypeRole::Optimizer;
    };
    const auto *given = llvm::find_if(naming.operands, isStored);
    const Operand &stored =
        &naming == &save || given == naming.operands.end() ? storedBy(save) : *given;
    const std::string name = visit.unit.tables().paths.spelling(stored.path);
    return name.empty() ? "what is given here" : "'" + name + "'";
  }
};

} // namespace

std::unique_ptr<Check> makeOverwrittenCheckpoint() {
  return std::make_unique<OverwrittenCheckpoint>();
}

} // namespace gradtidy
