// Cooperative groups and their reductions; a grid-stride loop over rows; two queries a thread. Loses: performance.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "launch_shape.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE_1D_OF(softmax_passes, 128, 1)
LAUNCH_SHAPE_1D_OF(softmax_online, 256, 1)
LAUNCH_BLOCKS_OF(softmax_online, 4)
LAUNCH_SHAPE_OF(attention_tiles, 8, 16, 64, 32)

template <int T, class Operation>
__device__ float all(float value, Operation operation, float nothing) {
  __shared__ float of_warp[32];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  value = cg::reduce(warp, value, operation);
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = value;
  cg::this_thread_block().sync();
  value = cg::reduce(warp, warp.thread_rank() < T / 32 ? of_warp[warp.thread_rank()] : nothing, operation);
  cg::this_thread_block().sync();
  return value;
}

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, x[c]);
  most = all<128>(most, cg::greater<float>(), -INFINITY);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += y[c] = expf(x[c] - most);
  sum = 1 / all<128>(sum, cg::plus<float>(), 0);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[c] *= sum;
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* from = x + (size_t)row * columns;
    float most = -FLT_MAX, sum = 0;
    for (int c = threadIdx.x; c < columns; c += 256) {
      const float value = from[c];
      if (value > most) {
        sum *= __expf(most - value);
        most = value;
      }
      sum += __expf(value - most);
    }
    const float largest = all<256>(most, cg::greater<float>(), -FLT_MAX);
    sum = all<256>(sum * __expf(most - largest), cg::plus<float>(), 0);
    for (int c = threadIdx.x; c < columns; c += 256) y[(size_t)row * columns + c] = __expf(from[c] - largest) / sum;
  }
}

// A thread: two queries, every eighth key of 32, and eight columns.
extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  __shared__ __align__(16) float q[32][68], k[32][68], v[32][64], p[32][33];
  const auto row = cg::tiled_partition<8>(cg::this_thread_block());
  const int x = threadIdx.x, t = threadIdx.y * 8 + x, mine = threadIdx.y * 2, first_query = blockIdx.y * 32;
  const auto bring = [&](float* to, int pitch, const float* from, int first, int count) {
    for (int e = t; e < 32 * 64; e += 128) to[e / 64 * pitch + e % 64] = first + e / 64 < count ? from[(size_t)first * 64 + e] : 0;
  };
  bring(q[0], 68, Q, first_query, queries);
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {}, o[2][8] = {};
  for (int first = 0; first < keys; first += 32) {
    bring(k[0], 68, K, first, keys);
    bring(v[0], 64, V, first, keys);
    cg::this_thread_block().sync();
    float s[2][4] = {};
    for (int d = 0; d < 64; d += 4)
      for (int j = 0; j < 4; ++j) {
        const float4 b = *(const float4*)&k[x + 8 * j][d];
        for (int i = 0; i < 2; ++i) {
          const float4 a = *(const float4*)&q[mine + i][d];
          s[i][j] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
      }
    for (int i = 0; i < 2; ++i) {
      float larger = most[i];
      for (int j = 0; j < 4; ++j) {
        s[i][j] = first + x + 8 * j < keys ? s[i][j] / 8 : -INFINITY;
        larger = fmaxf(larger, s[i][j]);
      }
      larger = cg::reduce(row, larger, cg::greater<float>());
      const float scale = expf(most[i] - larger);
      most[i] = larger;
      float more = 0;
      for (int j = 0; j < 4; ++j) more += p[mine + i][x + 8 * j] = expf(s[i][j] - larger);
      sum[i] = sum[i] * scale + cg::reduce(row, more, cg::plus<float>());
      for (float& each : o[i]) each *= scale;
    }
    row.sync();
    for (int key = 0; key < 32; ++key) {
      const float4 a = *(const float4*)&v[key][x * 8], b = *(const float4*)&v[key][x * 8 + 4];
      for (int i = 0; i < 2; ++i) {
        const float w = p[mine + i][key];
        const float values[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        for (int c = 0; c < 8; ++c) o[i][c] += w * values[c];
      }
    }
    cg::this_thread_block().sync();
  }
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 8; ++c)
      if (first_query + mine + i < queries) O[(size_t)(first_query + mine + i) * 64 + x * 8 + c] = o[i][c] / sum[i];
}
