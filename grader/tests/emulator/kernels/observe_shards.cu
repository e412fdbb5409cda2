// Blocks that race all over a large array, for the check that deals memory out to shards.

// Each block's last word is the next one's first.
extern "C" __global__ void neighbours_overlap(float* data) {
  data[blockIdx.x * (blockDim.x - 1) + threadIdx.x] = float(blockIdx.x + 1);  // HERE neighbours_overlap
}

// The same where blocks may hand something over, which leaves one shard.
extern "C" __global__ void overlap_beside_a_flag(float* data, volatile int* flag) {
  data[blockIdx.x * (blockDim.x - 1) + threadIdx.x] = float(blockIdx.x + 1);  // HERE overlap_beside_a_flag
  if (threadIdx.x == 0) flag[blockIdx.x] = 1;
}

// The lanes of a warp 16 KiB from one another; two blocks write the same words.
extern "C" __global__ void pairs_far_apart(float* data) {
  data[threadIdx.x * 4096 + blockIdx.x / 2] = float(blockIdx.x);  // HERE pairs_far_apart
}

// Blocks read what is everybody's and write, behind barriers, what is theirs alone.
extern "C" __global__ void in_turns(float* data, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = data[n + threadIdx.x];
  data[i] = first;
  __syncthreads();
  const float other = data[i ^ 32];
  __syncthreads();
  data[i] = other + first;
}
