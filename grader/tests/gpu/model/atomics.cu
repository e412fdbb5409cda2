// Atomics on one word to a million of them, of integers and of floats: what the model's rates were taken from.
//
//   atomics N REPEATS     N atomics a kernel, one a thread where its name does not say otherwise
//
// The compiler has one lane add for its warp where all lanes add integers to one word (one_count, one_maximum,
// tickets, count_of_some); floats and spread words it leaves alone.
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

// ---- on mask + 1 words ----

__global__ void spread_integers(int* C, unsigned mask) { atomicAdd(C + (mixed(INDEX) & mask), 3); }
__global__ void spread_floats(float* C, unsigned mask) { atomicAdd(C + (mixed(INDEX) & mask), 1.5f); }
__global__ void beside_integers(int* C, unsigned mask) { atomicAdd(C + (INDEX & mask), 3); }
__global__ void beside_floats(float* C, unsigned mask) { atomicAdd(C + (INDEX & mask), 1.5f); }

// ---- on one word ----

__global__ void one_count(int* C) { atomicAdd(C, 1); }
__global__ void one_maximum(int* C) { atomicMax(C, static_cast<int>(mixed(INDEX))); }
__global__ void count_of_some(int* C, const float* A) {
  if (A[INDEX] > 0.25f) atomicAdd(C, 1);
}
__global__ void tickets(int* C, int* slots, int n) { slots[atomicAdd(C, 1) % n] = INDEX; }
__global__ void float_a_block(float* C) {
  if (threadIdx.x == 0) atomicAdd(C, 1.5f);
}
__global__ void float_a_warp(float* C) {
  if (threadIdx.x % 32 == 0) atomicAdd(C, 1.5f);
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 22;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *C = bench.values(1 << 20), *A = bench.values(n), *slots = bench.values(n);
  int* whole = reinterpret_cast<int*>(C);
  const int blocks = n / 256;
  for (const unsigned bits : {0, 3, 6, 10, 14, 20}) {
    const unsigned mask = (1u << bits) - 1;
    const auto time = [&](const char* what, auto kernel, auto* to) {
      char name[40];
      std::snprintf(name, sizeof name, "%s_%u", what, mask + 1);
      bench.time(name, [&] { kernel<<<blocks, 256>>>(to, mask); });
    };
    time("spread_integers", spread_integers, whole);
    time("spread_floats", spread_floats, C);
    time("beside_integers", beside_integers, whole);
    time("beside_floats", beside_floats, C);
  }
  bench.time("one_count", [&] { one_count<<<blocks, 256>>>(whole); });
  bench.time("one_maximum", [&] { one_maximum<<<blocks, 256>>>(whole); });
  bench.time("count_of_some", [&] { count_of_some<<<blocks, 256>>>(whole, A); });
  bench.time("tickets", [&] { tickets<<<blocks, 256>>>(whole, reinterpret_cast<int*>(slots), n); });
  bench.time("float_a_block", [&] { float_a_block<<<blocks, 256>>>(C); });
  bench.time("float_a_warp", [&] { float_a_warp<<<blocks, 256>>>(C); });
  return bench.failed();
}
