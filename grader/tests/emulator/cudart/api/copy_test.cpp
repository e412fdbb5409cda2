// The expected results were observed on an H200 (CUDA 13.0, driver 580).
#include <doctest/doctest.h>

#include "cudart/api/api.hpp"

namespace {

struct Buffers {
  char host[128] = {}, other[128] = {};
  char *a = nullptr, *b = nullptr, *freed = nullptr;
  Buffers() {
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&a), 100) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&b), 100) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&freed), 100) == cudaSuccess);
    cudaFree(freed);
  }
  // A byte of device memory.
  static int read(const char* device) {
    char byte = 0;
    CHECK(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
    return byte;
  }
  ~Buffers() {
    cudaFree(a);
    cudaFree(b);
    cudaGetLastError();
  }
};

}  // namespace

TEST_CASE("the kind of a copy must be true") {
  Buffers m;
  CHECK(cudaMemcpy(m.a, m.host, 64, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(m.host, m.a, 64, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(m.b, m.a, 64, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(m.host, m.b, 64, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(m.other, m.host, 64, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(cudaMemcpy(m.b, m.a, 64, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(cudaMemcpy(m.a, m.host, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.host, m.a, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.host, m.other, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.host, m.other, 64, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.a, m.host, 64, static_cast<cudaMemcpyKind>(7)) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(m.a, m.host, 0, static_cast<cudaMemcpyKind>(7)) == cudaSuccess);
}

TEST_CASE("the range of a copy must be memory that is there") {
  Buffers m;
  CHECK(cudaMemcpy(nullptr, m.host, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.a, nullptr, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.host, m.freed, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.host, m.a, std::size_t{1} << 24, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.a, m.host, 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(m.a + 50, m.host, 50, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(m.a + 50, m.host, 51, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(m.host, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemset(nullptr, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemset(m.a, 0, 101) == cudaErrorInvalidValue);
  CHECK(cudaMemset(m.a, 0, 0) == cudaSuccess);
}

TEST_CASE("boxes") {
  Buffers m;
  for (int i = 0; i < 128; ++i) m.host[i] = static_cast<char>(i);
  // Rows of 3 from rows of 10 to rows of 7.
  CHECK(cudaMemcpy2D(m.a, 7, m.host, 10, 3, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(m.read(m.a + 0) == 0);
  CHECK(m.read(m.a + 7 + 2) == 12);
  CHECK(m.read(m.a + 21 + 1) == 31);
  // The last row may end where the memory ends.
  CHECK(cudaMemcpy2D(m.a + 76, 7, m.host, 10, 3, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(m.a + 77, 7, m.host, 10, 3, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy2D(m.a, 2, m.host, 10, 3, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);

  CHECK(cudaMemset2D(m.a, 10, 5, 4, 3) == cudaSuccess);
  CHECK(m.read(m.a + 23) == 5);
  CHECK(m.read(m.a + 24) != 5);

  cudaMemcpy3DParms p{};
  p.srcPtr = {m.host, 4, 4, 3};  // rows of 4, 3 rows a slice
  p.dstPtr = {m.b, 5, 5, 4};
  p.srcPos = {1, 1, 0};
  p.dstPos = {0, 0, 1};
  p.extent = {2, 2, 3};
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p) == cudaSuccess);
  CHECK(m.read(m.b + 20) == 5);            // slice 1, row 0 ← slice 0, row 1, column 1
  CHECK(m.read(m.b + 20 + 20 + 6) == 22);  // slice 2, row 1, column 1 ← slice 1, row 2, column 2
  CHECK(cudaMemcpy3D(nullptr) == cudaErrorInvalidValue);
  const cudaPitchedPtr box{m.b, 5, 5, 4};
  CHECK(cudaMemset3D(box, 9, {2, 1, 5}) == cudaSuccess);
  CHECK(m.read(m.b + 80 + 1) == 9);
  CHECK(cudaMemset3D(box, 9, {2, 1, 6}) == cudaErrorInvalidValue);
}
