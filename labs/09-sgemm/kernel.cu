// Lab 09-sgemm: this file is yours. Fill in the TODOs, then type: ./warpgrade check 09-sgemm
// (Course staff: made by `make skeletons` from solutions/09-sgemm/kernel.cu; edit that one.)

// SGEMM: C = alpha·A·B + beta·C in single precision, as fast as you can
//
// Problem   A is m×k, B is k×n, C is m×n, row-major, of any size and starting at any float. With
//           beta = 0, C is written and never read: there may be anything in it. No tensor cores.
// Options   A line of its own, `// ptxas: -O1`, chooses the assembler's level; -O3 is usual.
#include "launch_shape.cuh"

// How many threads a block has, and how many columns and rows of C it computes: your choice.
constexpr int SIDE = 32;
constexpr int THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

// This lab is open: the kernel's name and parameters are given, everything else is yours.

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  // TODO(1): any size, right. C = alpha · A · B + beta · C, and where beta is 0, C is not read at all.

  // TODO(2): tiles in shared memory and many outputs a thread, as in lab 04.

  // TODO(3): bring the next tiles while these are multiplied.

  // TODO(4): find out what the inner loop waits for, and continue from there.
}
