#include "Layers.h"
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
  weight = register_parameter("weight", empty({options.num_embeddings(), options.embedding_dim()}));
  reset_parameters();
}

void EmbeddingImpl::reset_parameters() { init::normal_(weight); }

void EmbeddingImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim() << ")";
}

void IdentityImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Identity()"; }

void FlattenImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Flatten(start_dim=" << options.start_dim()
         << ", end_dim=" << options.end_dim() << ")";
}

void SequentialImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::Sequential"; }
void FunctionalImpl::pretty_print(std::ostream &stream) const {
  stream << "torch::nn::Functional()";
}
void ModuleListImpl::pretty_print(std::ostream &stream) const { stream << "torch::nn::ModuleList"; }

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
