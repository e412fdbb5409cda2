//: grid 1 block 32
#include <mma.h>
// Five rows of A are loaded, and of the product five are wanted.
__global__ void k(const int* in, int* out, int*, int) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) half a[16][16], b[16][16];
  __shared__ __align__(32) float c[16][16];
  for (int i = threadIdx.x; i < 256; i += 32) {
    if (i / 16 < 5) a[i / 16][i % 16] = __int2half_rn(in[i] % 5);
    b[i / 16][i % 16] = __int2half_rn(in[i] % 7);
  }
  __syncwarp();
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, &a[0][0], 16);
  load_matrix_sync(right, &b[0][0], 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(&c[0][0], sum, 16, mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 16 * 5; i += 32) out[i] = static_cast<int>(c[i / 16][i % 16]);
}
