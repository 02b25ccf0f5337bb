// Guesses from the words in names that users choose: what a function or a variable may be about.
// They may lower the level of a finding or hold it back, not raise it, but where their comments say
// so. What the names of a framework mean is said by its model (analyzer/model), and no guess.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace gradtidy::words {

/// The method by which modules compute, in every framework (docs/models.md).
constexpr llvm::StringLiteral forward = "forward";
bool isForward(llvm::StringRef name);
/// Whether it may be one: `forward_features`.
bool speaksOfForward(llvm::StringRef name);

/// Whether a data member of that name may say whether its module is in training mode: `m_training`.
bool isModeFlag(llvm::StringRef name);
/// Whether a number of that name may stand for a mode, or change with it: `phase`.
bool speaksOfMode(llvm::StringRef name);
/// Whether a function or class of that name may draw samples of a model on purpose: `mc_dropout`.
bool speaksOfSampling(llvm::StringRef name);
/// Whether a function of that name may evaluate a model with its dropout on purpose.
bool speaksOfActiveDropout(llvm::StringRef name);

/// Whether a variable of that name is there to wait for the GPU, or for nothing.
bool speaksOfWaiting(llvm::StringRef name);
/// Whether a variable of that name is not meant to be used.
bool speaksOfNoUse(llvm::StringRef name);
/// Whether the text, such as the name of a macro, says that code is for debugging.
bool speaksOfDebugging(llvm::StringRef text);
/// Whether a function of that name may log numbers.
bool speaksOfLogging(llvm::StringRef name);

/// Whether a function of that name may check something.
bool speaksOfChecking(llvm::StringRef name);
/// Whether a function or macro of that name may ask for errors of kernels: `CUDA_KERNEL_CHECK`.
bool speaksOfErrors(llvm::StringRef name);
/// Whether a function of that name may ask how a tensor lies in memory: `CHECK_CONTIGUOUS`.
bool speaksOfLayout(llvm::StringRef name);
/// Whether a class of that name may hold something while an object of it lives.
bool isGuard(llvm::StringRef name);
/// Whether a name speaks of GPUs.
bool speaksOfGpu(llvm::StringRef name);
/// Whether a function of that name may give a device, or options that name one.
bool givesDevice(llvm::StringRef name);
/// Whether a function of that name may make a GPU the current one.
bool choosesDevice(llvm::StringRef name);

/// Whether a function of that name may put samples into a random order.
bool speaksOfShuffling(llvm::StringRef name);
/// Whether a function of that name may draw random numbers.
bool speaksOfChance(llvm::StringRef name);
/// Whether a function of that name may seed what draws random numbers.
bool speaksOfSeeds(llvm::StringRef name);
/// Whether a function of that name may read or decode files.
bool speaksOfReading(llvm::StringRef name);
/// Whether a function of that name may write to a file.
bool saves(llvm::StringRef name);
/// Whether a method of that name may give one of several entries, or say how many there are. These
/// two may also raise a level: no type tells a list of the user's own.
bool givesEntry(llvm::StringRef name);
bool countsEntries(llvm::StringRef name);

/// Whether a name leads to the values of parameters: `weight`, `load`.
bool reachesValues(llvm::StringRef name);
/// Whether a function of that name may set a learning rate.
bool setsRate(llvm::StringRef name);

} // namespace gradtidy::words
