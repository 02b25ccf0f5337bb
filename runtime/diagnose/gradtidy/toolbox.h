// All tools for running programs but those that need more than LibTorch's CPU libraries
// (MemorySummary.h: CUDA's allocator; DistributedDataParallel.h: c10d).
#pragma once

#include "Autocast.h"
#include "BusyMeter.h"
#include "Checkpoint.h"
#include "DeadRelu.h"
#include "DeviceVerifier.h"
#include "DivergenceMonitor.h"
#include "GradCheck.h"
#include "GradScaler.h"
#include "GradientNorm.h"
#include "MemoryTracker.h"
#include "NanFinder.h"
#include "OverfitTinyBatch.h"
#include "PrecisionComparison.h"
#include "Profiler.h"
#include "TensorInfo.h"
#include "TransferBenchmark.h"
#include "TransferCounter.h"
