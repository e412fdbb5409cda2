// Lab 07-transpose: this file is yours. Fill in the TODOs, then type: ./warpgrade check 07-transpose
// (Course staff: made by `make skeletons` from solutions/07-transpose/kernel.cu; edit that one.)

// Matrix transposition: a tile in shared memory turns rows into columns
//
// Problem   A is rows×columns, T is columns×rows, both row-major, for any size:
//           T[c][r] = A[r][c]. Nothing is computed, so the time is that of the memory traffic.
// Approach  A thread that copies straight across either reads or writes down a column: its warp touches 32
//           sectors where 4 would do. So a block brings a tile of A to shared memory row by row and
//           writes it out row by row of T; only shared memory is read down a column. One unused
//           column in the tile moves each row by one bank, so that a column lies in 32 banks.
// Cost      Each float is read once and written once, 8 bytes an element, 4 sectors for each request of a
//           warp. The tile takes 32 · 33 · 4 = 4,224 bytes; each of 256 threads moves four elements.
#include "launch_shape.cuh"

constexpr int TILE = 32;  // side of the tile, one warp wide
constexpr int ROWS = 8;   // rows of threads: each thread moves TILE / ROWS elements
// A block writes a TILE × TILE tile of T.
LAUNCH_SHAPE(TILE, ROWS, TILE, TILE)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  // Begin without a tile: a thread moves TILE / ROWS elements of A, which lie ROWS rows apart:
  // T[column * rows + row] = A[row * columns + column]. The launch shape counts tiles of T, so blockIdx.x
  // goes down the rows of A. That is right, and you can check it. Then make it fast:

  // TODO(1): give the block a tile in shared memory.

  // TODO(2): load a tile of A row by row: neighbouring threads read neighbouring elements. Each thread
  // has TILE / ROWS elements to load. Which of them exist?

  // TODO(3): make sure that the tile is complete before anyone reads it.

  // TODO(4): store the tile row by row of T. Which element of the tile does a thread need now?

  // TODO(5): look at the bank conflicts of the tile (warpgrade profile), and let a column of it lie in
  // different banks.
}
