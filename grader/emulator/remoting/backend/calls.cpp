// Calls that pass a few numbers to the emulator.
#include "remoting/backend/session.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace warpgrade::remoting {
namespace {

// Puts the results `out` of a call into the answer; returns the call's error code.
template <class... Out>
cudaError_t give(MessageWriter& answer, cudaError_t code, const Out&... out) {
  (answer.put(out), ...);
  return code;
}

// A query about a symbol or pointer of the program.
cudaError_t query(ApiFunction function, const void* pointer, MessageWriter& answer) {
  switch (function) {
    case ApiFunction::cudaGetSymbolAddress: {
      void* found = nullptr;
      const cudaError_t code = cudaGetSymbolAddress(&found, pointer);
      return give(answer, code, found);
    }
    case ApiFunction::cudaGetSymbolSize: {
      std::size_t bytes = 0;
      const cudaError_t code = cudaGetSymbolSize(&bytes, pointer);
      return give(answer, code, bytes);
    }
    case ApiFunction::cudaPointerGetAttributes: {
      cudaPointerAttributes attributes{};
      const cudaError_t code = cudaPointerGetAttributes(&attributes, pointer);
      return give(answer, code, attributes);
    }
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t device_properties(int device, MessageWriter& answer) {
  cudaDeviceProp properties{};
  const cudaError_t code = cudaGetDeviceProperties(&properties, device);
  return give(answer, code, properties);
}

}  // namespace

cudaError_t ProgramSession::call_memory(ApiFunction function, MessageReader& in, Answer& out,
                                        CallRecord& record) {
  if (function == ApiFunction::cudaMallocPitch) {
    const auto width = in.get<std::size_t>(), height = in.get<std::size_t>();
    void* made = nullptr;
    std::size_t pitch = 0;
    const cudaError_t code = cudaMallocPitch(&made, &pitch, width, height);
    record.memory = address(made);
    record.bytes = pitch * height;
    return give(out.out, code, made, pitch);
  }
  if (function == ApiFunction::cudaMallocAsync || function == ApiFunction::cudaFreeAsync)
    return call_pools(function, in, out, record);
  if (function == ApiFunction::cudaMemGetInfo) {
    std::size_t available = 0, total = 0;
    const cudaError_t code = cudaMemGetInfo(&available, &total);
    return give(out.out, code, available, total);
  }
  auto* const pointer = in.get<void*>();
  switch (function) {
    case ApiFunction::cudaMemset:
    case ApiFunction::cudaMemsetAsync:
      return fill(function, pointer, in, record);
    case ApiFunction::cudaMemPrefetchAsync: {
      const auto bytes = in.get<std::size_t>();
      const auto place = in.get<cudaMemLocation>();
      const auto flags = in.get<unsigned>();
      return cudaMemPrefetchAsync(pointer, bytes, place, flags, in.get<cudaStream_t>());
    }
    case ApiFunction::cudaMemAdvise: {
      const auto bytes = in.get<std::size_t>();
      const auto advice = in.get<cudaMemoryAdvise>();
      return cudaMemAdvise(pointer, bytes, advice, in.get<cudaMemLocation>());
    }
    default:
      return query(function, pointer, out.out);
  }
}

cudaError_t ProgramSession::fill(ApiFunction function, void* pointer, MessageReader& in, CallRecord& record) {
  const auto value = in.get<int>();
  record.bytes = in.get<std::size_t>();
  const auto stream = function == ApiFunction::cudaMemset ? nullptr : in.get<cudaStream_t>();
  record.stream = address(stream);
  if (!is_device_address(pointer)) return cudaErrorInvalidValue;
  if (tracks_ && record.bytes <= sizeof(std::uint64_t))  // of a result, piece by piece
    origin_.sent(std::string(record.bytes, static_cast<char>(value)), address(pointer));
  return cudaMemsetAsync(pointer, value, record.bytes, stream);
}

cudaError_t ProgramSession::call_pools(ApiFunction function, MessageReader& in, Answer& out,
                                       CallRecord& record) {
  switch (function) {
    case ApiFunction::cudaMallocAsync: {
      record.bytes = in.get<std::size_t>();
      const auto stream = in.get<cudaStream_t>();
      record.stream = address(stream);
      void* made = nullptr;
      const cudaError_t code = cudaMallocAsync(&made, record.bytes, stream);
      record.memory = address(made);
      return give(out.out, code, made);
    }
    case ApiFunction::cudaFreeAsync: {
      auto* const pointer = in.get<void*>();
      const auto stream = in.get<cudaStream_t>();
      record.memory = address(pointer);
      record.stream = address(stream);
      return cudaFreeAsync(pointer, stream);
    }
    case ApiFunction::cudaDeviceGetDefaultMemPool: {
      cudaMemPool_t pool = nullptr;
      const cudaError_t code = cudaDeviceGetDefaultMemPool(&pool, in.get<int>());
      return give(out.out, code, pool);
    }
    case ApiFunction::cudaMemPoolSetAttribute: {
      const auto pool = in.get<cudaMemPool_t>();
      const auto which = in.get<cudaMemPoolAttr>();
      auto wanted = in.get<std::uint64_t>();  // of a switch, the int is its lower half
      return cudaMemPoolSetAttribute(pool, which, &wanted);
    }
    case ApiFunction::cudaMemPoolTrimTo: {
      const auto pool = in.get<cudaMemPool_t>();
      return cudaMemPoolTrimTo(pool, in.get<std::size_t>());
    }
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t ProgramSession::call_kernels(ApiFunction function, MessageReader& in, Answer& out,
                                         CallRecord& record) {
  if (function == ApiFunction::cudaLaunchHostFunc) {
    const auto stream = in.get<cudaStream_t>();
    record.stream = address(stream);
    const bool captured = captures_ != 0 && is_captured(record.stream);
    return give(out.out,
                captured ? cudaLaunchHostFunc(stream, run_in_program, &function_in(in))
                         : cudaStreamSynchronize(stream),
                captured);
  }
  const auto* kernel = in.get<const void*>();
  switch (function) {
    case ApiFunction::cudaFuncGetAttributes: {
      cudaFuncAttributes attributes{};
      const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel);
      return give(out.out, code, attributes);
    }
    case ApiFunction::cudaFuncSetAttribute: {
      const auto which = in.get<cudaFuncAttribute>();
      return cudaFuncSetAttribute(kernel, which, in.get<int>());
    }
    case ApiFunction::cudaOccupancyMaxActiveBlocksPerMultiprocessor: {
      const auto threads = in.get<int>();
      int blocks = 0;
      const cudaError_t code =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, in.get<std::size_t>());
      return give(out.out, code, blocks);
    }
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t ProgramSession::call_streams(ApiFunction function, MessageReader& in, Answer& out,
                                         CallRecord& record) {
  if (function == ApiFunction::cudaStreamCreate || function == ApiFunction::cudaStreamCreateWithFlags ||
      function == ApiFunction::cudaStreamCreateWithPriority) {
    const auto flags = function == ApiFunction::cudaStreamCreate ? cudaStreamDefault : in.get<unsigned>();
    const auto priority = function == ApiFunction::cudaStreamCreateWithPriority ? in.get<int>() : 0;
    cudaStream_t made = nullptr;
    const cudaError_t code = cudaStreamCreateWithPriority(&made, flags, priority);
    record.stream = address(made);
    record.non_blocking = flags == cudaStreamNonBlocking;
    return give(out.out, code, made);
  }
  const auto stream = in.get<cudaStream_t>();
  record.stream = address(stream);
  switch (function) {
    case ApiFunction::cudaStreamDestroy:
      return cudaStreamDestroy(stream);
    case ApiFunction::cudaStreamSynchronize:
      return cudaStreamSynchronize(stream);
    case ApiFunction::cudaStreamQuery:
      return cudaStreamQuery(stream);
    case ApiFunction::cudaStreamIsCapturing: {
      auto status = cudaStreamCaptureStatusNone;
      const cudaError_t code = cudaStreamIsCapturing(stream, &status);
      return give(out.out, code, status);
    }
    default: {
      const auto event = in.get<cudaEvent_t>();
      record.event = address(event);
      return cudaStreamWaitEvent(stream, event, in.get<unsigned>());
    }
  }
}

cudaError_t ProgramSession::call_graphs(ApiFunction function, MessageReader& in, Answer& out,
                                        CallRecord& record) {
  switch (function) {
    case ApiFunction::cudaStreamBeginCapture:
    case ApiFunction::cudaStreamEndCapture:
      return capture(function, in, out, record);
    case ApiFunction::cudaGraphInstantiate: {
      const auto graph = in.get<cudaGraph_t>();
      cudaGraphExec_t made = nullptr;
      const cudaError_t code = cudaGraphInstantiate(&made, graph, in.get<unsigned long long>());
      return give(out.out, code, made);
    }
    case ApiFunction::cudaGraphExecUpdate: {
      const auto executable = in.get<cudaGraphExec_t>();
      return cudaGraphExecUpdate(executable, in.get<cudaGraph_t>(), nullptr);
    }
    case ApiFunction::cudaGraphUpload: {
      const auto executable = in.get<cudaGraphExec_t>();
      return cudaGraphUpload(executable, in.get<cudaStream_t>());
    }
    case ApiFunction::cudaGraphLaunch:
      return launch_graph(in, out, record);
    case ApiFunction::cudaGraphDestroy: {
      const auto graph = in.get<cudaGraph_t>();
      nodes_inside_.erase(address(graph));
      return cudaGraphDestroy(graph);
    }
    default: {
      const auto executable = in.get<cudaGraphExec_t>();
      known_nodes_.erase(address(executable));
      return cudaGraphExecDestroy(executable);
    }
  }
}

cudaError_t ProgramSession::capture(ApiFunction function, MessageReader& in, Answer& out,
                                    CallRecord& record) {
  const auto stream = in.get<cudaStream_t>();
  record.stream = address(stream);
  if (function == ApiFunction::cudaStreamBeginCapture) {
    const cudaError_t code = cudaStreamBeginCapture(stream, in.get<cudaStreamCaptureMode>());
    captures_ += code == cudaSuccess ? 1 : 0;
    return code;
  }
  const bool captured = captures_ != 0 && is_captured(record.stream);
  cudaGraph_t made = nullptr;
  const cudaError_t code = cudaStreamEndCapture(stream, &made);
  captures_ -= captured ? 1 : 0;  // also where the capture is no valid graph
  return give(out.out, code, made);
}

cudaError_t ProgramSession::call_events(ApiFunction function, MessageReader& in, Answer& out,
                                        CallRecord& record) {
  if (function == ApiFunction::cudaEventCreate || function == ApiFunction::cudaEventCreateWithFlags) {
    const auto flags = function == ApiFunction::cudaEventCreate ? cudaEventDefault : in.get<unsigned>();
    cudaEvent_t made = nullptr;
    const cudaError_t code = cudaEventCreateWithFlags(&made, flags);
    record.event = address(made);
    return give(out.out, code, made);
  }
  const auto event = in.get<cudaEvent_t>();
  record.event = address(event);
  switch (function) {
    case ApiFunction::cudaEventDestroy:
      return cudaEventDestroy(event);
    case ApiFunction::cudaEventRecord: {
      const auto stream = in.get<cudaStream_t>();
      record.stream = address(stream);
      return cudaEventRecord(event, stream);
    }
    case ApiFunction::cudaEventQuery:
      return cudaEventQuery(event);
    case ApiFunction::cudaEventSynchronize:
      return cudaEventSynchronize(event);
    default: {
      const auto end = in.get<cudaEvent_t>();
      record.other = address(end);
      float milliseconds = 0;
      const cudaError_t code = cudaEventElapsedTime(&milliseconds, event, end);
      record.milliseconds = milliseconds;
      return give(out.out, code, milliseconds);
    }
  }
}

cudaError_t ProgramSession::call_device(ApiFunction function, MessageReader& in, Answer& out,
                                        CallRecord& record) {
  int value = 0, second = 0;
  cudaError_t code = cudaSuccess;
  switch (function) {
    case ApiFunction::cudaDeviceSynchronize:
      return cudaDeviceSynchronize();
    case ApiFunction::cudaDeviceReset:
      return cudaDeviceReset();
    case ApiFunction::cudaSetDevice:
      return cudaSetDevice(in.get<int>());
    case ApiFunction::cudaDeviceGetStreamPriorityRange:
      code = cudaDeviceGetStreamPriorityRange(&value, &second);
      return give(out.out, code, value, second);
    case ApiFunction::cudaGetDeviceProperties:
      return device_properties(in.get<int>(), out.out);
    case ApiFunction::cudaDeviceGetAttribute: {
      const auto which = in.get<cudaDeviceAttr>();
      code = cudaDeviceGetAttribute(&value, which, in.get<int>());
      break;
    }
    case ApiFunction::cudaGetDeviceCount:
      code = cudaGetDeviceCount(&value);
      break;
    case ApiFunction::cudaGetDevice:
      code = cudaGetDevice(&value);
      break;
    case ApiFunction::cudaRuntimeGetVersion:
      code = cudaRuntimeGetVersion(&value);
      break;
    case ApiFunction::cudaDriverGetVersion:
      code = cudaDriverGetVersion(&value);
      break;
    default:
      return call_pools(function, in, out, record);
  }
  return give(out.out, code, value);
}

cudaError_t ProgramSession::call_absent(MessageReader& in, CallRecord& record) {
  const std::string name = in.text();
  constexpr std::size_t kLongest = 80;
  const bool is_name = name.size() <= kLongest && name.starts_with("cuda") &&
                       std::all_of(name.begin(), name.end(),
                                   [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
  if (!is_name) throw std::length_error("no front end of ours names such a function");
  record.absent = name;
  record.why =
      "it is a function of CUDA, but programs of labs cannot call it on the emulator. Do without it, or by "
      "other functions; "
      "`warpgrade run` runs programs of your own with it";
  return cudaErrorNotSupported;
}

}  // namespace warpgrade::remoting
