#include "UnitAnalysis.h"

namespace gradtidy {

class UnitAnalysis::Implementation {};

UnitAnalysis::UnitAnalysis(clang::ASTContext &, const Model &, const UserCode &) {}
UnitAnalysis::~UnitAnalysis() = default;
void UnitAnalysis::run(Check &, Reporter &) {}

} // namespace gradtidy
