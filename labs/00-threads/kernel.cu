// Lab 00-threads: this file is yours. Fill in the TODOs, then type: ./warpgrade check 00-threads
// (Course staff: made by `make skeletons` from solutions/00-threads/kernel.cu; edit that one.)

// Threads: one element each, several each, four at a time; and functions with their errors
//
// Problem   Parts 1 to 3: y[i] = a · x[i] + y[i] for n elements, any n, in three ways.
//           Part 4: sinf, __sinf, 1 / sqrtf and rsqrtf of x[i], and how far each is from the exact value.
// Approach  One element a thread needs a guard, as the last block may have threads too many. A grid-stride loop
//           lets any number of threads do any number of elements. A float4 moves 16 bytes by one instruction; up to
//           three elements remain, which the first threads take. Errors are measured against the functions
//           of double, which are exact enough.
// Cost      12 bytes an element: x and y are read, y is written. Neighbouring threads take neighbouring elements, so
//           that a warp's request takes 4 sectors of 32 bytes for floats and 16 for float4.
#include "launch_shape.cuh"

constexpr int THREADS = 256;
LAUNCH_SHAPE_1D_OF(saxpy, THREADS, THREADS)
LAUNCH_SHAPE_1D_OF(saxpy_stride, THREADS, THREADS)  // as many blocks as the GPU holds: gridDim.x
LAUNCH_SHAPE_1D_OF(saxpy_four, THREADS, 4 * THREADS)
LAUNCH_SHAPE_1D_OF(function_errors, THREADS, THREADS)

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  // TODO(1): which element is this thread's? Does it exist? y[i] = a * x[i] + y[i]
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  // TODO(2): the grid has gridDim.x blocks, fewer than n needs. Let each thread take several elements, and its
  // neighbour their neighbours.
}

extern "C" __global__ void saxpy_four(float a, const float* x, float* y, int n) {
  // TODO(3): take four neighbours at once: reinterpret_cast<const float4*>(x)[group].

  // TODO(4): what if n is no multiple of 4?
}

extern "C" __global__ void function_errors(const float* x, float4* values, float4* errors, int n) {
  // TODO(5): values[i] = sinf, __sinf, 1 / sqrtf and rsqrtf of x[i], in this order. errors[i]: how far each is
  // from the exact value, which sin and sqrt of a double give you.
}
