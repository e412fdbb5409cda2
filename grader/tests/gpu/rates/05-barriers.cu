// The sum of lab 05 against CUB's DeviceReduce: 0.95 of its rate.
#include "../../../../solutions/05-barriers/kernel.cu"
#include "rate.cuh"

#include <cub/device/device_reduce.cuh>

int main() {
  Rate rate;
  bool reached = true;
  for (const int n : {1 << 26, 1 << 28}) {
    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i % 16 == 0);
    const float* numbers = device_copy(host);
    float *sum = device_array<float>(1), *library_sum = device_array<float>(1);
    std::size_t needed = 0;
    cub::DeviceReduce::Sum(nullptr, needed, numbers, library_sum, n);
    char* scratch = device_array<char>(needed);
    const auto solution = [&] { sum_all<<<BLOCKS, THREADS>>>(numbers, sum, n); };
    const auto library = [&] { cub::DeviceReduce::Sum(scratch, needed, numbers, library_sum, n); };
    char what[64];
    std::snprintf(what, sizeof what, "sum of %d floats", n);
    reached = rate.compare(what, 4.0 * n, 0.95, solution, library) && reached;
    float sums[2];
    check(cudaMemcpy(&sums[0], sum, sizeof(float), cudaMemcpyDeviceToHost), "copying");
    check(cudaMemcpy(&sums[1], library_sum, sizeof(float), cudaMemcpyDeviceToHost), "copying");
    if (sums[0] != sums[1]) std::printf("the sums are %g and %g\n", static_cast<double>(sums[0]), static_cast<double>(sums[1]));
    reached = reached && sums[0] == sums[1];
    for (const void* each : {static_cast<const void*>(numbers), static_cast<const void*>(sum),
                             static_cast<const void*>(library_sum), static_cast<const void*>(scratch)})
      cudaFree(const_cast<void*>(each));
  }
  return reached ? 0 : 1;
}
