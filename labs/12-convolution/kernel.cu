// Lab 12-convolution: this file is yours. Fill in the TODOs, then type: make check LAB=12-convolution
// (Course staff: made by `make skeletons` from solutions/12-convolution/kernel.cu; edit that one.)

// Convolution of an image with a mask, and a stencil in space: neighbours are loaded once and used many times
//
// Problem   Part 1: result[r][c] is the sum of mask[i][j] · image[r + i − mask_rows / 2][c + j − mask_columns / 2] over
//           the mask, whose sizes are odd. Part 2: after[z][y][x] is an eighth of twice before[z][y][x] and its six
//           neighbours. Where a neighbour lies outside, the nearest element at the border is taken.
// Approach  Part 1: a block brings its tile of the image, and half a mask of elements around it (the halo), to shared
//           memory once. A thread computes OUTPUTS results below one another, so that an element that it reads from
//           the tile serves several of them. All threads need the same weight at the same time: it comes from
//           constant memory, which serves a whole warp at once.
//           Part 2: a block walks up through the layers. A thread keeps its elements below, here and above in
//           registers; only the four neighbours in the layer go through shared memory. What is needed two layers
//           later is loaded now.
// Cost      8 bytes an element: all but the halo is read once. Part 1 reads (OUTPUTS + mask_rows − 1) · mask_columns
//           elements of the tile for OUTPUTS results.
#include "launch_shape.cuh"

constexpr int MOST = 15;  // rows and columns of the largest mask

// The program sets these, row by row, before it launches `convolve`.
extern "C" {
__constant__ float mask[MOST * MOST];
}

constexpr int WIDTH = 128;   // columns of a block's results: one thread each
constexpr int GROUPS = 1;    // threads of a column
constexpr int OUTPUTS = 12;  // results of a thread, below one another
constexpr int HEIGHT = GROUPS * OUTPUTS;
LAUNCH_SHAPE_OF(convolve, WIDTH, GROUPS, WIDTH, HEIGHT)

constexpr int X = 64, Y = 4;  // elements of a layer that a block computes: one thread each
constexpr int LAYERS = 64;    // through which it walks
LAUNCH_SHAPE_3D_OF(stencil_step, X, Y, 1, X, Y, LAYERS)

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mask_rows,
                                    int mask_columns) {
  // Begin with one thread a result, which reads everything from `image`, and the weights from `mask`: it is right, and
  // you can check it. Then make it fast:

  // TODO(1): which element is taken where a neighbour lies outside of the image?

  // TODO(2): bring the block's elements and those around them to shared memory. How many are there, and which
  // thread loads which? Who has to wait?

  // TODO(3): let a thread compute OUTPUTS results below one another. Read an element of the tile once, and use it for
  // all of them that need it.
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  // TODO(4): walk through the block's layers. Keep the elements below, here and above in registers: what is above now
  // will be here in the next layer. Bring the layer, with the elements beside the block's, to shared memory.

  // TODO(5): load what the next layers need before it is used, so that nobody waits for it.
}
