// The expected results were observed on an H200 (CUDA 13.0, driver 580) unless a comment says otherwise.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "cudart/api/api.hpp"
#include "cudart/api/warpgrade.h"

using namespace warpgrade;

namespace {

emulator::Allocation* allocation(const void* pointer) {
  return cudart::Runtime::instance().memory.find(reinterpret_cast<std::uint64_t>(pointer));
}

template <class T = char>
T* device(std::size_t bytes) {
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, bytes) == cudaSuccess);
  return static_cast<T*>(pointer);
}

cudaPointerAttributes about(const void* pointer) {
  cudaPointerAttributes attributes;
  REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
  return attributes;
}

}  // namespace

TEST_CASE("cudaMalloc and cudaFree") {
  void* none = &none;
  CHECK(cudaMalloc(&none, 0) == cudaSuccess);
  CHECK(none == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&none, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  char* a = device(100);
  CHECK(reinterpret_cast<std::uint64_t>(a) % 256 == 0);
  CHECK(cudaFree(a + 4) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(a) == cudaErrorInvalidValue);
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaFree(a) == cudaErrorInvalidValue);
  int on_stack = 0;
  CHECK(cudaFree(&on_stack) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("fresh memory is marked as never written, and copies and fills write it") {
  char* a = device(1000);
  CHECK(allocation(a)->data()[999] == std::byte{0xCD});
  REQUIRE(allocation(a)->written.size() == 125);
  CHECK(cudaMemset(a + 3, 0, 10) == cudaSuccess);
  CHECK(allocation(a)->written[0] == 0xF8);
  CHECK(allocation(a)->written[1] == 0x1F);
  CHECK(allocation(a)->written[2] == 0);

  char* b = device(1000);
  CHECK(cudaMemcpy(b + 1, a, 1000 - 1, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(allocation(b)->written[0] == 0xF0);  // a copy of what nobody wrote is still unwritten
  CHECK(allocation(b)->written[1] == 0x3F);
  CHECK(cudaMemset(b, 0, 1000) == cudaSuccess);
  CHECK(allocation(b)->written.empty());  // all of it
  CHECK(cudaMemcpy(b, a, 8, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(allocation(b)->written[0] == 0xF8);
  CHECK(allocation(b)->written[1] == 0xFF);
  cudaFree(a);
  cudaFree(b);
}

TEST_CASE("attributes of the memory that a pointer names") {
  int on_stack = 0;
  void *pinned, *managed;
  char* a = device(8);
  REQUIRE(cudaMallocHost(&pinned, 8) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 8) == cudaSuccess);
  CHECK(about(&on_stack).type == cudaMemoryTypeUnregistered);
  CHECK(about(&on_stack).device == -2);
  CHECK(about(&on_stack).hostPointer == &on_stack);
  CHECK(about(&on_stack).devicePointer == nullptr);
  CHECK(about(a).type == cudaMemoryTypeDevice);
  CHECK(about(a + 7).devicePointer == a + 7);
  CHECK(about(a).hostPointer == nullptr);
  CHECK(about(pinned).type == cudaMemoryTypeHost);
  CHECK(about(pinned).devicePointer == pinned);
  CHECK(about(managed).type == cudaMemoryTypeManaged);
  CHECK(about(managed).hostPointer == managed);
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(about(a).type == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("host memory that is registered") {
  static char host[8192];
  void* same = nullptr;
  unsigned flags = 0;
  CHECK(cudaHostGetDevicePointer(&same, host, 0) == cudaErrorInvalidValue);
  CHECK(cudaHostRegister(host, sizeof host, 0) == cudaSuccess);
  CHECK(cudaHostRegister(host, sizeof host, 0) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(about(host).type == cudaMemoryTypeHost);
  CHECK(cudaHostGetDevicePointer(&same, host + 8, 0) == cudaSuccess);
  CHECK(same == host + 8);
  CHECK(cudaHostGetFlags(&flags, host) == cudaSuccess);
  CHECK(flags == cudaHostAllocMapped);
  CHECK(cudaHostUnregister(host) == cudaSuccess);
  CHECK(cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
}

TEST_CASE("flags that there are not") {
  void* pointer;
  CHECK(cudaHostAlloc(&pointer, 4, 77) == cudaErrorInvalidValue);
  CHECK(cudaMallocManaged(&pointer, 4, 7) == cudaErrorInvalidValue);
}

TEST_CASE("a pitch is a multiple of 512") {
  void* pointer;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pointer, &pitch, 100, 10) == cudaSuccess);
  CHECK(pitch == 512);
  CHECK(cudaFree(pointer) == cudaSuccess);
  CHECK(cudaMallocPitch(&pointer, &pitch, 513, 10) == cudaSuccess);
  CHECK(pitch == 1024);
  CHECK(allocation(pointer)->bytes == 10240);
  CHECK(cudaFree(pointer) == cudaSuccess);
  CHECK(cudaMallocPitch(&pointer, &pitch, ~std::size_t{0} - 1000, 10) != cudaSuccess);
}

TEST_CASE("free memory goes down and up again") {
  std::size_t before, now, total;
  REQUIRE(cudaMemGetInfo(&before, &total) == cudaSuccess);
  CHECK(total == 150109880320u);
  char* a = device(1 << 20);
  REQUIRE(cudaMemGetInfo(&now, &total) == cudaSuccess);
  CHECK(now == before - (1 << 20));
  cudaFree(a);
  REQUIRE(cudaMemGetInfo(&now, &total) == cudaSuccess);
  CHECK(now == before);
}

TEST_CASE("stream-ordered allocation counts in its pool") {
  cudaMemPool_t pool;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  const auto amount = [&](cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    REQUIRE(cudaMemPoolGetAttribute(pool, which, &value) == cudaSuccess);
    return value;
  };
  void* a;
  REQUIRE(cudaMallocAsync(&a, 1000, nullptr) == cudaSuccess);
  CHECK(amount(cudaMemPoolAttrUsedMemCurrent) == 1000);
  CHECK(cudaFreeAsync(a, nullptr) == cudaSuccess);
  CHECK(amount(cudaMemPoolAttrUsedMemCurrent) == 0);
  CHECK(amount(cudaMemPoolAttrUsedMemHigh) == 1000);
  int reuse = 0;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
  CHECK(reuse == 1);
}

// Marks that a host copies to where results will stand are nothing that a kernel may read.
TEST_CASE("bytes that have been written can count as never written") {
  char* a = device(1024);
  char host[1024] = {};
  CHECK(cudaMemcpy(a, host, 1024, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(allocation(a)->written.empty());  // all of it
  CHECK(warpgradeUnwritten(a + 3, 22) == cudaSuccess);
  const std::vector<std::uint8_t>& bits = allocation(a)->written;
  REQUIRE(bits.size() == 128);
  CHECK(std::vector<int>(bits.begin(), bits.begin() + 5) == std::vector<int>{0x07, 0, 0, 0xfe, 0xff});
  CHECK(warpgradeUnwritten(a + 8, 0) == cudaSuccess);
  CHECK(warpgradeUnwritten(a + 1000, 25) == cudaErrorInvalidValue);
  CHECK(warpgradeUnwritten(nullptr, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(a, host, 1024, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(allocation(a)->written.empty());
  cudaFree(a);
}

// Guard bands, which only our runtime has.
TEST_CASE("kernels may access only the named part of an allocation") {
  char* a = device(1024);
  CHECK(warpgradeNameBuffer(a + 256, 512, "A") == cudaSuccess);
  CHECK(allocation(a)->name == "A");
  CHECK(allocation(a)->open_begin == reinterpret_cast<std::uint64_t>(a) + 256);
  CHECK(allocation(a)->open_end == reinterpret_cast<std::uint64_t>(a) + 768);
  CHECK(warpgradeNameBuffer(a + 1024, 0, "empty") == cudaSuccess);
  CHECK(warpgradeNameBuffer(a + 1000, 25, "A") == cudaErrorInvalidValue);
  CHECK(warpgradeNameBuffer(nullptr, 4, "A") == cudaErrorInvalidValue);
  char host[1024] = {};
  CHECK(cudaMemcpy(a, host, 1024, cudaMemcpyHostToDevice) == cudaSuccess);  // the host may use all of it
  cudaFree(a);
}
