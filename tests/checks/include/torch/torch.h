// A stand-in for LibTorch's C++ API that parses in milliseconds: declarations only, of the part
// that the annotated tests use, in the namespaces and with the signatures of LibTorch. The same
// tests run on the real headers where they are at hand, which keeps this file honest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace c10::detail {
[[noreturn]] void torchCheckFail(const char *function, const char *file, unsigned line,
                                 const char *message);
} // namespace c10::detail
#define TORCH_CHECK(condition, ...)                                                                \
  if (__builtin_expect(static_cast<bool>(!(condition)), 0)) {                                      \
    ::c10::detail::torchCheckFail(__func__, __FILE__, __LINE__, #condition);                       \
  }
#define AT_ASSERT(...)                                                                             \
  do {                                                                                             \
    TORCH_CHECK(__VA_ARGS__, "")                                                                   \
  } while (false)

namespace c10 {
class Stream {};

enum class DeviceType : int8_t { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
struct Device {
  Device(DeviceType type, int8_t index = -1);
  Device(const std::string &name);
  bool operator==(const Device &other) const noexcept;
  bool operator!=(const Device &other) const noexcept;
  DeviceType type() const noexcept;
  bool is_cuda() const noexcept;
};

enum class ScalarType : int8_t { Byte, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };
std::size_t elementSize(ScalarType type);
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kFloat32 = ScalarType::Float;
constexpr ScalarType kInt32 = ScalarType::Int;
constexpr ScalarType kInt64 = ScalarType::Long;
constexpr ScalarType kFloat64 = ScalarType::Double;
constexpr ScalarType kUInt8 = ScalarType::Byte;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;

class TypeMeta {};
TypeMeta scalarTypeToTypeMeta(ScalarType dtype);
void set_default_dtype(TypeMeta dtype);

struct TensorOptions {
  TensorOptions();
  TensorOptions(Device device);
  TensorOptions(DeviceType device);
  TensorOptions(ScalarType dtype);
  [[nodiscard]] TensorOptions device(Device device) const;
  [[nodiscard]] TensorOptions dtype(ScalarType dtype) const;
  [[nodiscard]] TensorOptions requires_grad(bool requires_grad) const;
  [[nodiscard]] TensorOptions pinned_memory(bool pinned_memory) const;
};
TensorOptions device(Device device);
TensorOptions dtype(ScalarType dtype);
TensorOptions requires_grad(bool requires_grad = true);

template <typename T> class ArrayRef {
public:
  ArrayRef();
  ArrayRef(const T &element);
  ArrayRef(const std::vector<T> &elements);
  ArrayRef(const std::initializer_list<T> &elements);
  ArrayRef(const T *data, size_t length);
  template <size_t N> ArrayRef(const std::array<T, N> &elements);
  template <size_t N> ArrayRef(const T (&elements)[N]);
  const T *begin() const;
  const T *end() const;
  size_t size() const;
  const T &operator[](size_t index) const;
  ArrayRef slice(size_t first, size_t count) const;
  ArrayRef slice(size_t first) const;
  std::vector<T> vec() const;
};
using IntArrayRef = ArrayRef<int64_t>;

template <typename T> class OptionalArrayRef {
public:
  OptionalArrayRef();
  OptionalArrayRef(std::nullopt_t);
  OptionalArrayRef(ArrayRef<T> elements);
  OptionalArrayRef(const std::initializer_list<T> &elements);
  ArrayRef<T> operator*() const;
};
namespace detail {
struct TensorDataContainer {
  TensorDataContainer();
  TensorDataContainer(int value);
  TensorDataContainer(int64_t value);
  TensorDataContainer(float value);
  TensorDataContainer(double value);
  TensorDataContainer(bool value);
  TensorDataContainer(std::initializer_list<TensorDataContainer> values);
  TensorDataContainer(const std::vector<int> &values);
  TensorDataContainer(const std::vector<int64_t> &values);
  TensorDataContainer(const std::vector<float> &values);
  TensorDataContainer(const std::vector<double> &values);
};
} // namespace detail

enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast };

class Scalar {
public:
  Scalar(int value);
  Scalar(int64_t value);
  Scalar(double value);
  float toFloat() const;
};

struct GradMode {
  static void set_enabled(bool enabled);
  static bool is_enabled();
};
struct AutoGradMode {
  AutoGradMode(bool enabled);
  ~AutoGradMode();
};
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};
struct InferenceMode {
  InferenceMode(bool enabled = true);
  ~InferenceMode();
};

} // namespace c10

namespace at {

using namespace c10;

template <typename T, size_t N> struct TensorAccessor {
  TensorAccessor<T, N - 1> operator[](int64_t index);
  int64_t size(int64_t dimension) const;
};
template <typename T> struct TensorAccessor<T, 1> {
  T &operator[](int64_t index);
  int64_t size(int64_t dimension) const;
};
template <typename T, size_t N> struct PackedTensorAccessor32 {
  int64_t size(int64_t dimension) const;
};
template <typename T, size_t N> struct PackedTensorAccessor64 {};

class TensorBase {
public:
  bool defined() const;
  void reset();
  bool requires_grad() const;
  bool is_cuda() const;
  int64_t get_device() const;
  bool is_cpu() const;
  bool is_contiguous() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t stride(int64_t dimension) const;
  int64_t size(int64_t dimension) const;
  int64_t dim() const;
  int64_t numel() const;
  Device device() const;
  TensorOptions options() const;
  void print() const;
  void *data_ptr() const;
  template <typename T> T *data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> const T *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  template <typename T, size_t N> TensorAccessor<T, N> accessor() const &;
  template <typename T, size_t N> TensorAccessor<T, N> accessor() && = delete;
  template <typename T, size_t N> PackedTensorAccessor32<T, N> packed_accessor32() const &;
  template <typename T, size_t N> PackedTensorAccessor64<T, N> packed_accessor64() const &;
};

class Generator {
public:
  Generator();
  Generator(const Generator &);
};
class Tensor;
namespace indexing {
enum class EllipsisIndexType { Ellipsis };
constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
constexpr std::nullopt_t None = std::nullopt;
struct Slice {
  Slice(std::optional<int64_t> start = std::nullopt, std::optional<int64_t> stop = std::nullopt,
        std::optional<int64_t> step = std::nullopt);
};
struct TensorIndex {
  TensorIndex(std::nullopt_t);
  TensorIndex(EllipsisIndexType);
  TensorIndex(const char *text);
  TensorIndex(Slice slice);
  TensorIndex(int integer);
  TensorIndex(int64_t integer);
  TensorIndex(Tensor tensor);
};
} // namespace indexing
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
  Tensor &operator=(const Scalar &) &&;

  void backward(const Tensor &gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
  const Tensor &grad() const;
  Tensor &mutable_grad() const;
  const Tensor &set_requires_grad(bool requires_grad) const;
  Tensor &requires_grad_(bool requires_grad = true) const;
  Tensor detach() const;
  Tensor &detach_() const;
  Tensor data() const;
  void record_stream(c10::Stream stream) const;
  template <typename T> T *data() const;
  void set_data(const Tensor &data) const;
  Tensor flip(IntArrayRef dims) const;
  Tensor clone(std::optional<MemoryFormat> memory_format = std::nullopt) const;
  Tensor to(TensorOptions options = {}, bool non_blocking = false, bool copy = false) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  Tensor to(const Tensor &other, bool non_blocking = false, bool copy = false) const;
  Tensor pin_memory() const;
  Tensor cuda() const;
  Tensor cpu() const;
  Tensor toType(ScalarType dtype) const;
  Tensor type_as(const Tensor &other) const;
  Tensor contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const;
  void retain_grad() const;
  Scalar item() const;
  template <typename T> T item() const;
  Tensor new_zeros(IntArrayRef size, TensorOptions options = {}) const;

  Tensor operator[](int64_t index) const;
  Tensor select(int64_t dimension, int64_t index) const;
  Tensor operator-() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator+=(const Scalar &other);
  Tensor &operator-=(const Tensor &other);
  Tensor &operator*=(const Tensor &other);
  Tensor &operator*=(const Scalar &other);
  Tensor &operator/=(const Scalar &other);

  Tensor &zero_() const;
  const Tensor &resize_(IntArrayRef size) const;
  Tensor &fill_(const Scalar &value) const;
  Tensor &copy_(const Tensor &source, bool non_blocking = false) const;
  Tensor &add_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &sub_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &sub_(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor sub(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor div(const Scalar &other) const;
  Tensor &mul_(const Tensor &other) const;
  Tensor &mul_(const Scalar &other) const;
  Tensor &div_(const Scalar &other) const;
  Tensor &div_(const Tensor &other) const;
  Tensor &add_(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor &clamp_(const Scalar &min, const Scalar &max) const;
  Tensor &relu_() const;
  Tensor &sigmoid_() const;
  Tensor sign() const;
  Tensor &normal_(double mean = 0, double std = 1) const;
  Tensor &uniform_(double from = 0, double to = 1) const;
  Tensor &unsqueeze_(int64_t dimension) const;
  Tensor &squeeze_() const;
  Tensor &masked_fill_(const Tensor &mask, const Scalar &value) const;
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &values);
  Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar &value);
  Tensor index_put(std::initializer_list<Tensor> indices, const Tensor &values) const;
  Tensor &scatter_(int64_t dimension, const Tensor &index, const Tensor &source) const;
  Tensor &scatter_(int64_t dimension, const Tensor &index, const Scalar &value) const;

  Tensor mean() const;
  Tensor sum() const;
  Tensor norm(const Scalar &p = 2) const;
  Tensor pow(const Scalar &exponent) const;
  Tensor exp() const;
  Tensor log() const;
  Tensor argmax(std::optional<int64_t> dimension = std::nullopt) const;
  Tensor argmax(std::optional<int64_t> dimension, bool keepdim) const;
  Tensor mean(IntArrayRef dimensions, bool keepdim = false) const;
  Tensor std(IntArrayRef dimensions, bool unbiased = true, bool keepdim = false) const;
  Tensor sum(IntArrayRef dimensions, bool keepdim = false) const;
  Tensor norm(const std::optional<Scalar> &p, IntArrayRef dimensions, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> max(int64_t dimension, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor any() const;
  Tensor eq(const Tensor &other) const;
  Tensor ne(const Tensor &other) const;
  Tensor round() const;
  Tensor mm(const Tensor &other) const;
  Tensor add(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor add(const Scalar &other, const Scalar &alpha = 1) const;
  Tensor mul(const Tensor &other) const;
  Tensor mul(const Scalar &other) const;
  Tensor matmul(const Tensor &other) const;
  Tensor abs() const;
  Tensor square() const;
  Tensor relu() const;
  Tensor sigmoid() const;
  Tensor softmax(int64_t dimension) const;
  Tensor log_softmax(int64_t dimension) const;
  Tensor clamp(const Scalar &min, const Scalar &max) const;
  Tensor clamp_min(const Scalar &min) const;
  Tensor masked_fill(const Tensor &mask, const Scalar &value) const;
  Tensor gather(int64_t dimension, const Tensor &index) const;
  Tensor index_select(int64_t dimension, const Tensor &index) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor tril(std::int64_t diagonal = 0) const;
  ScalarType scalar_type() const;
  std::size_t element_size() const;
  std::size_t nbytes() const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor take(const Tensor &index) const;
  Tensor narrow(int64_t dimension, int64_t start, int64_t length) const;
  Tensor logical_not() const;
  Tensor &index_fill_(int64_t dimension, const Tensor &index, const Scalar &value) const;
  Tensor &index_add_(int64_t dimension, const Tensor &index, const Tensor &source) const;
  Tensor multinomial(int64_t samples) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dimension) const;
  Tensor unsqueeze(int64_t dimension) const;
  Tensor repeat(IntArrayRef repeats) const;
  Tensor view(IntArrayRef size) const;
  Tensor expand(IntArrayRef size, bool implicit = false) const;
  Tensor reshape(IntArrayRef size) const;
  Tensor permute(IntArrayRef dimensions) const;
  Tensor where(const Tensor &condition, const Tensor &other) const;
  Tensor transpose(int64_t first, int64_t second) const;
  Tensor t() const;
  Tensor movedim(int64_t source, int64_t destination) const;
  Tensor swapaxes(int64_t first, int64_t second) const;
  Tensor flatten(int64_t start = 0, int64_t end = -1) const;
  Tensor slice(int64_t dimension, int64_t start, int64_t end) const;
};

Tensor operator+(const Tensor &a, const Tensor &b);
Tensor operator+(const Tensor &a, const Scalar &b);
Tensor operator-(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Scalar &b);
Tensor operator*(const Scalar &a, const Tensor &b);
Tensor operator+(const Scalar &a, const Tensor &b);
Tensor operator-(const Tensor &a, const Scalar &b);
Tensor operator-(const Scalar &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Scalar &b);
Tensor operator/(const Scalar &a, const Tensor &b);
Tensor operator==(const Tensor &a, const Tensor &b);
Tensor operator==(const Tensor &a, const Scalar &b);
Tensor operator!=(const Tensor &a, const Scalar &b);
Tensor operator>(const Tensor &a, const Tensor &b);
Tensor operator>(const Tensor &a, const Scalar &b);
Tensor operator<(const Tensor &a, const Scalar &b);
std::ostream &operator<<(std::ostream &stream, const Tensor &tensor);

namespace Reduction {
enum Reduction { None, Mean, Sum };
} // namespace Reduction
Tensor mse_loss(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean);
Tensor l1_loss(const Tensor &input, const Tensor &target, int64_t reduction = Reduction::Mean);
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target,
                      int64_t reduction = Reduction::Mean, double beta = 1.0);
Tensor ctc_loss(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths,
                const Tensor &target_lengths, int64_t blank = 0);
Tensor nll_loss(const Tensor &input, const Tensor &target, const std::optional<Tensor> &weight = {},
                int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target,
                            const std::optional<Tensor> &weight = {},
                            int64_t reduction = Reduction::Mean);
Tensor binary_cross_entropy_with_logits(const Tensor &input, const Tensor &target,
                                        const std::optional<Tensor> &weight = {},
                                        const std::optional<Tensor> &pos_weight = {},
                                        int64_t reduction = Reduction::Mean);
Tensor cross_entropy_loss(const Tensor &input, const Tensor &target,
                          const std::optional<Tensor> &weight = {},
                          int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
Tensor max_pool2d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor mm(const Tensor &a, const Tensor &b);
Tensor one_hot(const Tensor &input, int64_t num_classes = -1);
Tensor tanh(const Tensor &self);
Tensor relu(const Tensor &input);
Tensor sigmoid(const Tensor &input);
Tensor log_softmax(const Tensor &input, int64_t dimension);
Tensor softmax(const Tensor &input, int64_t dimension);
Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                    const std::optional<Tensor> &attn_mask = {},
                                    double dropout_p = 0.0, bool is_causal = false);
Tensor exp(const Tensor &input);
Tensor log(const Tensor &input);
Tensor abs(const Tensor &input);
Tensor mean(const Tensor &input);
Tensor sum(const Tensor &input);
Tensor max(const Tensor &a, const Tensor &b);
Tensor eq(const Tensor &input, const Tensor &other);
Tensor argmax(const Tensor &input, std::optional<int64_t> dimension = std::nullopt,
              bool keepdim = false);
Tensor clamp(const Tensor &input, const Scalar &min, const Scalar &max);
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor add(const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
Tensor mul(const Tensor &a, const Tensor &b);
Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b);
Tensor gather(const Tensor &input, int64_t dimension, const Tensor &index);
Tensor index_select(const Tensor &input, int64_t dimension, const Tensor &index);
Tensor masked_select(const Tensor &input, const Tensor &mask);
Tensor nonzero(const Tensor &input);
Tensor isnan(const Tensor &input);
Tensor isfinite(const Tensor &input);
Tensor isinf(const Tensor &input);
Tensor logical_and(const Tensor &a, const Tensor &b);
Tensor flatten(const Tensor &input, int64_t start = 0, int64_t end = -1);
Tensor transpose(const Tensor &input, int64_t first, int64_t second);
Tensor triu(const Tensor &input, int64_t diagonal = 0);
Tensor dropout(const Tensor &input, double p, bool train);
Tensor &dropout_(Tensor &input, double p, bool train);
Tensor feature_dropout(const Tensor &input, double p, bool train);
Tensor alpha_dropout(const Tensor &input, double p, bool train);
Tensor feature_alpha_dropout(const Tensor &input, double p, bool train);
Tensor batch_norm(const Tensor &input, const std::optional<Tensor> &weight,
                  const std::optional<Tensor> &bias, const std::optional<Tensor> &running_mean,
                  const std::optional<Tensor> &running_var, bool training, double momentum,
                  double eps, bool cudnn_enabled);
Tensor &relu_(Tensor &input);
Tensor &clamp_(Tensor &input, const Scalar &min, const Scalar &max);
Tensor &add_out(Tensor &out, const Tensor &a, const Tensor &b, const Scalar &alpha = 1);
Tensor cat(TensorList tensors, int64_t dimension = 0);
Tensor stack(TensorList tensors, int64_t dimension = 0);

Tensor normal(const Tensor &mean, const Tensor &std);
} // namespace at

namespace c10 {
template <typename T> class intrusive_ptr {
public:
  intrusive_ptr();
  template <typename Other> intrusive_ptr(const intrusive_ptr<Other> &other);
  T *operator->() const;
  T &operator*() const;
  T *get() const;
};
namespace ivalue {
struct Tuple;
}
struct IValue {
  IValue();
  IValue(at::Tensor tensor);
  IValue(double value);
  int64_t toInt() const;
  at::Tensor toTensor() &&;
  at::Tensor &toTensor() &;
  const at::Tensor &toTensor() const &;
  intrusive_ptr<ivalue::Tuple> toTuple() &&;
  intrusive_ptr<ivalue::Tuple> toTuple() const &;
};
namespace ivalue {
struct TupleElements {
  const IValue &operator[](size_t index) const;
};
struct Tuple {
  const TupleElements &elements() const &;
};
} // namespace ivalue
} // namespace c10

namespace torch {

using c10::IValue;

using namespace at;

Tensor rand(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor normal(double mean, double std, IntArrayRef size);
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor empty(IntArrayRef size, TensorOptions options = {});
Tensor full(IntArrayRef size, const Scalar &value, TensorOptions options = {});
Tensor eye(int64_t size, TensorOptions options = {});
Tensor arange(const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step,
              TensorOptions options = {});
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, TensorOptions options = {});
Tensor randint(int64_t high, IntArrayRef size, TensorOptions options = {});
Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options = {});
Tensor randperm(int64_t size, TensorOptions options = {});
Tensor &randperm_out(Tensor &out, int64_t size);
Tensor zeros_like(const Tensor &other, TensorOptions options = {});
Tensor empty_like(const Tensor &other, TensorOptions options = {});
Tensor ones_like(const Tensor &other, TensorOptions options = {});
Tensor full_like(const Tensor &other, const Scalar &value, TensorOptions options = {});
Tensor randn_like(const Tensor &other, TensorOptions options = {});
Tensor tensor(detail::TensorDataContainer values, const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef size, TensorOptions options = {});
Tensor from_blob(void *data, IntArrayRef size, IntArrayRef strides, TensorOptions options = {});
Tensor from_blob(void *data, IntArrayRef size, const std::function<void(void *)> &deleter,
                 TensorOptions options = {});

namespace cuda {
bool is_available();
bool cudnn_is_available();
void synchronize(int64_t device_index = -1);
} // namespace cuda

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
  Item &operator[](size_t index);
  Value &operator[](const Key &key);
  Value *find(const Key &key) noexcept;
  const Value *find(const Key &key) const noexcept;
  const std::vector<Item> &items() const noexcept;
  std::vector<std::pair<Key, Value>> pairs() const;
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

struct AutogradContext {
  std::unordered_map<std::string, IValue> saved_data;
  void save_for_backward(variable_list to_save);
  void mark_dirty(const variable_list &inputs);
  variable_list get_saved_variables() const;
};
template <typename T> struct Function {
  template <typename X = T, typename... Arguments> static auto apply(Arguments &&...arguments) {
    return X::forward(nullptr, std::forward<Arguments>(arguments)...);
  }
};
struct AnomalyMode {
  static bool is_enabled();
  static void set_enabled(bool enabled, bool check_nan = true);
};
class DetectAnomalyGuard {
public:
  DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard();
};

} // namespace autograd

namespace enumtype {
struct kNone {};
struct kMean {};
struct kSum {};
} // namespace enumtype
extern const enumtype::kNone kNone;
extern const enumtype::kMean kMean;
extern const enumtype::kSum kSum;

namespace nn {

using reduction_t = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

template <typename Contained> class ModuleHolder;

} // namespace nn

namespace serialize {
class OutputArchive {
public:
  OutputArchive();
  void write(const std::string &key, const Tensor &tensor, bool is_buffer = false);
  void write(const std::string &key, OutputArchive &nested_archive);
  void save_to(const std::string &filename);
};
class InputArchive {
public:
  InputArchive();
  void read(const std::string &key, InputArchive &archive);
  void load_from(const std::string &filename, std::optional<Device> device = std::nullopt);
};
} // namespace serialize

namespace nn {

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
  virtual void to(ScalarType dtype, bool non_blocking = false);
  virtual void to(Device device, ScalarType dtype, bool non_blocking = false);
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  virtual std::shared_ptr<Module> clone(const std::optional<Device> &device = std::nullopt) const;
  void apply(const std::function<void(Module &)> &function);
  template <typename Holder> typename Holder::ContainedType *as() noexcept;
  template <typename ModuleType, typename = std::enable_if_t<std::is_base_of_v<Module, ModuleType>>>
  ModuleType *as() noexcept;
  virtual void zero_grad(bool set_to_none = true);
  virtual void save(serialize::OutputArchive &archive) const;
  virtual void load(serialize::InputArchive &archive);
  Tensor &register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, std::shared_ptr<ModuleType> module);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string &name,
                                             std::shared_ptr<ModuleType> module);
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string &name,
                                             ModuleHolder<ModuleType> holder);
  void unregister_module(const std::string &name);
};

template <typename Contained> class ModuleHolder {
protected:
  std::shared_ptr<Contained> impl_;

public:
  using ContainedType = Contained;
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

  // Some modules have no forward (ModuleList): it must not be looked for before a call.
  template <typename... Arguments, typename Called = Contained>
  auto operator()(Arguments &&...arguments)
      -> decltype(std::declval<Called &>().forward(std::forward<Arguments>(arguments)...));
};

#define TORCH_MODULE_IMPL(Name, ImplType)                                                          \
  class Name : public torch::nn::ModuleHolder<ImplType> {                                          \
  public:                                                                                          \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;                                         \
    using Impl [[maybe_unused]] = ImplType;                                                        \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

template <typename Derived> class Cloneable : public Module {
public:
  virtual void reset();
  std::shared_ptr<Module>
  clone(const std::optional<Device> &device = std::nullopt) const override;
};

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features);
  LinearOptions &bias(const bool &bias);
};
class LinearImpl : public Cloneable<LinearImpl> {
public:
  LinearImpl(int64_t in_features, int64_t out_features);
  explicit LinearImpl(const LinearOptions &options);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Linear);

struct ReLUOptions {
  ReLUOptions(bool inplace = false);
  ReLUOptions &inplace(const bool &inplace);
};
class ReLUImpl : public Cloneable<ReLUImpl> {
public:
  explicit ReLUImpl(const ReLUOptions &options = {});
  Tensor forward(Tensor input);
};
TORCH_MODULE(ReLU);

class FunctionalImpl : public Cloneable<FunctionalImpl> {
public:
  explicit FunctionalImpl(std::function<Tensor(Tensor)> function);
  template <typename Function, typename... Arguments>
  explicit FunctionalImpl(Function function, Arguments &&...arguments);
  Tensor forward(Tensor input);
};
TORCH_MODULE(Functional);

class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
public:
  explicit SoftmaxImpl(int64_t dimension);
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(Softmax);

class FlattenImpl : public Cloneable<FlattenImpl> {
public:
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(Flatten);

struct DropoutOptions {
  DropoutOptions(double p = 0.5);
  DropoutOptions &p(const double &p);
  DropoutOptions &inplace(const bool &inplace);
};
class DropoutImpl : public Cloneable<DropoutImpl> {
public:
  explicit DropoutImpl(double p);
  explicit DropoutImpl(const DropoutOptions &options = {});
  Tensor forward(Tensor input);
};
TORCH_MODULE(Dropout);

struct Conv2dOptions {
  Conv2dOptions(int64_t in_channels, int64_t out_channels, int64_t kernel_size);
  Conv2dOptions &stride(int64_t stride);
  Conv2dOptions &padding(int64_t padding);
};
class Conv2dImpl : public Cloneable<Conv2dImpl> {
public:
  explicit Conv2dImpl(const Conv2dOptions &options);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Conv2d);

struct ConvTranspose2dOptions {
  ConvTranspose2dOptions(int64_t in_channels, int64_t out_channels, int64_t kernel_size);
  ConvTranspose2dOptions &stride(int64_t stride);
  ConvTranspose2dOptions &padding(int64_t padding);
};
class ConvTranspose2dImpl : public Cloneable<ConvTranspose2dImpl> {
public:
  explicit ConvTranspose2dImpl(const ConvTranspose2dOptions &options);
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(ConvTranspose2d);

struct MaxPool2dOptions {
  MaxPool2dOptions(int64_t kernel_size);
  MaxPool2dOptions &stride(int64_t stride);
  MaxPool2dOptions &ceil_mode(bool ceil_mode);
};
class MaxPool2dImpl : public Cloneable<MaxPool2dImpl> {
public:
  explicit MaxPool2dImpl(const MaxPool2dOptions &options);
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(MaxPool2d);

struct AdaptiveAvgPool2dOptions {
  AdaptiveAvgPool2dOptions(IntArrayRef output_size);
};
class AdaptiveAvgPool2dImpl : public Cloneable<AdaptiveAvgPool2dImpl> {
public:
  explicit AdaptiveAvgPool2dImpl(const AdaptiveAvgPool2dOptions &options);
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(AdaptiveAvgPool2d);

struct GroupNormOptions {
  GroupNormOptions(int64_t groups, int64_t channels);
};
class GroupNormImpl : public Cloneable<GroupNormImpl> {
public:
  explicit GroupNormImpl(const GroupNormOptions &options);
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(GroupNorm);

class BatchNorm1dImpl : public Cloneable<BatchNorm1dImpl> {
public:
  explicit BatchNorm1dImpl(int64_t features);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(BatchNorm1d);

class BatchNorm2dImpl : public Cloneable<BatchNorm2dImpl> {
public:
  explicit BatchNorm2dImpl(int64_t features);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(BatchNorm2d);

class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
public:
  EmbeddingImpl(int64_t count, int64_t dimensions);
  Tensor forward(const Tensor &indices);
  Tensor weight;
};
TORCH_MODULE(Embedding);

struct LSTMOptions {
  LSTMOptions(int64_t input, int64_t hidden);
  LSTMOptions &dropout(const double &p);
  LSTMOptions &num_layers(const int64_t &layers);
  LSTMOptions &bidirectional(const bool &bidirectional);
  LSTMOptions &batch_first(const bool &first);
  bool &batch_first() noexcept;
};
class LSTMImpl : public Cloneable<LSTMImpl> {
public:
  LSTMImpl(int64_t input, int64_t hidden);
  explicit LSTMImpl(const LSTMOptions &options);
  LSTMOptions options;
  std::tuple<Tensor, std::tuple<Tensor, Tensor>>
  forward(const Tensor &input, std::optional<std::tuple<Tensor, Tensor>> state = {});
};
TORCH_MODULE(LSTM);

struct GRUOptions {
  GRUOptions(int64_t input, int64_t hidden);
  GRUOptions &num_layers(const int64_t &layers);
  GRUOptions &batch_first(const bool &first);
};
class GRUImpl : public Cloneable<GRUImpl> {
public:
  GRUImpl(int64_t input, int64_t hidden);
  explicit GRUImpl(const GRUOptions &options);
  std::tuple<Tensor, Tensor> forward(const Tensor &input, Tensor state = {});
};
TORCH_MODULE(GRU);

class LSTMCellImpl : public Cloneable<LSTMCellImpl> {
public:
  LSTMCellImpl(int64_t input, int64_t hidden);
  std::tuple<Tensor, Tensor> forward(const Tensor &input,
                                     std::optional<std::tuple<Tensor, Tensor>> state = {});
};
TORCH_MODULE(LSTMCell);

class GRUCellImpl : public Cloneable<GRUCellImpl> {
public:
  GRUCellImpl(int64_t input, int64_t hidden);
  Tensor forward(const Tensor &input, Tensor state = {});
};
TORCH_MODULE(GRUCell);

class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
public:
  MultiheadAttentionImpl(int64_t width, int64_t heads);
  std::tuple<Tensor, Tensor> forward(const Tensor &query, const Tensor &key, const Tensor &value,
                                     const Tensor &key_padding_mask = {});
};
TORCH_MODULE(MultiheadAttention);

class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
public:
  TransformerEncoderLayerImpl(int64_t width, int64_t heads);
  Tensor forward(const Tensor &source, const Tensor &mask = {}, const Tensor &padding = {});
};
TORCH_MODULE(TransformerEncoderLayer);
class TransformerImpl : public Cloneable<TransformerImpl> {
public:
  static Tensor generate_square_subsequent_mask(int64_t size);
};

namespace utils::rnn {
class PackedSequence {};
Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first = false, double padding_value = 0);
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
std::tuple<Tensor, Tensor> pad_packed_sequence(PackedSequence sequence, bool batch_first = false,
                                               double padding_value = 0.0);
} // namespace utils::rnn

struct CrossEntropyLossOptions {
  CrossEntropyLossOptions();
  CrossEntropyLossOptions(enumtype::kNone reduction);
  CrossEntropyLossOptions &reduction(const reduction_t &reduction);
  CrossEntropyLossOptions &weight(const Tensor &weight);
  CrossEntropyLossOptions &ignore_index(const int64_t &index);
};
class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions &options = {});
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(CrossEntropyLoss);

class NLLLossImpl : public Cloneable<NLLLossImpl> {
public:
  NLLLossImpl();
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(NLLLoss);

class BCELossImpl : public Cloneable<BCELossImpl> {
public:
  BCELossImpl();
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(BCELoss);

class ModuleListImpl : public Cloneable<ModuleListImpl> {
public:
  ModuleListImpl() = default;
  template <typename... Modules> explicit ModuleListImpl(Modules &&...modules);
  template <typename ModuleType> void push_back(const ModuleHolder<ModuleType> &module);
  std::vector<std::shared_ptr<Module>>::iterator begin();
  std::vector<std::shared_ptr<Module>>::iterator end();
  size_t size() const noexcept;
  std::shared_ptr<Module> operator[](size_t index) const;
  std::shared_ptr<Module> ptr(size_t index) const;
  template <typename ModuleType> ModuleType &at(size_t index);
};
TORCH_MODULE(ModuleList);

struct MSELossOptions {
  MSELossOptions();
  MSELossOptions(enumtype::kNone reduction);
  MSELossOptions(enumtype::kMean reduction);
  MSELossOptions(enumtype::kSum reduction);
  MSELossOptions &reduction(const reduction_t &reduction);
};
class MSELossImpl : public Cloneable<MSELossImpl> {
public:
  explicit MSELossImpl(const MSELossOptions &options = {});
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(MSELoss);

class AnyModule {
public:
  AnyModule() = default;
  const std::type_info &type_info() const;
};
class NamedAnyModule {
public:
  template <typename ModuleType>
  NamedAnyModule(std::string name, const ModuleHolder<ModuleType> &module);
};
class SequentialImpl : public Cloneable<SequentialImpl> {
public:
  SequentialImpl() = default;
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> named_modules);
  template <typename... Modules> explicit SequentialImpl(Modules &&...modules);
  template <typename ReturnType = Tensor, typename... InputTypes>
  ReturnType forward(InputTypes &&...inputs);
  template <typename M, typename = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>>
  void push_back(M &&module) {
    push_back(std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
  }
  template <typename ModuleType> void push_back(std::shared_ptr<ModuleType> module);
  template <typename ModuleType> void push_back(const ModuleHolder<ModuleType> &module);
};
class Sequential : public ModuleHolder<SequentialImpl> {
public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> named_modules);
};

namespace init {
Tensor zeros_(Tensor tensor);
Tensor ones_(Tensor tensor);
Tensor constant_(Tensor tensor, Scalar value);
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
Tensor kaiming_normal_(Tensor tensor, double a = 0);
} // namespace init

namespace functional {
struct ReLUFuncOptions {
  ReLUFuncOptions(bool inplace = false);
  ReLUFuncOptions &inplace(const bool &inplace);
};
struct DropoutFuncOptions {
  DropoutFuncOptions();
  DropoutFuncOptions &p(const double &p);
  DropoutFuncOptions &training(const bool &training);
  DropoutFuncOptions &inplace(const bool &inplace);
};
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
struct AlphaDropoutFuncOptions {
  AlphaDropoutFuncOptions();
  AlphaDropoutFuncOptions &p(const double &p);
  AlphaDropoutFuncOptions &training(const bool &training);
};
struct FeatureAlphaDropoutFuncOptions {
  FeatureAlphaDropoutFuncOptions();
  FeatureAlphaDropoutFuncOptions &p(const double &p);
  FeatureAlphaDropoutFuncOptions &training(const bool &training);
};
struct BatchNormFuncOptions {
  BatchNormFuncOptions();
  BatchNormFuncOptions &weight(const Tensor &weight);
  BatchNormFuncOptions &bias(const Tensor &bias);
  BatchNormFuncOptions &training(const bool &training);
  BatchNormFuncOptions &momentum(const std::optional<double> &momentum);
  BatchNormFuncOptions &eps(const double &eps);
};
struct InstanceNormFuncOptions {
  InstanceNormFuncOptions();
  InstanceNormFuncOptions &use_input_stats(const bool &use_input_stats);
};
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dimension);
};
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using MSELossFuncOptions = MSELossOptions;
Tensor one_hot(const Tensor &tensor, int64_t num_classes = -1);
struct LeakyReLUFuncOptions {
  LeakyReLUFuncOptions();
  LeakyReLUFuncOptions &inplace(const bool &inplace);
};
Tensor mse_loss(const Tensor &input, const Tensor &target, const MSELossFuncOptions &options = {});
Tensor cross_entropy(const Tensor &input, const Tensor &target,
                     const CrossEntropyFuncOptions &options = {});
Tensor nll_loss(const Tensor &input, const Tensor &target);
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target);
Tensor relu(Tensor input, const ReLUFuncOptions &options = {});
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions &options = {});
Tensor softmax(const Tensor &input, const SoftmaxFuncOptions &options);
Tensor log_softmax(const Tensor &input, const SoftmaxFuncOptions &options);
Tensor dropout(Tensor input, const DropoutFuncOptions &options = {});
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions &options = {});
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions &options = {});
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions &options = {});
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions &options = {});
Tensor batch_norm(const Tensor &input, const Tensor &running_mean, const Tensor &running_var,
                  const BatchNormFuncOptions &options = {});
Tensor instance_norm(const Tensor &input, const InstanceNormFuncOptions &options = {});
Tensor linear(const Tensor &input, const Tensor &weight, const Tensor &bias = {});
} // namespace functional

namespace utils {
void clip_grad_value_(const std::vector<Tensor> &parameters, double clip_value);
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
  OptimizerParamGroup(const OptimizerParamGroup &other);
  OptimizerParamGroup(std::vector<Tensor> params);
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options);
  OptimizerOptions &options();
  const OptimizerOptions &options() const;
  bool has_options() const;
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
  virtual void save(serialize::OutputArchive &archive) const;
  virtual void load(serialize::InputArchive &archive);
  using LossClosure = std::function<Tensor()>;
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  void zero_grad(bool set_to_none = true);
  OptimizerOptions &defaults() noexcept;
  const OptimizerOptions &defaults() const noexcept;
  std::vector<OptimizerParamGroup> &param_groups() noexcept;
  const std::vector<OptimizerParamGroup> &param_groups() const noexcept;
};

struct SGDOptions : OptimizerOptions {
  SGDOptions(double lr);
  SGDOptions &lr(const double &lr);
  double &lr() noexcept;
  SGDOptions &momentum(const double &momentum);
  SGDOptions &weight_decay(const double &weight_decay);
};
class SGD : public Optimizer {
public:
  explicit SGD(const std::vector<OptimizerParamGroup> &param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  Tensor step(LossClosure closure = nullptr) override;
};

struct AdamOptions : OptimizerOptions {
  AdamOptions(double lr = 1e-3);
  AdamOptions &lr(const double &lr);
  double &lr() noexcept;
  AdamOptions &betas(const std::tuple<double, double> &betas);
  AdamOptions &eps(const double &eps);
  AdamOptions &weight_decay(const double &weight_decay);
};
class Adam : public Optimizer {
public:
  explicit Adam(const std::vector<OptimizerParamGroup> &param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
  void save(serialize::OutputArchive &archive) const override;
  void load(serialize::InputArchive &archive) override;
};

struct AdamWOptions : OptimizerOptions {
  AdamWOptions(double lr = 1e-3);
  AdamWOptions &weight_decay(const double &weight_decay);
};
class AdamW : public Optimizer {
public:
  explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
};

struct RMSpropOptions : OptimizerOptions {
  RMSpropOptions(double lr = 1e-2);
  RMSpropOptions &eps(const double &eps);
};
class RMSprop : public Optimizer {
public:
  explicit RMSprop(std::vector<Tensor> params, RMSpropOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
};

struct AdagradOptions : OptimizerOptions {
  AdagradOptions(double lr = 1e-2);
};
class Adagrad : public Optimizer {
public:
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {});
  Tensor step(LossClosure closure = nullptr) override;
};

struct LBFGSOptions : OptimizerOptions {
  LBFGSOptions(double lr = 1);
  LBFGSOptions &lr(const double &lr);
  LBFGSOptions &max_iter(const int64_t &max_iter);
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

class ReduceLROnPlateauScheduler {
public:
  enum SchedulerMode { min, max };
  ReduceLROnPlateauScheduler(Optimizer &optimizer, SchedulerMode mode = min, float factor = 0.1,
                             int patience = 10);
  virtual ~ReduceLROnPlateauScheduler();
  void step(float metric);
};

} // namespace optim

using Dtype = at::ScalarType;
using std::nullopt;
using std::optional;

namespace data {

template <typename Data = Tensor, typename Target = Tensor> struct Example {
  Data data;
  Target target;
};

template <typename Data> struct Example<Data, void> {
  Data data;
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
class SequentialSampler {};
template <typename Request = std::vector<size_t>> class DistributedSampler {
public:
  void set_epoch(size_t epoch);
  size_t epoch() const;
};
class DistributedRandomSampler : public DistributedSampler<> {
public:
  DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                           bool allow_duplicates = true);
};
class DistributedSequentialSampler : public DistributedSampler<> {
public:
  DistributedSequentialSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                               bool allow_duplicates = true);
};
} // namespace samplers

namespace transforms {
template <typename E = Example<>> class Stack {};
template <typename Input, typename Output> class BatchTransform {
public:
  using InputBatchType = Input;
  using OutputBatchType = Output;
  virtual ~BatchTransform();
  virtual Output apply_batch(Input input) = 0;
};
template <typename Single, typename Batch = std::vector<Single>>
using Collation = BatchTransform<Batch, Single>;
template <typename Input, typename Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
public:
  virtual Output apply(Input input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> inputs) override;
};
template <typename Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
public:
  virtual Tensor operator()(Tensor input) = 0;
  Example<Tensor, Target> apply(Example<Tensor, Target> input) override;
};
template <typename Target = Tensor> struct Normalize : TensorTransform<Target> {
  Normalize(ArrayRef<double> mean, ArrayRef<double> deviation);
  Tensor operator()(Tensor input) override;
};
} // namespace transforms

namespace datasets {
template <typename Dataset, typename Transform> class MapDataset {
public:
  using OutputBatchType = Example<>;
  template <typename Next> MapDataset<MapDataset, Next> map(Next transform) &;
  template <typename Next> MapDataset<MapDataset, Next> map(Next transform) &&;
  std::optional<size_t> size() const;
};
template <typename Self, typename Batch = std::vector<Example<>>,
          typename BatchRequest = ArrayRef<size_t>>
class BatchDataset {
public:
  using OutputBatchType = Batch;
  virtual ~BatchDataset();
  virtual Batch get_batch(BatchRequest request) = 0;
  virtual std::optional<size_t> size() const = 0;
  template <typename Transform> MapDataset<Self, Transform> map(Transform transform) &;
  template <typename Transform> MapDataset<Self, Transform> map(Transform transform) &&;
};
template <typename Self, typename SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
public:
  using ExampleType = SingleExample;
  virtual ExampleType get(size_t index) = 0;
  std::vector<SingleExample> get_batch(ArrayRef<size_t> indices) override;
};
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, std::optional<Batch>, BatchRequest> {
public:
  virtual void reset() = 0;
  virtual void save(serialize::OutputArchive &archive) const = 0;
  virtual void load(serialize::InputArchive &archive) = 0;
};
class TensorDataset : public Dataset<TensorDataset, Example<Tensor, void>> {
public:
  explicit TensorDataset(const std::vector<Tensor> &tensors);
  explicit TensorDataset(Tensor tensor);
  Example<Tensor, void> get(size_t index) override;
  std::optional<size_t> size() const override;
};
class MNIST : public Dataset<MNIST> {
public:
  ExampleType get(size_t index) override;
  std::optional<size_t> size() const override;
  enum class Mode { kTrain, kTest };
  explicit MNIST(const std::string &root, Mode mode = Mode::kTrain);
};
} // namespace datasets

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size);
  DataLoaderOptions &batch_size(const size_t &batch_size);
  DataLoaderOptions &workers(const size_t &workers);
  DataLoaderOptions &drop_last(const bool &drop_last);
};

template <typename Dataset, typename Batch, typename Request> class DataLoaderBase {};
template <typename Dataset, typename Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, void, void> {
public:
  Iterator<typename Dataset::OutputBatchType> begin();
  Iterator<typename Dataset::OutputBatchType> end();
};

template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, DataLoaderOptions options = DataLoaderOptions());
template <typename Dataset, typename Sampler>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, Sampler sampler, DataLoaderOptions options);

} // namespace data

namespace jit {

using c10::IValue;

struct Method {
  IValue operator()(std::vector<IValue> inputs,
                    const std::unordered_map<std::string, IValue> &kwargs = {}) const;
};

class Module {
public:
  Method get_method(const std::string &name) const;
  IValue forward(std::vector<IValue> inputs,
                 const std::unordered_map<std::string, IValue> &kwargs = {});
  IValue attr(const std::string &name) const;
  void to(Device device, bool non_blocking = false);
  void train(bool on = true);
  void eval();
  bool is_training() const;
  std::vector<Tensor> parameters() const;
  Module copy() const;
  Module deepcopy() const;
  Module clone(bool inplace = false) const;
  void save(const std::string &filename) const;
};

Module load(const std::string &path, std::optional<Device> device = std::nullopt);

} // namespace jit

} // namespace torch
