// Four stages of half the depth, parts added up together
//
// Tiles are 8 deep instead of 16, and three pairs of them are under way instead of one: loops are half as long,
// which counts where they are fetched again. All blocks with a part of a tile add the parts up, each some rows.
#include "launch_shape.cuh"

// A tile of BLOCK_ROWS × BLOCK_COLUMNS elements of C is a block's work, from tiles of A and B that are
// TILE_DEPTH deep, STAGES of each: one is being multiplied while the others arrive. They fill 48 KB of shared
// memory to the last byte.
constexpr int BLOCK_ROWS = 128;
constexpr int BLOCK_COLUMNS = 256;
constexpr int TILE_DEPTH = 8;
constexpr int STAGES = 4;
// A warp computes 64 × 64 of them, with its lanes in 8 rows and 4 columns; a lane 8 × 16.
constexpr int WARP_ROWS = 64;
constexpr int WARP_COLUMNS = 64;
constexpr int LANES_Y = 8;
constexpr int LANES_X = 4;
constexpr int THREAD_ROWS = WARP_ROWS / LANES_Y;
constexpr int THREAD_COLUMNS = WARP_COLUMNS / LANES_X;
// Everything moves in chunks of four neighbours, 16 bytes.
constexpr int CHUNK = 4;
// Rows of tiles of C that are computed together: their blocks find each other's tiles of A and B in L2.
constexpr int ROWS_TOGETHER = 8;

constexpr int THREADS = BLOCK_ROWS / WARP_ROWS * (BLOCK_COLUMNS / WARP_COLUMNS) * 32;
// Blocks for each tile of C, so that there are enough to split tiles. Those without work end at once.
constexpr int BLOCKS_OF_TILE = 4;
LAUNCH_SHAPE(THREADS, 1, BLOCK_COLUMNS / BLOCKS_OF_TILE, BLOCK_ROWS)

using Tile_A = float[BLOCK_ROWS][TILE_DEPTH];
using Tile_B = float[TILE_DEPTH][BLOCK_COLUMNS];
constexpr int CHUNKS_A = TILE_DEPTH / CHUNK;  // in a row of A's tile

// The same number. The compiler does not know that it is the same, so that it computes what depends on it
// again instead of keeping it in registers, of which this kernel has none to spare.
__device__ int again(int number) {
  asm volatile("" : "+r"(number));
  return number;
}

// Copies FLOATS (4 or 1) to shared memory while the thread continues. What lies outside a matrix is zero.
template <int FLOATS>
__device__ void copy_async(float* to, const float* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int read = inside ? FLOATS * 4 : 0;
  if constexpr (FLOATS == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(read));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(read));
#else
  for (int i = 0; i < FLOATS; ++i) to[i] = inside ? from[i] : 0.0f;
#endif
}

// Closes the group of copies that this thread has started since the group before.
__device__ void end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}

// Waits for the oldest group of this thread, where it fetches STAGES - 1 groups ahead.
__device__ void await_oldest_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

__device__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Where chunk `chunk` of a row of A's tile lies in that row. The 8 rows that a warp reads together would have
// their chunks in only 4 groups of 4 banks; exchanged like this, they are in all 8.
__device__ int place_in_row(int row, int chunk) { return (chunk ^ (row / 4 % CHUNKS_A)) * CHUNK; }

// Copies for the next tiles start in so many parts, one in each of the first depths.
constexpr int PARTS_OF_FETCH = 6;

// What one thread copies of each tile, FLOATS neighbours at a time.
template <int FLOATS>
struct Loader {
  static constexpr int ACROSS_A = TILE_DEPTH / FLOATS;    // threads that share a row of A's tile
  static constexpr int ACROSS_B = BLOCK_COLUMNS / CHUNK;  // or of B's,
  static constexpr int COPIES_OF_ROW = CHUNK / FLOATS;    // each with so many copies of it, from one address
  static constexpr int STRIDE_A = THREADS / ACROSS_A;     // from one row of this thread to its next
  static constexpr int STRIDE_B = THREADS / ACROSS_B;
  static constexpr int ROWS_A = BLOCK_ROWS / STRIDE_A;    // of this thread, in a tile
  static constexpr int ROWS_B = TILE_DEPTH / STRIDE_B;
  const float* a;
  const float* b;
  int to_a, to_b;    // places of the thread's first copies in a tile
  int rows_left;     // of A, from the thread's first copy on
  int columns_left;  // of B, likewise
  int depth_left;    // of both matrices, from the next tiles on

  __device__ Loader(const float* A, const float* B, int first_row, int first_column, int depth, int m, int n,
                    int k)
      : rows_left(m - first_row - row_a()), depth_left(k - depth) {
    const int column_b = threadIdx.x % ACROSS_B * FLOATS;
    a = A + static_cast<size_t>(first_row + row_a()) * k + depth + column_a();
    b = B + static_cast<size_t>(depth + row_b()) * n + first_column + column_b;
    to_a = row_a() * TILE_DEPTH + place_in_row(row_a(), column_a() / CHUNK) + column_a() % CHUNK;
    to_b = row_b() * BLOCK_COLUMNS + column_b;
    columns_left = n - first_column - column_b;
  }
  static __device__ int row_a() { return threadIdx.x / ACROSS_A; }
  static __device__ int column_a() { return threadIdx.x % ACROSS_A * FLOATS; }
  static __device__ int row_b() { return threadIdx.x / ACROSS_B; }

  // Starts the copies of a part of the next tiles; behind the last ones they are zero.
  __device__ void fetch(Tile_A& to_A, Tile_B& to_B, int n, int k, int part) {
#pragma unroll
    for (int i = part * ROWS_A / PARTS_OF_FETCH; i < (part + 1) * ROWS_A / PARTS_OF_FETCH; ++i) {
      const int row = i * STRIDE_A;
      copy_async<FLOATS>(&to_A[row][0] + to_a, a, row < again(rows_left) && column_a() < depth_left);
      a += again(STRIDE_A * k);
    }
#pragma unroll
    for (int i = part * ROWS_B / PARTS_OF_FETCH; i < (part + 1) * ROWS_B / PARTS_OF_FETCH; ++i) {
      const int row = i * STRIDE_B;
#pragma unroll
      for (int column = 0; column < COPIES_OF_ROW * ACROSS_B; column += ACROSS_B)
        copy_async<FLOATS>(&to_B[row][column] + to_b, b + column,
                           column < again(columns_left) && row + row_b() < depth_left);
      b += again(STRIDE_B * n);
    }
    if (part == PARTS_OF_FETCH - 1) {
      a += again(TILE_DEPTH - BLOCK_ROWS * k);
      depth_left -= TILE_DEPTH;
      end_group();
    }
  }
};

constexpr int SMS = 132;            // of an H200; on a GPU with other numbers of SMs the shares are less even
constexpr int STEPS_TO_SPLIT = 96;  // of a tile of C, at least
constexpr int STEPS_OF_PART = 32;   // at least
constexpr int COST = 8;             // of splitting, in steps: storing the sums of parts and adding them up

// Which blocks compute which tiles of C. A step multiplies one tile of A by one of B. The steps of all tiles
// of C are numbered through, and a block has consecutive ones: those of one tile or, among the first `shared`
// tiles, a part of all their steps, which may begin in one tile and end in the next.
struct Split {
  int across, down;  // tiles of C
  int steps;         // of each
  int shared;        // tiles
  int parts;         // as many blocks share them

  __device__ Split(int m, int n, int k)
      : across((n + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS),
        down((m + BLOCK_ROWS - 1) / BLOCK_ROWS),
        steps((k + TILE_DEPTH - 1) / TILE_DEPTH),
        shared(across * down % SMS),  // with the others every SM is busy to the end
        parts(shared) {
    const int blocks = gridDim.x * gridDim.y - (across * down - shared);  // that the others leave
    if (steps >= STEPS_TO_SPLIT && (SMS - shared) * steps > SMS * COST)
      parts = max(shared, min(min(SMS, shared * steps / STEPS_OF_PART), blocks));
  }
  __device__ int first_step(int block) const {
    return block < parts ? block * (shared * steps) / parts : (shared + block - parts) * steps;
  }
  __device__ int all_steps() const { return across * down * steps; }
  // The block that has this step of a shared tile.
  __device__ int block_of(int step) const { return ((step + 1) * parts - 1) / (shared * steps); }
  __device__ int first_block(int tile) const { return block_of(tile * steps); }
  __device__ int last_block(int tile) const { return block_of((tile + 1) * steps - 1); }
  __device__ bool is_divided(int tile) const { return tile < shared && first_block(tile) < last_block(tile); }

  // ROWS_TOGETHER rows of tiles are computed together, column by column.
  __device__ int first_row(int tile) const {
    return (group(tile) + (tile - group(tile) * across) % height(tile)) * BLOCK_ROWS;
  }
  __device__ int first_column(int tile) const {
    return (tile - group(tile) * across) / height(tile) * BLOCK_COLUMNS;
  }
  // The first row of those that are computed together with this tile.
  __device__ int group(int tile) const { return tile / (ROWS_TOGETHER * across) * ROWS_TOGETHER; }
  __device__ int height(int tile) const { return min(ROWS_TOGETHER, down - group(tile)); }
};

// The sums of parts. A block has parts of two tiles at most, one with an even number and one with an odd.
__device__ float4 sums_of_parts[2 * SMS][THREAD_ROWS][THREAD_COLUMNS / CHUNK][THREADS];
// Of each shared tile, 0 before and after a launch: parts that are stored, shares of the adding up that blocks
// have taken, and blocks that are done with it.
__device__ unsigned parts_stored[SMS], shares_taken[SMS], blocks_done[SMS];
constexpr int ROWS_OF_SHARE = 2;
constexpr int SHARES = THREAD_ROWS / ROWS_OF_SHARE;
constexpr int PATIENCE = 40;  // looks at parts_stored, before a block leaves the adding up to others

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// Where a thread's elements begin in a tile of C: in every LANES_Y-th row, CHUNK of LANES_X * CHUNK columns.
__device__ int row_in_tile() {
  return threadIdx.x / 32 / (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_ROWS + threadIdx.x % 32 / LANES_X;
}
__device__ int column_in_tile() {
  return threadIdx.x / 32 % (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_COLUMNS + threadIdx.x % LANES_X * CHUNK;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ alignas(16) Tile_A A_tile[STAGES];
  __shared__ alignas(16) Tile_B B_tile[STAGES];

  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const bool aligned =
      (n | k) % CHUNK == 0 &&
      (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;

  float sum[THREAD_ROWS][THREAD_COLUMNS];
  const auto run = [&](auto loader, int tiles) {
    alignas(16) float a[THREAD_ROWS][CHUNK] = {};                // values of four depths
    alignas(16) float b[2][THREAD_COLUMNS / CHUNK][CHUNK] = {};  // values of this depth and the next
    const int row = row_in_tile(), column = column_in_tile();
    const auto load_a = [&](int i, int stage, int chunk) {
      load(a[i], &A_tile[stage][row + i * LANES_Y][place_in_row(row, chunk)]);
    };
    const auto load_b = [&](int stage, int depth) {
#pragma unroll
      for (int j = 0; j < THREAD_COLUMNS / CHUNK; ++j)
        load(b[depth % 2][j], &B_tile[stage][depth][column + j * LANES_X * CHUNK]);
    };
    // Row i of the outer product for one depth: to and fro, so that b's last element serves twice.
    const auto multiply = [&](int i, int depth) {
#pragma unroll
      for (int step = 0; step < THREAD_COLUMNS; ++step) {
        const int j = i % 2 ? THREAD_COLUMNS - 1 - step : step;
        sum[i][j] += a[i][depth % CHUNK] * b[depth % 2][j / CHUNK][j % CHUNK];
      }
    };

#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
      for (int j = 0; j < THREAD_COLUMNS; ++j) sum[i][j] = 0;
    int stage = 0;
#pragma unroll
    for (int ahead = 0; ahead < STAGES - 1; ++ahead)
#pragma unroll
      for (int part = 0; part < PARTS_OF_FETCH; ++part) loader.fetch(A_tile[ahead], B_tile[ahead], n, k, part);
#pragma unroll 1
    for (; tiles > 0; --tiles) {
      await_oldest_group();  // this tile has arrived,
      __syncthreads();       // and nobody reads the one before it any more
      const int free = (stage + STAGES - 1) % STAGES;
#pragma unroll
      for (int next = 0; next < TILE_DEPTH; ++next) {
        load_b(stage, next);
        if (next < PARTS_OF_FETCH) loader.fetch(A_tile[free], B_tile[free], n, k, next);
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) {
          multiply(i, (next + TILE_DEPTH - 1) % TILE_DEPTH);  // at first: the last depth of the tile before
          if (next % CHUNK == 0 && i % 2 == 1) {              // these two rows need the next four depths
            load_a(i - 1, stage, next / CHUNK);
            load_a(i, stage, next / CHUNK);
          }
        }
      }
      stage = (stage + 1) % STAGES;
    }
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i) multiply(i, TILE_DEPTH - 1);
  };

  // Row i of the thread's elements of this tile of C.
  const auto store = [&](const Split& split, int tile, int i, const float(&sums)[THREAD_COLUMNS]) {
    const int row = split.first_row(tile) + row_in_tile() + i * LANES_Y;
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
      const int column = split.first_column(tile) + column_in_tile() + j * LANES_X;
      if (row >= m || column >= n) continue;
      float* to = C + static_cast<size_t>(row) * n + column;
      alignas(16) float result[CHUNK];
      if (aligned) {
        if (beta != 0) load(result, to);
#pragma unroll
        for (int e = 0; e < CHUNK; ++e) result[e] = alpha * sums[j + e] + (beta != 0 ? beta * result[e] : 0);
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(result);
      } else {
#pragma unroll
        for (int e = 0; e < CHUNK; ++e)
          if (column + e < n) to[e] = alpha * sums[j + e] + (beta != 0 ? beta * to[e] : 0);
      }
    }
  };

  int step = Split(m, n, k).first_step(block);
  if (step >= Split(m, n, k).all_steps()) return;
#pragma unroll 1
  while (true) {
    {
      const Split split(again(m), n, k);
      const int tile = step / split.steps, depth = step % split.steps * TILE_DEPTH;
      const int first_row = split.first_row(tile), first_column = split.first_column(tile);
      const int tiles = min(split.first_step(block + 1), (tile + 1) * split.steps) - step;
      if (aligned)
        run(Loader<CHUNK>(A, B, first_row, first_column, depth, m, n, k), tiles);
      else
        run(Loader<1>(A, B, first_row, first_column, depth, m, n, k), tiles);
    }

    const Split split(again(m), n, k);
    const int tile = again(step) / split.steps;
    if (!split.is_divided(tile)) {
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i) store(split, tile, i, sum[i]);
    } else {
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j += CHUNK)
          __stcg(&sums_of_parts[2 * block + tile % 2][i][j / CHUNK][threadIdx.x],
                 make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();  // who counts this part sees its sums, too
        atomicAdd(&parts_stored[tile], 1);
      }
    }
    step = (tile + 1) * split.steps;
    if (step >= split.first_step(block + 1)) break;
    await_copies();  // of tiles behind this part: those for the next part go to the same places
  }

  await_copies();
  int& number = reinterpret_cast<int&>(A_tile[0][0][0]);  // from the first thread to all
#pragma unroll 1
  for (int last_tile = 1; last_tile >= 0; --last_tile) {
    const Split split(again(m), n, k);
    if (block >= split.parts) return;
    const int tile = last_tile ? (step - 1) / split.steps : split.first_step(block) / split.steps;
    if (!last_tile && tile == (step - 1) / split.steps) return;
    if (!split.is_divided(tile)) continue;
    const int first = split.first_block(tile), last = split.last_block(tile);
    const unsigned all = last - first + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      const volatile unsigned& stored = parts_stored[tile];
      for (int look = 0; look < PATIENCE && stored < all; ++look) {
      }
      number = stored == all ? atomicAdd(&shares_taken[tile], 1) : SHARES;
      __threadfence();  // who has counted all parts sees their sums
    }
    __syncthreads();
    for (int share = number; share < SHARES; share = number) {
      __syncthreads();
      if (threadIdx.x == 0) number = atomicAdd(&shares_taken[tile], 1);
#pragma unroll 1
      for (int i = share * ROWS_OF_SHARE; i < (share + 1) * ROWS_OF_SHARE; ++i) {
        float row[THREAD_COLUMNS] = {};
#pragma unroll 4
        for (int part = first; part <= last; ++part)
#pragma unroll
          for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
            const float4 four = __ldcg(&sums_of_parts[2 * part + tile % 2][i][j / CHUNK][threadIdx.x]);
            row[j] += four.x, row[j + 1] += four.y, row[j + 2] += four.z, row[j + 3] += four.w;
          }
        store(split, tile, i, row);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && atomicInc(&blocks_done[tile], all - 1) == all - 1) {
      atomicExch(&parts_stored[tile], 0);
      atomicExch(&shares_taken[tile], 0);
    }
  }
  }
