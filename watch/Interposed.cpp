// LibTorch's functions, defined once more: the dynamic linker takes these definitions for the
// program's calls, and for LibTorch's own virtual tables, as this library comes first. Each looks
// at what it is given and calls LibTorch's.
#include "Session.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <dlfcn.h>
#include <pthread.h>

using namespace gradtidy::watch;

namespace {

/// The function that the linker would have taken for the function that calls this one.
[[gnu::noinline]] void *next() {
  const char *here = static_cast<const char *>(__builtin_return_address(0)) - 1;
  Dl_info info;
  void *found = dladdr(here, &info) && info.dli_sname ? dlsym(RTLD_NEXT, info.dli_sname) : nullptr;
  if (!found) {
    std::fprintf(stderr,
                 "gradtidy watch: LibTorch lacks %s: build the watching library against the "
                 "LibTorch of the program\n",
                 info.dli_sname ? info.dli_sname : "a function");
    std::abort();
  }
  return found;
}

template <typename Function> Function *nextAs(void *found) {
  return reinterpret_cast<Function *>(found);
}

/// Counts a depth of the thread as long as it lives.
class Depth {
public:
  explicit Depth(int &depth) : depth(depth) { ++depth; }
  ~Depth() { --depth; }
  Depth(const Depth &) = delete;
  Depth &operator=(const Depth &) = delete;

  bool isOutermost() const { return depth == 1; }

private:
  int &depth;
};

} // namespace

// ---- backwards ---------------------------------------------------------------------------------

namespace {

template <typename Call>
auto differentiate(const std::vector<at::Tensor> &roots, std::optional<bool> retains, bool creates,
                   const Call &call) {
  const Depth depth(thread().backwards);
  BackwardCall seen;
  if (depth.isOutermost())
    if (const Watching watching; watching) {
      seen = {gradtidy::watch::Stack::capture(), retains.value_or(false), creates};
      watching->operations.onResultUsed();
      watching->training.beforeBackward(*watching.operator->(), roots);
      watching->graphs.beforeBackward(*watching.operator->());
    }
  struct After {
    const Depth &depth;
    const BackwardCall &seen;
    const std::vector<at::Tensor> &roots;
    int exceptions = std::uncaught_exceptions();
    ~After() {
      if (!depth.isOutermost() || std::uncaught_exceptions() > exceptions)
        return;
      if (const Watching watching; watching) {
        watching->training.afterBackward(*watching.operator->(), seen,
                                         roots.size() == 1 ? roots[0] : at::Tensor());
        watching->graphs.afterBackward(*watching.operator->(), seen);
        watching->record.addReached("backward", seen.stack);
      }
    }
  } after{depth, seen, roots};
  return call();
}

} // namespace

void at::Tensor::_backward(TensorList inputs, const std::optional<Tensor> &gradient,
                           std::optional<bool> keep_graph, bool create_graph) const {
  static auto *const real = nextAs<void(const Tensor *, TensorList, const std::optional<Tensor> &,
                                        std::optional<bool>, bool)>(next());
  differentiate({*this}, keep_graph, create_graph,
                [&] { real(this, inputs, gradient, keep_graph, create_graph); });
}

void torch::autograd::backward(const variable_list &tensors, const variable_list &grad_tensors,
                               std::optional<bool> retain_graph, bool create_graph,
                               const variable_list &inputs) {
  static auto *const real = nextAs<decltype(torch::autograd::backward)>(next());
  differentiate(tensors, retain_graph, create_graph,
                [&] { real(tensors, grad_tensors, retain_graph, create_graph, inputs); });
}

torch::autograd::variable_list torch::autograd::grad(const variable_list &outputs,
                                                     const variable_list &inputs,
                                                     const variable_list &grad_outputs,
                                                     std::optional<bool> retain_graph,
                                                     bool create_graph, bool allow_unused) {
  static auto *const real = nextAs<decltype(torch::autograd::grad)>(next());
  return differentiate(outputs, retain_graph, create_graph, [&] {
    return real(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused);
  });
}

// ---- optimizers --------------------------------------------------------------------------------

namespace {

/// What is given to step() may compute gradients.
torch::optim::Optimizer::LossClosure observed(torch::optim::Optimizer::LossClosure closure) {
  if (!closure)
    return closure;
  return [closure = std::move(closure)] {
    const int steps = std::exchange(thread().steps, 0); // Its operations are the program's.
    at::Tensor loss = closure();
    thread().steps = steps;
    return loss;
  };
}

template <typename Self>
at::Tensor step(Self &self, torch::optim::Optimizer::LossClosure closure, void *found) {
  auto *const real = nextAs<at::Tensor(Self *, torch::optim::Optimizer::LossClosure)>(found);
  const bool hasClosure = static_cast<bool>(closure);
  const Depth depth(thread().steps);
  if (const Watching watching; watching) {
    if (hasClosure)
      watching->training.onClosure(*watching.operator->(), true);
    else
      watching->training.beforeStep(*watching.operator->(), self);
  }
  at::Tensor loss = real(&self, observed(std::move(closure)));
  if (const Watching watching; watching) {
    if (hasClosure)
      watching->training.onClosure(*watching.operator->(), false);
    watching->training.afterStep(*watching.operator->(), self);
    watching->graphs.onStep(*watching.operator->());
    watching->operations.onStep(*watching.operator->());
    watching->values.onStep();
  }
  return loss;
}

} // namespace

namespace torch::optim {

Tensor SGD::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }
Tensor Adam::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }
Tensor AdamW::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }
Tensor Adagrad::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }
Tensor RMSprop::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }
Tensor LBFGS::step(LossClosure closure) { return ::step(*this, std::move(closure), next()); }

void Optimizer::zero_grad(bool set_to_none) {
  static auto *const real = nextAs<void(Optimizer *, bool)>(next());
  const Depth depth(thread().clears);
  if (const Watching watching; watching) {
    std::vector<Tensor> all;
    for (auto &group : param_groups())
      all.insert(all.end(), group.params().begin(), group.params().end());
    watching->training.onClear(*watching.operator->(), this, all);
  }
  real(this, set_to_none);
}

void Optimizer::add_param_group(const OptimizerParamGroup &param_group) {
  static auto *const real = nextAs<void(Optimizer *, const OptimizerParamGroup &)>(next());
  const bool isFirst = param_groups().empty();
  if (const Watching watching; watching)
    watching->training.onParameterGroup(*watching.operator->(), *this, isFirst,
                                        param_group.params());
  real(this, param_group);
}

} // namespace torch::optim

namespace {

template <typename Self>
void save(const Self &self, torch::serialize::OutputArchive &archive, void *found) {
  auto *const real = nextAs<void(const Self *, torch::serialize::OutputArchive &)>(found);
  if (const Watching watching; watching)
    watching->training.onOptimizerSaved(self);
  const Depth depth(thread().serializations);
  real(&self, archive);
}

} // namespace

namespace torch::optim {

using Archive = serialize::OutputArchive;
void Optimizer::save(Archive &archive) const { ::save(*this, archive, next()); }
void SGD::save(Archive &archive) const { ::save(*this, archive, next()); }
void Adam::save(Archive &archive) const { ::save(*this, archive, next()); }
void AdamW::save(Archive &archive) const { ::save(*this, archive, next()); }
void Adagrad::save(Archive &archive) const { ::save(*this, archive, next()); }
void RMSprop::save(Archive &archive) const { ::save(*this, archive, next()); }
void LBFGS::save(Archive &archive) const { ::save(*this, archive, next()); }

void LRScheduler::step() {
  static auto *const real = nextAs<void(LRScheduler *)>(next());
  if (const Watching watching; watching)
    watching->training.onSchedulerStep(this);
  real(this);
}

} // namespace torch::optim

// ---- archives ----------------------------------------------------------------------------------

void torch::serialize::OutputArchive::write(const std::string &key, const Tensor &tensor,
                                            bool is_buffer) {
  static auto *const real =
      nextAs<void(OutputArchive *, const std::string &, const Tensor &, bool)>(next());
  if (thread().serializations == 0)
    if (const Watching watching; watching)
      watching->training.onWrite(tensor);
  real(this, key, tensor, is_buffer);
}

void torch::serialize::OutputArchive::save_to(const std::string &filename) {
  static auto *const real = nextAs<void(OutputArchive *, const std::string &)>(next());
  if (const Watching watching; watching)
    watching->training.onFile(*watching.operator->(), filename);
  real(this, filename);
}

// ---- modules -----------------------------------------------------------------------------------

namespace torch::nn {

Tensor &Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  static auto *const real = nextAs<Tensor &(Module *, std::string, Tensor, bool)>(next());
  if (const Watching watching; watching)
    watching->training.onRegister(*this, tensor, false);
  return real(this, std::move(name), std::move(tensor), requires_grad);
}

Tensor &Module::register_buffer(std::string name, Tensor tensor) {
  static auto *const real = nextAs<Tensor &(Module *, std::string, Tensor)>(next());
  if (const Watching watching; watching)
    watching->training.onRegister(*this, tensor, true);
  return real(this, std::move(name), std::move(tensor));
}

std::vector<Tensor> Module::parameters(bool recurse) const {
  static auto *const real = nextAs<std::vector<Tensor>(const Module *, bool)>(next());
  std::vector<Tensor> all = real(this, recurse);
  if (const Watching watching; watching)
    watching->training.onParameters(all, recurse && !children().empty());
  return all;
}

void Module::train(bool on) {
  static auto *const real = nextAs<void(Module *, bool)>(next());
  const Depth depth(thread().modes);
  if (depth.isOutermost())
    if (const Watching watching; watching)
      watching->training.onMode(*this, on);
  real(this, on);
}

void Module::zero_grad(bool set_to_none) {
  static auto *const real = nextAs<void(Module *, bool)>(next());
  const Depth depth(thread().clears);
  if (depth.isOutermost())
    if (const Watching watching; watching) {
      const std::vector<Tensor> all = parameters();
      watching->training.onParameters(all, !children().empty());
      watching->training.onClear(*watching.operator->(), nullptr, all);
    }
  real(this, set_to_none);
}

void Module::save(serialize::OutputArchive &archive) const {
  static auto *const real = nextAs<void(const Module *, serialize::OutputArchive &)>(next());
  const Depth depth(thread().serializations);
  if (depth.isOutermost())
    if (const Watching watching; watching)
      watching->training.onSave(*watching.operator->(), *this);
  real(this, archive);
}

void Module::load(serialize::InputArchive &archive) {
  static auto *const real = nextAs<void(Module *, serialize::InputArchive &)>(next());
  const Depth depth(thread().serializations);
  if (depth.isOutermost())
    if (const Watching watching; watching)
      watching->training.onLoad(*this);
  real(this, archive);
}

Tensor DropoutImpl::forward(Tensor input) {
  static auto *const real = nextAs<Tensor(DropoutImpl *, Tensor)>(next());
  const bool before = std::exchange(thread().inDropoutModule, true);
  Tensor output = real(this, std::move(input));
  thread().inDropoutModule = before;
  return output;
}

namespace init {

Tensor constant_(Tensor tensor, Scalar value) {
  static auto *const real = nextAs<Tensor(Tensor, Scalar)>(next());
  if (const Watching watching; watching)
    watching->training.onInitialize(tensor);
  return real(std::move(tensor), std::move(value));
}

Tensor ones_(Tensor tensor) {
  static auto *const real = nextAs<Tensor(Tensor)>(next());
  if (const Watching watching; watching)
    watching->training.onInitialize(tensor);
  return real(std::move(tensor));
}

} // namespace init
} // namespace torch::nn

// ---- loaders -----------------------------------------------------------------------------------

namespace torch::data::samplers {

namespace {

std::optional<std::vector<size_t>> drawn(gradtidy::watch::Sampler kind, void *self,
                                         std::optional<std::vector<size_t>> indices) {
  if (const Watching watching; watching)
    watching->loaders.onNext(*watching.operator->(), kind, self, indices);
  return indices;
}

void onReset(const void *self) {
  if (const Watching watching; watching)
    watching->loaders.onReset(self);
}

} // namespace

void SequentialSampler::reset(std::optional<size_t> new_size) {
  static auto *const real = nextAs<void(SequentialSampler *, std::optional<size_t>)>(::next());
  onReset(this);
  real(this, new_size);
}

std::optional<std::vector<size_t>> SequentialSampler::next(size_t batch_size) {
  static auto *const real =
      nextAs<std::optional<std::vector<size_t>>(SequentialSampler *, size_t)>(::next());
  return drawn(gradtidy::watch::Sampler::Sequential, this, real(this, batch_size));
}

void RandomSampler::reset(std::optional<size_t> new_size) {
  static auto *const real = nextAs<void(RandomSampler *, std::optional<size_t>)>(::next());
  onReset(this);
  real(this, new_size);
}

std::optional<std::vector<size_t>> RandomSampler::next(size_t batch_size) {
  static auto *const real =
      nextAs<std::optional<std::vector<size_t>>(RandomSampler *, size_t)>(::next());
  return drawn(gradtidy::watch::Sampler::Random, this, real(this, batch_size));
}

void DistributedRandomSampler::reset(std::optional<size_t> new_size) {
  static auto *const real =
      nextAs<void(DistributedRandomSampler *, std::optional<size_t>)>(::next());
  onReset(this);
  real(this, new_size);
}

std::optional<std::vector<size_t>> DistributedRandomSampler::next(size_t batch_size) {
  static auto *const real =
      nextAs<std::optional<std::vector<size_t>>(DistributedRandomSampler *, size_t)>(::next());
  return drawn(gradtidy::watch::Sampler::DistributedRandom, this, real(this, batch_size));
}

} // namespace torch::data::samplers

// ---- constructors ------------------------------------------------------------------------------

// A constructor that is defined here would have to do all that LibTorch's does. So these are
// functions of the constructors' names, which have LibTorch's constructor make the object.
extern "C" {

void watchSequentialSampler(void *self,
                            size_t size) asm("_ZN5torch4data8samplers17SequentialSamplerC1Em");
void watchRandomSampler(void *self, int64_t size, c10::ScalarType type) asm(
    "_ZN5torch4data8samplers13RandomSamplerC1ElN3c1010ScalarTypeE");
void watchDistributedRandomSampler(void *self, size_t size, size_t replicas, size_t rank,
                                   bool duplicates) asm("_ZN5torch4data8samplers24DistributedRandom"
                                                        "SamplerC1Emmmb");
void watchScheduler(void *self, torch::optim::Optimizer &optimizer) asm(
    "_ZN5torch5optim11LRSchedulerC2ERNS0_9OptimizerE");
void watchAnomalyGuard(void *self, bool checks) asm("_ZN5torch8autograd18DetectAnomalyGuardC1Eb");
void watchAnomalyGuardEnd(void *self) asm("_ZN5torch8autograd18DetectAnomalyGuardD1Ev");

void watchSequentialSampler(void *self, size_t size) {
  static auto *const real = nextAs<void(void *, size_t)>(next());
  if (const Watching watching; watching)
    watching->loaders.onMade(gradtidy::watch::Sampler::Sequential, size);
  real(self, size);
}

void watchRandomSampler(void *self, int64_t size, c10::ScalarType type) {
  static auto *const real = nextAs<void(void *, int64_t, c10::ScalarType)>(next());
  if (const Watching watching; watching)
    watching->loaders.onMade(gradtidy::watch::Sampler::Random, static_cast<size_t>(size));
  real(self, size, type);
}

void watchDistributedRandomSampler(void *self, size_t size, size_t replicas, size_t rank,
                                   bool duplicates) {
  static auto *const real = nextAs<void(void *, size_t, size_t, size_t, bool)>(next());
  if (const Watching watching; watching)
    watching->loaders.onMade(gradtidy::watch::Sampler::DistributedRandom, size);
  real(self, size, replicas, rank, duplicates);
}

void watchScheduler(void *self, torch::optim::Optimizer &optimizer) {
  static auto *const real = nextAs<void(void *, torch::optim::Optimizer &)>(next());
  if (const Watching watching; watching)
    watching->training.onScheduler(self, optimizer);
  real(self, optimizer);
}

void watchAnomalyGuard(void *self, bool checks) {
  static auto *const real = nextAs<void(void *, bool)>(next());
  if (const Watching watching; watching)
    watching->operations.onAnomalyGuard(self, true, *watching.operator->());
  real(self, checks);
}

void watchAnomalyGuardEnd(void *self) {
  static auto *const real = nextAs<void(void *)>(next());
  if (const Watching watching; watching)
    watching->operations.onAnomalyGuard(self, false, *watching.operator->());
  real(self);
}

} // extern "C"

// ---- processes that train together -------------------------------------------------------------

namespace {

using Work = c10::intrusive_ptr<c10::intrusive_ptr_target>;

Work reduce(void *self, std::vector<at::Tensor> &tensors, const void *options, void *found) {
  auto *const real = nextAs<Work(void *, std::vector<at::Tensor> &, const void *)>(found);
  if (const Watching watching; watching)
    watching->training.onAllReduce(tensors);
  return real(self, tensors, options);
}

} // namespace

// By their names, as LibTorch is built without some of them.
Work watchGloo(void *self, std::vector<at::Tensor> &tensors, const void *options) asm(
    "_ZN4c10d16ProcessGroupGloo9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_16AllreduceOptionsE");
Work watchNccl(void *self, std::vector<at::Tensor> &tensors, const void *options) asm(
    "_ZN4c10d16ProcessGroupNCCL9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_16AllreduceOptionsE");
Work watchMpi(void *self, std::vector<at::Tensor> &tensors, const void *options) asm(
    "_ZN4c10d15ProcessGroupMPI9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_16AllreduceOptionsE");

Work watchGloo(void *self, std::vector<at::Tensor> &tensors, const void *options) {
  return reduce(self, tensors, options, next());
}
Work watchNccl(void *self, std::vector<at::Tensor> &tensors, const void *options) {
  return reduce(self, tensors, options, next());
}
Work watchMpi(void *self, std::vector<at::Tensor> &tensors, const void *options) {
  return reduce(self, tensors, options, next());
}

// ---- guards, tensors and errors ----------------------------------------------------------------

void c10::GradMode::set_enabled(bool enabled) {
  static auto *const real = nextAs<void(bool)>(next());
  // LibTorch's own guards are many.
  if (!isLibraryCode(__builtin_return_address(0)))
    if (const Watching watching; watching)
      watching->graphs.onGradMode(*watching.operator->(), enabled,
                                  enabled ? gradtidy::watch::Stack()
                                          : gradtidy::watch::Stack::capture());
  real(enabled);
}

const at::Tensor &c10::TensorImpl::grad() const {
  static auto *const real = nextAs<const at::Tensor &(const TensorImpl *)>(next());
  if (!isLibraryCode(__builtin_return_address(0)))
    if (const Watching watching; watching)
      watching->training.onGradientRead(this);
  return real(this);
}

at::Tensor &c10::TensorImpl::mutable_grad() {
  static auto *const real = nextAs<at::Tensor &(TensorImpl *)>(next());
  if (!isLibraryCode(__builtin_return_address(0)))
    if (const Watching watching; watching)
      watching->training.onGradientRead(this);
  return real(this);
}

const at::TensorBase &at::TensorBase::requires_grad_(bool requires_grad) const {
  static auto *const real = nextAs<const TensorBase &(const TensorBase *, bool)>(next());
  if (requires_grad && !isLibraryCode(__builtin_return_address(0)))
    if (const Watching watching; watching)
      watching->training.onRequiresGrad(at::Tensor(*this));
  return real(this, requires_grad);
}

at::Tensor at::TensorMaker::make_tensor() {
  static auto *const real = nextAs<Tensor(TensorMaker *)>(next());
  at::Tensor result = real(this);
  if (!isLibraryCode(__builtin_return_address(0)))
    if (const Watching watching; watching)
      watching->operations.onFromBlob(*watching.operator->(), result);
  return result;
}

void at::autocast::clear_cache() {
  static auto *const real = nextAs<void()>(next());
  if (const Watching watching; watching)
    watching->operations.onClearedCastCache();
  real();
}

void c10::detail::torchCheckFail(const char *func, const char *file, uint32_t line,
                                 const std::string &msg) {
  static auto *const real =
      nextAs<void(const char *, const char *, uint32_t, const std::string &)>(next());
  if (const Watching watching; watching)
    watching->operations.onError(*watching.operator->(), msg, gradtidy::watch::Stack::capture());
  real(func, file, line, msg);
  std::abort(); // It has thrown.
}

void c10::detail::torchCheckFail(const char *func, const char *file, uint32_t line,
                                 const char *msg) {
  static auto *const real =
      nextAs<void(const char *, const char *, uint32_t, const char *)>(next());
  if (const Watching watching; watching)
    watching->operations.onError(*watching.operator->(), msg, gradtidy::watch::Stack::capture());
  real(func, file, line, msg);
  std::abort(); // It has thrown.
}

// ---- threads -----------------------------------------------------------------------------------

namespace {

struct Start {
  void *(*routine)(void *);
  void *argument;
};

void *startWithoutGrad(void *given) {
  const std::unique_ptr<Start> start(static_cast<Start *>(given));
  thread().startedWithoutGrad = true;
  return start->routine(start->argument);
}

} // namespace

extern "C" int pthread_create(pthread_t *result, const pthread_attr_t *attributes,
                              void *(*routine)(void *), void *argument) noexcept {
  static auto *const real =
      nextAs<int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)>(next());
  if (thread().isWatching || at::GradMode::is_enabled())
    return real(result, attributes, routine, argument);
  auto *start = new Start{routine, argument};
  const int error = real(result, attributes, startWithoutGrad, start);
  if (error)
    delete start;
  return error;
}
