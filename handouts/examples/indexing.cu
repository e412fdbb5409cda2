// Small programs around the first lab; handouts show them, a test compiles them.

//> map
// Every element on its own: thread i squares element i.
__global__ void square_all(const float* input, float* output, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) output[i] = input[i] * input[i];
}
//< map

//> qualifiers
// Runs on the device and is called from there.
__device__ float cube(float x) { return x * x * x; }

// Compiled twice, once for each side.
__host__ __device__ float half_of(float x) { return 0.5f * x; }

// Runs on the device, is launched by the host, and returns nothing.
__global__ void cube_all(float* data) { data[threadIdx.x] = half_of(cube(data[threadIdx.x])); }
//< qualifiers
