// LibTorch's header of this name: <torch/torch.h> has it all.
#pragma once

#include <torch/torch.h>
