#include "Model.h"
#include "ModelText.h"
#include "ShippedModels.h"

#include "BundledModels.h"
#include "analyzer/source/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gradtidy {
namespace {

template <typename Role> struct Named {
  Role role;
  llvm::StringLiteral name;
};

constexpr Named<TypeRole> typeRoles[] = {
    {TypeRole::Tensor, "tensor"},
    {TypeRole::Module, "module"},
    {TypeRole::ScriptModule, "script-module"},
    {TypeRole::ModuleHolder, "module-holder"},
    {TypeRole::Optimizer, "optimizer"},
    {TypeRole::DataLoader, "data-loader"},
    {TypeRole::Device, "device"},
    {TypeRole::NoGradGuard, "no-grad-guard"},
    {TypeRole::InferenceGuard, "inference-guard"},
    {TypeRole::GradModeGuard, "grad-mode-guard"},
    {TypeRole::AutocastGuard, "autocast-guard"},
};

constexpr Named<FunctionRole> functionRoles[] = {
    {FunctionRole::Backward, "backward"},
    {FunctionRole::Step, "step"},
    {FunctionRole::ClearGradients, "clear-gradients"},
    {FunctionRole::Parameters, "parameters"},
    {FunctionRole::Gradient, "gradient"},
    {FunctionRole::Overwrite, "overwrite"},
    {FunctionRole::Defined, "defined"},
    {FunctionRole::Detach, "detach"},
    {FunctionRole::DetachInPlace, "detach-in-place"},
    {FunctionRole::Differentiate, "differentiate"},
    {FunctionRole::Create, "create"},
    {FunctionRole::CreateLike, "create-like"},
    {FunctionRole::Move, "move"},
    {FunctionRole::MoveToCpu, "move-to-cpu"},
    {FunctionRole::MoveToCuda, "move-to-cuda"},
    {FunctionRole::Train, "train"},
    {FunctionRole::Eval, "eval"},
    {FunctionRole::SetGradMode, "set-grad-mode"},
    {FunctionRole::SetAutocast, "set-autocast"},
    {FunctionRole::SetAutocastCache, "set-autocast-cache"},
    {FunctionRole::ClearAutocastCache, "clear-autocast-cache"},
    {FunctionRole::RequireGrad, "require-grad"},
    {FunctionRole::NonDifferentiable, "non-differentiable"},
    {FunctionRole::Reduce, "reduce"},
    {FunctionRole::AnyDevice, "any-device"},
    {FunctionRole::Attribute, "attribute"},
    {FunctionRole::Register, "register"},
    {FunctionRole::Load, "load"},
};

constexpr Named<DeviceRole> deviceRoles[] = {
    {DeviceRole::Cpu, "cpu"},
    {DeviceRole::Cuda, "cuda"},
};

constexpr Named<Trait> traitNames[] = {
    {Trait::Stateless, "stateless"},
    {Trait::StatelessByDefault, "stateless-by-default"},
    {Trait::ModeDependent, "mode-dependent"},
    {Trait::ModeByOption, "mode-by-option"},
    {Trait::Container, "container"},
    {Trait::Opaque, "opaque"},
    {Trait::ModeOption, "mode-option"},
    {Trait::StateOption, "state-option"},
    {Trait::ThreadIndex, "thread-index"},
    {Trait::BlockIndex, "block-index"},
    {Trait::KernelOption, "kernel-option"},
    {Trait::StrideOption, "stride-option"},
    {Trait::PaddingOption, "padding-option"},
    {Trait::DilationOption, "dilation-option"},
    {Trait::AddedSizeOption, "added-size-option"},
    {Trait::CeilOption, "ceil-option"},
    {Trait::GroupOption, "group-option"},
    {Trait::ShapelessOption, "shapeless-option"},
    {Trait::RegistersModule, "registers-module"},
    {Trait::ReplacesModule, "replaces-module"},
    {Trait::UnregistersModule, "unregisters-module"},
    {Trait::RegistersParameter, "registers-parameter"},
    {Trait::RegistersBuffer, "registers-buffer"},
    {Trait::ReachesModule, "reaches-module"},
    {Trait::MovesTensor, "moves-tensor"},
    {Trait::MakesIndices, "makes-indices"},
    {Trait::GivesIndices, "gives-indices"},
    {Trait::MakesScalar, "makes-scalar"},
    {Trait::MakesRandom, "makes-random"},
    {Trait::IntegerType, "integer-type"},
    {Trait::FloatType, "float-type"},
    {Trait::Index, "index"},
    {Trait::RequiresGrad, "requires-grad"},
    {Trait::CastsWeights, "casts-weights"},
    {Trait::AsksForGpu, "asks-for-gpu"},
    {Trait::AsksForErrors, "asks-for-errors"},
    {Trait::ChoosesDevice, "chooses-device"},
    {Trait::HoldsTensors, "holds-tensors"},
    {Trait::GradGuard, "grad-guard"},
    {Trait::KeepsOrder, "keeps-order"},
    {Trait::OwnsElements, "owns-elements"},
    {Trait::TrainsByDefault, "trains-by-default"},
    {Trait::MakesMask, "makes-mask"},
    {Trait::NeedsClosure, "needs-closure"},
    {Trait::AdaptiveSteps, "adaptive-steps"},
    {Trait::GradientSteps, "gradient-steps"},
    {Trait::SchedulesRate, "schedules-rate"},
    {Trait::MakesNew, "makes-new"},
    {Trait::Packs, "packs"},
    {Trait::SharesHandle, "shares-handle"},
    {Trait::ViewsElements, "views-elements"},
    {Trait::OwnGradients, "own-gradients"},
    {Trait::StepOptions, "step-options"},
    {Trait::KeepsStrides, "keeps-strides"},
    {Trait::GivesSamples, "gives-samples"},
    {Trait::GivesBatches, "gives-batches"},
    {Trait::KeepsSamples, "keeps-samples"},
    {Trait::MapsSamples, "maps-samples"},
    {Trait::SharedByWorkers, "shared-by-workers"},
    {Trait::DrawsNumbers, "draws-numbers"},
    {Trait::ChoosesDraws, "chooses-draws"},
    {Trait::KeepsLosses, "keeps-losses"},
    {Trait::SumsLosses, "sums-losses"},
    {Trait::SetsDefaultType, "sets-default-type"},
    {Trait::TensorOptions, "tensor-options"},
    {Trait::BatchFirstOption, "batch-first-option"},
    {Trait::StacksSamples, "stacks-samples"},
    {Trait::SplitsSamples, "splits-samples"},
    {Trait::GivesAllSamples, "gives-all-samples"},
    {Trait::GivesClass, "gives-class"},
    {Trait::CopiesBytes, "copies-bytes"},
    {Trait::JoinsRanks, "joins-ranks"},
    {Trait::GivesStream, "gives-stream"},
    {Trait::SeedsDraws, "seeds-draws"},
    {Trait::GetsMemory, "gets-memory"},
    {Trait::CreatesHandle, "creates-handle"},
    {Trait::CreatesResource, "creates-resource"},
    {Trait::GetsCheaply, "gets-cheaply"},
    {Trait::GivesBack, "gives-back"},
    {Trait::SetsStream, "sets-stream"},
};

constexpr Named<Operation> operationNames[] = {
    {Operation::View, "view"},
    {Operation::Permute, "permute"},
    {Operation::Rearrange, "rearrange"},
    {Operation::Index, "index"},
    {Operation::SelectElements, "select-elements"},
    {Operation::WeightedSum, "weighted-sum"},
    {Operation::NormalizeBatch, "normalize-batch"},
    {Operation::Softmax, "softmax"},
    {Operation::LogSoftmax, "log-softmax"},
    {Operation::Sigmoid, "sigmoid"},
    {Operation::LogSigmoid, "log-sigmoid"},
    {Operation::Logarithm, "logarithm"},
    {Operation::TanhDerivative, "tanh-derivative"},
    {Operation::LogitsLoss, "logits-loss"},
    {Operation::LogProbabilitiesLoss, "log-probabilities-loss"},
    {Operation::ProbabilityLoss, "probability-loss"},
    {Operation::LogitLoss, "logit-loss"},
    {Operation::DistanceLoss, "distance-loss"},
    {Operation::ClipGradients, "clip-gradients"},
    {Operation::EmptyCache, "empty-cache"},
    {Operation::WrapMemory, "wrap-memory"},
    {Operation::ReadScalar, "read-scalar"},
    {Operation::AccessElements, "access-elements"},
    {Operation::PointToMemory, "point-to-memory"},
    {Operation::ReadClock, "read-clock"},
    {Operation::Synchronize, "synchronize"},
    {Operation::Barrier, "barrier"},
    {Operation::AddAtomically, "add-atomically"},
    {Operation::PinMemory, "pin-memory"},
    {Operation::MakeLoader, "make-loader"},
    {Operation::CopyModule, "copy-module"},
    {Operation::SetEpoch, "set-epoch"},
    {Operation::Save, "save"},
    {Operation::WriteArchive, "write-archive"},
    {Operation::LoadModule, "load-module"},
    {Operation::DetectAnomaly, "detect-anomaly"},
    {Operation::Compare, "compare"},
    {Operation::Fill, "fill"},
    {Operation::Apply, "apply"},
    {Operation::GiveDefaults, "give-defaults"},
    {Operation::InterleaveChannels, "interleave-channels"},
    {Operation::Recur, "recur"},
    {Operation::Attend, "attend"},
    {Operation::Pad, "pad"},
    {Operation::SeparateChannels, "separate-channels"},
    {Operation::Exchange, "exchange"},
    {Operation::Allocate, "allocate"},
    {Operation::ChooseStream, "choose-stream"},
    {Operation::RecordStream, "record-stream"},
    {Operation::AwaitEvent, "await-event"},
    {Operation::CountElements, "count-elements"},
    {Operation::CountDimensions, "count-dimensions"},
    {Operation::FitsCount, "fits-count"},
    {Operation::SpreadBatch, "spread-batch"},
};

constexpr Named<Aspect> aspectNames[] = {
    {Aspect::TellsDevice, "tells-device"},
    {Aspect::TellsCuda, "tells-cuda"},
    {Aspect::TellsCpu, "tells-cpu"},
    {Aspect::TellsDeviceKind, "tells-device-kind"},
    {Aspect::TellsElements, "tells-elements"},
    {Aspect::TellsLayout, "tells-layout"},
    {Aspect::TellsOptions, "tells-options"},
    {Aspect::TellsKey, "tells-key"},
    {Aspect::TellsRank, "tells-rank"},
    {Aspect::CountsEntries, "counts-entries"},
    {Aspect::TestsNan, "tests-nan"},
    {Aspect::TestsInfinite, "tests-infinite"},
    {Aspect::TestsFinite, "tests-finite"},
    {Aspect::ReadsScalar, "reads-scalar"},
    {Aspect::ConvertsScalar, "converts-scalar"},
    {Aspect::GivesReal, "gives-real"},
    {Aspect::TakesMagnitude, "takes-magnitude"},
    {Aspect::Arithmetic, "arithmetic"},
    {Aspect::Exponential, "exponential"},
    {Aspect::HyperbolicTangent, "hyperbolic-tangent"},
    {Aspect::Power, "power"},
    {Aspect::Square, "square"},
    {Aspect::Sum, "sum"},
    {Aspect::Mean, "mean"},
    {Aspect::ComparesEqual, "compares-equal"},
    {Aspect::TakesOnHost, "takes-on-host"},
    {Aspect::SelectsEntry, "selects-entry"},
    {Aspect::SelectsRange, "selects-range"},
    {Aspect::IndexRange, "index-range"},
    {Aspect::Nothing, "nothing"},
    {Aspect::IndexRest, "index-rest"},
    {Aspect::GivesData, "gives-data"},
    {Aspect::FillsByMask, "fills-by-mask"},
    {Aspect::GivesZeros, "gives-zeros"},
    {Aspect::CopiesMemory, "copies-memory"},
    {Aspect::GivesAccessor, "gives-accessor"},
    {Aspect::DropsLayout, "drops-layout"},
    {Aspect::RetainsGradient, "retains-gradient"},
    {Aspect::DrawsOrder, "draws-order"},
    {Aspect::DrawsIndices, "draws-indices"},
    {Aspect::DrawsNumber, "draws-number"},
    {Aspect::AsksForMode, "asks-for-mode"},
    {Aspect::AsksForGradMode, "asks-for-grad-mode"},
    {Aspect::SetsMode, "sets-mode"},
    {Aspect::BuildsParts, "builds-parts"},
    {Aspect::SavesParts, "saves-parts"},
    {Aspect::ListsParameters, "lists-parameters"},
    {Aspect::ReachesValues, "reaches-values"},
    {Aspect::Weights, "weights"},
    {Aspect::DropsElements, "drops-elements"},
    {Aspect::KeepsStatistics, "keeps-statistics"},
    {Aspect::Normalizes, "normalizes"},
    {Aspect::TellsModule, "tells-module"},
    {Aspect::TellsTensor, "tells-tensor"},
    {Aspect::TellsOptimizer, "tells-optimizer"},
    {Aspect::TrainingOption, "training-option"},
    {Aspect::DropoutOption, "dropout-option"},
    {Aspect::InnerDropoutOption, "inner-dropout-option"},
    {Aspect::StatisticsOption, "statistics-option"},
    {Aspect::LearningRateOption, "learning-rate-option"},
    {Aspect::MomentumOption, "momentum-option"},
    {Aspect::IterationsOption, "iterations-option"},
    {Aspect::ParameterGroups, "parameter-groups"},
    {Aspect::OneAverage, "one-average"},
    {Aspect::TwoAverages, "two-averages"},
    {Aspect::GivesSample, "gives-sample"},
    {Aspect::GivesBatch, "gives-batch"},
    {Aspect::TransformsSample, "transforms-sample"},
    {Aspect::MapsDataset, "maps-dataset"},
    {Aspect::ExchangesTensors, "exchanges-tensors"},
    {Aspect::SharesMachine, "shares-machine"},
    {Aspect::Scalar, "scalar"},
    {Aspect::ElementNames, "element-names"},
    {Aspect::SmartPointer, "smart-pointer"},
    {Aspect::InputArchive, "input-archive"},
    {Aspect::OpensArchive, "opens-archive"},
    {Aspect::OwnForward, "own-forward"},
    {Aspect::OwnBackward, "own-backward"},
    {Aspect::MarksChanged, "marks-changed"},
};

constexpr Named<ElementType> elementNames[] = {
    {ElementType::Bool, "bool"},       {ElementType::UInt8, "uint8"},
    {ElementType::Int8, "int8"},       {ElementType::Int16, "int16"},
    {ElementType::Int32, "int32"},     {ElementType::Int64, "int64"},
    {ElementType::Float16, "float16"}, {ElementType::BFloat16, "bfloat16"},
    {ElementType::Float32, "float32"}, {ElementType::Float64, "float64"},
};

constexpr Named<ResultRule> ruleNames[] = {
    {ResultRule::Sizes, "sizes"},
    {ResultRule::Full, "full"},
    {ResultRule::Integers, "integers"},
    {ResultRule::Range, "range"},
    {ResultRule::Steps, "steps"},
    {ResultRule::Values, "values"},
    {ResultRule::Memory, "memory"},
    {ResultRule::Like, "like"},
    {ResultRule::New, "new"},
    {ResultRule::Same, "same"},
    {ResultRule::Update, "update"},
    {ResultRule::Elementwise, "elementwise"},
    {ResultRule::Filled, "filled"},
    {ResultRule::Choose, "choose"},
    {ResultRule::Real, "real"},
    {ResultRule::Compare, "compare"},
    {ResultRule::Flags, "flags"},
    {ResultRule::Numbers, "numbers"},
    {ResultRule::Accumulate, "accumulate"},
    {ResultRule::Masked, "masked"},
    {ResultRule::Sum, "sum"},
    {ResultRule::Reduce, "reduce"},
    {ResultRule::RealReduce, "real-reduce"},
    {ResultRule::Test, "test"},
    {ResultRule::IndexReduce, "index-reduce"},
    {ResultRule::Reshape, "reshape"},
    {ResultRule::Expand, "expand"},
    {ResultRule::Unsqueeze, "unsqueeze"},
    {ResultRule::Squeeze, "squeeze"},
    {ResultRule::Flatten, "flatten"},
    {ResultRule::Transpose, "transpose"},
    {ResultRule::Permute, "permute"},
    {ResultRule::Select, "select"},
    {ResultRule::Unbind, "unbind"},
    {ResultRule::Slice, "slice"},
    {ResultRule::Gather, "gather"},
    {ResultRule::Alike, "alike"},
    {ResultRule::Pick, "pick"},
    {ResultRule::Resize, "resize"},
    {ResultRule::Grown, "grown"},
    {ResultRule::Elements, "elements"},
    {ResultRule::Gathered, "gathered"},
    {ResultRule::Scalar, "scalar"},
    {ResultRule::Positions, "positions"},
    {ResultRule::Stack, "stack"},
    {ResultRule::Join, "join"},
    {ResultRule::Matmul, "matmul"},
    {ResultRule::Project, "project"},
    {ResultRule::LookUp, "look-up"},
    {ResultRule::Linear, "linear"},
    {ResultRule::Weighted1, "weighted-1d"},
    {ResultRule::Weighted2, "weighted-2d"},
    {ResultRule::Weighted3, "weighted-3d"},
    {ResultRule::Transposed1, "transposed-1d"},
    {ResultRule::Transposed2, "transposed-2d"},
    {ResultRule::Transposed3, "transposed-3d"},
    {ResultRule::Pool1, "pool-1d"},
    {ResultRule::Pool2, "pool-2d"},
    {ResultRule::Pool3, "pool-3d"},
    {ResultRule::Adaptive1, "adaptive-1d"},
    {ResultRule::Adaptive2, "adaptive-2d"},
    {ResultRule::Adaptive3, "adaptive-3d"},
    {ResultRule::Normalize1, "normalize-1d"},
    {ResultRule::Normalize2, "normalize-2d"},
    {ResultRule::Normalize3, "normalize-3d"},
    {ResultRule::Cast, "cast"},
    {ResultRule::OneHot, "one-hot"},
    {ResultRule::Embed, "embed"},
    {ResultRule::Loss, "loss"},
    {ResultRule::SqueezedLoss, "squeezed-loss"},
    {ResultRule::ClassLoss, "class-loss"},
};

constexpr Named<Phrase> phraseNames[] = {
    {Phrase::DisableGradients, "disable-gradients"},
    {Phrase::InferenceGuard, "inference-guard"},
    {Phrase::Detach, "detach"},
    {Phrase::MakeLeaf, "make-leaf"},
    {Phrase::Copy, "copy"},
    {Phrase::Move, "move"},
    {Phrase::MoveToHost, "move-to-host"},
    {Phrase::Pack, "pack"},
    {Phrase::MoveModule, "move-module"},
    {Phrase::Train, "train"},
    {Phrase::Eval, "eval"},
    {Phrase::AskMode, "ask-mode"},
    {Phrase::GiveMode, "give-mode"},
    {Phrase::Cast, "cast"},
    {Phrase::Average, "average"},
    {Phrase::DropDimension, "drop-dimension"},
    {Phrase::FindLargest, "find-largest"},
    {Phrase::Bound, "bound"},
    {Phrase::Put, "put"},
    {Phrase::Synchronize, "synchronize"},
    {Phrase::ClearAutocastCache, "clear-autocast-cache"},
    {Phrase::ElementSize, "element-size"},
    {Phrase::NumberedDevice, "numbered-device"},
    {Phrase::TensorDevice, "tensor-device"},
    {Phrase::ModuleDevice, "module-device"},
    {Phrase::DeviceOptions, "device-options"},
    {Phrase::GuardDevice, "guard-device"},
    {Phrase::CurrentStream, "current-stream"},
    {Phrase::CheckLaunch, "check-launch"},
    {Phrase::RandomSampler, "random-sampler"},
};

template <typename Role, size_t count>
std::vector<llvm::StringRef> namesOf(const Named<Role> (&table)[count]) {
  std::vector<llvm::StringRef> names;
  for (const Named<Role> &row : table)
    names.push_back(row.name);
  return names;
}

template <typename Role> llvm::StringRef nameIn(llvm::ArrayRef<Named<Role>> table, Role role) {
  for (const Named<Role> &row : table)
    if (row.role == role)
      return row.name;
  return "none";
}

template <typename Role>
std::optional<Role> roleIn(llvm::ArrayRef<Named<Role>> table, llvm::StringRef name) {
  for (const Named<Role> &row : table)
    if (row.name == name)
      return row.role;
  return std::nullopt;
}

/// The keys that hold roles, with these.
const std::vector<std::pair<llvm::StringRef, std::vector<llvm::StringRef>>> &rolesByKey() {
  static const std::vector<std::pair<llvm::StringRef, std::vector<llvm::StringRef>>> all = {
      {"types", namesOf(typeRoles)},           {"functions", namesOf(functionRoles)},
      {"devices", namesOf(deviceRoles)},       {"traits", namesOf(traitNames)},
      {"operations", namesOf(operationNames)}, {"elements", namesOf(elementNames)},
      {"results", namesOf(ruleNames)},         {"phrases", namesOf(phraseNames)},
      {"aspects", namesOf(aspectNames)},
  };
  return all;
}

/// What else may be meant by a name that is none of \p known; \p what they are.
std::string instead(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known,
                    llvm::StringRef what) {
  for (const auto &[key, roles] : rolesByKey())
    if (llvm::is_contained(roles, name))
      return ("; '" + name + "' belongs into \"" + key + "\"").str();
  if (const std::optional<llvm::StringRef> found = nearestName(name, known))
    return "; did you mean '" + found->str() + "'?";
  return ("; the " + what + " are " + llvm::join(known, ", ")).str();
}

std::vector<std::string> readStrings(ModelText &text, const nlohmann::json &value,
                                     ModelText::Keys keys) {
  std::vector<std::string> result;
  if (!value.is_array()) {
    text.error(keys, "expected a list of strings");
    return result;
  }
  for (size_t i = 0; i < value.size(); ++i)
    if (const nlohmann::json &item = value[i];
        !item.is_string() || item.get_ref<const std::string &>().empty())
      text.error(keys, "expected a list of strings, found " + item.dump().substr(0, 80),
                 static_cast<int>(i));
    else
      result.push_back(item.get<std::string>());
  return result;
}

/// The entries of an object whose values are strings; \p expected says what it is.
std::vector<std::pair<std::string, std::string>> readPairs(ModelText &text,
                                                           const nlohmann::json &value,
                                                           ModelText::Keys keys,
                                                           const llvm::Twine &expected) {
  std::vector<std::pair<std::string, std::string>> result;
  if (!value.is_object()) {
    text.error(keys, "expected " + expected);
    return result;
  }
  for (const auto &[from, to] : value.items()) {
    llvm::SmallVector<llvm::StringRef> way(keys);
    way.push_back(from);
    if (to.is_string())
      result.emplace_back(from, to.get<std::string>());
    else
      text.error(way, "expected a string");
  }
  return result;
}

/// A table from role names to lists of names. \p firsts gets the first name of each list.
template <typename Role, size_t count>
void readRoles(ModelText &text, const nlohmann::json &table, llvm::StringRef key,
               const Named<Role> (&known)[count], llvm::StringMap<Role> &into,
               std::map<Role, std::string> *firsts = nullptr) {
  if (!table.is_object())
    return text.error({key}, "expected an object from roles to lists of names");
  for (const auto &[name, list] : table.items()) {
    const std::optional<Role> role = roleIn<Role>(known, name);
    if (!role) {
      text.error({key, name}, "unknown role" + instead(name, namesOf(known), "roles"));
      continue;
    }
    const std::vector<std::string> names = readStrings(text, list, {key, name});
    for (const std::string &each : names)
      into[each] = *role;
    if (firsts && !names.empty())
      firsts->try_emplace(*role, names.front());
  }
}

/// A table from aspects to lists of names, each of which may stand in several.
void readAspects(ModelText &text, const nlohmann::json &table, llvm::StringMap<Aspects> &into) {
  static constexpr llvm::StringLiteral key = "aspects";
  if (!table.is_object())
    return text.error({key}, "expected an object from aspects to lists of names");
  for (const auto &[name, list] : table.items())
    if (const std::optional<Aspect> aspect = aspectOf(name))
      for (const std::string &each : readStrings(text, list, {key, name}))
        into[each].add(*aspect);
    else
      text.error({key, name}, "unknown aspect" + instead(name, namesOf(aspectNames), "aspects"));
}

std::shared_ptr<const OperatorTable> readTable(ModelText &text, const nlohmann::json &rows) {
  static constexpr llvm::StringLiteral key = "operators";
  if (rows == bundledTable.str())
    return {std::shared_ptr<void>(), &Model::bundledOperators()}; // Which outlives all models.
  if (rows.is_string()) {
    text.error({key, "table"}, "there is no bundled table " + rows.dump());
    return nullptr;
  }
  auto read = OperatorTable::parse(rows.dump());
  if (read)
    return std::make_shared<const OperatorTable>(std::move(*read));
  text.error({key, "table"}, llvm::toString(read.takeError()));
  return nullptr;
}

/// `{"same": ["relu", "tril"]}`
void readRules(ModelText &text, const nlohmann::json &value, const OperatorTable &table,
               OperatorIndex &into) {
  static constexpr llvm::StringLiteral key = "operators", part = "rules";
  if (!value.is_object())
    return text.error({key, part}, "expected an object from rules to names of operators");
  for (const auto &[ruleText, names] : value.items()) {
    const std::optional<ResultRule> rule = ruleOf(ruleText);
    if (!rule)
      text.error({key, part, ruleText},
                 "unknown rule" + instead(ruleText, namesOf(ruleNames), "rules"));
    for (const std::string &name : readStrings(text, names, {key, part, ruleText}))
      if (!table.contains(name))
        text.error({key, part, ruleText}, "the table has no operator '" + name + "'");
      else if (rule)
        into.addRule(name, *rule);
  }
}

void readOperators(ModelText &text, const nlohmann::json &value, OperatorIndex &into) {
  static constexpr llvm::StringLiteral key = "operators";
  if (!value.is_object() || !value.contains("table"))
    return text.error({key}, "expected an object with a table, scopes and names");
  const std::shared_ptr<const OperatorTable> table = readTable(text, value["table"]);
  if (!table)
    return;
  for (const auto &[part, pairs] : value.items()) {
    if (part == "table")
      continue;
    if (part == "idempotent" || part == "may-return") {
      for (const std::string &name : readStrings(text, pairs, {key, part}))
        if (!table->contains(name))
          text.error({key, part}, "the table has no operator '" + name + "'");
        else if (part == "idempotent")
          into.addIdempotent(name);
        else
          into.addMayReturn(name);
      continue;
    }
    if (part == "rules") {
      readRules(text, pairs, *table, into);
      continue;
    }
    if (part != "scopes" && part != "names" && part != "saves-as") {
      text.error({key, part}, "unknown key" + instead(part,
                                                      {"table", "scopes", "names", "idempotent",
                                                       "saves-as", "may-return", "rules"},
                                                      "keys"));
      continue;
    }
    for (const auto &[from, to] : readPairs(text, pairs, {key, part}, "an object of strings")) {
      if (part == "scopes")
        into.addScope(from, table, to);
      else if (part == "saves-as" && !table->contains(from))
        text.error({key, part, from}, "the table has no such operator");
      else if (!table->contains(to))
        text.error({key, part, from}, "the table has no operator '" + to + "'");
      else if (part == "saves-as")
        into.addSavesAs(from, to);
      else
        into.addName(from, table, to);
    }
  }
}

} // namespace

llvm::StringRef roleName(TypeRole role) { return nameIn<TypeRole>(typeRoles, role); }
llvm::StringRef roleName(FunctionRole role) { return nameIn<FunctionRole>(functionRoles, role); }
llvm::StringRef roleName(DeviceRole role) { return nameIn<DeviceRole>(deviceRoles, role); }
llvm::StringRef traitName(Trait trait) { return nameIn<Trait>(traitNames, trait); }
llvm::StringRef operationName(Operation operation) {
  return nameIn<Operation>(operationNames, operation);
}
llvm::StringRef elementName(ElementType element) {
  return nameIn<ElementType>(elementNames, element);
}
llvm::StringRef ruleName(ResultRule rule) { return nameIn<ResultRule>(ruleNames, rule); }
std::optional<TypeRole> typeRole(llvm::StringRef name) { return roleIn<TypeRole>(typeRoles, name); }
std::optional<FunctionRole> functionRole(llvm::StringRef name) {
  return roleIn<FunctionRole>(functionRoles, name);
}
std::optional<DeviceRole> deviceRole(llvm::StringRef name) {
  return roleIn<DeviceRole>(deviceRoles, name);
}
std::optional<Trait> traitOf(llvm::StringRef name) { return roleIn<Trait>(traitNames, name); }
std::optional<Operation> operationOf(llvm::StringRef name) {
  return roleIn<Operation>(operationNames, name);
}

std::optional<ElementType> elementOf(llvm::StringRef name) {
  return roleIn<ElementType>(elementNames, name);
}
std::optional<ResultRule> ruleOf(llvm::StringRef name) {
  return roleIn<ResultRule>(ruleNames, name);
}

llvm::StringRef phraseName(Phrase phrase) { return nameIn<Phrase>(phraseNames, phrase); }
std::optional<Phrase> phraseOf(llvm::StringRef name) { return roleIn<Phrase>(phraseNames, name); }

llvm::StringRef aspectName(Aspect aspect) { return nameIn<Aspect>(aspectNames, aspect); }
std::optional<Aspect> aspectOf(llvm::StringRef name) { return roleIn<Aspect>(aspectNames, name); }

const OperatorTable &Model::bundledOperators() {
  static const OperatorTable table = OperatorTable::ofLines(::gradtidy::bundledOperators);
  return table;
}

std::optional<llvm::StringRef> shippedModel(llvm::StringRef name) {
  for (const BundledModel &model : shippedModels)
    if (model.name == name)
      return model.text;
  return std::nullopt;
}

const Model &Model::bundled() {
  static const Model model = [] {
    Model merged;
    for (const BundledModel &file : bundledModels)
      llvm::cantFail(merged.add(file.text, file.name));
    return merged;
  }();
  return model;
}

llvm::Error Model::add(llvm::StringRef text, llvm::StringRef fileName) {
  ModelText source(text);
  if (read(source))
    return llvm::Error::success();
  const std::vector<ModelProblem> problems = source.problems();
  const ModelProblem &first = *llvm::find_if(problems, [](const ModelProblem &problem) {
    return problem.kind == ModelProblem::Kind::Error;
  });
  return llvm::createStringError(
      fileName + ":" + llvm::Twine(first.line) + ":" + llvm::Twine(first.column) + ": model" +
      (first.key.empty() ? "" : " \"" + first.key + "\"") + ": " + first.message);
}

bool Model::read(ModelText &text) {
  Model merged = *this;
  Framework framework;
  for (const auto &[key, value] : text.json().items()) {
    if (key == "name") {
      if (!value.is_string())
        text.error({key}, "expected a string");
    } else if (key == "headers") {
      llvm::append_range(merged.frameworkHeaders, readStrings(text, value, {key}));
    } else if (key == "namespaces") {
      llvm::append_range(merged.namespaces,
                         readPairs(text, value, {key}, "an object from namespaces to namespaces"));
    } else if (key == "renamed") {
      for (const auto &[from, to] :
           readPairs(text, value, {key}, "an object from old names to new ones"))
        merged.newNames[from] = to;
    } else if (key == "types") {
      llvm::StringMap<TypeRole> own;
      readRoles(text, value, key, typeRoles, own);
      for (const auto &entry : own) {
        merged.types[entry.first()] = entry.second;
        if (entry.second == TypeRole::Tensor)
          framework.namespaces.insert(entry.first().split("::").first);
      }
    } else if (key == "functions") {
      readRoles(text, value, key, functionRoles, merged.functions);
    } else if (key == "devices") {
      readRoles(text, value, key, deviceRoles, merged.devices, &framework.devices);
    } else if (key == "traits") {
      readRoles(text, value, key, traitNames, merged.traits);
    } else if (key == "operations") {
      readRoles(text, value, key, operationNames, merged.operations);
    } else if (key == "aspects") {
      readAspects(text, value, merged.aspectTable);
    } else if (key == "elements") {
      readRoles(text, value, key, elementNames, merged.elements, &framework.elements);
    } else if (key == "results") {
      readRoles(text, value, key, ruleNames, merged.results);
    } else if (key == "phrases") {
      for (const auto &[name, phrase] :
           readPairs(text, value, {key}, "an object from phrases to text"))
        if (const std::optional<Phrase> known = phraseOf(name))
          framework.phrases[*known] = phrase;
        else
          text.error({key, name},
                     "unknown phrase" + instead(name, namesOf(phraseNames), "phrases"));
    } else if (key == "operators") {
      readOperators(text, value, merged.operatorIndex);
    } else {
      text.error({key},
                 "unknown key" + instead(key,
                                         {"name", "headers", "namespaces", "renamed", "types",
                                          "devices", "functions", "traits", "operations", "aspects",
                                          "elements", "results", "phrases", "operators"},
                                         "keys"));
    }
  }
  if (framework.namespaces.empty() && !framework.phrases.empty())
    text.error({"phrases"}, "there is no tensor among the types, for which they could be");
  if (text.hasErrors())
    return false;
  if (!framework.namespaces.empty())
    merged.frameworks.push_back(std::move(framework));
  for (const auto &entry : merged.types)
    merged.outermostNames.insert(entry.first().split("::").first);
  for (const auto &entry : merged.functions)
    merged.outermostNames.insert(entry.first().split("::").first);
  merged.memberAspects.clear();
  for (const auto &entry : merged.aspectTable)
    merged.memberAspects[entry.first().rsplit("::").second.empty()
                             ? entry.first()
                             : entry.first().rsplit("::").second] |= entry.second;
  std::stable_sort(merged.namespaces.begin(), merged.namespaces.end(),
                   [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
  *this = std::move(merged);
  return true;
}

std::string Model::canonicalName(llvm::StringRef qualifiedName) const {
  for (const auto &[from, to] : namespaces) {
    llvm::StringRef rest = qualifiedName;
    if (rest.consume_front(from) && rest.starts_with("::"))
      return (to + rest).str();
  }
  return qualifiedName.str();
}

template <typename Key>
llvm::StringRef Model::written(std::map<Key, std::string> Framework::*texts, Key key,
                               llvm::ArrayRef<std::string> classes) const {
  const auto textOf = [&](const Framework &framework) {
    const auto found = (framework.*texts).find(key);
    return found == (framework.*texts).end() ? llvm::StringRef() : llvm::StringRef(found->second);
  };
  if (classes.empty())
    return frameworks.empty() ? llvm::StringRef() : textOf(frameworks.back());
  for (const std::string &name : classes)
    for (const Framework &framework : frameworks)
      if (framework.namespaces.contains(llvm::StringRef(name).split("::").first) &&
          !textOf(framework).empty())
        return textOf(framework);
  return {};
}

llvm::StringRef Model::phrase(Phrase phrase, llvm::ArrayRef<std::string> classes) const {
  return written(&Framework::phrases, phrase, classes);
}

llvm::StringRef Model::constant(ElementType element, llvm::ArrayRef<std::string> classes) const {
  return written(&Framework::elements, element, classes);
}

llvm::StringRef Model::constant(DeviceRole device, llvm::ArrayRef<std::string> classes) const {
  return written(&Framework::devices, device, classes);
}

FunctionRole Model::roleOfMember(TypeRole object, llvm::StringRef simpleName) const {
  if (isModule(object))
    object = TypeRole::Module;
  FunctionRole found = FunctionRole::None;
  for (const auto &entry : functions) {
    auto [className, name] = entry.first().rsplit("::");
    TypeRole role = typeRole(className);
    if (name != simpleName ||
        (object != TypeRole::None && (isModule(role) ? TypeRole::Module : role) != object))
      continue;
    if (found != FunctionRole::None && found != entry.second)
      return FunctionRole::None;
    found = entry.second;
  }
  // Much besides tensors, modules and optimizers has methods of these names: schedulers and
  // environments have steps, settings can be moved or loaded.
  bool isTelling = found == FunctionRole::Backward || found == FunctionRole::ClearGradients ||
                   found == FunctionRole::Parameters || found == FunctionRole::Gradient ||
                   found == FunctionRole::Detach || found == FunctionRole::Overwrite ||
                   found == FunctionRole::Defined;
  return object == TypeRole::None && !isTelling ? FunctionRole::None : found;
}

llvm::StringRef Model::sibling(llvm::StringRef canonicalName, FunctionRole role) const {
  llvm::StringRef className = canonicalName.rsplit("::").first;
  for (const auto &entry : functions)
    if (entry.second == role && entry.first().rsplit("::").first == className)
      return entry.first().rsplit("::").second;
  return {};
}

} // namespace gradtidy
