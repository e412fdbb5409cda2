// Kernels on tensor cores, good and bad, one idea each. What the model of time said of them before any had
// run on a GPU is in tensor-blind.tsv.
//
//   tensor SIDE [REPEATS]     SIDE: of the products, a multiple of 128; one JSON line a kernel
#include <cuda_fp16.h>
#include <mma.h>

#include "bench.cuh"

using namespace nvcuda;

namespace {

constexpr int SMALL = 16;  // rows, columns and depth of a fragment
using Fragment_A = wmma::fragment<wmma::matrix_a, SMALL, SMALL, SMALL, half, wmma::row_major>;
using Fragment_B = wmma::fragment<wmma::matrix_b, SMALL, SMALL, SMALL, half, wmma::row_major>;
using Fragment_C = wmma::fragment<wmma::accumulator, SMALL, SMALL, SMALL, float>;
#define ARGUMENTS int side, const half *A, const half *B, float *C

// ---- products of nothing but registers: CHAINS sums a warp, each of which waits for itself ----

template <int CHAINS>
__global__ void registers(ARGUMENTS) {
  const unsigned a = __float_as_uint(C[threadIdx.x]), b = a ^ 1;
  float sums[CHAINS][4] = {};
  for (int i = 0; i < 512; ++i)
#pragma unroll
    for (auto& sum : sums)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
          "{%0,%1,%2,%3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a), "r"(b));
  float all = 0;
  for (const auto& sum : sums) all += sum[0] + sum[1] + sum[2] + sum[3];
  C[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

// ---- products without shared memory: a warp has 16 × 16 elements of C ----

__global__ void from_memory(ARGUMENTS) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, across = side / SMALL;
  const int row = warp / across * SMALL, column = warp % across * SMALL;
  Fragment_C sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < side; k += SMALL) {
    Fragment_A a;
    Fragment_B b;
    wmma::load_matrix_sync(a, A + row * side + k, side);
    wmma::load_matrix_sync(b, B + k * side + column, side);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + row * side + column, sum, side, wmma::mem_row_major);
}

// ---- tiles in shared memory: 2 × 2 warps, a warp has FRAGMENTS × FRAGMENTS fragments, rows end with PAD
// halves;
// ---- AHEAD: the next tiles arrive by cp.async while these are multiplied

template <int FRAGMENTS, int PAD, int AHEAD>
__global__ void __launch_bounds__(128) tiles(ARGUMENTS) {
  constexpr int WIDE = 2 * FRAGMENTS * SMALL, DEPTH = 32, CHUNK = 8;
  __shared__ __align__(32) half a_tile[AHEAD + 1][WIDE][DEPTH + PAD];
  __shared__ __align__(32) half b_tile[AHEAD + 1][DEPTH][WIDE + PAD];
  const int top = blockIdx.y * WIDE, left = blockIdx.x * WIDE, warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * FRAGMENTS * SMALL, warp_column = warp % 2 * FRAGMENTS * SMALL;
  const auto copy = [](half* to, const half* from) {
    if constexpr (AHEAD > 0)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(to))),
                   "l"(from)
                   : "memory");
    else
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  };
  const auto fetch = [&](int k, int stage) {
    for (int i = threadIdx.x; i < WIDE * DEPTH / CHUNK; i += 128) {
      const int row = i / (DEPTH / CHUNK), column = i % (DEPTH / CHUNK) * CHUNK;
      copy(&a_tile[stage][row][column], A + (top + row) * side + k + column);
    }
    for (int i = threadIdx.x; i < WIDE * DEPTH / CHUNK; i += 128) {
      const int row = i / (WIDE / CHUNK), column = i % (WIDE / CHUNK) * CHUNK;
      copy(&b_tile[stage][row][column], B + (k + row) * side + left + column);
    }
  };
  Fragment_C sums[FRAGMENTS][FRAGMENTS];
  for (auto& row : sums)
    for (auto& sum : row) wmma::fill_fragment(sum, 0.0f);
  if (AHEAD) fetch(0, 0);
  int stage = 0;
  for (int k = 0; k < side; k += DEPTH) {
    if constexpr (AHEAD > 0) {
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncthreads();
      if (k + DEPTH < side) fetch(k + DEPTH, stage ^ 1);
    } else {
      fetch(k, 0);
      __syncthreads();
    }
#pragma unroll
    for (int depth = 0; depth < DEPTH; depth += SMALL) {
      Fragment_A a[FRAGMENTS];
      Fragment_B b[FRAGMENTS];
#pragma unroll
      for (int i = 0; i < FRAGMENTS; ++i) {
        wmma::load_matrix_sync(a[i], &a_tile[stage][warp_row + i * SMALL][depth], DEPTH + PAD);
        wmma::load_matrix_sync(b[i], &b_tile[stage][depth][warp_column + i * SMALL], WIDE + PAD);
      }
#pragma unroll
      for (int i = 0; i < FRAGMENTS; ++i)
#pragma unroll
        for (int j = 0; j < FRAGMENTS; ++j) wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
    }
    if constexpr (AHEAD > 0)
      stage ^= 1;
    else
      __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < FRAGMENTS; ++i)
#pragma unroll
    for (int j = 0; j < FRAGMENTS; ++j)
      wmma::store_matrix_sync(C + (top + warp_row + i * SMALL) * side + left + warp_column + j * SMALL,
                              sums[i][j], side, wmma::mem_row_major);
}

}  // namespace

int main(int count, char** words) {
  const unsigned side = count > 1 ? std::atoi(words[1]) : 2048;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  const auto halves = [&] { return reinterpret_cast<const half*>(bench.values(side * side / 2)); };
  const half *A = halves(), *B = halves();
  float* C = bench.values(side * side);
  const auto run = [&](const char* name, auto kernel, dim3 grid, int threads) {
    bench.time(name, [&] { kernel<<<grid, threads>>>(static_cast<int>(side), A, B, C); });
  };
  run("one_chain_a_warp", registers<1>, 132, 128);
  run("one_chain_in_many_warps", registers<1>, 132 * 2, 1024);
  run("eight_chains_a_warp", registers<8>, 132 * 4, 256);
  run("from_memory", from_memory, side * side / (SMALL * SMALL * 4), 128);
  run("tiles_of_32", tiles<1, 8, 0>, dim3(side / 32, side / 32), 128);
  run("tiles_of_64_without_pad", tiles<2, 0, 0>, dim3(side / 64, side / 64), 128);
  run("tiles_of_64", tiles<2, 8, 0>, dim3(side / 64, side / 64), 128);
  run("tiles_of_64_ahead", tiles<2, 8, 1>, dim3(side / 64, side / 64), 128);
  run("tiles_of_128", tiles<4, 8, 0>, dim3(side / 128, side / 128), 128);
  run("tiles_of_128_ahead", tiles<4, 8, 1>, dim3(side / 128, side / 128), 128);
  return bench.failed();
}
