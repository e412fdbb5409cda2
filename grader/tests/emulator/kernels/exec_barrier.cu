// Block barriers, right and wrong.

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void reverse(int* out, int n) {
  __shared__ int box[1024];
  const int t = threadIdx.x, last = blockDim.x - 1;
  for (int i = 0; i < n; ++i) {
    box[t] = t * 2 + i;
    __syncthreads();
    const int v = box[last - t];
    __syncthreads();
    box[t] = v;
  }
  out[thread()] = box[t];
}

extern "C" __global__ void counting(int* out, int n) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % n == 0);
  const int all = __syncthreads_and(t < 4096), any = __syncthreads_or(t == 4096);
  out[thread()] = count * 4 + all * 2 + any;
}

// Threads that have returned are not waited for.
extern "C" __global__ void some_return(int* out, int n) {
  __shared__ int box[1024];
  const int t = threadIdx.x;
  out[thread()] = -1;
  if (t >= n) return;
  box[t] = t;
  __syncthreads();
  out[thread()] = box[n - 1 - t];
}

// Warps 0 and 1 meet at barrier 1; the rest only at barrier 0.
extern "C" __global__ void named(int* out, int) {
  __shared__ int box[64];
  const int t = threadIdx.x;
  if (t < 64) {
    box[t] = t;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[thread()] = box[63 - t];
  } else {
    out[thread()] = 1000 + t;
  }
  __syncthreads();
  if (t >= 64) out[thread()] += box[t % 64];
}

// Warp 0 produces and does not wait; warp 1 consumes.
extern "C" __global__ void producer(int* out, int n) {
  __shared__ int box[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = lane * n;
    __threadfence_block();
    asm volatile("bar.arrive 2, 64;" ::: "memory");
    out[thread()] = 0;
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[thread()] = box[31 - lane];
  }
}

// One half of the block waits at another line than the other half.
extern "C" __global__ void two_lines(int* out, int) {
  if (threadIdx.x < blockDim.x / 2) {
    __syncthreads();
    out[thread()] = 1;
  } else {
    __syncthreads();
    out[thread()] = 2;
  }
}

// Odd threads skip it and wait at the one behind.
extern "C" __global__ void half_of_the_warp(int* out, int) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
    out[thread()] = 1;
  }
  __syncthreads();
}

extern "C" __global__ void never(int* out, int) {
  if (threadIdx.x < 32) asm volatile("bar.sync 3, 96;" ::: "memory");
  __syncthreads();
  out[thread()] = 1;
}

// Only threads below n go round; the others wait at the end.
extern "C" __global__ void uneven_turns(int* out, int n) {
  for (int i = 0; i < static_cast<int>(threadIdx.x) / n; ++i) __syncthreads();
  out[thread()] = threadIdx.x;
}

// Threads from n on go round the barriers, and through all turns, while the others wait.
extern "C" __global__ void passed_by(int* out, int n) {
  __shared__ int box[1024];
  const int t = threadIdx.x;
  int sum = 0;
  for (int phase = 0; phase < 4; ++phase) {
    box[t] = phase;
    if (t < n) {
      __syncthreads();
      sum += box[n - 1 - t];
      __syncthreads();
    }
  }
  out[thread()] = sum;
}

// Barriers that all threads reach or none, by conditions of which each thread knows that the others agree.
extern "C" __global__ void agreed(int* out, int n) {
  __shared__ int box[1024];
  const int t = threadIdx.x;
  int sum = 0;
  for (int phase = 0; phase < 8; ++phase) {
    if (phase % 2 == n % 2) continue;
    box[t] = phase * t;
    __syncthreads();
    if (phase > 4 && n > 2) {
      sum += box[blockDim.x - 1 - t];
      __syncthreads();
    }
    if (phase == 5 && n == 7) break;
  }
  if (t % 3 == 0) sum += 1;
  out[thread()] = sum;
}

// Each warp works for as long as it likes after the only barrier.
extern "C" __global__ void first_turn_only(int* out, int n) {
  int sum = 0;
  for (int i = 0; i <= static_cast<int>(threadIdx.x) / 32 + n; ++i) {
    if (i == 0) __syncthreads();
    sum += i;
  }
  out[thread()] = sum;
}
