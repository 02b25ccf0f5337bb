// The words by which options choose among a few ways: torch::kMean, torch::kReflect, ...
#pragma once

#include <string>
#include <type_traits>
#include <variant>

namespace gradtidy::runtime {

#define GRADTIDY_WORD(Name)                                                                        \
  namespace enumtype {                                                                             \
  struct Name {                                                                                    \
    static constexpr const char *name = #Name;                                                     \
  };                                                                                               \
  }                                                                                                \
  inline constexpr enumtype::Name Name{};
GRADTIDY_WORD(kNone)
GRADTIDY_WORD(kMean)
GRADTIDY_WORD(kSum)
GRADTIDY_WORD(kMax)
GRADTIDY_WORD(kBatchMean)
GRADTIDY_WORD(kReLU)
GRADTIDY_WORD(kGELU)
GRADTIDY_WORD(kSiLU)
GRADTIDY_WORD(kTanh)
GRADTIDY_WORD(kSigmoid)
GRADTIDY_WORD(kLinear)
GRADTIDY_WORD(kLeakyReLU)
GRADTIDY_WORD(kConv1D)
GRADTIDY_WORD(kConv2D)
GRADTIDY_WORD(kConv3D)
GRADTIDY_WORD(kConvTranspose1D)
GRADTIDY_WORD(kConvTranspose2D)
GRADTIDY_WORD(kConvTranspose3D)
GRADTIDY_WORD(kFanIn)
GRADTIDY_WORD(kFanOut)
GRADTIDY_WORD(kConstant)
GRADTIDY_WORD(kZeros)
GRADTIDY_WORD(kBorder)
GRADTIDY_WORD(kReflection)
GRADTIDY_WORD(kReflect)
GRADTIDY_WORD(kReplicate)
GRADTIDY_WORD(kCircular)
GRADTIDY_WORD(kNearest)
GRADTIDY_WORD(kNearestExact)
GRADTIDY_WORD(kBilinear)
GRADTIDY_WORD(kBicubic)
GRADTIDY_WORD(kTrilinear)
GRADTIDY_WORD(kArea)
GRADTIDY_WORD(kValid)
GRADTIDY_WORD(kSame)
GRADTIDY_WORD(kLSTM)
GRADTIDY_WORD(kGRU)
GRADTIDY_WORD(kRNN_RELU)
GRADTIDY_WORD(kRNN_TANH)
#undef GRADTIDY_WORD

namespace enumtype {

/// "kMean"
template <class Words> std::string get_enum_name(const Words &word) {
  return std::visit([](auto chosen) { return std::string(chosen.name); }, word);
}

} // namespace enumtype

} // namespace gradtidy::runtime
