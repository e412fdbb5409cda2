// Sixteen kernels of exercises and samples: six products and ten others. What the model of time said of them
// before any had run on a GPU is in practice-blind.tsv.
//
//   practice ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

// ---- products of side × side matrices ----

// A row of four outputs a thread: the word of A is used four times, no shared memory.
__global__ void four_along_a_row(ARGUMENTS) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = (blockIdx.x * 32 + threadIdx.x) * 4;
  float sum[4] = {};
  for (int k = 0; k < side; ++k) {
    const float a = A[row * side + k];
    const float4 b = *reinterpret_cast<const float4*>(B + k * side + column);
    sum[0] += a * b.x, sum[1] += a * b.y, sum[2] += a * b.z, sum[3] += a * b.w;
  }
  *reinterpret_cast<float4*>(C + row * side + column) = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

// Tiles of 16, each of the two transposed while it is stored, so that a warp's reads of A meet.
__global__ void transposed_tiles(ARGUMENTS) {
  __shared__ float a[16][17], b[16][17];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < side; k += 16) {
    a[x][y] = A[row * side + k + x];
    b[x][y] = B[(k + y) * side + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[i][y] * b[x][i];
    __syncthreads();
  }
  C[row * side + column] = sum;
}

// 8 × 4 outputs of each of 256 threads from tiles of 128 × 64; A is stored turned over and read as float4.
__global__ void __launch_bounds__(256) eight_by_four(ARGUMENTS) {
  __shared__ float a[16][132], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 64;
  float sum[8][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 128 * 4; i += 256) {
      const float4 v = *reinterpret_cast<const float4*>(A + (top + i / 4) * side + k + i % 4 * 4);
      a[i % 4 * 4][i / 4] = v.x, a[i % 4 * 4 + 1][i / 4] = v.y;
      a[i % 4 * 4 + 2][i / 4] = v.z, a[i % 4 * 4 + 3][i / 4] = v.w;
    }
    *reinterpret_cast<float4*>(&b[y][x * 4]) =
        *reinterpret_cast<const float4*>(B + (k + y) * side + left + x * 4);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float of_a[8], of_b[4];
      *reinterpret_cast<float4*>(of_a) = *reinterpret_cast<float4*>(&a[i][y * 8]);
      *reinterpret_cast<float4*>(of_a + 4) = *reinterpret_cast<float4*>(&a[i][y * 8 + 4]);
      *reinterpret_cast<float4*>(of_b) = *reinterpret_cast<float4*>(&b[i][x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += of_a[r] * of_b[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    *reinterpret_cast<float4*>(C + (top + y * 8 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Tiles of 32 × 32 with four outputs a thread, the next tiles loaded into registers while these are used.
__global__ void __launch_bounds__(256) one_tile_ahead(ARGUMENTS) {
  __shared__ float a[32][33], b[32][32];
  const int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 32, left = blockIdx.x * 32;
  float sum[4] = {}, next_a[4], next_b[4];
  for (int r = 0; r < 4; ++r) {
    next_a[r] = A[(top + y + 8 * r) * side + x];
    next_b[r] = B[(y + 8 * r) * side + left + x];
  }
  for (int k = 32; k <= side; k += 32) {
    for (int r = 0; r < 4; ++r) a[y + 8 * r][x] = next_a[r], b[y + 8 * r][x] = next_b[r];
    __syncthreads();
    if (k < side)
      for (int r = 0; r < 4; ++r) {
        next_a[r] = A[(top + y + 8 * r) * side + k + x];
        next_b[r] = B[(k + y + 8 * r) * side + left + x];
      }
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 4; ++r) sum[r] += a[y + 8 * r][i] * b[i][x];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) C[(top + y + 8 * r) * side + left + x] = sum[r];
}

// A quarter of the depth a block (blockIdx.z); 4 × 4 outputs a thread, added up by atomics.
__global__ void __launch_bounds__(256) quarters_of_the_depth(ARGUMENTS) {
  __shared__ float a[16][64], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const int first = blockIdx.z * (side / 4);
  float sum[4][4] = {};
  for (int k = first; k < first + side / 4; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i % 16][i / 16] = A[(top + i / 16) * side + k + i % 16];
      b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float of_a[4], of_b[4];
      for (int r = 0; r < 4; ++r) of_a[r] = a[i][y * 4 + r], of_b[r] = b[i][x + 16 * r];
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += of_a[r] * of_b[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) atomicAdd(&C[(top + y * 4 + r) * side + left + x + 16 * c], sum[r][c]);
}

// Each warp 32 × 32 outputs of its own tiles, 8 × 4 a thread, no barrier of the block.
__global__ void __launch_bounds__(128) a_tile_a_warp(ARGUMENTS) {
  __shared__ float a[4][8][32], b[4][8][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = lane % 8, y = lane / 8;
  const int top = (blockIdx.y * 2 + warp / 2) * 32, left = (blockIdx.x * 2 + warp % 2) * 32;
  float sum[8][4] = {};
  for (int k = 0; k < side; k += 8) {
    for (int i = 0; i < 8; ++i) {
      a[warp][lane % 8][lane / 8 + 4 * i] = A[(top + lane / 8 + 4 * i) * side + k + lane % 8];
      b[warp][i][lane] = B[(k + i) * side + left + lane];
    }
    __syncwarp();
    for (int i = 0; i < 8; ++i) {
      float of_a[8], of_b[4];
      for (int r = 0; r < 8; ++r) of_a[r] = a[warp][i][y * 8 + r];
      for (int c = 0; c < 4; ++c) of_b[c] = b[warp][i][x * 4 + c];
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += of_a[r] * of_b[c];
    }
    __syncwarp();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 4; ++c) C[(top + y * 8 + r) * side + left + x * 4 + c] = sum[r][c];
}

// ---- others ----

__global__ void softmax_of_rows(ARGUMENTS) {  // a block a row of 1,024, three passes over registers
  __shared__ float part[8];
  const int t = threadIdx.x;
  const float4 v = reinterpret_cast<const float4*>(A)[blockIdx.x * 256 + t];
  float most = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  if (t % 32 == 0) part[t / 32] = most;
  __syncthreads();
  for (int i = 0; i < 8; ++i) most = fmaxf(most, part[i]);
  __syncthreads();
  float4 e = make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most), __expf(v.w - most));
  float sum = e.x + e.y + e.z + e.w;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; ++i) sum += part[i];
  e.x /= sum, e.y /= sum, e.z /= sum, e.w /= sum;
  reinterpret_cast<float4*>(C)[blockIdx.x * 256 + t] = e;
}

__constant__ float weights[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};

__global__ void seventeen_taps(ARGUMENTS) {  // a row's convolution, weights from constant memory
  __shared__ float line[256 + 16];
  const int i = INDEX;
  line[threadIdx.x + 8] = A[i];
  if (threadIdx.x < 8) {
    line[threadIdx.x] = i >= 8 ? A[i - 8] : 0;
    line[threadIdx.x + 264] = i + 256 < n ? A[i + 256] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 17; ++j) sum += weights[j] * line[threadIdx.x + j];
  C[i] = sum;
}

__global__ void seven_points(ARGUMENTS) {  // a 3D stencil, each thread up a column of 16 planes
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, width = 512,
            plane = 512 * 512;
  const int depth = n / plane, first = blockIdx.z * 16;
  if (x == 0 || y == 0 || x == width - 1 || y == width - 1) return;
  for (int z = max(first, 1); z < min(first + 16, depth - 1); ++z) {
    const int i = z * plane + y * width + x;
    C[i] = A[i] * -6.0f + A[i - 1] + A[i + 1] + A[i - width] + A[i + width] + A[i - plane] + A[i + plane];
  }
}

__global__ void scan_in_a_tree(
    ARGUMENTS) {  // up and down sweep over 1,024 words a block, with bank conflicts
  __shared__ float tree[1024];
  const int t = threadIdx.x, from = blockIdx.x * 1024;
  tree[t] = A[from + t], tree[t + 512] = A[from + t + 512];
  int offset = 1;
  for (int d = 512; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) tree[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1;
      const float v = tree[low];
      tree[low] = tree[high];
      tree[high] += v;
    }
  }
  __syncthreads();
  C[from + t] = tree[t], C[from + t + 512] = tree[t + 512];
}

__global__ void attraction(ARGUMENTS) {  // 16,384 bodies, all pairs, tiles of 256 in shared memory
  __shared__ float4 others[256];
  const float4 own = reinterpret_cast<const float4*>(A)[INDEX];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < 16384; first += 256) {
    others[threadIdx.x] = reinterpret_cast<const float4*>(A)[first + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 256; ++i) {
      const float4 o = others[i];
      const float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float pull = o.w * inverse * inverse * inverse;
      x += pull * dx, y += pull * dy, z += pull * dz;
    }
    __syncthreads();
  }
  reinterpret_cast<float4*>(C)[INDEX] = make_float4(x, y, z, 0);
}

__global__ void sparse_rows(int n, const int* A, const float* B,
                            float* C) {  // ELLPACK, 16 a row, near the diagonal
  const int rows = n / 16, row = INDEX;
  float sum = 0;
  for (int j = 0; j < 16; ++j) {
    const unsigned v = A[j * rows + row];
    sum += static_cast<float>(v & 15) * B[(row + (v >> 4 & 1023)) & (rows - 1)];
  }
  C[row] = sum;
}

__global__ void sort_in_blocks(ARGUMENTS) {  // bitonic, 1,024 words a block
  __shared__ float key[1024];
  const int t = threadIdx.x, from = blockIdx.x * 1024;
  key[t] = A[from + t], key[t + 512] = A[from + t + 512];
  for (int size = 2; size <= 1024; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int low = 2 * t - (t & (step - 1));
      const float one = key[low], other = key[low + step];
      if ((one > other) == ((low & size) == 0)) key[low] = other, key[low + step] = one;
    }
  __syncthreads();
  C[from + t] = key[t], C[from + t + 512] = key[t + 512];
}

__global__ void fractal(ARGUMENTS) {  // up to 256 turns, as many as each pixel takes
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float re = 3.0f * x / side - 2.0f, im = 2.0f * y / side - 1.0f;
  float u = 0, v = 0;
  int turns = 0;
  while (turns < 256 && u * u + v * v < 4) {
    const float w = u * u - v * v + re;
    v = 2 * u * v + im, u = w, ++turns;
  }
  C[y * side + x] = static_cast<float>(turns);
}

__global__ void dot_product(ARGUMENTS) {  // vectors of four, shuffles, one atomic a block
  __shared__ float part[8];
  float sum = 0;
  for (int i = INDEX; i < n / 4; i += gridDim.x * 256) {
    const float4 a = reinterpret_cast<const float4*>(A)[i], b = reinterpret_cast<const float4*>(B)[i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) sum += part[i];
    atomicAdd(C, sum);
  }
}

__global__ void planes_of_colour(ARGUMENTS) {  // three floats a pixel into three planes
  const int i = INDEX, pixels = n / 4;
  for (int c = 0; c < 3; ++c) C[c * pixels + i] = A[3 * i + c];
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const unsigned s = side, p = side / 4;  // sides of matrices and of products
  const auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block, int of) {
    bench.time(name, [&] { kernel<<<grid, block>>>(n, of, A, B, C); });
  };
  run("four_along_a_row", four_along_a_row, dim3(p / 128, p / 8), dim3(32, 8), side / 4);
  run("transposed_tiles", transposed_tiles, dim3(p / 16, p / 16), dim3(16, 16), side / 4);
  run("eight_by_four", eight_by_four, dim3(p / 64, p / 128), 256, side / 4);
  run("one_tile_ahead", one_tile_ahead, dim3(p / 32, p / 32), dim3(32, 8), side / 4);
  run("quarters_of_the_depth", quarters_of_the_depth, dim3(p / 64, p / 64, 4), 256, side / 4);
  run("a_tile_a_warp", a_tile_a_warp, dim3(p / 64, p / 64), 128, side / 4);
  run("softmax_of_rows", softmax_of_rows, n / 1024, 256, side);
  run("seventeen_taps", seventeen_taps, n / 256, 256, side);
  run("seven_points", seven_points, dim3(16, 64, n / (512 * 512 * 16)), dim3(32, 8), side);
  run("scan_in_a_tree", scan_in_a_tree, n / 1024, 512, side);
  run("attraction", attraction, 64, 256, side);
  bench.time("sparse_rows", [&] { sparse_rows<<<n / 16 / 256, 256>>>(n, reinterpret_cast<int*>(A), B, C); });
  run("sort_in_blocks", sort_in_blocks, n / 1024, 512, side);
  run("fractal", fractal, dim3(s / 32, s / 8), dim3(32, 8), side);
  run("dot_product", dot_product, 132 * 8, 256, side);
  run("planes_of_colour", planes_of_colour, n / 4 / 256, 256, side);
  return bench.failed();
}
