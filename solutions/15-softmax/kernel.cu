// Softmax of rows, and attention: y = exp(x − most) / sum, where no exponential is ever large
//
// Problem   Parts 1 and 2: y[r][c] = exp(x[r][c]) / Σ exp(x[r][·]), for rows of any length. exp(89) is more than a float
//           holds, so the largest element of the row is subtracted first, which changes no quotient. Elements may be −∞.
//           Part 3: O = softmax(Q·Kᵀ / 8)·V for one head of 64 columns, with any number of queries and keys.
// Approach  Part 1: a block takes a row in three passes: the largest element, the sum, the quotients.
//           Part 2: one pass finds the largest element and the sum together. When a larger element turns up, what has
//           been summed so far is scaled by exp(old − larger). Each thread does that for its own elements, and two
//           threads' results are joined in the same way. A second pass writes; L2 still has what the first one has read.
//           Part 3: a block takes 32 queries through all keys, 64 at a time. Scores live in registers and in one tile,
//           never in memory. When a larger score turns up, the sums and the results so far are scaled, as in part 2. A
//           thread has 4 × 4 scores and 4 × 4 results, and reads float4.
// Cost      Part 2: 8 bytes an element from and to the memory, 4 more from L2. Part 3: 256 operations for a query and a
//           key; a block loads K and V once.
#include <math_constants.h>

#include "launch_shape.cuh"

//> launch-shape
constexpr int THREADS = 256;  // of part 1, for one row
LAUNCH_SHAPE_1D_OF(softmax_passes, THREADS, 1)

constexpr int THREADS_ONLINE = 1024;  // of part 2, for one row
LAUNCH_SHAPE_1D_OF(softmax_online, THREADS_ONLINE, 1)

constexpr int DEPTH = 64;               // columns of Q, K, V and O
constexpr int QUERIES = 32, KEYS = 64;  // of a block of part 3, and of a tile
constexpr int X = 16, Y = 8;            // its threads: each has 4 queries, and 4 keys or columns
LAUNCH_SHAPE_OF(attention_tiles, X, Y, DEPTH, QUERIES)
//< launch-shape

//> solution
// Joins the values of so many neighbouring lanes, a power of two; each of them gets the result.
template <int LANES, class Value, class Join>
__device__ Value joined_lanes(Value value, Join join) {
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2) value = join(value, value.of_lane(threadIdx.x % 32 ^ step));
  return value;
}

// The same of all threads of a block. `parts`: shared memory for one value a warp.
template <int WARPS, class Value, class Join>
__device__ Value joined(Value value, Value (&parts)[WARPS], Join join) {
  value = joined_lanes<32>(value, join);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();  // the values of all warps are there
  return joined_lanes<WARPS>(parts[threadIdx.x % WARPS], join);
}

struct Number {
  float value;
  __device__ Number of_lane(int lane) const { return {__shfl_sync(0xffffffffu, value, lane)}; }
};
//< solution

//> passes-signature
extern "C" __global__ void __launch_bounds__(THREADS) softmax_passes(const float* x, float* y, int rows, int columns) {
  //< passes-signature
  //> solution
  __shared__ Number largest[THREADS / 32], sums[THREADS / 32];
  const float* const from = x + static_cast<size_t>(blockIdx.x) * columns;
  float* const to = y + static_cast<size_t>(blockIdx.x) * columns;

  Number most{-CUDART_INF_F};
  for (int c = threadIdx.x; c < columns; c += THREADS) most.value = fmaxf(most.value, from[c]);
  most = joined(most, largest, [](Number a, Number b) { return Number{fmaxf(a.value, b.value)}; });

  Number sum{0.0f};
  for (int c = threadIdx.x; c < columns; c += THREADS) sum.value += expf(from[c] - most.value);
  sum = joined(sum, sums, [](Number a, Number b) { return Number{a.value + b.value}; });

  for (int c = threadIdx.x; c < columns; c += THREADS) to[c] = expf(from[c] - most.value) / sum.value;
  //< solution
  /*> stub
  // TODO(1): find the largest element of the row: each thread of its own elements, then all threads of the block.

  // TODO(2): sum up exp(element - largest) in the same way, and write the quotients.
  <*/
}

//> solution
//> running
// Of the elements so far: the largest, and the sum of exp(element − largest).
struct Running {
  float most, sum;

  // What is subtracted from an element: nothing is subtracted from −∞ as long as there is nothing else.
  static __device__ float base(float most) { return most == -CUDART_INF_F ? 0.0f : most; }

  __device__ Running with(Running other) const {
    const float larger = fmaxf(most, other.most), b = base(larger);
    return {larger, sum * __expf(most - b) + other.sum * __expf(other.most - b)};
  }
  __device__ Running of_lane(int lane) const {
    return {__shfl_sync(0xffffffffu, most, lane), __shfl_sync(0xffffffffu, sum, lane)};
  }
};
//< running

// Neighbours of a row that are loaded together.
template <int WIDTH>
struct alignas(4 * WIDTH) Piece {
  float values[WIDTH];
};

template <int WIDTH>
__device__ void softmax_of_row(const float* x, float* y, int columns) {
  __shared__ Running parts[THREADS_ONLINE / 32];
  const auto* const from = reinterpret_cast<const Piece<WIDTH>*>(x);
  auto* const to = reinterpret_cast<Piece<WIDTH>*>(y);
  const int pieces = columns / WIDTH;

  //> one-pass
  Running running{-CUDART_INF_F, 0.0f};
#pragma unroll 4
  for (int p = threadIdx.x; p < pieces; p += THREADS_ONLINE) {
    const Piece<WIDTH> piece = from[p];
    float most = running.most;
    for (const float value : piece.values) most = fmaxf(most, value);
    const float b = Running::base(most);
    float sum = running.sum * __expf(running.most - b);
    for (const float value : piece.values) sum += __expf(value - b);
    running = {most, sum};
  }
  running = joined(running, parts, [](Running one, Running other) { return one.with(other); });
  //< one-pass

  const float scale = 1.0f / running.sum;
#pragma unroll 4
  for (int p = threadIdx.x; p < pieces; p += THREADS_ONLINE) {
    Piece<WIDTH> piece = from[p];
    for (float& value : piece.values) value = __expf(value - running.most) * scale;
    to[p] = piece;
  }
}
//< solution

//> online-signature
extern "C" __global__ void __launch_bounds__(THREADS_ONLINE)
    softmax_online(const float* x, float* y, int rows, int columns) {
  //< online-signature
  //> solution
  const size_t first = static_cast<size_t>(blockIdx.x) * columns;
  if (columns % 4 == 0)
    softmax_of_row<4>(x + first, y + first, columns);
  else
    softmax_of_row<1>(x + first, y + first, columns);
  //< solution
  /*> stub
  // TODO(3): in one pass, keep the largest element so far and the sum of exp(element - largest). What becomes of the sum
  // when a larger element turns up? How are the results of two threads joined, also where one has seen only -infinity?

  // TODO(4): a second pass writes. Load four neighbours at a time where rows allow it.
  <*/
}

//> solution
constexpr int FOUR = 4;
constexpr int PITCH = DEPTH + 4;  // rows of a tile, which begin in different banks

// Four rows of four numbers: scores or results of a thread.
using Square = float[FOUR][FOUR];

__device__ float4 four_of(const float* from) { return *reinterpret_cast<const float4*>(from); }

// Brings rows of DEPTH elements to shared memory; those behind the last one are zero.
template <int TILE_ROWS>
__device__ void load_tile(float (*tile)[PITCH], const float* matrix, int first, int rows) {
  for (int e = threadIdx.y * X + threadIdx.x; e < TILE_ROWS * DEPTH / FOUR; e += X * Y) {
    const int row = e / (DEPTH / FOUR), column = e % (DEPTH / FOUR) * FOUR;
    const float* const from = matrix + static_cast<size_t>(first + row) * DEPTH + column;
    *reinterpret_cast<float4*>(&tile[row][column]) = first + row < rows ? four_of(from) : make_float4(0, 0, 0, 0);
  }
}

__device__ float dot(float4 a, float4 b, float sum) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + sum; }

// The 16 threads of a row of the block, half a warp, agree on a value.
template <class Join>
__device__ float joined_in_row(float value, Join join) {
#pragma unroll
  for (int step = X / 2; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}
//< solution

//> attention-signature
extern "C" __global__ void __launch_bounds__(X* Y)
    attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  //< attention-signature
  //> solution
  __shared__ alignas(16) float Q_tile[QUERIES][PITCH], K_tile[KEYS][PITCH], V_tile[KEYS][PITCH];
  auto* const weights = K_tile;  // exp(score - largest), query by query, when nobody needs the keys any more
  const int x = threadIdx.x, y = threadIdx.y, first_query = blockIdx.y * QUERIES;

  Square results = {};
  float most[FOUR], sum[FOUR] = {};
  for (float& each : most) each = -CUDART_INF_F;
  load_tile<QUERIES>(Q_tile, Q, first_query, queries);
  for (int first = 0; first < keys; first += KEYS) {
    load_tile<KEYS>(K_tile, K, first, keys);
    load_tile<KEYS>(V_tile, V, first, keys);
    __syncthreads();  // the tiles are complete

    //> scores
    // Of queries 4·y + i and keys x + 16·j.
    Square scores = {};
    for (int d = 0; d < DEPTH; d += FOUR) {
      float4 q[FOUR], k[FOUR];
#pragma unroll
      for (int i = 0; i < FOUR; ++i) {
        q[i] = four_of(&Q_tile[y * FOUR + i][d]);
        k[i] = four_of(&K_tile[x + X * i][d]);
      }
#pragma unroll
      for (int i = 0; i < FOUR; ++i)
#pragma unroll
        for (int j = 0; j < FOUR; ++j) scores[i][j] = dot(q[i], k[j], scores[i][j]);
    }
    //< scores
    __syncthreads();  // all have read the keys

    //> rescale
#pragma unroll
    for (int i = 0; i < FOUR; ++i) {
      float larger = most[i];
#pragma unroll
      for (int j = 0; j < FOUR; ++j) {
        scores[i][j] = first + x + X * j < keys ? scores[i][j] * 0.125f : -CUDART_INF_F;
        larger = fmaxf(larger, scores[i][j]);
      }
      larger = joined_in_row(larger, [](float a, float b) { return fmaxf(a, b); });
      const float scale = __expf(most[i] - larger);
      most[i] = larger;
      sum[i] *= scale;
#pragma unroll
      for (int j = 0; j < FOUR; ++j) {
        const float weight = __expf(scores[i][j] - larger);
        sum[i] += weight;
        results[i][j] *= scale;
        weights[y * FOUR + i][x + X * j] = weight;
      }
    }
    //< rescale
    __syncthreads();  // the weights are complete

    //> results
    // Of queries 4·y + i and columns 4·x + j.
    for (int key = 0; key < KEYS; key += FOUR) {
      float4 w[FOUR], v[FOUR];
#pragma unroll
      for (int i = 0; i < FOUR; ++i) {
        w[i] = four_of(&weights[y * FOUR + i][key]);
        v[i] = four_of(&V_tile[key + i][x * FOUR]);
      }
#pragma unroll
      for (int i = 0; i < FOUR; ++i) {
        results[i][0] += w[i].x * v[0].x + w[i].y * v[1].x + w[i].z * v[2].x + w[i].w * v[3].x;
        results[i][1] += w[i].x * v[0].y + w[i].y * v[1].y + w[i].z * v[2].y + w[i].w * v[3].y;
        results[i][2] += w[i].x * v[0].z + w[i].y * v[1].z + w[i].z * v[2].z + w[i].w * v[3].z;
        results[i][3] += w[i].x * v[0].w + w[i].y * v[1].w + w[i].z * v[2].w + w[i].w * v[3].w;
      }
    }
    //< results
    __syncthreads();  // nobody reads the tiles any more
  }

#pragma unroll
  for (int i = 0; i < FOUR; ++i) {
    const float whole = joined_in_row(sum[i], [](float a, float b) { return a + b; });
    const int query = first_query + y * FOUR + i;
    if (query >= queries) continue;
    *reinterpret_cast<float4*>(O + static_cast<size_t>(query) * DEPTH + x * FOUR) =
        make_float4(results[i][0] / whole, results[i][1] / whole, results[i][2] / whole, results[i][3] / whole);
  }
  //< solution
  /*> stub
  // TODO(5): bring a tile of queries, and one of keys and values after the other, to shared memory; compute the scores of
  // these queries and keys, Q·Kᵀ / 8. Which score do keys get that do not exist?

  // TODO(6): keep the largest score, the sum and the results of each query as in part 2: what happens to them when a
  // larger score turns up in a later tile? Divide by the sum in the end.

  // TODO(7): let a thread have several scores and several results, so that what it reads from a tile serves all of them.
  <*/
}
