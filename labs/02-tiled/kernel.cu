// Lab 02-tiled: this file is yours. Fill in the TODOs, then type: ./warpgrade check 02-tiled
// (Course staff: made by `make skeletons` from solutions/02-tiled/kernel.cu; edit that one.)

// Tiled matrix multiplication: a block shares what it loads
//
// Problem   C = A · B, where A is m×k, B is k×n and C is m×n, row-major, all sizes multiples of
//           the tile. The basic kernel loads each element of A n times and each of B m times.
// Approach  A block computes one tile of C. It goes along its rows of A and down its columns of B
//           in phases. In each phase it brings one tile of A and one of B to shared memory, each
//           thread one element of both, and then every thread reads a whole row and a whole
//           column from there.
// Cost      Tile 16: in a phase a block loads 512 floats and makes 8,192 multiplications and
//           additions, 16 operations a load; its tiles take 2 KB. Tile 32: 2,048 loads, 65,536
//           operations, 32 a load, 8 KB. The matrices travel n / TILE_WIDTH and m / TILE_WIDTH
//           times instead of n and m times.
#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
// A block has a thread for each element of its tile of C.
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  // TODO(1): give the block a tile of A and a tile of B that all its threads share.

  // TODO(2): find out which row and which column of C is yours.

  // For each phase along k:
  //   TODO(3): bring one element of the A tile and one of the B tile to shared memory.

  //   TODO(4): make sure that both tiles are complete before anyone reads them.

  //   TODO(5): add what this phase contributes to your dot product.

  //   TODO(6): make sure that nobody still reads the tiles when the next phase writes them.

  // TODO(7): leave the result at its place in C.
}
