#include "remoting/backend/session.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "cudart/api/warpgrade.h"

namespace warpgrade::remoting {
namespace {

constexpr cudaError_t kFailures[] = {
#define FUNCTION(name, failure) failure,
#include "remoting/functions.def"
#undef FUNCTION
};
constexpr const char* kNames[] = {
#define FUNCTION(name, failure) #name,
#include "remoting/functions.def"
#undef FUNCTION
};
constexpr std::size_t kMostCalls = 100'000;

// False for calls that only submit work to a stream: memory does not change during such a call.
bool may_wait(ApiFunction function) {
  switch (function) {
    case ApiFunction::cudaLaunchKernel:
    case ApiFunction::cudaMemsetAsync:
    case ApiFunction::cudaEventRecord:
    case ApiFunction::cudaStreamWaitEvent:
      return false;
    default:
      return true;
  }
}

cudaError_t put_parameter_sizes(const void* kernel, MessageWriter& answer) {
  cudaFuncAttributes attributes;
  if (const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel); code != cudaSuccess) return code;
  std::size_t offset = 0, bytes = 0;
  for (std::size_t i = 0; cudaFuncGetParamInfo(kernel, i, &offset, &bytes) == cudaSuccess; ++i)
    answer.put(std::uint64_t{bytes});
  return cudaSuccess;
}

cudaError_t put_symbol_address(const void* symbol, MessageWriter& answer) {
  void* found = nullptr;
  const cudaError_t code = cudaGetSymbolAddress(&found, symbol);
  answer.put(found);
  return code;
}

}  // namespace

bool is_device_address(const void* pointer) {
  static const auto range = [] {
    void* begin = nullptr;
    std::size_t bytes = 0;
    warpgradeDeviceRange(&begin, &bytes);
    return std::pair(address(begin), std::uint64_t{bytes});
  }();
  return address(pointer) - range.first < range.second;
}

const char* name_of(ApiFunction function) { return kNames[static_cast<std::size_t>(function)]; }

CallPlace call_place(const CallRecord& call) {
  return {call.absent.empty() ? name_of(call.function) : call.absent, call.caller};
}

bool can_fail(ApiFunction function) { return kFailures[static_cast<std::size_t>(function)] != cudaSuccess; }

void ProgramSession::serve() {
  MessageHeader header;
  std::string bytes;
  while (receive(header, bytes)) {
    if (header.function >= static_cast<std::uint32_t>(ApiFunction::count)) return;
    const auto function = static_cast<ApiFunction>(header.function);
    Answer out;
    caller_ = header.caller;
    warpgradeRemoteCall(reinterpret_cast<const void*>(caller_));
    MessageReader in(bytes);
    cudaError_t code = cudaSuccess;
    try {
      if (twin_ != nullptr && function >= ApiFunction::api_count) twin_->send(header, bytes);
      code = function >= ApiFunction::api_count ? internal(function, in, out) : api_call(header, in, out);
    } catch (const std::length_error&) {  // no front end of ours wrote this
      return;
    }
    if (is_broken_) return;
    header.code = code;
    std::string answer = code == cudaSuccess ? out.out.bytes() : std::string();
    if (twin_ != nullptr) twin_->compare(function, answer);
    header.closed = put_closed_pages(answer);
    const bool sent = send_message(socket_, header, answer, out.memory);
    if (out.memory >= 0) close(out.memory);
    if (!sent) return;
  }
}

// Whether this is the planned failure. Identified by its place, because the number of earlier calls may vary:
// of other threads, or of a loop that queries whether work is done.
bool ProgramSession::is_to_fail(const CallRecord& call) {
  return fail_ && can_fail(call.function) && call_place(call) == fail_->place && turns_++ == fail_->turn;
}

cudaError_t ProgramSession::api_call(const MessageHeader& header, MessageReader& in, Answer& out) {
  const auto function = static_cast<ApiFunction>(header.function);
  if (calls_.size() >= kMostCalls) throw std::length_error("too many calls");
  CallRecord record;
  record.function = function;
  record.caller = caller_;
  record.thread = header.code;
  has_threads_ = has_threads_ || function == ApiFunction::pthread_create;
  const bool fails = is_to_fail(record);
  if (fails) {
    has_failed_ = true;
    failed_ = calls_.size();
  }
  if (!fails || fail_->works) {
    const bool looks = tracks_ && !shared_.empty() && may_wait(function);
    if (looks) look_before();
    if (twin_ != nullptr) twin_->send(header, in.all());
    record.code = answer(function, in, out, record);
    if (record.code != cudaSuccess && record.why.empty()) record.why = warpgradeWhyFailed();
    if (looks) look_after();
    const auto number = static_cast<std::int64_t>(calls_.size());
    if (record.code == cudaSuccess && record.launch != 0) launch_calls_[record.launch] = number;
    if (record.code == cudaSuccess && record.copy != 0) copy_calls_[record.copy] = number;
    record.captured = record.captured || (captures_ != 0 && is_captured(record.stream));
  }
  if (fails) record.code = kFailures[static_cast<std::size_t>(function)];
  calls_.push_back(record);
  return record.code;
}

cudaError_t ProgramSession::answer(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record) {
  switch (function) {
    case ApiFunction::cudaMalloc:
    case ApiFunction::cudaMallocManaged:
    case ApiFunction::cudaMallocHost:
    case ApiFunction::cudaHostAlloc:
      return allocate(function, in, out, record);
    case ApiFunction::cudaFree:
    case ApiFunction::cudaFreeHost:
      return release(function, in, record);
    case ApiFunction::cudaMemcpy:
    case ApiFunction::cudaMemcpyAsync:
    case ApiFunction::cudaMemcpy2D:
    case ApiFunction::cudaMemcpy2DAsync:
    case ApiFunction::cudaMemcpyToSymbol:
    case ApiFunction::cudaMemcpyToSymbolAsync:
    case ApiFunction::cudaMemcpyFromSymbol:
    case ApiFunction::cudaMemcpyFromSymbolAsync:
      return copy(function, in, out, record);
    case ApiFunction::cudaLaunchKernel:
    case ApiFunction::cudaLaunchCooperativeKernel:
      return launch(function, in, record);
    case ApiFunction::pthread_create:
    case ApiFunction::pthread_join:
      record.other = static_cast<std::uint64_t>(in.get<std::int32_t>());
      return cudaSuccess;
    case ApiFunction::absent:
      return call_absent(in, record);
    default:
      break;
  }
  if (function < ApiFunction::cudaLaunchKernel) return call_memory(function, in, out, record);
  if (function < ApiFunction::cudaStreamCreate) return call_kernels(function, in, out, record);
  if (function < ApiFunction::cudaStreamBeginCapture) return call_streams(function, in, out, record);
  if (function >= ApiFunction::cudaGraphCreate && function < ApiFunction::cudaGraphExecUpdate)
    return call_nodes(function, in, out, record);
  if (function < ApiFunction::cudaEventCreate) return call_graphs(function, in, out, record);
  if (function < ApiFunction::cudaDeviceSynchronize) return call_events(function, in, out, record);
  return call_device(function, in, out, record);
}

cudaError_t ProgramSession::allocate(ApiFunction function, MessageReader& in, Answer& out,
                                     CallRecord& record) {
  const auto bytes = in.get<std::uint64_t>();
  const auto flags = in.get<unsigned>();
  record.bytes = bytes;
  void* made = nullptr;
  const cudaError_t code = function == ApiFunction::cudaMalloc ? cudaMalloc(&made, bytes)
                           : function == ApiFunction::cudaMallocManaged
                               ? cudaMallocManaged(&made, bytes, flags)
                           : function == ApiFunction::cudaMallocHost ? cudaMallocHost(&made, bytes)
                                                                     : cudaHostAlloc(&made, bytes, flags);
  if (code != cudaSuccess) return code;
  out.out.put(made);
  record.memory = address(made);
  if (function == ApiFunction::cudaMalloc || made == nullptr) {
    out.out.put(std::uint64_t{0});
    return code;
  }
  return share(made, bytes, function != ApiFunction::cudaMallocManaged, {}, out);
}

cudaError_t ProgramSession::release(ApiFunction function, MessageReader& in, CallRecord& record) {
  auto* const pointer = in.get<void*>();
  record.memory = address(pointer);
  const auto found = shared_.find(address(pointer));
  const cudaError_t code = function == ApiFunction::cudaFree ? cudaFree(pointer) : cudaFreeHost(pointer);
  if (code != cudaSuccess || found == shared_.end()) return code;
  // The emulator's own memory again.
  mmap(pointer, found->second.extent, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  shared_.erase(found);
  return code;
}

bool ProgramSession::is_pinned(const void* pointer, std::uint64_t bytes) const {
  const auto above = shared_.upper_bound(address(pointer));
  if (above == shared_.begin()) return false;
  const auto& [base, memory] = *std::prev(above);
  const std::uint64_t offset = address(pointer) - base;
  return memory.pinned && offset < memory.bytes && bytes <= memory.bytes - offset;
}

// Whether a call that names the stream is put into a graph. After cudaStreamWaitEvent() this also holds for a
// stream that just joined.
bool ProgramSession::is_captured(std::uint64_t stream) const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return stream != 0 &&
         cudaStreamIsCapturing(reinterpret_cast<cudaStream_t>(stream), &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

cudaError_t ProgramSession::launch(ApiFunction function, MessageReader& in, CallRecord& record) {
  const auto* kernel = in.get<const void*>();
  record.grid = in.get<dim3>();
  record.block = in.get<dim3>();
  const auto shared = in.get<std::size_t>();
  const auto stream = in.get<cudaStream_t>();
  record.stream = address(stream);
  if (const auto named = kernels_.find(kernel); named != kernels_.end()) record.kernel = named->second;
  KernelArguments given;
  if (!given.read(kernel, in, exchange_)) return cudaErrorInvalidValue;
  const cudaError_t code =
      function == ApiFunction::cudaLaunchKernel
          ? cudaLaunchKernel(kernel, record.grid, record.block, given.pointers.data(), shared, stream)
          : cudaLaunchCooperativeKernel(kernel, record.grid, record.block, given.pointers.data(), shared,
                                        stream);
  if (code == cudaSuccess) record.launch = warpgradeLastLaunch();
  for (std::size_t i = 0; tracks_ && i < given.values.size(); ++i)
    origin_.sent_argument(kernel, i, given.values[i]);
  return code;
}

// The program's memory that copies of the graph read or write.
void ProgramSession::list_memory(cudaGraphExec_t executable, MessageWriter& answer) {
  for (const GraphCopy* copy : copies_of(executable))
    for (const CapturedCopy* each : copy->own)
      answer.put(each->memory).put(each->pitch).put(each->width).put(each->height).put(each->to_program);
}

cudaError_t ProgramSession::internal(ApiFunction function, MessageReader& in, Answer& out) {
  switch (function) {
    case ApiFunction::attach: {
      void* begin = nullptr;
      std::size_t bytes = 0;
      const auto code = static_cast<cudaError_t>(warpgradeDeviceRange(&begin, &bytes));
      out.out.put(begin).put(static_cast<std::uint64_t>(bytes));
      return code;
    }
    case ApiFunction::register_code:
      return register_code(in, out);
    case ApiFunction::register_function:
    case ApiFunction::register_variable:
    case ApiFunction::register_managed:
      return register_name(function, in);
    case ApiFunction::share_managed:
      return share_managed(in, out);
    case ApiFunction::parameter_sizes:
      return put_parameter_sizes(in.get<const void*>(), out.out);
    case ApiFunction::symbol_address:
      return put_symbol_address(in.get<const void*>(), out.out);
    case ApiFunction::graph_memory:
      list_memory(in.get<cudaGraphExec_t>(), out.out);
      return cudaSuccess;
    case ApiFunction::error_name:
    case ApiFunction::error_text: {
      const auto code = in.get<cudaError_t>();
      const char* text =
          function == ApiFunction::error_name ? cudaGetErrorName(code) : cudaGetErrorString(code);
      out.out.append(text, std::strlen(text));
      return cudaSuccess;
    }
    default: {
      const auto* pointer = in.get<const void*>();
      const auto bytes = in.get<std::uint64_t>();
      return static_cast<cudaError_t>(warpgradeHostAccess(pointer, bytes, in.get<bool>() ? 1 : 0));
    }
  }
}

}  // namespace warpgrade::remoting
