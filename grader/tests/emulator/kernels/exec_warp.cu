// Warp operations. Each kernel writes one int a thread; the tests say which.

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void reduce_down(int* out, int n) {
  int v = thread() * n;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  out[thread()] = v;  // lane 0 has the warp's sum
}
extern "C" __global__ void reduce_butterfly(int* out, int n) {
  int v = thread() * n;
  for (int d = 1; d < 32; d <<= 1) v += __shfl_xor_sync(0xffffffff, v, d);
  out[thread()] = v;
}
extern "C" __global__ void scan_up(int* out, int n) {
  int v = thread() % 5 + n;
  for (int d = 1; d < 8; d <<= 1) {
    const int u = __shfl_up_sync(0xffffffff, v, d, 8);
    if (threadIdx.x % 8 >= d) v += u;
  }
  out[thread()] = v;
}
extern "C" __global__ void rotate(int* out, int n) {
  out[thread()] = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) * 10, threadIdx.x + n, 16);
}
extern "C" __global__ void wide_shuffle(int* out, int n) {
  const double v = thread() + 0.25;
  out[thread()] = static_cast<int>(__shfl_xor_sync(0xffffffff, v, n) * 4);
}

extern "C" __global__ void votes(int* out, int n) {
  const int lane = threadIdx.x % 32;
  const unsigned ballot = __ballot_sync(0xffffffff, lane % 3 == n % 3);
  const int any = __any_sync(0xffffffff, lane == 40), all = __all_sync(0xffffffff, lane < 32);
  out[thread()] = static_cast<int>(ballot * 4 + any * 2 + all);
}

// The two branches do their own operations on their own lanes.
extern "C" __global__ void divided(int* out, int n) {
  const int lane = threadIdx.x % 32;
  int v = lane + n;
  if (lane < 12) {
    for (int d = 8; d > 0; d >>= 1) {
      const int u = __shfl_down_sync(0x00000fff, v, d);
      if (lane + d < 12) v += u;
    }
  } else {
    v = __popc(__ballot_sync(0xfffff000, lane & 1)) * 100;
    v += __shfl_sync(0xfffff000, lane, 31);
  }
  out[thread()] = v;
}

// Lanes arrive at one __syncwarp() by different ways and at different times.
extern "C" __global__ void handshake(int* out, int n) {
  __shared__ volatile int box[64];
  const int lane = threadIdx.x % 32;
  volatile int* mine = box + threadIdx.x / 32 * 32;
  if (lane % 2) {
    int v = n;
    for (int i = 0; i < lane; ++i) v = v * 3 + i;
    mine[lane] = v;
    __syncwarp();
  } else {
    mine[lane] = lane;
    __syncwarp();
  }
  out[thread()] = mine[(lane + 1) % 32];
}

// Lanes that have returned are not waited for.
extern "C" __global__ void after_exit(int* out, int n) {
  const int lane = threadIdx.x % 32;
  out[thread()] = -1;
  if (lane >= 20) return;
  out[thread()] = static_cast<int>(__ballot_sync(0xffffffff, lane % 2 == n % 2));
}

extern "C" __global__ void matches(int* out, int n) {
  const int lane = threadIdx.x % 32;
  const unsigned any = __match_any_sync(0xffffffff, lane % n);
  int same = 0;
  const unsigned all = __match_all_sync(0xffffffff, lane / 32, &same);
  int other = 0;
  const unsigned none = __match_all_sync(0xffffffff, static_cast<long long>(lane), &other);
  out[thread()] = static_cast<int>(any ^ all) + same * 2 + other + static_cast<int>(none);
}

// Aggregation by whoever is here.
extern "C" __global__ void aggregated(int* out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int place = -1;
  if (threadIdx.x % n == 0) {
    const unsigned mask = __activemask();
    const int leader = __ffs(mask) - 1;
    int base = 0;
    if (threadIdx.x % 32 == leader) base = atomicAdd(&count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    place = base + __popc(mask & ((1u << threadIdx.x % 32) - 1));
  }
  __syncthreads();
  out[thread()] = place * 1000 + count;
}

// Half of the warp never comes.
extern "C" __global__ void never_meets(int* out, int) {
  int v = threadIdx.x;
  if (threadIdx.x < 16)
    v = __shfl_down_sync(0xffffffff, v, 1);
  else
    __syncthreads();
  out[thread()] = v;
}

// Lanes that are elsewhere, or gone, when others name them.
extern "C" __global__ void absent_lanes(int* out, int what) {
  const int lane = threadIdx.x % 32;
  int v = 100 + lane, got = -1;
  out[thread()] = got;
  if (what == 0) {
    if (lane < 16)
      got = 1000 + __shfl_down_sync(0xffffffff, v, 8);
    else
      got = 2000 + __shfl_down_sync(0xffffffff, v * 2, 8);
  } else if (what == 1) {
    if (lane >= 24) return;
    got = __shfl_down_sync(0xffffffff, v, 16);
  } else if (what == 2) {
    for (int i = 0; i <= lane; ++i) got = __shfl_xor_sync(0xffffffff, v + 1000 * i, 1);
  } else if (what == 3) {
    got = __shfl_xor_sync(0xffu, v, 1);
  }
  out[thread()] = got;
}
