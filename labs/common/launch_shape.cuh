// The launch shape of a kernel, which the kernel's own file states.
//
// The harness reads these four numbers from the compiled kernel and computes the grid by a ceiling
// division over C, so that you choose your tile and block sizes here and nowhere else.
#pragma once

// threads_x, threads_y: threads of one block (at most 1,024 together).
// columns, rows: how many columns and rows of C one block computes.
// In braces: without them nvcc would only declare the host's shadow of it, and a program of your own
// around the kernel would not link.
#define LAUNCH_SHAPE(threads_x, threads_y, columns, rows)                           \
  extern "C" {                                                                     \
  __constant__ int launch_shape[4] = {(threads_x), (threads_y), (columns), (rows)}; \
  }
