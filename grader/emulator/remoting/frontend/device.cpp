// Streams, events, the device and errors.
#include <map>
#include <mutex>

#include "remoting/frontend/connection.hpp"

using namespace warpgrade::remoting;

namespace {

// Programs keep the pointers.
const char* text_of(ApiFunction function, cudaError_t code, const void* caller) {
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<ApiFunction, cudaError_t>, std::string>;
  const std::lock_guard lock(mutex);
  auto [entry, fresh] = known->try_emplace({function, code});
  if (fresh) ask(function, caller, arguments(code), entry->second);
  return entry->second.c_str();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return remote(ApiFunction::cudaStreamCreate, CALLER, arguments(), stream);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return remote(ApiFunction::cudaStreamCreateWithFlags, CALLER, arguments(flags), stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return remote(ApiFunction::cudaStreamCreateWithPriority, CALLER, arguments(flags, priority), stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return remote(ApiFunction::cudaStreamDestroy, CALLER, arguments(stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return remote(ApiFunction::cudaStreamSynchronize, CALLER, arguments(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return remote(ApiFunction::cudaStreamQuery, CALLER, arguments(stream));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return remote(ApiFunction::cudaStreamWaitEvent, CALLER, arguments(stream, event, flags));
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return remote(ApiFunction::cudaStreamIsCapturing, CALLER, arguments(stream), status);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return remote(ApiFunction::cudaEventCreate, CALLER, arguments(), event);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return remote(ApiFunction::cudaEventCreateWithFlags, CALLER, arguments(flags), event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return remote(ApiFunction::cudaEventDestroy, CALLER, arguments(event));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return remote(ApiFunction::cudaEventRecord, CALLER, arguments(event, stream));
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return remote(ApiFunction::cudaEventRecord, CALLER, arguments(event, stream));
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return remote(ApiFunction::cudaEventQuery, CALLER, arguments(event));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return remote(ApiFunction::cudaEventSynchronize, CALLER, arguments(event));
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return remote(ApiFunction::cudaEventElapsedTime, CALLER, arguments(start, end), milliseconds);
}

cudaError_t cudaDeviceSynchronize() {
  return remote(ApiFunction::cudaDeviceSynchronize, CALLER, arguments());
}
cudaError_t cudaDeviceReset() { return remote(ApiFunction::cudaDeviceReset, CALLER, arguments()); }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return remote(ApiFunction::cudaDeviceGetDefaultMemPool, CALLER, arguments(device), pool);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  if (value == nullptr) return failed(cudaErrorInvalidValue);
  const bool is_switch = which == cudaMemPoolReuseFollowEventDependencies ||
                         which == cudaMemPoolReuseAllowOpportunistic ||
                         which == cudaMemPoolReuseAllowInternalDependencies;
  const std::uint64_t wanted = is_switch ? static_cast<std::uint64_t>(*static_cast<const int*>(value))
                                         : *static_cast<const std::uint64_t*>(value);
  return remote(ApiFunction::cudaMemPoolSetAttribute, CALLER, arguments(pool, which, wanted));
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  return remote(ApiFunction::cudaMemPoolTrimTo, CALLER, arguments(pool, bytes));
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return remote(ApiFunction::cudaDeviceGetAttribute, CALLER, arguments(which, device), value);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return remote(ApiFunction::cudaDeviceGetStreamPriorityRange, CALLER, arguments(), least, greatest);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return remote(ApiFunction::cudaGetDeviceProperties, CALLER, arguments(device), properties);
}
cudaError_t cudaGetDeviceCount(int* count) {
  return remote(ApiFunction::cudaGetDeviceCount, CALLER, arguments(), count);
}
cudaError_t cudaGetDevice(int* device) {
  return remote(ApiFunction::cudaGetDevice, CALLER, arguments(), device);
}
cudaError_t cudaSetDevice(int device) {
  return remote(ApiFunction::cudaSetDevice, CALLER, arguments(device));
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return remote(ApiFunction::cudaRuntimeGetVersion, CALLER, arguments(), version);
}
cudaError_t cudaDriverGetVersion(int* version) {
  return remote(ApiFunction::cudaDriverGetVersion, CALLER, arguments(), version);
}

cudaError_t cudaGetLastError() {
  const cudaError_t code = last_error();
  set_last_error(cudaSuccess);
  return code;
}
cudaError_t cudaPeekAtLastError() { return last_error(); }
const char* cudaGetErrorName(cudaError_t code) { return text_of(ApiFunction::error_name, code, CALLER); }
const char* cudaGetErrorString(cudaError_t code) { return text_of(ApiFunction::error_text, code, CALLER); }

}  // extern "C"
#pragma GCC visibility pop
