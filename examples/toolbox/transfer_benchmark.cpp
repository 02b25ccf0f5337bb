// transfer_benchmark [PLOT.svg]: the bandwidth between host and device.
#include <gradtidy/TransferBenchmark.h>
#include <torch/torch.h>

#include <iostream>

int main(int count, char **arguments) {
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU, 0);
  const auto results = gradtidy::benchmarkTransfers(device);
  std::cout << gradtidy::transferTable(results);
  if (count > 1)
    gradtidy::writeFile(arguments[1], gradtidy::transferPlot(results));
}
