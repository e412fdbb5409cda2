// Control flow and calls: each thread must get what the host computes.
#include "exec_paths.hpp"

extern "C" __global__ void nested(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::nested(t, n);
}
extern "C" __global__ void choices(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::choices(t, n);
}
extern "C" __global__ void jumps(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::jumps(t, n);
}
extern "C" __global__ void short_circuit(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::short_circuit(t, n);
}
extern "C" __global__ void recursion(int* out, int) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::take(4, t, 0);
}
extern "C" __global__ void records(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = paths::records(t, n);
}

// Threads that return before the others work on.
extern "C" __global__ void early_exit(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = -1;
  if (t % 5 == 0) return;
  int sum = 0;
  for (int i = 0; i < t; ++i) {
    sum += i * n;
    if (sum > 2000) {
      out[t] = i;
      return;
    }
  }
  out[t] = sum;
}

typedef int (*Function)(int);
__device__ Function functions[3] = {paths::twice, paths::thrice, paths::minus};

extern "C" __global__ void pointers(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = functions[(t + n) % 3](t) + functions[t % 2](n);
}

struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
  int length;
  __device__ explicit Strip(int l) : length(l) {}
  __device__ int area() const override { return 3 * length; }
};
extern "C" __global__ void virtual_calls(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Square square(t);
  Strip strip(t);
  const Shape* shapes[2] = {&square, &strip};
  out[t] = shapes[(t + n) & 1]->area();
}

// Parameters by value whose address is taken: indexed by a number that only the thread knows.
struct Table {
  int word[16];
};
extern "C" __global__ void indexed_parameter(int* out, int n, Table table) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = table.word[(t * 7 + n) % 16];
}

__device__ __noinline__ int down(int n, volatile int* out) {
  if (n == -1) return 0;
  out[0] = n;
  return down(n + 1, out) ^ down(n + 2, out);
}
extern "C" __global__ void bottomless(int* out, int n) { out[threadIdx.x] = down(n, out); }

extern "C" __global__ void wild_call(int* out, int n) {
  Function f = reinterpret_cast<Function>(static_cast<unsigned long long>(n + 12345));
  out[threadIdx.x] = f(n);
}
