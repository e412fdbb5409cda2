//: block 64
// Each waits for its own barrier, and arrives at the other's when it has done.
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int room[32];
  const int t = threadIdx.x % 32, own = threadIdx.x / 32;
  if (own == 1) asm volatile("bar.arrive 1, 64;" ::: "memory");
  for (int turn = 0; turn < 4; ++turn) {
    asm volatile("bar.sync %0, 64;" ::"r"(1 + own) : "memory");
    const int before = turn + own == 0 ? in[t] : room[31 - t];
    __syncwarp();
    room[t] = before + 1;
    if (turn + own < 4) asm volatile("bar.arrive %0, 64;" ::"r"(2 - own) : "memory");
  }
  if (own == 1) out[t] = room[t];
}
