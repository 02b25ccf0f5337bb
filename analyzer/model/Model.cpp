#include "Model.h"
#include "ShippedModels.h"

#include "BundledModels.h"
#include "analyzer/source/BoundedText.h"

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
    {Trait::RegistersModule, "registers-module"},
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
    {Trait::SetsDefaultType, "sets-default-type"},
    {Trait::TensorOptions, "tensor-options"},
    {Trait::BatchFirstOption, "batch-first-option"},
    {Trait::StacksSamples, "stacks-samples"},
    {Trait::SplitsSamples, "splits-samples"},
    {Trait::GivesAllSamples, "gives-all-samples"},
    {Trait::GivesClass, "gives-class"},
    {Trait::JoinsRanks, "joins-ranks"},
    {Trait::GivesStream, "gives-stream"},
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
    {Operation::FitsCount, "fits-count"},
    {Operation::SpreadBatch, "spread-batch"},
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
    {ResultRule::Elementwise, "elementwise"},
    {ResultRule::Real, "real"},
    {ResultRule::Compare, "compare"},
    {ResultRule::Sum, "sum"},
    {ResultRule::Reduce, "reduce"},
    {ResultRule::IndexReduce, "index-reduce"},
    {ResultRule::Reshape, "reshape"},
    {ResultRule::Unsqueeze, "unsqueeze"},
    {ResultRule::Squeeze, "squeeze"},
    {ResultRule::Flatten, "flatten"},
    {ResultRule::Transpose, "transpose"},
    {ResultRule::Permute, "permute"},
    {ResultRule::Select, "select"},
    {ResultRule::Slice, "slice"},
    {ResultRule::Gather, "gather"},
    {ResultRule::Pick, "pick"},
    {ResultRule::Stack, "stack"},
    {ResultRule::Join, "join"},
    {ResultRule::Matmul, "matmul"},
    {ResultRule::Linear, "linear"},
    {ResultRule::Weighted1, "weighted-1d"},
    {ResultRule::Weighted2, "weighted-2d"},
    {ResultRule::Weighted3, "weighted-3d"},
    {ResultRule::Cast, "cast"},
    {ResultRule::OneHot, "one-hot"},
    {ResultRule::Embed, "embed"},
    {ResultRule::Loss, "loss"},
    {ResultRule::ClassLoss, "class-loss"},
};

constexpr Named<Phrase> phraseNames[] = {
    {Phrase::DisableGradients, "disable-gradients"},
    {Phrase::InferenceGuard, "inference-guard"},
    {Phrase::Detach, "detach"},
    {Phrase::MakeLeaf, "make-leaf"},
    {Phrase::Copy, "copy"},
    {Phrase::Move, "move"},
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

unsigned lineOf(llvm::StringRef text, size_t offset) {
  return 1 + text.take_front(std::min(offset, text.size())).count('\n');
}

/// Reads one model file. nlohmann/json does not keep positions, so errors find the line of their
/// key by looking for it behind the keys that enclose it.
class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef fileName) : text(text), fileName(fileName) {}

  /// \p keys lead from the outermost key to the culprit.
  llvm::Error error(llvm::ArrayRef<llvm::StringRef> keys, const llvm::Twine &message) const {
    size_t offset = 0;
    for (llvm::StringRef key : keys) {
      size_t found = text.find(("\"" + key + "\"").str(), offset);
      if (found != llvm::StringRef::npos)
        offset = found;
    }
    std::string where = keys.empty() ? "" : (" \"" + llvm::join(keys, ".") + "\"");
    return llvm::createStringError(fileName + ":" + llvm::Twine(lineOf(text, offset)) + ": model" +
                                   where + ": " + message);
  }

  llvm::Expected<nlohmann::json> parse() const {
    llvm::Expected<nlohmann::json> json = parseJson(text);
    if (json)
      return json;
    std::string where, why;
    llvm::handleAllErrors(json.takeError(), [&](const TextError &failure) {
      where = std::to_string(lineOf(text, failure.offset));
      why = failure.reason;
    });
    return llvm::createStringError(fileName + ":" + where + ": model: not JSON: " + why);
  }

  llvm::Expected<std::vector<std::string>> strings(const nlohmann::json &value,
                                                   llvm::ArrayRef<llvm::StringRef> keys) const {
    std::vector<std::string> result;
    if (!value.is_array())
      return error(keys, "expected a list of strings");
    for (const nlohmann::json &item : value) {
      if (!item.is_string() || item.get_ref<const std::string &>().empty())
        return error(keys, "expected a list of strings, found " + item.dump().substr(0, 80));
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  /// A table from role names to lists of names. \p firsts gets the first name of each list.
  template <typename Role>
  llvm::Error roles(const nlohmann::json &table, llvm::StringRef key,
                    std::optional<Role> (*roleOf)(llvm::StringRef), std::string known,
                    llvm::StringMap<Role> &into,
                    std::map<Role, std::string> *firsts = nullptr) const {
    if (!table.is_object())
      return error({key}, "expected an object from roles to lists of names");
    for (const auto &[roleText, names] : table.items()) {
      std::optional<Role> role = roleOf(roleText);
      if (!role)
        return error({key, roleText}, "unknown role; the roles are " + known);
      auto list = strings(names, {key, roleText});
      if (!list)
        return list.takeError();
      for (const std::string &name : *list)
        into[name] = *role;
      if (firsts && !list->empty())
        firsts->try_emplace(*role, list->front());
    }
    return llvm::Error::success();
  }

private:
  llvm::StringRef text, fileName;
};

template <typename Role> std::string namesOf(llvm::ArrayRef<Named<Role>> table) {
  std::string names;
  for (const Named<Role> &row : table)
    names += (names.empty() ? "" : ", ") + row.name.str();
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

llvm::Error readOperators(const Reader &reader, const nlohmann::json &value, OperatorIndex &into) {
  static constexpr llvm::StringLiteral key = "operators";
  if (!value.is_object() || !value.contains("table"))
    return reader.error({key}, "expected an object with a table, scopes and names");
  std::shared_ptr<const OperatorTable> table;
  if (const nlohmann::json &rows = value["table"]; rows == bundledTable.str()) {
    table = {std::shared_ptr<void>(), &Model::bundledOperators()}; // Which outlives all models.
  } else if (rows.is_string()) {
    return reader.error({key, "table"}, "there is no bundled table " + rows.dump());
  } else {
    auto read = OperatorTable::parse(rows.dump());
    if (!read)
      return reader.error({key, "table"}, llvm::toString(read.takeError()));
    table = std::make_shared<const OperatorTable>(std::move(*read));
  }
  for (const auto &[part, pairs] : value.items()) {
    if (part == "table")
      continue;
    if (part == "idempotent") {
      auto list = reader.strings(pairs, {key, part});
      if (!list)
        return list.takeError();
      for (const std::string &name : *list)
        if (!table->contains(name))
          return reader.error({key, part, name}, "the table has no such operator");
        else
          into.addIdempotent(name);
      continue;
    }
    if ((part != "scopes" && part != "names" && part != "saves-as") || !pairs.is_object())
      return reader.error(
          {key, part}, "unknown key; the keys are table, scopes, names, idempotent and saves-as");
    for (const auto &[from, to] : pairs.items()) {
      if (!to.is_string())
        return reader.error({key, part, from}, "expected a string");
      const auto name = to.get<std::string>();
      if (part == "scopes")
        into.addScope(from, table, name);
      else if (part == "saves-as" && !table->contains(from))
        return reader.error({key, part, from}, "the table has no such operator");
      else if (!table->contains(name))
        return reader.error({key, part, from}, "the table has no operator " + to.dump());
      else if (part == "saves-as")
        into.addSavesAs(from, name);
      else
        into.addName(from, table, name);
    }
  }
  return llvm::Error::success();
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
  Reader reader(text, fileName);
  llvm::Expected<nlohmann::json> json = reader.parse();
  if (!json)
    return json.takeError();
  if (!json->is_object())
    return reader.error({}, "expected an object");

  Model merged = *this;
  Framework framework;
  for (const auto &[key, value] : json->items()) {
    if (key == "name") {
      if (!value.is_string())
        return reader.error({key}, "expected a string");
    } else if (key == "headers") {
      auto list = reader.strings(value, {key});
      if (!list)
        return list.takeError();
      merged.frameworkHeaders.insert(merged.frameworkHeaders.end(), list->begin(), list->end());
    } else if (key == "namespaces") {
      if (!value.is_object())
        return reader.error({key}, "expected an object from namespaces to namespaces");
      for (const auto &[from, to] : value.items()) {
        if (!to.is_string())
          return reader.error({key, from}, "expected a string");
        merged.namespaces.emplace_back(from, to.get<std::string>());
      }
    } else if (key == "renamed") {
      if (!value.is_object())
        return reader.error({key}, "expected an object from old names to new ones");
      for (const auto &[from, to] : value.items()) {
        if (!to.is_string())
          return reader.error({key, from}, "expected a string");
        merged.newNames[from] = to.get<std::string>();
      }
    } else if (key == "types") {
      if (llvm::Error failure = reader.roles<TypeRole>(value, key, gradtidy::typeRole,
                                                       namesOf<TypeRole>(typeRoles), merged.types))
        return failure;
    } else if (key == "functions") {
      if (llvm::Error failure =
              reader.roles<FunctionRole>(value, key, gradtidy::functionRole,
                                         namesOf<FunctionRole>(functionRoles), merged.functions))
        return failure;
    } else if (key == "devices") {
      if (llvm::Error failure = reader.roles<DeviceRole>(value, key, gradtidy::deviceRole,
                                                         namesOf<DeviceRole>(deviceRoles),
                                                         merged.devices, &framework.devices))
        return failure;
    } else if (key == "traits") {
      if (llvm::Error failure =
              reader.roles<Trait>(value, key, traitOf, namesOf<Trait>(traitNames), merged.traits))
        return failure;
    } else if (key == "operations") {
      if (llvm::Error failure = reader.roles<Operation>(
              value, key, operationOf, namesOf<Operation>(operationNames), merged.operations))
        return failure;
    } else if (key == "elements") {
      if (llvm::Error failure =
              reader.roles<ElementType>(value, key, elementOf, namesOf<ElementType>(elementNames),
                                        merged.elements, &framework.elements))
        return failure;
    } else if (key == "results") {
      if (llvm::Error failure = reader.roles<ResultRule>(
              value, key, ruleOf, namesOf<ResultRule>(ruleNames), merged.results))
        return failure;
    } else if (key == "phrases") {
      if (!value.is_object())
        return reader.error({key}, "expected an object from phrases to text");
      for (const auto &[name, text] : value.items()) {
        const std::optional<Phrase> phrase = phraseOf(name);
        if (!phrase)
          return reader.error({key, name},
                              "unknown phrase; the phrases are " + namesOf<Phrase>(phraseNames));
        if (!text.is_string())
          return reader.error({key, name}, "expected a string");
        framework.phrases[*phrase] = text.get<std::string>();
      }
    } else if (key == "operators") {
      if (llvm::Error failure = readOperators(reader, value, merged.operatorIndex))
        return failure;
    } else {
      return reader.error(
          {key}, "unknown key; the keys are name, headers, namespaces, renamed, types, devices, "
                 "functions, traits, operations, elements, results, phrases and operators");
    }
  }
  for (const auto &entry : merged.types)
    if (entry.second == TypeRole::Tensor && !types.contains(entry.first()))
      framework.namespaces.insert(entry.first().split("::").first);
  if (framework.namespaces.empty() && !framework.phrases.empty())
    return reader.error({"phrases"}, "there is no tensor among the types, for which they could be");
  if (!framework.namespaces.empty())
    merged.frameworks.push_back(std::move(framework));
  for (const auto &entry : merged.types)
    merged.outermostNames.insert(entry.first().split("::").first);
  for (const auto &entry : merged.functions)
    merged.outermostNames.insert(entry.first().split("::").first);
  std::stable_sort(merged.namespaces.begin(), merged.namespaces.end(),
                   [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
  *this = std::move(merged);
  return llvm::Error::success();
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
