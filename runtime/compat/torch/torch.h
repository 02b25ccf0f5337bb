// The runtime under LibTorch's names: a program written for LibTorch compiles against it unchanged.
#pragma once

#include "../../Runtime.h"

namespace torch {
using namespace gradtidy::runtime;
}
namespace at {
using namespace gradtidy::runtime;
}
namespace c10 {
using namespace gradtidy::runtime;
}
