// Lab 04-register-tiled: this file is yours. Fill in the TODOs, then type: ./warpgrade check 04-register-tiled
// (Course staff: made by `make skeletons` from solutions/04-register-tiled/kernel.cu; edit that one.)

// Register-tiled matrix multiplication: 8×8 outputs a thread
//
// Problem   C = A · B, where A is m×k, B is k×n and C is m×n, row-major, of any size. With one
//           output a thread, each multiply-add reads two floats from shared memory, and shared
//           memory, not arithmetic, sets the pace.
// Approach  A thread computes 8 rows × 8 columns of C. For each depth of the tiles it copies 8
//           numbers of A and 8 of B to registers, and each of them serves 8 multiply-adds there.
//           Rows and columns come in groups of four neighbours, half a block apart, so that
//           operands are read as float4 and the 16 threads along x read 64 neighbours at once.
//           The A tile lies transposed: what a thread needs of one depth are then neighbours,
//           too. Padding its rows by 4 keeps them aligned and puts the 4×8 elements
//           that a warp stores at once into 32 different banks.
// Cost      A block computes 128×128 elements of C with 256 threads and tiles 8 deep (8.1 KB).
//           In a phase it loads 2·128·8 = 2,048 floats and makes 2·128·128·8 = 262,144
//           operations: 128 a load. A thread reads 16 floats from shared memory, in 4 loads,
//           for 64 multiply-adds; with one output a thread these would be 128 floats.
// Measured  At 4096³ on an H200, 35.7 TFLOP/s, 70 % of cuBLAS in single precision. Without
//           unrolling the loop over depths it is 27.8. With it, but with a trip count of the loading
//           loop that the compiler does not know, it is 29.6: if known, all loads are in flight at once.
#include "launch_shape.cuh"

// A block computes BLOCK_ROWS × BLOCK_COLUMNS elements of C; its tiles hold TILE_DEPTH columns of A
// and TILE_DEPTH rows of B at a time.
constexpr int BLOCK_ROWS = 128;
constexpr int BLOCK_COLUMNS = 128;
constexpr int TILE_DEPTH = 8;
// A thread computes THREAD_ROWS × THREAD_COLUMNS of them, in groups of neighbours as wide as a float4.
constexpr int THREAD_ROWS = 8;
constexpr int THREAD_COLUMNS = 8;
constexpr int GROUP = 4;
// Floats that follow each row of the transposed A tile, unused.
constexpr int PADDING = 4;

constexpr int THREADS_X = BLOCK_COLUMNS / THREAD_COLUMNS;
constexpr int THREADS_Y = BLOCK_ROWS / THREAD_ROWS;
constexpr int THREADS = THREADS_X * THREADS_Y;
LAUNCH_SHAPE(THREADS_X, THREADS_Y, BLOCK_COLUMNS, BLOCK_ROWS)
// Elements of each tile that a thread brings.
constexpr int A_LOADS = BLOCK_ROWS * TILE_DEPTH / THREADS;
constexpr int B_LOADS = TILE_DEPTH * BLOCK_COLUMNS / THREADS;

// Where in the block's part of C the thread's i-th row and j-th column stand.
__device__ int row_of(int i) { return i / GROUP * (THREADS_Y * GROUP) + threadIdx.y * GROUP + i % GROUP; }
__device__ int column_of(int j) { return j / GROUP * (THREADS_X * GROUP) + threadIdx.x * GROUP + j % GROUP; }

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float A_tile[TILE_DEPTH][BLOCK_ROWS + PADDING];  // transposed
  __shared__ alignas(16) float B_tile[TILE_DEPTH][BLOCK_COLUMNS];

  const int thread = threadIdx.y * THREADS_X + threadIdx.x;
  const int first_row = blockIdx.y * BLOCK_ROWS;
  const int first_column = blockIdx.x * BLOCK_COLUMNS;

  float sum[THREAD_ROWS][THREAD_COLUMNS] = {};
  for (int first_depth = 0; first_depth < k; first_depth += TILE_DEPTH) {
    // TODO(1): fill the A tile, transposed: A_tile[depth][row]. Each thread brings several elements.
    //          What stands outside A counts nothing.

    // TODO(2): fill the B tile in the same way: B_tile[depth][column].

    // TODO(3): make sure that both tiles are complete, and find the second place where the block
    //          has to wait.

    // For each depth of the tiles:
    //   TODO(4): copy what your rows need of A and your columns of B to registers.

    //   TODO(5): let each of these row operands meet each of the column operands.
  }

  // TODO(6): leave your sums at their places in C, those that have one.
}
