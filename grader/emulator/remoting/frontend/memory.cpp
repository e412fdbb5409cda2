// Memory management: allocations, copies and fills.
#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/copy.hpp"

using namespace warpgrade::remoting;

namespace warpgrade::remoting {

bool put(MessageWriter& in, const ProgramCopy& c) {
  const bool to_here = !is_remote(c.to), from_here = !is_remote(c.from);
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(c.width, c.height, &all) || all > kMostBytes / 2) return false;
  const std::string head = arguments(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.height, c.kind,
                                     c.stream, to_here, from_here, is_registered(to_here ? c.to : c.from))
                               .bytes();
  in.append(head.data(), head.size());
  if (from_here && all != 0) {
    std::string rows;
    if (!c.source().read(rows)) rows.clear();  // which the back end refuses
    in.text(rows);
  }
  return true;
}

cudaError_t place_of(const void* symbol, std::uint64_t offset, const void* caller, void*& place) {
  std::string out;
  const cudaError_t code = ask(ApiFunction::symbol_address, caller, arguments(symbol), out);
  if (code == cudaSuccess) place = static_cast<char*>(MessageReader(out).get<void*>()) + offset;
  return code;
}

}  // namespace warpgrade::remoting

namespace {

cudaError_t copy(ApiFunction function, const void* caller, const ProgramCopy& c) {
  MessageWriter in;
  if (!put(in, c)) return failed(cudaErrorInvalidValue);
  std::string out;
  const cudaError_t code = ask(function, caller, in, out);
  if (code != cudaSuccess || is_remote(c.to) || out.empty()) return code;  // empty where it was captured
  MessageReader reader(out);
  return c.target().write(reader) ? code : failed(cudaErrorInvalidValue);
}

cudaError_t symbol_copy(ApiFunction function, const void* caller, const void* symbol, void* to,
                        const void* from, std::uint64_t bytes, std::uint64_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream) {
  void* place = nullptr;
  if (const cudaError_t code = place_of(symbol, offset, caller, place); code != cudaSuccess) return code;
  return copy(
      function, caller,
      {to == nullptr ? place : to, bytes, from == nullptr ? place : from, bytes, bytes, 1, kind, stream});
}

cudaError_t allocate(ApiFunction function, const void* caller, void** pointer, std::uint64_t bytes,
                     unsigned flags) {
  if (pointer == nullptr) return failed(cudaErrorInvalidValue);
  std::string out;
  int memory = -1;
  const cudaError_t code = ask(function, caller, arguments(bytes, flags), out, &memory);
  if (code != cudaSuccess) return code;
  MessageReader reader(out);
  void* const made = reader.get<void*>();
  const auto extent = reader.get<std::uint64_t>();
  if (memory >= 0 && !map_shared(made, extent, memory)) return failed(cudaErrorMemoryAllocation);
  *pointer = made;
  return code;
}

cudaError_t release(ApiFunction function, const void* caller, void* pointer) {
  const cudaError_t code = remote(function, caller, arguments(pointer));
  if (code == cudaSuccess) unmap_shared(pointer);
  return code;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(ApiFunction::cudaMalloc, CALLER, pointer, bytes, 0);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate(ApiFunction::cudaMallocManaged, CALLER, pointer, bytes, flags);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(ApiFunction::cudaMallocHost, CALLER, pointer, bytes, 0);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate(ApiFunction::cudaHostAlloc, CALLER, pointer, bytes, flags);
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return remote(ApiFunction::cudaMallocPitch, CALLER, arguments(width, height), pointer, pitch);
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return remote(ApiFunction::cudaMallocAsync, CALLER, arguments(bytes, stream), pointer);
}
cudaError_t cudaFree(void* pointer) { return release(ApiFunction::cudaFree, CALLER, pointer); }
cudaError_t cudaFreeHost(void* pointer) { return release(ApiFunction::cudaFreeHost, CALLER, pointer); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return remote(ApiFunction::cudaFreeAsync, CALLER, arguments(pointer, stream));
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (device == nullptr || !is_remote(host)) return failed(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(ApiFunction::cudaMemcpy, CALLER, {to, bytes, from, bytes, bytes, 1, kind, nullptr});
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(ApiFunction::cudaMemcpyAsync, CALLER, {to, bytes, from, bytes, bytes, 1, kind, stream});
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy(ApiFunction::cudaMemcpy2D, CALLER,
              {to, to_pitch, from, from_pitch, width, height, kind, nullptr});
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy(ApiFunction::cudaMemcpy2DAsync, CALLER,
              {to, to_pitch, from, from_pitch, width, height, kind, stream});
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return symbol_copy(ApiFunction::cudaMemcpyToSymbol, CALLER, symbol, nullptr, from, bytes, offset, kind,
                     nullptr);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy(ApiFunction::cudaMemcpyToSymbolAsync, CALLER, symbol, nullptr, from, bytes, offset, kind,
                     stream);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return symbol_copy(ApiFunction::cudaMemcpyFromSymbol, CALLER, symbol, to, nullptr, bytes, offset, kind,
                     nullptr);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy(ApiFunction::cudaMemcpyFromSymbolAsync, CALLER, symbol, to, nullptr, bytes, offset, kind,
                     stream);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return remote(ApiFunction::cudaMemset, CALLER, arguments(to, value, bytes));
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return remote(ApiFunction::cudaMemsetAsync, CALLER, arguments(to, value, bytes, stream));
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place,
                                 unsigned flags, cudaStream_t stream) {
  return remote(ApiFunction::cudaMemPrefetchAsync, CALLER, arguments(pointer, bytes, place, flags, stream));
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation place) {
  return remote(ApiFunction::cudaMemAdvise, CALLER, arguments(pointer, bytes, advice, place));
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  return remote(ApiFunction::cudaMemGetInfo, CALLER, arguments(), available, total);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return remote(ApiFunction::cudaGetSymbolAddress, CALLER, arguments(symbol), pointer);
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return remote(ApiFunction::cudaGetSymbolSize, CALLER, arguments(symbol), bytes);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return remote(ApiFunction::cudaPointerGetAttributes, CALLER, arguments(pointer), attributes);
}

}  // extern "C"
#pragma GCC visibility pop
