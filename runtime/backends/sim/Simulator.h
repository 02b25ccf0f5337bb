// Simulated devices: accelerators for machines that have none, on which the same mistakes show.
//
// What is real: results; memory that the host cannot touch and that runs out; that kernels and
// asynchronous copies happen later than the call, in the order of their streams. What is
// simulated: time. A clock for the host and one for each stream advance by what launches, kernels
// and copies would take by the figures of Model, and not by what they take here, so a program
// measures the same on every machine and in every run. Work of the host itself takes no time.
//
// A kernel waits in a queue until the host's clock has passed its end, or until the host waits for
// it: only then it is executed, in the thread that waits. Work is executed in the order in which
// it ends, so whatever depends on something, by a stream or an event, comes after it.
#pragma once

#include "../../core/Backend.h"

#include <vector>

namespace gradtidy::runtime {

/// The figures of a simulated device, roughly those of a data centre card.
struct SimulatedModel {
  static constexpr double launchSeconds = 5e-6;     // of the host, for each call
  static constexpr double kernelSeconds = 2e-6;     // of the device, for each kernel
  static constexpr double memoryBandwidth = 1.5e12; // bytes a second
  static constexpr double arithmetic = 2e13;        // operations a second
  static constexpr double copySeconds = 1e-5;       // for each copy
  static constexpr double driverSeconds = 2e-5;     // of the host, to get memory or give it back
  static constexpr double pinnedBandwidth = 2.4e10; // between host and device
  static constexpr double pageableBandwidth = 6e9;  // which the host's processor limits
  static constexpr double peerBandwidth = 5e10;     // between devices
  static constexpr std::size_t queueLength = 1024;  // calls that may wait; then the host does
};

/// GRADTIDY_SIM_DEVICES devices (2 by default) with GRADTIDY_SIM_MEMORY bytes each (4 GiB).
std::vector<std::unique_ptr<Accelerator>> makeSimulatedDevices();

enum class CudaError : int;

bool isSimulated(const Accelerator &device);
/// What a kernel of a device failed of; success where none has, or where it is not simulated.
CudaError simulatedFailure(DeviceIndex device);
/// Memory of a simulated device that the program gets from its driver, past the cache; null where
/// there is not enough.
void *acquireOfSimulated(Accelerator &device, std::size_t bytes);
/// Gives it back when the device has done all its work. False where the program has not got it.
bool giveBackToSimulated(Accelerator &device, void *memory);
/// The size of the block of memory of a simulated device in which this address is.
std::size_t blockSizeOfSimulated(Accelerator &device, const void *address);
/// Queues a kernel of the program's own in a stream of a simulated device.
void launchOnSimulated(Accelerator &device, StreamId stream, Work work,
                       std::function<void()> kernel);

/// The simulated time of the host in seconds since the program's start.
double simulatedHostTime();

} // namespace gradtidy::runtime
