// Pointers that walk, and streaming loads and stores.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D(128, 128)
LAUNCH_SHAPE_1D_OF(saxpy_four, 128, 512)

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  const float* const end = x + n;
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  y += first;
  for (x += first; x < end; x += step, y += step) *y = *x * a + *y;
}

extern "C" __global__ void saxpy_four(float a, const float* x, float* y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  switch (min(n - i, 4)) {
    case 4: {
      const float4 u = __ldcs((const float4*)(x + i));
      float4 v = __ldcs((float4*)(y + i));
      v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w;
      __stcs((float4*)(y + i), v);
      break;
    }
    case 3: y[i + 2] += a * x[i + 2];
    case 2: y[i + 1] += a * x[i + 1];
    case 1: y[i] += a * x[i];
  }
}

extern "C" __global__ void function_errors(const float* x, float4* values, float4* errors, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float4 r;
    r.x = sinf(v), r.y = __sinf(v), r.z = 1 / sqrtf(v), r.w = rsqrtf(v);
    values[i] = r;
    double s = sin((double)v), q = rsqrt((double)v);
    errors[i] = {(float)fabs(r.x - s), (float)fabs(r.y - s), (float)fabs(r.z - q), (float)fabs(r.w - q)};
  }
}
