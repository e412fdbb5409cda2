// A state machine: each step picks the next function from a table of pointers.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

struct State {
  const float* a;
  const float* b;
  float* to;
  float sum;
  int left, stride, next;
};
using Step = void (*)(State&);
__device__ void begin(State& s) {
  s.sum = 0.0f;
  s.next = s.left > 0 ? 1 : 2;
}
__device__ void add(State& s) {
  s.sum += *s.a++ * *s.b;
  s.b += s.stride;
  if (--s.left == 0) s.next = 2;
}
__device__ void store(State& s) {
  *s.to = s.sum;
  s.next = -1;
}
__device__ const Step steps[] = {begin, add, store};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  State state = {A + row * k, B + column, C + row * n + column, 0.0f, k, n, 0};
  while (state.next >= 0) steps[state.next](state);
}
