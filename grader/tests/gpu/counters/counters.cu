// Kernels whose counters a GPU and the emulator are to agree on: see counters.py.
//
// counters [small]   launches each once, in one order; prints its label, one a line, before it starts.
#include <cstring>
#include <vector>

#include "../../../../labs/common/launch_shape.cuh"
// As constants of the host, one set for each lab.
#undef LAUNCH_SHAPE
#define LAUNCH_SHAPE(threads_x, threads_y, columns, rows) \
  constexpr unsigned shape[4] = {(threads_x), (threads_y), (columns), (rows)};
namespace lab01 {
#include "../../../../solutions/01-basic/kernel.cu"
}
namespace lab02 {
#include "../../../../solutions/02-tiled/kernel.cu"
}
namespace lab03 {
#include "../../../../solutions/03-tiled-bounded/kernel.cu"
}
namespace lab04 {
#include "../../../../solutions/04-register-tiled/kernel.cu"
}
#include "../../fixtures/kernels/matmul_lectures.cu"
#include "launches.cuh"

// ---- shared memory -------------------------------------------------------------------------------------------

// 64 loads of each lane's word, aligned down to the width; volatile, so that each is an instruction.
__global__ void pattern32(const int* words, float* out) {
  __shared__ float s[2048];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + words[threadIdx.x]));
  float sum = 0, x;
  for (int i = 0; i < 64; ++i) {
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(at));
    sum += x;
  }
  out[threadIdx.x] = sum;
}
__global__ void pattern64(const int* words, float* out) {
  __shared__ alignas(16) float s[2048];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + words[threadIdx.x] / 2 * 2));
  float sum = 0, x, y;
  for (int i = 0; i < 64; ++i) {
    asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(at));
    sum += x + y;
  }
  out[threadIdx.x] = sum;
}
__global__ void pattern128(const int* words, float* out) {
  __shared__ alignas(16) float s[2048];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + words[threadIdx.x] / 4 * 4));
  float sum = 0, x, y, z, w;
  for (int i = 0; i < 64; ++i) {
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "r"(at));
    sum += x + y + z + w;
  }
  out[threadIdx.x] = sum;
}

// Columns of a 32-wide tile, with and without padding.
template <int PADDING>
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + PADDING];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(row + j) * n + column] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void sum_by_halves(const float* in, float* out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_by_shuffles(const float* in, float* out) {
  float sum = in[blockIdx.x * 256 + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 8 + threadIdx.x / 32] = sum;
}

__global__ void histogram_shared(const int* in, int* out) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 256 + threadIdx.x] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Four 8×8 matrices of 16-bit elements a warp, rows `stride` bytes apart.
__global__ void load_matrices(unsigned* out, int stride) {
  __shared__ alignas(16) unsigned char s[8192];
  const unsigned row = threadIdx.x % 32;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + row * stride));
  unsigned a, b, c, d, all = 0;
  for (int i = 0; i < 16; ++i) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
    all += a + b + c + d;
  }
  out[threadIdx.x] = all;
}

// ---- global memory -------------------------------------------------------------------------------------------

__global__ void copy1(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
}
__global__ void copy2(const float2* in, float2* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
}
__global__ void copy4(const float4* in, float4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
}
__global__ void copy_bytes(const char* in, char* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
}
__global__ void shifted(const float* in, float* out, int by) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i + by];
}
__global__ void strided(const float* in, float* out, int stride) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i * stride];
}
__global__ void scattered(float* out, int stride) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i * stride] = 1.0f;
}
__global__ void strided4(const float4* in, float4* out, int stride) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i * stride];
}
__global__ void gather(const int* index, const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[index[i]];
}
struct Particle {
  float x, y, z, mass;
};
__global__ void array_of_structures(const Particle* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i].mass;
}
__global__ void histogram_global(const int* in, int* out) {
  atomicAdd(&out[in[blockIdx.x * 256 + threadIdx.x]], 1);
}
// Odd threads do other work than even ones; every fourth does none.
__global__ void divergent(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i % 4 == 3) return;
  float x = in[i];
  if (i % 2 == 0) {
    for (int j = 0; j < i % 32; ++j) x = x * 1.5f + 0.25f;
  } else {
    x = x + in[i + 1];
  }
  out[i] = x;
}
// An array indexed at run time lies in local memory.
__global__ void local_array(const int* index, float* out) {
  float own[64];
  for (int j = 0; j < 64; ++j) own[j] = static_cast<float>(j * threadIdx.x);
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = own[index[i] & 63];
}

// ---- the launches --------------------------------------------------------------------------------------------

namespace {

struct Memory {
  static constexpr std::size_t kFloats = std::size_t{1} << 22;
  float *a, *b, *c;
  int* index;
  Memory() {
    for (float** each : {&a, &b, &c}) {
      must(cudaMalloc(each, kFloats * sizeof(float)), "cudaMalloc");
      must(cudaMemset(*each, 0, kFloats * sizeof(float)), "cudaMemset");
    }
    std::vector<int> scrambled(1 << 16);
    for (std::size_t i = 0; i < scrambled.size(); ++i)
      scrambled[i] = static_cast<int>(static_cast<unsigned>(i) * 2654435761u >> 12);
    must(cudaMalloc(&index, scrambled.size() * sizeof(int)), "cudaMalloc");
    must(cudaMemcpy(index, scrambled.data(), scrambled.size() * sizeof(int), cudaMemcpyHostToDevice),
         "cudaMemcpy");
  }
};

void lectures(const Memory& m, bool small) {
  using Kernel = void (*)(const float*, const float*, float*, int);
  const int n = small ? 104 : 1000, even = small ? 128 : 1024;
  const auto square = [&](const char* label, Kernel kernel, int size, unsigned tile) {
    const unsigned blocks = (static_cast<unsigned>(size) + tile - 1) / tile;
    run(label, kernel, dim3(blocks, blocks), dim3(tile, tile), m.a, m.b, m.c, size);
  };
  square("basic 16x16, 1000", basic_16, n, 16);
  square("basic 32x32, 1000", basic_32, n, 32);
  square("basic 16x16, 1024", basic_16, even, 16);
  square("bounded 16, 1000", bounded_16, n, 16);
  square("bounded 32, 1000", bounded_32, n, 32);
  square("tiled 16, 1024", tiled_16, even, 16);
  square("tiled 32, 1024", tiled_32, even, 32);
  const auto up = [n](int unit) { return static_cast<unsigned>((n + unit - 1) / unit); };
  run("register-tiled, 1000", register_tiled, dim3(up(32), up(64)), dim3(128), m.a, m.b, m.c, n);
}

void labs(const Memory& m, bool small) {
  const int n = small ? 128 : 512;
  const auto one = [&](const char* label, auto kernel, const unsigned(&shape)[4]) {
    const auto size = static_cast<unsigned>(n);
    const dim3 grid((size + shape[2] - 1) / shape[2], (size + shape[3] - 1) / shape[3]);
    run(label, kernel, grid, dim3(shape[0], shape[1]), m.a, m.b, m.c, n, n, n);
  };
  one("solution 01", lab01::matmul_basic, lab01::shape);
  one("solution 02", lab02::matmul_tiled, lab02::shape);
  one("solution 03", lab03::matmul_tiled_bounded, lab03::shape);
  one("solution 04", lab04::matmul_register_tiled, lab04::shape);
}

void patterns(const Memory& m) {
  struct Pattern {
    const char* name;
    int (*word)(int);
  };
  static constexpr Pattern all[] = {
      {"i", [](int i) { return i; }},
      {"2i", [](int i) { return 2 * i; }},
      {"4i", [](int i) { return 4 * i; }},
      {"4(i mod 16)", [](int i) { return 4 * (i % 16); }},
      {"4(i mod 8)", [](int i) { return 4 * (i % 8); }},
      {"4(i/2)", [](int i) { return 4 * (i / 2); }},
      {"4(i/4)", [](int i) { return 4 * (i / 4); }},
      {"0", [](int) { return 0; }},
      {"33i", [](int i) { return 33 * i; }},
      {"36i", [](int i) { return 36 * i; }},
      {"20(i mod 4) + 4(i/4)", [](int i) { return 20 * (i % 4) + 4 * (i / 4); }},
  };
  int* words;
  must(cudaMalloc(&words, 32 * sizeof(int)), "cudaMalloc");
  for (const Pattern& each : all) {
    int host[32];
    for (int i = 0; i < 32; ++i) host[i] = each.word(i);
    must(cudaMemcpy(words, host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");
    char label[64];
    std::snprintf(label, sizeof label, "pattern %s, 32-bit", each.name);
    run(label, pattern32, 1, 32, words, m.c);
    std::snprintf(label, sizeof label, "pattern %s, 64-bit", each.name);
    run(label, pattern64, 1, 32, words, m.c);
    std::snprintf(label, sizeof label, "pattern %s, 128-bit", each.name);
    run(label, pattern128, 1, 32, words, m.c);
  }
}

void others(const Memory& m) {
  run("transpose", transpose<0>, dim3(16, 16), dim3(32, 8), m.a, m.c, 512);
  run("transpose, padded", transpose<1>, dim3(16, 16), dim3(32, 8), m.a, m.c, 512);
  run("sum by halves", sum_by_halves, 64, 256, m.a, m.c);
  run("sum by shuffles", sum_by_shuffles, 64, 256, m.a, m.c);
  run("histogram, shared", histogram_shared, 64, 256, m.index, reinterpret_cast<int*>(m.c));
  run("histogram, global", histogram_global, 64, 256, m.index, reinterpret_cast<int*>(m.c));
  run("ldmatrix, rows of 16 bytes", load_matrices, 1, 32, reinterpret_cast<unsigned*>(m.c), 16);
  run("ldmatrix, rows of 128 bytes", load_matrices, 1, 32, reinterpret_cast<unsigned*>(m.c), 128);
  run("ldmatrix, rows of 144 bytes", load_matrices, 1, 32, reinterpret_cast<unsigned*>(m.c), 144);
  run("copy, float", copy1, 64, 256, m.a, m.c);
  run("copy, float2", copy2, 64, 256, reinterpret_cast<float2*>(m.a), reinterpret_cast<float2*>(m.c));
  run("copy, float4", copy4, 64, 256, reinterpret_cast<float4*>(m.a), reinterpret_cast<float4*>(m.c));
  run("copy, char", copy_bytes, 64, 256, reinterpret_cast<char*>(m.a), reinterpret_cast<char*>(m.c));
  run("shifted by 1", shifted, 64, 256, m.a, m.c, 1);
  run("shifted by 8", shifted, 64, 256, m.a, m.c, 8);
  run("strided by 2", strided, 64, 256, m.a, m.c, 2);
  run("strided by 3", strided, 64, 256, m.a, m.c, 3);
  run("strided by 8", strided, 64, 256, m.a, m.c, 8);
  run("strided by 33", strided, 64, 256, m.a, m.c, 33);
  run("scattered by 8", scattered, 64, 256, m.c, 8);
  run("float4, strided by 2", strided4, 64, 256, reinterpret_cast<float4*>(m.a),
      reinterpret_cast<float4*>(m.c), 2);
  run("gather", gather, 64, 256, m.index, m.a, m.c);
  run("array of structures", array_of_structures, 64, 256, reinterpret_cast<Particle*>(m.a), m.c);
  run("divergent", divergent, 64, 256, m.a, m.c);
  run("local array", local_array, 64, 256, m.index, m.c);
}

}  // namespace

int main(int count, char** words) {
  const bool small = count > 1 && std::strcmp(words[1], "small") == 0;
  if (count > 1 && !small) {
    std::fprintf(stderr, "usage: counters [small]\n");
    return 2;
  }
  const Memory memory;
  lectures(memory, small);
  labs(memory, small);
  patterns(memory);
  others(memory);
}
