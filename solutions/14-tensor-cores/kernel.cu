// Tensor cores: C = A·B from half-precision matrices, summed up in single precision
//
// Problem   A is m×k and B is k×n, of halves; C is m×n, of floats; all row-major, of any size. A sum is kept in single
//           precision: half precision holds whole numbers up to 2,048 only, and 11 bits of any other.
// Approach  A tensor core multiplies small matrices that lie in the registers of a whole warp. Part 1 lets the compiler
//           place them: fragments of wmma, 16×16×16, from tiles in shared memory whose rows are padded.
//           Part 2 says itself which lane holds what. ldmatrix brings four 8×8 matrices to the registers of a warp, and
//           mma multiplies 16×16 of A by 16×8 of B. A warp computes 64×64 elements: 8 loads are enough for 32
//           products. Tiles arrive by cp.async, STAGES - 1 ahead, in rows whose chunks are exchanged, so that the eight
//           rows of a matrix lie in different banks without padding. Operands of the next step are loaded while those
//           of this one are multiplied.
//           Rows that are no multiples of 16 bytes cannot be copied like that: they are loaded half by half.
// Cost      2·m·n·k operations. A block of 128×256 loads its rows of A n / 256 times, its columns of B m / 128 times.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"

//> launch-shape
constexpr int SIDE = 64;        // rows and columns of C that a block of part 1 computes
constexpr int WARPS = 4;        // its warps, 2 × 2
constexpr int PART = SIDE / 2;  // rows and columns of C that one of them computes
constexpr int THREADS_OF_1 = WARPS * 32;
LAUNCH_SHAPE_OF(product_wmma, THREADS_OF_1, 1, SIDE, SIDE)

constexpr int ROWS = 128, COLUMNS = 256;  // elements of C that a block of part 2 computes
constexpr int DEPTH = 64;                 // of its tiles
constexpr int STAGES = 4;                 // tiles of each matrix: one is multiplied while the others arrive
constexpr int WARP_SIDE = 64;             // rows and columns of C that a warp computes
constexpr int THREADS = ROWS / WARP_SIDE * (COLUMNS / WARP_SIDE) * 32;
constexpr int STAGE_HALVES = (ROWS + COLUMNS) * DEPTH;
LAUNCH_SHAPE_OF(product_mma, THREADS, 1, COLUMNS, ROWS)
LAUNCH_SHARED_BYTES_OF(product_mma, STAGES * STAGE_HALVES * 2)
//< launch-shape

//> solution
// The element, or zero outside of the matrix, which changes no sum.
__device__ half element(const half* matrix, int rows, int columns, int row, int column) {
  const bool is_inside = row < rows && column < columns;
  return is_inside ? matrix[static_cast<size_t>(row) * columns + column] : __float2half(0.0f);
}

//> fragments
using namespace nvcuda;
constexpr int SMALL = 16;  // rows, columns and depth of a fragment
using Fragment_A = wmma::fragment<wmma::matrix_a, SMALL, SMALL, SMALL, half, wmma::row_major>;
using Fragment_B = wmma::fragment<wmma::matrix_b, SMALL, SMALL, SMALL, half, wmma::row_major>;
using Fragment_C = wmma::fragment<wmma::accumulator, SMALL, SMALL, SMALL, float>;
//< fragments
constexpr int DEPTH_OF_1 = 32;
constexpr int PAD = 8;  // halves, 16 bytes: rows begin in different banks
//< solution

//> wmma-signature
extern "C" __global__ void __launch_bounds__(THREADS_OF_1)
    product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  //< wmma-signature
  //> solution
  __shared__ __align__(32) half A_tile[SIDE][DEPTH_OF_1 + PAD];
  __shared__ __align__(32) half B_tile[DEPTH_OF_1][SIDE + PAD];
  __shared__ __align__(32) float C_tile[SIDE][SIDE + PAD];
  const int first_row = blockIdx.y * SIDE, first_column = blockIdx.x * SIDE;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * PART, warp_column = warp % 2 * PART;  // within the block

  //> wmma-loop
  Fragment_C sums[PART / SMALL][PART / SMALL];
  for (auto& row : sums)
    for (auto& sum : row) wmma::fill_fragment(sum, 0.0f);
  for (int first = 0; first < k; first += DEPTH_OF_1) {
    for (int e = threadIdx.x; e < SIDE * DEPTH_OF_1; e += THREADS_OF_1) {
      const int row = e / DEPTH_OF_1, depth = e % DEPTH_OF_1;
      A_tile[row][depth] = element(A, m, k, first_row + row, first + depth);
    }
    for (int e = threadIdx.x; e < DEPTH_OF_1 * SIDE; e += THREADS_OF_1) {
      const int depth = e / SIDE, column = e % SIDE;
      B_tile[depth][column] = element(B, k, n, first + depth, first_column + column);
    }
    __syncthreads();  // both tiles are complete
#pragma unroll
    for (int depth = 0; depth < DEPTH_OF_1; depth += SMALL) {
      Fragment_A a[PART / SMALL];
      Fragment_B b[PART / SMALL];
#pragma unroll
      for (int i = 0; i < PART / SMALL; ++i) {
        wmma::load_matrix_sync(a[i], &A_tile[warp_row + i * SMALL][depth], DEPTH_OF_1 + PAD);
        wmma::load_matrix_sync(b[i], &B_tile[depth][warp_column + i * SMALL], SIDE + PAD);
      }
#pragma unroll
      for (int i = 0; i < PART / SMALL; ++i)
#pragma unroll
        for (int j = 0; j < PART / SMALL; ++j) wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
    }
    __syncthreads();  // nobody reads the tiles any more
  }
  //< wmma-loop

#pragma unroll
  for (int i = 0; i < PART / SMALL; ++i)
#pragma unroll
    for (int j = 0; j < PART / SMALL; ++j)
      wmma::store_matrix_sync(&C_tile[warp_row + i * SMALL][warp_column + j * SMALL], sums[i][j], SIDE + PAD,
                              wmma::mem_row_major);
  __syncthreads();  // the block's part of C is complete
  for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS_OF_1) {
    const int row = first_row + e / SIDE, column = first_column + e % SIDE;
    if (row < m && column < n) C[static_cast<size_t>(row) * n + column] = C_tile[e / SIDE][e % SIDE];
  }
  //< solution
  /*> stub
  // TODO(1): bring tiles of A and B to shared memory, with zeros outside of the matrices, and let each warp multiply
  // fragments of them: wmma::load_matrix_sync, wmma::mma_sync. The accumulators are fragments of floats.

  // TODO(2): wmma::store_matrix_sync knows no border. How do the results come to C where a fragment stands across it?
  <*/
}

//> solution
constexpr int CHUNK = 8;  // halves that are copied together, 16 bytes: a row of an 8×8 matrix
constexpr int CHUNKS_A = DEPTH / CHUNK, CHUNKS_B = COLUMNS / CHUNK;  // in a row of a tile
constexpr int MMA_ROWS = 16, MMA_COLUMNS = 8, MMA_DEPTH = 16;        // of one mma
constexpr int STEPS = DEPTH / MMA_DEPTH;                             // through a tile, of one mma each
constexpr int PARTS = STEPS - 1;
constexpr int DOWN = WARP_SIDE / MMA_ROWS, ACROSS = WARP_SIDE / MMA_COLUMNS;

//> swizzle
// Where a chunk of a tile lies in shared memory, counted in halves. Eight rows below one another have this
// chunk in eight groups of four banks.
template <int CHUNKS>
__device__ int place(int row, int chunk) {
  return (row * CHUNKS + (chunk ^ (row % 8))) * CHUNK;
}
//< swizzle

//> instructions
// Four 8×8 matrices: lane 8·j + i gives the address of row i of matrix j, and gets two elements of each.
__device__ void load_matrices(unsigned (&to)[4], const half* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 { %0, %1, %2, %3 }, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
// The same, with rows and columns of each matrix exchanged.
__device__ void load_transposed(unsigned (&to)[4], const half* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 { %0, %1, %2, %3 }, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
// Adds 16×16 of A times 16×8 of B to 16×8 sums.
__device__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { %0, %1, %2, %3 }, { %4, %5, %6, %7 }, { %8, %9 }, "
      "{ %0, %1, %2, %3 };"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// Copies a chunk while the thread continues. Where it lies outside of the matrix, nothing is read and zeros
// arrive.
__device__ void copy_async(half* to, const half* from, bool is_inside) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = is_inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}
__device__ void end_of_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS>
__device__ void await_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}
//< instructions

// The chunks of a matrix's tiles that one thread brings: the same chunk of every STEP-th row.
template <int TILE_ROWS, int CHUNKS>
struct Copies {
  static constexpr int STEP = THREADS / CHUNKS;
  const half* from;
  int to;  // place of the first chunk in a tile
  int rows_left, columns_left, columns;

  __device__ Copies(const half* matrix, int rows, int columns, int row, int column) : columns(columns) {
    const int y = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
    from = matrix + static_cast<size_t>(row + y) * columns + column + chunk * CHUNK;
    to = place<CHUNKS>(y, chunk);
    rows_left = rows - row - y;
    columns_left = columns - column - chunk * CHUNK;
  }

  // Starts one of so many parts of a tile's copies. Where rows are no multiples of a chunk, the thread loads and stores
  // every element itself.
  template <bool BY_CHUNKS>
  __device__ void start(half* tile, int part, int parts) const {
    constexpr int COPIES = TILE_ROWS / STEP;
#pragma unroll
    for (int copy = part * COPIES / parts; copy < (part + 1) * COPIES / parts; ++copy) {
      const int row = copy * STEP;
      half* const at = tile + to + row * CHUNKS * CHUNK;
      const half* const chunk = from + static_cast<size_t>(row) * columns;
      if constexpr (BY_CHUNKS)
        copy_async(at, chunk, row < rows_left && 0 < columns_left);
      else
        for (int i = 0; i < CHUNK; ++i) at[i] = row < rows_left && i < columns_left ? chunk[i] : __float2half(0.0f);
    }
  }

  __device__ void move_right(int by) { from += by, columns_left -= by; }
  __device__ void move_down(int by) { from += static_cast<size_t>(by) * columns, rows_left -= by; }
};

// The two elements of C that a lane has side by side.
__device__ void store(float* C, int m, int n, int row, int column, float left, float right) {
  if (row >= m || column >= n) return;
  float* const to = C + static_cast<size_t>(row) * n + column;
  if (n % 2 == 0) {
    *reinterpret_cast<float2*>(to) = make_float2(left, right);
  } else {
    to[0] = left;
    if (column + 1 < n) to[1] = right;
  }
}

// A block's part of C, from (first_row, first_column) on.
template <bool BY_CHUNKS>
__device__ void product_of_block(const half* A, const half* B, float* C, int m, int n, int k, int first_row,
                                 int first_column) {
  extern __shared__ __align__(128) half tiles[];
  const auto A_tile = [&](int tile) { return tiles + tile % STAGES * STAGE_HALVES; };
  const auto B_tile = [&](int tile) { return A_tile(tile) + ROWS * DEPTH; };

  //> fetch
  Copies<ROWS, CHUNKS_A> of_A(A, m, k, first_row, 0);
  Copies<DEPTH, CHUNKS_B> of_B(B, k, n, 0, first_column);
  const int tiles_of_k = (k + DEPTH - 1) / DEPTH;
  // A part of the copies of a tile for each step through another one, but for the last step.
  const auto fetch = [&](int tile, int part) {
    const bool is_last = part == PARTS - 1;
    if (tile < tiles_of_k) {
      of_A.template start<BY_CHUNKS>(A_tile(tile), part, PARTS);
      of_B.template start<BY_CHUNKS>(B_tile(tile), part, PARTS);
      if (is_last) of_A.move_right(DEPTH), of_B.move_down(DEPTH);
    }
    if (is_last) end_of_group();  // also without copies: the number of groups says which tile has arrived
  };
  //< fetch

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / (COLUMNS / WARP_SIDE) * WARP_SIDE, warp_column = warp % (COLUMNS / WARP_SIDE) * WARP_SIDE;
  //> operands
  // Of this step through a tile and of the next one, which arrive while these are multiplied.
  unsigned a[2][DOWN][4], b[2][ACROSS / 2][4];
  const auto load = [&](int tile, int step) {
#pragma unroll
    for (int i = 0; i < DOWN; ++i) {
      const int row = warp_row + i * MMA_ROWS + lane % 16, chunk = step * MMA_DEPTH / CHUNK + lane / 16;
      load_matrices(a[step % 2][i], A_tile(tile) + place<CHUNKS_A>(row, chunk));
    }
#pragma unroll
    for (int j = 0; j < ACROSS / 2; ++j) {
      const int row = step * MMA_DEPTH + lane % 16, chunk = warp_column / CHUNK + 2 * j + lane / 16;
      load_transposed(b[step % 2][j], B_tile(tile) + place<CHUNKS_B>(row, chunk));
    }
  };
  //< operands

  float sums[DOWN][ACROSS][4] = {};
  //> pipeline
#pragma unroll
  for (int tile = 0; tile < STAGES - 1; ++tile)
#pragma unroll
    for (int part = 0; part < PARTS; ++part) fetch(tile, part);
  await_all_but<STAGES - 2>();  // the thread's own copies of the first tile have arrived,
  __syncthreads();              // and those of all others
  load(0, 0);
#pragma unroll 1
  for (int tile = 0; tile < tiles_of_k; ++tile) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (step + 1 < STEPS) {
        load(tile, step + 1);
        fetch(tile + STAGES - 1, step);  // where the tile before this one was
      } else {
        await_all_but<STAGES - 2>();
        __syncthreads();    // the next tile has arrived, and nobody reads this one any more
        load(tile + 1, 0);  // behind the last tile: whatever is there, which nobody multiplies
      }
#pragma unroll
      for (int i = 0; i < DOWN; ++i)
#pragma unroll
        for (int j = 0; j < ACROSS; ++j)
          multiply(sums[i][j], a[step % 2][i], b[step % 2][j / 2][j % 2 * 2], b[step % 2][j / 2][j % 2 * 2 + 1]);
    }
  }
  //< pipeline

  //> store
#pragma unroll
  for (int i = 0; i < DOWN; ++i)
#pragma unroll
    for (int j = 0; j < ACROSS; ++j) {
      const int row = first_row + warp_row + i * MMA_ROWS + lane / 4;
      const int column = first_column + warp_column + j * MMA_COLUMNS + lane % 4 * 2;
      store(C, m, n, row, column, sums[i][j][0], sums[i][j][1]);
      store(C, m, n, row + 8, column, sums[i][j][2], sums[i][j][3]);
    }
  //< store
}

constexpr int BLOCKS_TOGETHER = 8;  // rows of blocks that run together, so that they find each other's tiles in L2
//< solution

//> mma-signature
extern "C" __global__ void __launch_bounds__(THREADS)
    product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  //< mma-signature
  //> solution
  //> order
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int group = block / (BLOCKS_TOGETHER * gridDim.x) * BLOCKS_TOGETHER;  // its first row of blocks
  const int rows_together = min(BLOCKS_TOGETHER, gridDim.y - group);
  const int within = block - group * gridDim.x;
  const int first_row = (group + within % rows_together) * ROWS, first_column = within / rows_together * COLUMNS;
  //< order
  if ((n | k) % CHUNK == 0)
    product_of_block<true>(A, B, C, m, n, k, first_row, first_column);
  else
    product_of_block<false>(A, B, C, m, n, k, first_row, first_column);
  //< solution
  /*> stub
  // TODO(3): tiles in shared memory as in part 1, but operands by ldmatrix and products by mma. Which lane gives the
  // address of which row? B lies row by row, and mma wants its columns.

  // TODO(4): a lane has four sums of each 16×8 product. Where do they belong in C, and which of them exist?

  // TODO(5): bring the next tiles by cp.async while these are multiplied. Which rows cannot be copied 16 bytes at once?

  // TODO(6): eight rows of a tile that ldmatrix reads together should lie in different banks, without padding.
  <*/
}
