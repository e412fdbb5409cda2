// Lab 15-softmax: this file is yours. Fill in the TODOs, then type: ./warpgrade check 15-softmax
// (Course staff: made by `make skeletons` from solutions/15-softmax/kernel.cu; edit that one.)

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

constexpr int THREADS = 256;  // of part 1, for one row
LAUNCH_SHAPE_1D_OF(softmax_passes, THREADS, 1)

constexpr int THREADS_ONLINE = 1024;  // of part 2, for one row
LAUNCH_SHAPE_1D_OF(softmax_online, THREADS_ONLINE, 1)

constexpr int DEPTH = 64;               // columns of Q, K, V and O
constexpr int QUERIES = 32, KEYS = 64;  // of a block of part 3, and of a tile
constexpr int X = 16, Y = 8;            // its threads: each has 4 queries, and 4 keys or columns
LAUNCH_SHAPE_OF(attention_tiles, X, Y, DEPTH, QUERIES)

extern "C" __global__ void __launch_bounds__(THREADS) softmax_passes(const float* x, float* y, int rows, int columns) {
  // TODO(1): find the largest element of the row: each thread of its own elements, then all threads of the block.

  // TODO(2): sum up exp(element - largest) in the same way, and write the quotients.
}

extern "C" __global__ void __launch_bounds__(THREADS_ONLINE)
    softmax_online(const float* x, float* y, int rows, int columns) {
  // TODO(3): in one pass, keep the largest element so far and the sum of exp(element - largest). What becomes of the sum
  // when a larger element turns up? How are the results of two threads joined, also where one has seen only -infinity?

  // TODO(4): a second pass writes. Load four neighbours at a time where rows allow it.
}

extern "C" __global__ void __launch_bounds__(X* Y)
    attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  // TODO(5): bring a tile of queries, and one of keys and values after the other, to shared memory; compute the scores of
  // these queries and keys, Q·Kᵀ / 8. Which score do keys get that do not exist?

  // TODO(6): keep the largest score, the sum and the results of each query as in part 2: what happens to them when a
  // larger score turns up in a later tile? Divide by the sum in the end.

  // TODO(7): let a thread have several scores and several results, so that what it reads from a tile serves all of them.
}
