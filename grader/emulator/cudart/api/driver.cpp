// Ways to the driver's own interface (libcuda.so.1), which the emulator has not: each asked name is told to
// be absent, as a driver tells that is older than the name.
#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

cudaError_t absent(const char* name, const char* symbol, void** function,
                   cudaDriverEntryPointQueryResult* status) {
  return call<Needs::nothing>(name, [&](Runtime&) {
    require(symbol != nullptr && function != nullptr, cudaErrorInvalidValue);
    *function = nullptr;
    // Who does not ask for the status takes the error for an answer.
    if (status == nullptr) fail(cudaErrorSymbolNotFound, "%s: the emulator has no driver interface", symbol);
    *status = cudaDriverEntryPointSymbolNotFound;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return absent(__func__, symbol, function, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult* status) {
  return absent(__func__, symbol, function, status);
}

__attribute__((visibility("default"))) cudaError_t cudaGetDriverEntryPoint_ptsz(
    const char* symbol, void** function, unsigned long long, cudaDriverEntryPointQueryResult* status) {
  return absent(__func__, symbol, function, status);
}

}  // extern "C"

PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion)
