// What the programs share. Each begins with what it must print: `//= line` on standard output, exactly;
// `//! words` somewhere on standard error; `//: NAME=value` sets a variable for its run; `//? 3` its exit
// code (128 and the signal's number where one ends it); `//+ -rdc=true` adds options of nvcc.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)
#define IS(call, code)                                                                     \
  do {                                                                                     \
    const cudaError_t got_ = (call);                                                       \
    if (got_ != (code)) {                                                                  \
      std::printf("%s:%d: %s is %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)
#define OK(call) IS(call, cudaSuccess)
