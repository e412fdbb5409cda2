// Threads that wait for what others do, and threads that never end.

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ void lock(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void unlock(int* mutex) {
  __threadfence();
  atomicExch(mutex, 0);
}

__device__ int mutex;
__device__ volatile int guarded_sum;

// Lanes of one warp, warps of one block and blocks all fight for one lock.
extern "C" __global__ void spin_lock(int* out, int n) {
  for (int i = 0; i < n; ++i) {
    lock(&mutex);
    guarded_sum = guarded_sum + 1;
    unlock(&mutex);
  }
  out[thread()] = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[thread()] = guarded_sum;
}

// The lock is taken inside the loop body, as books that know SIMT advise.
extern "C" __global__ void polite_lock(int* out, int n) {
  __shared__ int own;
  __shared__ int sum;
  if (threadIdx.x == 0) own = sum = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&own, 0, 1) == 0) {
      sum += n;
      __threadfence_block();
      atomicExch(&own, 0);
      done = true;
    }
  }
  __syncthreads();
  out[thread()] = sum;
}

// A block waits for the one before it.
__device__ volatile int turn;
extern "C" __global__ void in_turn(int* out, int n) {
  const int me = gridDim.x - 1 - blockIdx.x;  // the last block is first
  if (threadIdx.x == 0) {
    while (turn != me) {
    }
    out[blockIdx.x] = me * n;
    __threadfence();
    turn = me + 1;
  }
}

// A lane waits for another lane of its warp, a warp for another warp.
extern "C" __global__ void relay(int* out, int n) {
  __shared__ volatile int stage;
  if (threadIdx.x == 0) stage = blockDim.x - 1;
  __syncthreads();
  while (stage != static_cast<int>(threadIdx.x)) {
  }
  out[thread()] = static_cast<int>(threadIdx.x) * n;
  __threadfence_block();
  stage = stage - 1;
}

// Each element goes after those of the next few that have a higher rank. Lanes of a warp part and meet again at
// each turn, while all of them wait for another warp.
extern "C" __global__ void by_rank(int* out, int n) {
  const auto rank = [](unsigned v) { return (v ^ v >> 3) * 2654435761u; };
  volatile int* done = out;
  const int all = gridDim.x * blockDim.x;
  bool waits;
  do {
    waits = false;
    for (int me = thread(); me < n; me += all) {
      if (done[me] != 0) continue;
      const int last = 1 + rank(me) % 7;
      int i = 1;
      for (; i <= last; ++i) {
        const int other = (me + i) % n;
        if (done[other] == 0 && rank(other) > rank(me)) break;
      }
      if (i <= last) waits = true;
      else
        for (int k = 0; k <= last; ++k) atomicAdd(out + me, 1);
    }
  } while (waits);
}

// One thread asks, its block meets at barriers, and the last block answers.
extern "C" __global__ void ask_and_meet(int* out, int n) {
  __shared__ int answer;
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) atomicExch(out, n);
  do {
    if (threadIdx.x == 0) answer = atomicAdd(out, 0);
    __syncthreads();
    n = answer;
    __syncthreads();
  } while (n == 0);
  out[1 + thread()] = n;
}

// The last block to finish adds up.
__device__ unsigned finished;
extern "C" __global__ void last_block(int* out, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = blockIdx.x * n;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < static_cast<int>(gridDim.x); ++b) sum += const_cast<volatile int*>(out)[1 + b];
    out[0] = sum;
  }
}

extern "C" __global__ void for_ever(int* out, int n) {
  volatile int* flag = out;
  while (flag[0] != n + 1) {
  }
  out[thread()] = 1;
}
// A flag of the block that nobody sets; the other warps wait at a barrier.
extern "C" __global__ void flag_of_nobody(int* out, int n) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    while (flag != n) {
    }
  __syncthreads();
  out[thread()] = 1;
}
// Loops that wait for nothing too, but end: after n turns, after a while.
extern "C" __global__ void gives_up(int* out, int n) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  int turns = 0;
  while (flag == 0 && turns < n) ++turns;
  out[thread()] = turns;
}
extern "C" __global__ void gives_up_in_time(int* out, int n) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const long long end = clock64() + n;
  while (flag == 0 && clock64() < end) {
  }
  out[thread()] = 1;
}
// The last block works for long before it sets the flag that the others wait for.
extern "C" __global__ void late_flag(int* out, int n) {
  volatile int* flag = out;
  if (blockIdx.x + 1 < gridDim.x) {
    while (*flag == 0) {
    }
  } else {
    unsigned v = n;
    for (int i = 0; i < n; ++i) v = v * 1664525u + 1013904223u;
    __threadfence();
    if (threadIdx.x == 0) *flag = v == 7 ? 2 : 1;
  }
  out[1 + thread()] = 1;
}
extern "C" __global__ void counts_for_ever(int* out, int n) {
  unsigned v = n;
  while (v != 0x12345678u || n != 3) v = v * 1664525u + 1013904223u;
  out[thread()] = v;
}

// Sums floats: the order of the blocks shows in the last bits.
extern "C" __global__ void float_sum(int* out, int n) {
  atomicAdd(reinterpret_cast<float*>(out), 1.0f / (1 + thread() * n));
}

// Each block leaves its mark, then block n traps.
extern "C" __global__ void traps(int* out, int n) {
  if (static_cast<int>(blockIdx.x) >= n) __trap();
  out[blockIdx.x] = 1;
}

extern "C" __global__ void clocks(int* out, int) {
  const long long before = clock64();
  int v = 0;
  for (int i = 0; i < 100; ++i) v += atomicAdd(out, 0);
  const long long after = clock64();
  const unsigned short_before = clock();
  out[1 + thread()] = after > before && static_cast<unsigned>(clock()) != short_before && v == 0;
}
