// Loads by the read-only path, operators for float4, errors through pointers to the parts.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D(192, 192)
LAUNCH_SHAPE_1D_OF(saxpy_four, 192, 768)

__device__ float4 operator*(float a, float4 b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * 192 + threadIdx.x;
  if (i < n) y[i] = a * __ldg(x + i) + y[i];
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

extern "C" __global__ void saxpy_four(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  const float4* x4 = (const float4*)x;
  float4* y4 = (float4*)y;
  const int g = blockIdx.x * 192 + threadIdx.x, whole = n >> 2, left = n & 3;
  if (g < whole) y4[g] = a * __ldg(x4 + g) + y4[g];
  if (blockIdx.x == 0 && threadIdx.x < left) y[4 * whole + threadIdx.x] += a * x[4 * whole + threadIdx.x];
}

extern "C" __global__ void function_errors(const float* x, float4* values, float4* errors, int n) {
  const int i = blockIdx.x * 192 + threadIdx.x;
  if (i >= n) return;
  float* value = (float*)(values + i);
  float* error = (float*)(errors + i);
  value[0] = sinf(x[i]);
  value[1] = __sinf(x[i]);
  value[2] = __frcp_rn(__fsqrt_rn(x[i]));
  value[3] = rsqrtf(x[i]);
  for (int f = 0; f < 4; ++f) {
    const double right = f < 2 ? sin((double)x[i]) : 1 / sqrt((double)x[i]);
    error[f] = value[f] > right ? value[f] - right : right - value[f];
  }
}
