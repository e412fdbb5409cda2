// Small kernels with one mistake each; the tests look for its line by the comment behind it.

extern "C" __global__ void read_past_end(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i % n] = in[i] * 2.0f;  // HERE read_past_end
}

extern "C" __global__ void write_before_start(float* out) {
  out[static_cast<int>(threadIdx.x) - 3] = 1.0f;  // HERE write_before_start
}

extern "C" __global__ void misaligned_vector(const float* in, float* out) {
  const float4 four = *reinterpret_cast<const float4*>(in + threadIdx.x);  // HERE misaligned_vector
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

extern "C" __global__ void shared_past_end(float* out, int shift) {
  __shared__ float first[32];
  __shared__ float second[64];
  first[threadIdx.x] = 1.0f;
  second[threadIdx.x] = 2.0f;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x + shift];  // HERE shared_past_end
}

extern "C" __global__ void generic_shared_past_end(float* out, int shift) {
  __shared__ float tile[32];
  float* where = threadIdx.x < 16 ? tile : out;
  where[threadIdx.x + shift] = 3.0f;  // HERE generic_shared_past_end
}

extern "C" __global__ void copy_one(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // HERE copy_one
}

extern "C" __global__ void missing_first_barrier(float* out) {
  __shared__ float tile[64];
  out += blockIdx.x * 64;
  tile[threadIdx.x] = static_cast<float>(threadIdx.x);  // HERE missing_first_barrier write
  out[threadIdx.x] = tile[63 - threadIdx.x];            // HERE missing_first_barrier read
}

extern "C" __global__ void missing_second_barrier(const float* in, float* out, int phases) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int p = 0; p < phases; ++p) {
    tile[threadIdx.x] = in[p * 64 + threadIdx.x];  // HERE missing_second_barrier write
    __syncthreads();
    sum += tile[63 - threadIdx.x];  // HERE missing_second_barrier read
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void uninitialised_shared(float* out) {
  __shared__ float tile[64];
  if (threadIdx.x < 60) tile[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // HERE uninitialised_shared
}

extern "C" __global__ void double_buffer(const float* in, float* out, int phases) {
  __shared__ float tile[2][64];
  float sum = 0.0f;
  tile[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int p = 0; p < phases; ++p) {
    if (p + 1 < phases) tile[(p + 1) % 2][threadIdx.x] = in[(p + 1) * 64 + threadIdx.x];
    sum += tile[p % 2][63 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

extern "C" __global__ void warp_reduction(const float* in, float* out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  if (t < 32) {
    part[t] += part[t + 32];
    for (int step = 16; step > 0; step /= 2) {
      __syncwarp();
      const float other = t < step ? part[t + step] : 0.0f;
      __syncwarp();
      part[t] += other;
    }
  }
  __syncthreads();
  out[t] = part[0];
}

extern "C" __global__ void warp_reduction_without_syncwarp(const float* in, float* out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  if (t < 32) {
    volatile float* now = part;
    now[t] += now[t + 32];
    now[t] += now[t + 16];  // HERE warp_reduction_without_syncwarp
    now[t] += now[t + 8];
  }
  out[t] = part[t];
}

extern "C" __global__ void half_warp_exchange(const int* in, int* out) {
  __shared__ int word[32];
  const int t = threadIdx.x;
  const unsigned mine = t < 16 ? 0x0000ffffu : 0xffff0000u;
  word[t] = in[t];
  __syncwarp(mine);
  out[t] = word[t ^ 1];
}

extern "C" __global__ void histogram(const unsigned char* in, int* out, int n) {
  __shared__ int count[16];
  if (threadIdx.x < 16) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}

extern "C" __global__ void histogram_without_atomics(const unsigned char* in, int* out, int n) {
  __shared__ int count[16];
  if (threadIdx.x < 16) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) count[in[i] % 16] += 1;  // HERE histogram_without_atomics
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}

extern "C" __global__ void all_say_found(const int* in, int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0) found = 1;  // HERE all_say_found
  __syncthreads();
  out[threadIdx.x] = found;
}

extern "C" __global__ void reversed_bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = bytes[63 - threadIdx.x];
}

extern "C" __global__ void column_sums(const float* in, float* out, int padded) {
  __shared__ float tile[32 * 33];
  const int width = padded ? 33 : 32;
  for (int row = 0; row < 32; ++row) tile[row * width + threadIdx.x] = in[row * 32 + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) sum += tile[threadIdx.x * width + k];  // HERE column_sums
  out[threadIdx.x] = sum;
}

extern "C" __global__ void strided_copy(const float* in, float* out, int stride) {
  out[threadIdx.x] = in[threadIdx.x * stride];  // HERE strided_copy
}

extern "C" __global__ void count_at(int* count, int lanes_a_word) { atomicAdd(&count[threadIdx.x / lanes_a_word], 1); }

extern "C" __global__ void hand_over(const int* in, int* out) {
  __shared__ int data[32];
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 0) ready = 1;
  } else {
    while (ready == 0) {
    }
    __threadfence_block();
    out[threadIdx.x - 32] = data[threadIdx.x - 32] + 1;
  }
}
