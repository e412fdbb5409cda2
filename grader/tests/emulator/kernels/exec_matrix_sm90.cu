// Matrix instructions. Each kernel writes ints; the tests say which.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

namespace {

__device__ int lane() { return threadIdx.x % 32; }
__device__ unsigned address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ int value(int row, int column) { return (row * 7 + column * 3) % 11 - 5; }

}  // namespace

// Element (row, column) of matrix j is 64j + 8·row + column.
extern "C" __global__ void load_matrices(int* out, int n) {
  __shared__ alignas(16) unsigned short tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = static_cast<unsigned short>(i);
  __syncthreads();
  unsigned r[4] = {}, t[4] = {}, one = 0, two[2] = {};
  const unsigned row = address(tile + 8 * lane());
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(t[0]), "=r"(t[1]), "=r"(t[2]), "=r"(t[3]) : "r"(row));
  // Addresses of lanes that give none may be anything.
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(one) : "r"(lane() < 8 ? row : 1u));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(two[0]), "=r"(two[1]) : "r"(lane() < 16 ? row : ~0u));
  const unsigned all[11] = {r[0], r[1], r[2], r[3], t[0], t[1], t[2], t[3], one, two[0], two[1]};
  for (int i = 0; i < 11; ++i) out[i * 32 + lane()] = static_cast<int>(all[i]) + n;
}

// stmatrix undoes ldmatrix; movmatrix transposes.
extern "C" __global__ void store_matrices(int* out, int n) {
  __shared__ alignas(16) unsigned short tile[256], copy[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = static_cast<unsigned short>(i * n), copy[i] = 0;
  __syncthreads();
  unsigned r[4], moved;
  const unsigned row = 16 * lane();
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(tile) + row));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r[0]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :: "r"(address(copy) + row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};"
               :: "r"(address(copy) + row), "r"(r[0]) : "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 32) out[i] = copy[i];
  out[256 + lane()] = static_cast<int>(moved);
}

// C = A·B of a lane's own making: fragments by the manual's formulas, whole numbers, so exact in any order.
extern "C" __global__ void product_by_hand(int* out, int n) {
  const int group = lane() / 4, t = lane() % 4;
  __half a[8], b[4];
  for (int i = 0; i < 8; ++i) {
    const int row = group + (i % 4 >= 2 ? 8 : 0), column = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    a[i] = __float2half(static_cast<float>(value(row, column)));
  }
  for (int i = 0; i < 4; ++i) {
    const int row = t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    b[i] = __float2half(static_cast<float>(value(row, group)));
  }
  const auto* ra = reinterpret_cast<const unsigned*>(a);
  const auto* rb = reinterpret_cast<const unsigned*>(b);
  float d[4] = {static_cast<float>(n), static_cast<float>(n), static_cast<float>(n), static_cast<float>(n)};
  // Half of the warp comes later.
  if (lane() % 3 == 1) d[0] += static_cast<float>(clock() & 0);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) out[(group + i / 2 * 8) * 8 + t * 2 + i % 2] = static_cast<int>(d[i]);
}

namespace {

// C = n·A·B of one 16-row tile, by way of shared memory. T: as wmma names it, S: as it lies in memory.
template <class T, class S, class Sum, int M, int N, int K, class Convert>
__device__ void tile_product(int* out, int n, Convert convert) {
  __shared__ alignas(32) S a[M * K], b[K * N];
  __shared__ alignas(32) Sum c[M * N];
  for (int i = threadIdx.x; i < M * K; i += 32) a[i] = convert(value(i / K, i % K));
  for (int i = threadIdx.x; i < K * N; i += 32) b[i % N * K + i / N] = convert(value(i / N, i % N));
  for (int i = threadIdx.x; i < M * N; i += 32) c[i] = static_cast<Sum>(i % 3);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::load_matrix_sync(left, a, K);
  wmma::load_matrix_sync(right, b, K);
  wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= static_cast<Sum>(n);
  __syncthreads();
  wmma::store_matrix_sync(c, sum, M, wmma::mem_col_major);
  __syncthreads();
  for (int i = threadIdx.x; i < M * N; i += 32) out[i % M * N + i / M] = static_cast<int>(c[i]);
}

}  // namespace

extern "C" __global__ void wmma_half(int* out, int n) {
  tile_product<half, half, float, 16, 16, 16>(out, n, [](int v) { return __float2half(static_cast<float>(v)); });
}
extern "C" __global__ void wmma_brain(int* out, int n) {
  tile_product<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>(
      out, n, [](int v) { return __float2bfloat16(static_cast<float>(v)); });
}
extern "C" __global__ void wmma_tensor_float(int* out, int n) {
  tile_product<wmma::precision::tf32, float, float, 16, 16, 8>(
      out, n, [](int v) { return static_cast<float>(v); });
}
extern "C" __global__ void wmma_bytes(int* out, int n) {
  tile_product<signed char, signed char, int, 8, 32, 16>(out, n, [](int v) { return static_cast<signed char>(v); });
}
extern "C" __global__ void wmma_double(int* out, int n) {
  tile_product<double, double, double, 8, 8, 4>(out, n, [](int v) { return static_cast<double>(v); });
}
