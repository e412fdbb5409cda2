//= answered
// Questions about what the emulator has not: an answer as for something unused, not an error.
#include "check.hpp"

int main() {
  unsigned long long used = 1;
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  CHECK(used == 0);

  void* function = &used;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuInit", &function, 12000, cudaEnableDefault, &found));
  CHECK(function == nullptr);
  CHECK(found == cudaDriverEntryPointSymbolNotFound);
  IS(cudaGetDriverEntryPointByVersion("cuInit", &function, 12000, cudaEnableDefault, nullptr),
     cudaErrorSymbolNotFound);

  int* managed;
  OK(cudaMallocManaged(&managed, 64));
  int place = 0;
  OK(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributePreferredLocation, managed, 64));
  CHECK(place == cudaInvalidDeviceId);
  IS(cudaMemRangeGetAttribute(&place, 3, cudaMemRangeAttributePreferredLocation, managed, 64),
     cudaErrorInvalidValue);
  std::printf("answered\n");
}
