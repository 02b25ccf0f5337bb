// Where tensors are and go, and how findings speak of that.
#pragma once

#include "Check.h"

namespace gradtidy {

/// "the CPU", "'device'", "GPU 1", "the module's device".
std::string nameOf(const Visit &visit, Device device);

/// How the device can be written where the event stands; empty if it cannot.
std::string spellingOf(const Visit &visit, Device device);

/// What tells the device that \p move goes to, or null.
const Operand *targetOf(const Event &move);

/// Whether \p target, which the event moves to, may be a GPU.
bool mayBeGpu(const Visit &visit, const Operand &target);

/// The same, or nobody knows where it is, as of a tensor that somebody hands over, and modules get
/// to a GPU.
bool mayGoToGpu(const Visit &visit, const Operand &target);

/// Whether \p function takes the GPU only if there is one, and something else if not.
bool choosesDevice(const FunctionBody &function);

/// The same, and it has a name for the one that it takes.
bool keepsChosenDevice(const FunctionBody &function);

/// Whether the function of the event asks once more what \p device was chosen by:
/// `Device device(useGpu ? kCUDA : kCPU); … if (useGpu) x = x.cpu();`
bool asksLikeChoice(const Visit &visit, Device device);

/// Whether a caller of the visited function takes it only then.
bool isChosenByCaller(const Visit &visit);

/// Whether it is where the module whose method runs is.
bool isOwnDevice(const Visit &visit, Device device);

/// Whether a tensor made on the CPU by the forward pass of a module meets what is wherever that
/// module is.
bool isOfOwnModule(const Visit &visit, const Clash &clash);

} // namespace gradtidy
