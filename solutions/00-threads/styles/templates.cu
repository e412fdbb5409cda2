// One template for all: a lambda for an element, a grid from the hardware's registers.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(saxpy, 1024, 1024)
LAUNCH_SHAPE_1D_OF(saxpy_stride, 512, 512)
LAUNCH_BLOCKS_OF(saxpy_stride, 16)
LAUNCH_SHAPE_1D_OF(saxpy_four, 256, 1024)
LAUNCH_SHAPE_1D_OF(function_errors, 128, 128)

template <class Work>
__device__ void for_each(int n, Work work) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) work(i);
}

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  for_each(n, [=](int i) { y[i] += a * x[i]; });
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  for_each(n, [=](int i) { y[i] += a * x[i]; });
}

extern "C" __global__ void saxpy_four(float a, const float* x, float* y, int n) {
  for_each(n / 4, [=](int g) {
    const float4 from = ((const float4*)x)[g];
    float4 to = ((float4*)y)[g];
    for (int part = 0; part < 4; ++part) (&to.x)[part] += a * (&from.x)[part];
    ((float4*)y)[g] = to;
  });
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    for (int i = n / 4 * 4; i < n; ++i) y[i] += a * x[i];
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
