// Memory management: copies and fills. Each call fills in a CopyWork or FillWork (cudart/work/commands.hpp).
#include "cudart/api/api.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

CopyWork box(const cudaMemcpy3DPeerParms* p) {
  require(p != nullptr, cudaErrorInvalidValue);
  const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return box_copy(&same);
}

FillWork fill_of(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height = 1,
                 std::size_t slice = 0, std::size_t depth = 1) {
  return {to, pitch, slice, width, height, depth, static_cast<unsigned>(value) & 0xff, 1};
}

struct Batch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
  const cudaMemcpyAttributes* attributes;
  const std::size_t* begins;  // attributes[i] apply to the copies from begins[i] on
  std::size_t attribute_count;
};

void check(const Batch& all) {
  require(all.to != nullptr && all.from != nullptr && all.bytes != nullptr && all.count != 0,
          cudaErrorInvalidValue);
  require(all.attributes != nullptr && all.begins != nullptr && all.attribute_count != 0,
          cudaErrorInvalidValue);
  for (std::size_t i = 0; i < all.attribute_count; ++i) {
    const std::size_t begin = all.begins[i];
    require(i == 0 ? begin == 0 : begin > all.begins[i - 1] && begin < all.count, cudaErrorInvalidValue);
    const int order = all.attributes[i].srcAccessOrder;
    require(order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny,
            cudaErrorInvalidValue);
  }
}

// The attributes say when a source may be read; here it is read at once. If one of the copies is impossible,
// nothing is copied.
cudaError_t batch(const Batch& all, cudaStream_t stream) {
  return call("cudaMemcpyBatchAsync", [&](Runtime& r) {
    check(all);
    if (stream == nullptr || stream == cudaStreamLegacy)
      fail(cudaErrorInvalidValue, "a batch needs a stream of its own, not the legacy default stream");
    std::vector<CopyWork> copies;
    for (std::size_t i = 0; i < all.count; ++i) {
      copies.push_back(line_copy(all.to[i], all.from[i], all.bytes[i], cudaMemcpyDefault));
      check(r, copies.back());
    }
    for (const CopyWork& each : copies) submit(r, stream, each);
  });
}

// Whether an asynchronous call returns only when its work is over: "API synchronization behavior".
bool waits(const Runtime& r, const CopyWork& copy) {
  return is_pageable(r, copy.to) || (is_host_memory(r, copy.to) && is_host_memory(r, copy.from));
}
bool waits(const Runtime&, const FillWork&) { return false; }

// `make` returns the work.
template <class Make>
cudaError_t transfer(const char* function, cudaStream_t stream, Make&& make) {
  return call(function, [&](Runtime& r) {
    const auto work = make(r);
    if (empty(work)) return;
    check(r, work);
    const Operation operation = submit(r, stream, work);
    if (operation != nullptr && waits(r, work)) r.order.host_waits(r, *operation);
  });
}

// A fill in the default stream, which waits where the host may access the memory.
template <class Make>
cudaError_t blocking_fill(const char* function, Make&& make) {
  return call(function, [&](Runtime& r) {
    const FillWork work = make(r);
    if (empty(work)) return;
    check(r, work);
    submit(r, nullptr, work);
    if (is_host_memory(r, work.to)) host_waits_for(r, r.handles.stream(nullptr));
  });
}

// A copy in the default stream. It waits unless both sides are device memory.
template <class Make>
cudaError_t blocking_transfer(const char* function, Make&& make) {
  return call(function, [&](Runtime& r) {
    const CopyWork work = make(r);
    if (empty(work)) return;
    check(r, work);
    submit(r, nullptr, work);
    if (is_host_memory(r, work.to) || is_host_memory(r, work.from))
      host_waits_for(r, r.handles.stream(nullptr));
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return blocking_transfer(__func__, [&](Runtime&) { return line_copy(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) { return line_copy(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                 std::size_t count, cudaMemcpyAttributes* attributes, std::size_t* begins,
                                 std::size_t attribute_count, cudaStream_t stream) {
  return batch({to, from, bytes, count, attributes, begins, attribute_count}, stream);
}

// The header declares it only for programs that are built with --default-stream per-thread.
__attribute__((visibility("default"))) decltype(cudaMemcpyBatchAsync) cudaMemcpyBatchAsync_ptsz;

// With per-thread default streams, a null stream means the thread's own; for a batch the legacy one is good
// enough.
cudaError_t cudaMemcpyBatchAsync_ptsz(void* const* to, const void* const* from, const std::size_t* bytes,
                                      std::size_t count, cudaMemcpyAttributes* attributes,
                                      std::size_t* begins, std::size_t attribute_count, cudaStream_t stream) {
  return batch({to, from, bytes, count, attributes, begins, attribute_count},
               stream == nullptr ? cudaStreamPerThread : stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return transfer(__func__, nullptr, [&](Runtime&) {
    require(to_device == 0 && from_device == 0, cudaErrorInvalidDevice);
    return line_copy(to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) {
    require(to_device == 0 && from_device == 0, cudaErrorInvalidDevice);
    return line_copy(to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return blocking_transfer(
      __func__, [&](Runtime&) { return plane_copy(to, to_pitch, from, from_pitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return transfer(__func__, stream,
                  [&](Runtime&) { return plane_copy(to, to_pitch, from, from_pitch, width, height, kind); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return blocking_transfer(__func__, [&](Runtime&) { return box_copy(p); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) { return box_copy(p); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return transfer(__func__, nullptr, [&](Runtime&) { return box(p); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) { return box(p); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return blocking_transfer(
      __func__, [&](Runtime& r) { return line_copy(r.inside(symbol, offset, bytes), from, bytes, kind); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return transfer(__func__, stream,
                  [&](Runtime& r) { return line_copy(r.inside(symbol, offset, bytes), from, bytes, kind); });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return blocking_transfer(
      __func__, [&](Runtime& r) { return line_copy(to, r.inside(symbol, offset, bytes), bytes, kind); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return transfer(__func__, stream,
                  [&](Runtime& r) { return line_copy(to, r.inside(symbol, offset, bytes), bytes, kind); });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call(__func__, [&](Runtime& r) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    *pointer = reinterpret_cast<void*>(r.variable(symbol).base);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call(__func__, [&](Runtime& r) {
    require(bytes != nullptr, cudaErrorInvalidValue);
    *bytes = r.variable(symbol).bytes;
  });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return blocking_fill(__func__, [&](Runtime&) { return fill_of(to, bytes, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) { return fill_of(to, bytes, value, bytes); });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return blocking_fill(__func__, [&](Runtime&) { return fill_of(to, pitch, value, width, height); });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) { return fill_of(to, pitch, value, width, height); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return blocking_fill(__func__, [&](Runtime&) {
    return fill_of(to.ptr, to.pitch, value, extent.width, extent.height, to.pitch * to.ysize, extent.depth);
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return transfer(__func__, stream, [&](Runtime&) {
    return fill_of(to.ptr, to.pitch, value, extent.width, extent.height, to.pitch * to.ysize, extent.depth);
  });
}

}  // extern "C"

PER_THREAD_DEFAULT(cudaMemcpy)
PER_THREAD_DEFAULT(cudaMemcpy2D)
PER_THREAD_DEFAULT(cudaMemcpy3D)
PER_THREAD_DEFAULT(cudaMemcpy3DPeer)
PER_THREAD_DEFAULT(cudaMemcpyToSymbol)
PER_THREAD_DEFAULT(cudaMemcpyFromSymbol)
PER_THREAD_DEFAULT(cudaMemset)
PER_THREAD_DEFAULT(cudaMemset2D)
PER_THREAD_DEFAULT(cudaMemset3D)
PER_THREAD_STREAM(cudaMemcpyAsync)
PER_THREAD_STREAM(cudaMemcpy2DAsync)
PER_THREAD_STREAM(cudaMemcpy3DAsync)
PER_THREAD_STREAM(cudaMemcpy3DPeerAsync)
PER_THREAD_STREAM(cudaMemcpyToSymbolAsync)
PER_THREAD_STREAM(cudaMemcpyFromSymbolAsync)
PER_THREAD_STREAM(cudaMemsetAsync)
PER_THREAD_STREAM(cudaMemset2DAsync)
PER_THREAD_STREAM(cudaMemset3DAsync)
