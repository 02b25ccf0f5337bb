// A stand-in for LibTorch's C++ API that parses in milliseconds: declarations only, of the part
// that the annotated tests use, in the namespaces and with the signatures of LibTorch. The same
// tests run on the real headers where they are at hand, which keeps this file honest.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace c10 {

enum class DeviceType : int8_t { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
struct Device {
  Device(DeviceType type, int8_t index = -1);
};

enum class ScalarType : int8_t { Long, Float, Double };
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kFloat = ScalarType::Float;

struct TensorOptions {
  TensorOptions();
  TensorOptions(Device device);
  TensorOptions(ScalarType dtype);
};

template <typename T> class ArrayRef {
public:
  ArrayRef(const T &element);
  ArrayRef(const std::vector<T> &elements);
  ArrayRef(const std::initializer_list<T> &elements);
};
using IntArrayRef = ArrayRef<int64_t>;

class Scalar {
public:
  Scalar(int value);
  Scalar(int64_t value);
  Scalar(double value);
};

} // namespace c10

namespace at {

using namespace c10;

class TensorBase {
public:
  bool defined() const;
  void reset();
  bool requires_grad() const;
  int64_t size(int64_t dimension) const;
};

class Tensor;
using TensorList = ArrayRef<Tensor>;

class Tensor : public TensorBase {
public:
  Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&);
  Tensor &operator=(const Tensor &) &;
  Tensor &operator=(Tensor &&) & noexcept;
  Tensor &operator=(const Tensor &) &&;
  Tensor &operator=(Tensor &&) &&;

  void backward(const Tensor &gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
  const Tensor &grad() const;
  Tensor &mutable_grad() const;
  const Tensor &set_requires_grad(bool requires_grad) const;
  Tensor &requires_grad_(bool requires_grad = true) const;
  Tensor detach() const;
  Tensor &detach_() const;
  Tensor data() const;
  void set_data(const Tensor &data) const;
  Tensor clone() const;
  Tensor to(Device device, bool non_blocking = false, bool copy = false) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  template <typename T> T item() const;

  Tensor operator[](int64_t index) const;
  Tensor operator-() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator+=(const Scalar &other);
  Tensor &operator-=(const Tensor &other);
  Tensor &operator*=(const Scalar &other);
  Tensor &operator/=(const Scalar &other);

  Tensor &zero_() const;
  Tensor &fill_(const Scalar &value) const;
  Tensor &copy_(const Tensor &source, bool non_blocking = false) const;
  Tensor &add_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &sub_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &mul_(const Scalar &other) const;
  Tensor &div_(const Scalar &other) const;

  Tensor mean() const;
  Tensor sum() const;
  Tensor norm(const Scalar &p = 2) const;
  Tensor pow(const Scalar &exponent) const;
  Tensor exp() const;
  Tensor log() const;
  Tensor argmax(std::optional<int64_t> dimension = std::nullopt) const;
  Tensor eq(const Tensor &other) const;
  Tensor squeeze() const;
  Tensor slice(int64_t dimension, int64_t start, int64_t end) const;
};

Tensor operator+(const Tensor &a, const Tensor &b);
Tensor operator+(const Tensor &a, const Scalar &b);
Tensor operator-(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Scalar &b);
Tensor operator*(const Scalar &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Scalar &b);

Tensor mse_loss(const Tensor &input, const Tensor &target);
Tensor nll_loss(const Tensor &input, const Tensor &target);
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target);
Tensor relu(const Tensor &input);
Tensor sigmoid(const Tensor &input);
Tensor log_softmax(const Tensor &input, int64_t dimension);
Tensor cat(TensorList tensors, int64_t dimension = 0);
Tensor stack(TensorList tensors, int64_t dimension = 0);

struct AutoGradMode {
  AutoGradMode(bool enabled);
  ~AutoGradMode();
};
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

} // namespace at

namespace torch {

using namespace at;

Tensor rand(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor zeros_like(const Tensor &other);
Tensor tensor(double value);
void manual_seed(uint64_t seed);

template <typename Value, typename... Arguments>
void save(const Value &value, Arguments &&...arguments);
template <typename Value, typename... Arguments> void load(Value &value, Arguments &&...arguments);

template <typename Key, typename Value> class OrderedDict {
public:
  class Item {
  public:
    const Key &key() const noexcept;
    Value &value() noexcept;
    const Value &value() const noexcept;
    Value &operator*() noexcept;
    Value *operator->() noexcept;
  };
  typename std::vector<Item>::iterator begin();
  typename std::vector<Item>::iterator end();
  typename std::vector<Item>::const_iterator begin() const;
  typename std::vector<Item>::const_iterator end() const;
  Value &operator[](const Key &key);
};

namespace autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;

void backward(const variable_list &tensors, const variable_list &grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list &inputs = {});
variable_list grad(const variable_list &outputs, const variable_list &inputs,
                   const variable_list &grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);

} // namespace autograd

namespace nn {

template <typename Contained> class ModuleHolder;

class Module : public std::enable_shared_from_this<Module> {
public:
  Module();
  virtual ~Module() = default;

  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const noexcept;
  virtual void to(Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = true);

protected:
  Tensor &register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, std::shared_ptr<ModuleType> module);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder);
};

template <typename Contained> class ModuleHolder {
protected:
  std::shared_ptr<Contained> impl_;

public:
  ModuleHolder();
  ModuleHolder(std::nullptr_t);
  template <typename Head, typename... Tail,
            typename = std::enable_if_t<!(std::is_base_of_v<ModuleHolder, std::decay_t<Head>> &&
                                          sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head &&head, Tail &&...tail);
  ModuleHolder(std::shared_ptr<Contained> module);

  explicit operator bool() const noexcept;
  Contained *operator->();
  const Contained *operator->() const;
  Contained &operator*();
  const Contained &operator*() const;
  const std::shared_ptr<Contained> &ptr() const;
  Contained *get();

  template <typename... Arguments>
  auto operator()(Arguments &&...arguments)
      -> decltype(std::declval<Contained &>().forward(std::forward<Arguments>(arguments)...));
};

#define TORCH_MODULE_IMPL(Name, ImplType)                                                          \
  class Name : public torch::nn::ModuleHolder<ImplType> {                                          \
  public:                                                                                          \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;                                         \
    using Impl [[maybe_unused]] = ImplType;                                                        \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

template <typename Derived> class Cloneable : public Module {};

class LinearImpl : public Cloneable<LinearImpl> {
public:
  LinearImpl(int64_t in_features, int64_t out_features);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Linear);

class ReLUImpl : public Cloneable<ReLUImpl> {
public:
  ReLUImpl();
  Tensor forward(Tensor input);
};
TORCH_MODULE(ReLU);

class MSELossImpl : public Cloneable<MSELossImpl> {
public:
  MSELossImpl();
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(MSELoss);

class SequentialImpl : public Cloneable<SequentialImpl> {
public:
  SequentialImpl() = default;
  template <typename... Modules> explicit SequentialImpl(Modules &&...modules);
  template <typename ReturnType = Tensor, typename... InputTypes>
  ReturnType forward(InputTypes &&...inputs);
  template <typename ModuleType> void push_back(const ModuleHolder<ModuleType> &module);
};
TORCH_MODULE(Sequential);

namespace functional {
Tensor mse_loss(const Tensor &input, const Tensor &target);
Tensor cross_entropy(const Tensor &input, const Tensor &target);
} // namespace functional

namespace utils {
double clip_grad_norm_(const std::vector<Tensor> &parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
} // namespace utils

} // namespace nn

namespace optim {

class OptimizerOptions {
public:
  virtual ~OptimizerOptions();
  virtual double get_lr() const;
  virtual void set_lr(double lr);
};

class OptimizerParamGroup {
public:
  OptimizerParamGroup(std::vector<Tensor> params);
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options);
  OptimizerOptions &options();
  std::vector<Tensor> &params();
  const std::vector<Tensor> &params() const;
};

class Optimizer {
public:
  Optimizer(const Optimizer &) = delete;
  Optimizer(Optimizer &&) = default;
  explicit Optimizer(const std::vector<OptimizerParamGroup> &param_groups,
                     std::unique_ptr<OptimizerOptions> defaults);
  virtual ~Optimizer();

  void add_param_group(const OptimizerParamGroup &param_group);
  using LossClosure = std::function<Tensor()>;
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  void zero_grad(bool set_to_none = true);
  std::vector<OptimizerParamGroup> &param_groups() noexcept;
  const std::vector<OptimizerParamGroup> &param_groups() const noexcept;
};

struct SGDOptions : OptimizerOptions {
  SGDOptions(double lr);
  SGDOptions &momentum(const double &momentum);
};
class SGD : public Optimizer {
public:
  explicit SGD(const std::vector<OptimizerParamGroup> &param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  Tensor step(LossClosure closure = nullptr) override;
};

struct AdamOptions : OptimizerOptions {
  AdamOptions(double lr = 1e-3);
};
class Adam : public Optimizer {
public:
  explicit Adam(const std::vector<OptimizerParamGroup> &param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
};

struct LBFGSOptions : OptimizerOptions {
  LBFGSOptions(double lr = 1);
};
class LBFGS : public Optimizer {
public:
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
  Tensor step(LossClosure closure) override;
};

class LRScheduler {
public:
  LRScheduler(Optimizer &optimizer);
  virtual ~LRScheduler();
  void step();

protected:
  virtual std::vector<double> get_lrs() = 0;
};
class StepLR : public LRScheduler {
public:
  StepLR(Optimizer &optimizer, const unsigned step_size, const double gamma = 0.1);

private:
  std::vector<double> get_lrs() override;
};

} // namespace optim

namespace data {

template <typename Data = Tensor, typename Target = Tensor> struct Example {
  Data data;
  Target target;
};

template <typename Batch> class Iterator {
public:
  Iterator &operator++();
  bool operator==(const Iterator &other) const;
  bool operator!=(const Iterator &other) const;
  Batch &operator*();
  Batch *operator->();
};

namespace samplers {
class RandomSampler {};
} // namespace samplers

namespace transforms {
template <typename E = Example<>> class Stack {};
} // namespace transforms

namespace datasets {
template <typename Dataset, typename Transform> class MapDataset {
public:
  using OutputBatchType = Example<>;
};
class MNIST {
public:
  enum class Mode { kTrain, kTest };
  explicit MNIST(const std::string &root, Mode mode = Mode::kTrain);
  template <typename Transform> MapDataset<MNIST, Transform> map(Transform transform) &&;
};
} // namespace datasets

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size);
};

template <typename Dataset, typename Sampler> class StatelessDataLoader {
public:
  Iterator<typename Dataset::OutputBatchType> begin();
  Iterator<typename Dataset::OutputBatchType> end();
};

template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, DataLoaderOptions options = DataLoaderOptions());

} // namespace data

} // namespace torch
