// The launch shape of a kernel, which the kernel's own file states.
//
// The harness reads these numbers from the compiled kernel and computes the grid by a ceiling division over
// the elements, so that you choose your tile and block sizes here and nowhere else.
#pragma once

// threads_x, threads_y: threads of one block (at most 1,024 together).
// columns, rows: how many columns and rows of the result one block computes.
// In braces: without them nvcc would only declare the host's shadow of it, and a program of your own
// around the kernel would not link.
#define LAUNCH_SHAPE(threads_x, threads_y, columns, rows)                           \
  extern "C" {                                                                     \
  __constant__ int launch_shape[4] = {(threads_x), (threads_y), (columns), (rows)}; \
  }

// The launch shape in one dimension: threads of a block, and the number of elements that it computes.
#define LAUNCH_SHAPE_1D(threads, elements)                \
  extern "C" {                                            \
  __constant__ int launch_shape[2] = {(threads), (elements)}; \
  }

// And in three.
#define LAUNCH_SHAPE_3D(threads_x, threads_y, threads_z, columns, rows, layers)                               \
  extern "C" {                                                                                               \
  __constant__ int launch_shape[6] = {(threads_x), (threads_y), (threads_z), (columns), (rows), (layers)}; \
  }

// A number of blocks that you choose, whatever the number of elements: for a grid-stride loop.
#define LAUNCH_BLOCKS(blocks)                 \
  extern "C" {                                \
  __constant__ int launch_blocks[1] = {(blocks)}; \
  }

// Bytes of dynamic shared memory of a block: extern __shared__ …[].
#define LAUNCH_SHARED_BYTES(bytes)                 \
  extern "C" {                                     \
  __constant__ int launch_shared_bytes[1] = {(bytes)}; \
  }

// The launch shape of one kernel in a file with several: LAUNCH_SHAPE_1D_OF(sum, 256, 256).
#define LAUNCH_SHAPE_OF(kernel, threads_x, threads_y, columns, rows) \
  namespace launch_numbers { \
  namespace kernel { \
  __constant__ int shape[4] = {(threads_x), (threads_y), (columns), (rows)}; \
  } \
  }
#define LAUNCH_SHAPE_1D_OF(kernel, threads, elements) \
  namespace launch_numbers { \
  namespace kernel { \
  __constant__ int shape[2] = {(threads), (elements)}; \
  } \
  }
#define LAUNCH_SHAPE_3D_OF(kernel, threads_x, threads_y, threads_z, columns, rows, layers) \
  namespace launch_numbers { \
  namespace kernel { \
  __constant__ int shape[6] = {(threads_x), (threads_y), (threads_z), (columns), (rows), (layers)}; \
  } \
  }
#define LAUNCH_BLOCKS_OF(kernel, number) \
  namespace launch_numbers { \
  namespace kernel { \
  __constant__ int blocks[1] = {(number)}; \
  } \
  }
#define LAUNCH_SHARED_BYTES_OF(kernel, number) \
  namespace launch_numbers { \
  namespace kernel { \
  __constant__ int shared_bytes[1] = {(number)}; \
  } \
  }
