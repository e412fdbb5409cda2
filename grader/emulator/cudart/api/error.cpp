// Error handling.
#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

// This thread looks at the errors of its calls.
void looked() {
  if (Runtime* runtime = Runtime::made()) runtime->failed_calls.looked();
}

}  // namespace

extern "C" {

// Both return the last error of this thread's earlier calls, whether the context is lost or not: an H200
// returns 719 once and then success, while every call that needs the context keeps failing.
cudaError_t cudaGetLastError() {
  looked();
  const cudaError_t code = last_error();
  set_last_error(cudaSuccess);
  return code;
}

cudaError_t cudaPeekAtLastError() {
  looked();
  return last_error();
}

const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }
const char* cudaGetErrorString(cudaError_t error) { return error_text(error); }

}  // extern "C"
