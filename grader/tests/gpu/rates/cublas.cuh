// cuBLAS' products of row-major matrices, found when the program runs: it may not be installed where this is compiled.
//
// The library counts by columns, so each call asks for the transposed product of the transposed matrices.
#pragma once
#include <cuda_fp16.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

class Cublas {
 public:
  // Ends the program, as done, where there is no cuBLAS.
  Cublas() {
    if (is_found()) return;
    std::printf("no libcublas.so.13: nothing is compared\n");
    std::exit(0);
  }

  // C = A·B with half-precision factors and single-precision sums, on tensor cores.
  void multiply(const half* A, const half* B, float* C, int m, int n, int k) const {
    constexpr int half_type = 2, in_single = 68;  // CUDA_R_16F, CUBLAS_COMPUTE_32F
    call(A, B, half_type, C, m, n, k, in_single);
  }
  // C = A·B in single precision, without tensor cores.
  void multiply(const float* A, const float* B, float* C, int m, int n, int k) const {
    constexpr int in_pedantic_single = 69;  // CUBLAS_COMPUTE_32F_PEDANTIC
    call(A, B, FLOAT_TYPE, C, m, n, k, in_pedantic_single);
  }

 private:
  using Product = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                          const void*, void*, int, int, int, int);

  bool is_found() {
    void* const library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library) return false;
    const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"));
    product_ = reinterpret_cast<Product>(dlsym(library, "cublasGemmEx"));
    return create && create(&handle_) == 0 && product_;
  }

  static constexpr int FLOAT_TYPE = 0;  // CUDA_R_32F

  void call(const void* A, const void* B, int factors, float* C, int m, int n, int k, int computed) const {
    constexpr int as_it_is = 0, any_algorithm = -1;
    const float one = 1, zero = 0;
    const int status = product_(handle_, as_it_is, as_it_is, n, m, k, &one, B, factors, n, A, factors, k, &zero, C,
                                FLOAT_TYPE, n, computed, any_algorithm);
    if (status == 0) return;
    std::printf("cuBLAS fails with status %d\n", status);
    std::exit(3);
  }

  void* handle_ = nullptr;
  Product product_ = nullptr;
};
