// Tiles lie in one array of bytes; what stands where is said by casts.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

struct Layout {
  float a[16][16];
  double padding;
  float b[16][16];
};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) unsigned char bytes[sizeof(Layout)];
  Layout& tiles = *reinterpret_cast<Layout*>(bytes);
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int from = 0; from < k; from += 16) {
    float a = 0, b = 0;
    if (row < m && from + x < k) memcpy(&a, reinterpret_cast<const char*>(A) + 4ll * (row * k + from + x), 4);
    if (column < n && from + y < k) b = __int_as_float(reinterpret_cast<const int*>(B)[(from + y) * n + column]);
    tiles.a[y][x] = a;
    *reinterpret_cast<unsigned*>(&tiles.b[y][x]) = __float_as_uint(b);
    __syncthreads();
    const float2* pairs = reinterpret_cast<const float2*>(tiles.a[y]);
    for (int i = 0; i < 8; ++i) sum += pairs[i].x * tiles.b[2 * i][x] + pairs[i].y * tiles.b[2 * i + 1][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
