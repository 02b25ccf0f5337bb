#include "Layers.h"
#include "../autograd/Autocast.h"
#include "../core/Shape.h"
#include "../ops/Factories.h"
#include "AnyModule.h"
#include "Containers.h"
#include "Init.h"

#include <cmath>
#include <ostream>

namespace gradtidy::runtime::nn {
namespace {

const char *word(bool value) { return value ? "true" : "false"; }

} // namespace

LinearImpl::LinearImpl(const LinearOptions &options) : options(options) { reset(); }

void LinearImpl::reset() {
  weight = register_parameter("weight", empty({options.out_features(), options.in_features()}));
  bias = options.bias() ? register_parameter("bias", empty(options.out_features()))
                        : register_parameter("bias", {}, false);
  reset_parameters();
}

void LinearImpl::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5));
  if (bias.defined()) {
    double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
    init::uniform_(bias, -bound, bound);
  }
}

void LinearImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features() << ", bias=" << word(options.bias()) << ")";
}

EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions &options) : options(options) { reset(); }

void EmbeddingImpl::reset() {
  if (auto &padding = options.padding_idx(); padding) {
    int64_t count = options.num_embeddings();
    TORCH_CHECK(*padding < count && *padding >= -count,
                "Padding_idx must be within num_embeddings");
    if (*padding < 0)
      padding = *padding + count;
  }
  DimVector shape{options.num_embeddings(), options.embedding_dim()};
  if (options._weight().defined()) {
    TORCH_CHECK(options._weight().sizes() == IntArrayRef(shape),
                "Shape of _weight does not match num_embeddings and embedding_dim");
    weight = register_parameter("weight", options._weight());
    return;
  }
  weight = register_parameter("weight", runtime::empty(shape));
  reset_parameters();
}

void EmbeddingImpl::reset_parameters() {
  init::normal_(weight);
  if (options.padding_idx()) {
    NoGradGuard guard;
    weight[*options.padding_idx()].fill_(0);
  }
}

void EmbeddingImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.padding_idx())
    stream << ", padding_idx=" << *options.padding_idx();
  if (options.max_norm())
    stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2)
    stream << ", norm_type=" << options.norm_type();
  stream << ")";
}

Embedding Embedding::from_pretrained(const Tensor &embeddings,
                                     const EmbeddingFromPretrainedOptions &options) {
  TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  Embedding made(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                     ._weight(embeddings)
                     .padding_idx(options.padding_idx())
                     .max_norm(options.max_norm())
                     .norm_type(options.norm_type()));
  made->weight.set_requires_grad(!options.freeze());
  return made;
}

Tensor LinearImpl::factor(const Tensor &input) const {
  // LibTorch's layer multiplies by a view of its weight, of which autocast keeps no cast.
  const bool casts = autocast::is_autocast_enabled(input.device().type());
  return casts ? weight.view(weight.sizes()) : weight;
}

Tensor LinearImpl::forward(const Tensor &input) { return linear(input, factor(input), bias); }

BilinearImpl::BilinearImpl(const BilinearOptions &options) : options(options) { reset(); }

void BilinearImpl::reset() {
  weight = register_parameter(
      "weight", empty({options.out_features(), options.in1_features(), options.in2_features()}));
  bias = options.bias() ? register_parameter("bias", empty(options.out_features()))
                        : register_parameter("bias", {}, false);
  reset_parameters();
}

void BilinearImpl::reset_parameters() {
  double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  init::uniform_(weight, -bound, bound);
  if (bias.defined())
    init::uniform_(bias, -bound, bound);
}

void BilinearImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Bilinear(in1_features=" << options.in1_features()
         << ", in2_features=" << options.in2_features()
         << ", out_features=" << options.out_features() << ", bias=" << word(options.bias()) << ")";
}

void IdentityImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Identity()"; }

void Softmax2dImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Softmax2d()"; }
Tensor Softmax2dImpl::forward(const Tensor &input) {
  TORCH_CHECK(input.dim() == 4 || input.dim() == 3,
              "Softmax2d requires a 3D or 4D tensor as input");
  return softmax(input, -3);
}

void UnflattenImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Unflatten(dim=" << options.dim() << ", unflattened_size={";
  for (std::size_t i = 0; i < options.sizes().size(); ++i)
    stream << (i == 0 ? "" : ", ") << options.sizes()[i];
  stream << "})";
}

void FlattenImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Flatten(start_dim=" << options.start_dim()
         << ", end_dim=" << options.end_dim() << ")";
}

std::size_t SequentialImpl::forwardFrom(std::size_t position, AnyValue &value) {
  // Nobody sees what is between a linear layer and a GELU. That of cuBLAS is the one by tanh. Its
  // ReLU makes 0 of what is not a number, which would hide that training diverges.
  auto exactly = [&]<class M>(std::size_t i) -> M * {
    return i < size() && entries[i].type_info() == typeid(M) ? &entries[i].get<M>() : nullptr;
  };
  auto *layer = exactly.operator()<LinearImpl>(position);
  auto *gelu = layer ? exactly.operator()<GELUImpl>(position + 1) : nullptr;
  if (Tensor *x = gelu ? value.try_get<Tensor>() : nullptr;
      x && gelu->options.approximate() == "tanh") {
    value = AnyValue(linearTanhGelu(*x, layer->factor(*x), layer->bias));
    return position + 2;
  }
  value = entries[position].any_forward(std::move(value));
  return position + 1;
}

void SequentialImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Sequential"; }
void FunctionalImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Functional()";
}
void ModuleListImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::ModuleList"; }
void ModuleDictImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::ModuleDict"; }

template <class Derived>
void ParameterContainer<Derived>::pretty_print(std::ostream &stream) const {
  bool list = std::is_same_v<Derived, ParameterListImpl>;
  stream << (list ? "torch::nn::ParameterList(\n" : "torch::nn::ParameterDict(\n");
  for (const auto &entry : *this)
    stream << '(' << entry.key() << "): Parameter containing: [" << entry.value().scalar_type()
           << " of size " << toText(entry.value().sizes()) << "]\n";
  stream << ')';
}
template class ParameterContainer<ParameterListImpl>;
template class ParameterContainer<ParameterDictImpl>;

void LeakyReLUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::LeakyReLU(negative_slope=" << options.negative_slope() << ")";
}
void ELUImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::ELU(alpha=" << options.alpha() << ")";
}
void SoftplusImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Softplus(beta=" << options.beta() << ", threshold=" << options.threshold()
         << ")";
}
void SoftmaxImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Softmax(dim=" << options.dim() << ")";
}
void LogSoftmaxImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::LogSoftmax(dim=" << options.dim() << ")";
}

void ReLUImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::ReLU()"; }
void TanhImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Tanh()"; }
void SigmoidImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Sigmoid()"; }
void LogSigmoidImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::LogSigmoid()";
}
void GELUImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::GELU()"; }
void SiLUImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::SiLU()"; }
void L1LossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::L1Loss()"; }
void MSELossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::MSELoss()"; }
void SmoothL1LossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::SmoothL1Loss()";
}
void HuberLossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::HuberLoss()"; }
void BCELossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::BCELoss()"; }
void BCEWithLogitsLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::BCEWithLogitsLoss()";
}
void NLLLossImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::NLLLoss()"; }
void CrossEntropyLossImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::CrossEntropyLoss()";
}

} // namespace gradtidy::runtime::nn
