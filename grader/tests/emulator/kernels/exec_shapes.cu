// Loads and stores through registers that many accesses share: rows, columns, one word for all, and
// registers that only some lanes change.

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void tile_sums(int* out, int n) {
  __shared__ int tile[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16 % 16;
  int sum = 0;
  for (int phase = 0; phase < n; ++phase) {
    if (threadIdx.x < 256) tile[y][x] = phase * 31 + y * 16 + x;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += tile[y][i] * 3 + tile[i][x];
    __syncthreads();
  }
  out[thread()] = sum;
}

// The pointer moves on in lanes of its own accord.
extern "C" __global__ void wanders(int* out, int n) {
  __shared__ int box[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) box[i] = i * i;
  __syncthreads();
  const int* at = box + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if ((threadIdx.x + i) % 3 == 0) at += 4;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += at[k];
    if (threadIdx.x == 5 && i == 2) at = box;
  }
  out[thread()] = sum;
}

extern "C" __global__ void vectors(int* out, int n) {
  __shared__ int4 quads[64];
  __shared__ double2 pairs[64];
  const int t = threadIdx.x % 64;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    quads[t] = make_int4(t, t + 1, t + 2, i);
    pairs[t] = make_double2(t * 0.5, i);
    __syncwarp();
    const int4 own = quads[t], same = quads[t / 32 * 32];
    const double2 both = pairs[t];
    sum += own.x + own.y * 2 + own.z * 3 + own.w * 5 + same.x * 7 + same.z +
           static_cast<int>(both.x * 2 + both.y);
    __syncwarp();
  }
  out[thread()] = sum;
}

// Walks off the end of the array in its last turn.
extern "C" __global__ void overruns(int* out, int n) {
  extern __shared__ int box[];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) box[i] = i;
  __syncthreads();
  int sum = 0;
  const int* at = box + threadIdx.x;
  for (int i = 0; i < n; ++i, at += 16) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += at[k * 4];
  }
  out[thread()] = sum;
}

// Elements of every width, in no order, by all lanes and by some.
__device__ long long far[128];
__device__ int4 far_quads[32];
extern "C" __global__ void anywhere(int* out, int n) {
  __shared__ int box[128];
  __shared__ double2 pairs[128];
  const int t = threadIdx.x;
  for (int i = t; i < 128; i += blockDim.x) {
    box[i] = i * i;
    pairs[i] = make_double2(i, i * 0.5);
    far[i] = 3 * i;
    if (i < 32) far_quads[i] = make_int4(i, 2 * i, 3 * i, 4 * i);
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int at = (t * 37 + i * 11) % 128;
    sum += box[at] + static_cast<int>(far[at]);
    if ((t + i) % 3 == 0) continue;
    const int4 quad = far_quads[at / 4];
    const double2 pair = pairs[127 - at];
    sum += box[127 - at] + static_cast<int>(far[127 - at]) + quad.x + 5 * quad.y + 7 * quad.z + 11 * quad.w +
           static_cast<int>(pair.x + 2 * pair.y);
  }
  out[t] = sum;
}
