// LibTorch's header of this name: <torch/torch.h> has it all but the flags, which are CUDA's.
#pragma once

#include <torch/torch.h>

#ifndef cudaEventDefault
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#endif
