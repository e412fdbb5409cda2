//: grid 1 block 32
// Rows 8 to 15 of A and columns 4 to 7 of B are never written, and each has a part in what is stored.
__global__ void k(const int* in, int* out, int*, int) {
  __shared__ unsigned a[16][4], b[8][4];  // two halves in a word; B by columns
  const int group = threadIdx.x / 4, within = threadIdx.x % 4;
  a[group][within] = in[threadIdx.x];
  if (group < 4) b[group][within] = in[32 + threadIdx.x];
  __syncwarp();
  const unsigned upper = a[group][within];
  const unsigned lower = a[group + 8][within];  //! WG121
  const unsigned column = b[group][within];     //! WG121
  float d[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  for (int step = 0; step < 2; ++step)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(upper), "r"(lower), "r"(column));
  if (within < 2) out[8 * group + within] = static_cast<int>(d[2]);
  if (within > 1) out[8 * group + within] = static_cast<int>(d[1]);
}
