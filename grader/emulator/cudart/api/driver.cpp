// Entry points of the driver API (libcuda.so.1), which the emulator does not have: each requested name is
// reported as absent, as an older driver does.
#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

cudaError_t absent(const char* name, const char* symbol, void** function,
                   cudaDriverEntryPointQueryResult* status) {
  return call<Needs::nothing>(name, [&](Runtime&) {
    require(symbol != nullptr && function != nullptr, cudaErrorInvalidValue);
    *function = nullptr;
    // Without `status`, the returned error alone reports the failure.
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
