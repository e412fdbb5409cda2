// For the PTX parser: device functions in all the ways that the compiler calls them. Never launched.
#include <cassert>
#include <cstdio>

struct Mixed {
  int x;
  double y;
  char c[5];
};
struct Large {
  int values[64];
};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ Mixed changed(Mixed m, int k) {
  m.x += k;
  m.y *= 2;
  m.c[k & 3] = 1;
  return m;
}
__device__ __noinline__ Large larger(Large l) {
  l.values[3]++;
  return l;
}
__device__ __noinline__ long long many(char c, short s, unsigned char u, float f, double d, long long l, bool b,
                                       float2 f2, int3 i3, ulonglong2 u2) {
  return c + s + u + (long long)f + (long long)d + l + b + (long long)f2.x + i3.z + (long long)u2.y;
}

using Function = int (*)(int);
__device__ __noinline__ int triple(int x) { return x * 3; }
__device__ __noinline__ int flipped(int x) { return x ^ 0x55; }
__device__ __noinline__ int noisy(int x) {
  printf("noisy %d\n", x);
  return x - 7;
}
__device__ Function table[3] = {triple, flipped, noisy};
__constant__ Function constant_table[2] = {flipped, triple};

struct Base {
  __device__ virtual int value(int x) = 0;
};
struct Sum : Base {
  int k;
  __device__ explicit Sum(int k) : k(k) {}
  __device__ int value(int x) override { return x + k; }
};
struct Twice : Base {
  __device__ int value(int x) override { return x * 2; }
};

__global__ void direct(int* out, int n, Mixed m, Large l, const __grid_constant__ Large constant) {
  const int i = threadIdx.x;
  assert(i < n);
  out[i] = fibonacci(n);
  const Mixed q = changed(m, i);
  out[i + 1] = q.x + int(q.y) + q.c[2];
  out[2] = larger(l).values[out[1]] + constant.values[out[2]];
  printf("hello %d %f %s\n", i, q.y, "text");
}

__global__ void indirect(int* out, int n) {
  out[0] = table[n % 3](n) + constant_table[n & 1](n);
  Base* base;
  if (out[1])
    base = new Sum(3);
  else
    base = new Twice;
  out[1] = base->value(out[2]);
  int* heap = static_cast<int*>(malloc(64));
  heap[0] = n;
  out[2] = heap[0];
  free(heap);
}

__global__ void arguments(long long* out, float2 f2, int3 i3, ulonglong2 u2, char c, bool b) {
  out[0] = many(c, out[1], out[2], out[3], out[4], out[5], b, f2, i3, u2);
}

__global__ void choices(int* out, int n) {
  switch (n) {
    case 0: out[2] = 1; break;
    case 1: out[3] = fibonacci(3); break;
    case 2: out[4] = 7; __syncthreads(); break;
    case 3: out[5] = noisy(2); break;
    case 4: out[9] = flipped(9); break;
    case 5: out[1] = triple(8); break;
    case 6: out[11] = triple(out[2]); break;
    case 7: out[8] = triple(out[9]); break;
  }
  for (int i = 0; i < n; ++i) {
    if (out[i] == 3) continue;
    if (out[i] == 9) return;
    out[i] /= out[n];
  }
}

template <class T, int N>
__device__ __noinline__ T sum(const T (&values)[N]) {
  T total{};
  for (T value : values) total += value;
  return total;
}
template <class T>
__global__ void templated(T* out, T x) {
  T values[5] = {x, out[1], out[2], out[3], x};
  out[0] = sum(values);
}
template __global__ void templated<int>(int*, int);
template __global__ void templated<double>(double*, double);

__global__ void __launch_bounds__(128, 2) bounded(int* out) {
  out[0] = 1;
  __trap();
}
__global__ void __maxnreg__(32) few_registers(int* out) { out[0] = 1; }
