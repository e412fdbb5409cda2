// Lab 12-convolution: this file is yours. Fill in the TODOs, then type: ./warpgrade check 12-convolution
// (Course staff: made by `make skeletons` from solutions/12-convolution/kernel.cu; edit that one.)

// Convolution of an image with a mask, and a stencil in space: neighbours are loaded once and used many times
//
// Problem   Part 1: result[r][c] is the sum of mask[i][j] · image[r + i − mask_rows / 2][c + j − mask_columns / 2]
//           over the mask, whose sizes are odd. Part 2: after[z][y][x] is an eighth of twice before[z][y][x] and its
//           six neighbours. Where a neighbour lies outside, the nearest element at the border is taken.
// Approach  A block walks: part 1 down the image, part 2 up through the layers. A ring in shared memory holds the
//           rows (layers) that are needed now, with the elements around the block's own (the halo). cp.async brings
//           those that are needed next while these are used.
//           Part 1: a thread reads an element of a row once for each column of the mask, and adds it to all results
//           that need it. All threads need the same weight at the same time: it comes from constant memory, which
//           serves a whole warp at once.
//           Part 2: what is here now is below in the next layer, and stays in a register.
// Cost      8 bytes an element: all but the halo is read once. With a mask of 5 × 5, a result reads 5 elements of
//           the ring.
#include <cuda_pipeline.h>

#include "launch_shape.cuh"

constexpr int MOST = 15;  // rows and columns of the largest mask

// The program sets these, row by row, before it launches `convolve`.
extern "C" {
__constant__ float mask[MOST * MOST];
}

constexpr int THREADS = 128;  // of a block
constexpr int BESIDE = 2;     // results of a thread in a row, THREADS columns apart
constexpr int WIDTH = BESIDE * THREADS;
constexpr int HEIGHT = 64;  // rows of results through which a block walks
LAUNCH_SHAPE_OF(convolve, THREADS, 1, WIDTH, HEIGHT)

constexpr int X = 128, Y = 16;  // elements of a layer that a block computes
constexpr int BELOW = 4;        // of them, those of a thread, below one another
constexpr int LAYERS = 32;      // through which a block walks
LAUNCH_SHAPE_3D_OF(stencil_step, X, Y / BELOW, 1, X, Y, LAYERS)

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mask_rows,
                                    int mask_columns) {
  // Begin with one thread a result, which reads everything from `image`, and the weights from `mask`: it is right, and
  // you can check it. Then make it fast:

  // TODO(1): which element is taken where a neighbour lies outside of the image?

  // TODO(2): bring the block's elements and those around them to shared memory. How many are there, and which
  // thread loads which? Who has to wait?

  // TODO(3): let a thread compute several results. An element that it reads from shared memory serves all of those
  // that need it.
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  // TODO(4): walk through the block's layers. What is here now is below in the next layer: keep it in a register.
  // Bring the layer, with the elements beside the block's, to shared memory.

  // TODO(5): bring what the next layers need while this one is computed, so that nobody waits for it. Then let the
  // blocks of part 1 walk down the image in the same way.
}
