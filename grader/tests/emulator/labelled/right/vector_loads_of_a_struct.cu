//: block 32
struct alignas(16) Particle {
  float x, y, z;  // and four bytes of padding
};
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* to = reinterpret_cast<Particle*>(out);
  to[threadIdx.x].x = static_cast<float>(in[threadIdx.x]);
  to[threadIdx.x].y = 1;
  to[threadIdx.x].z = 2;
  __syncthreads();
  const Particle copy = to[31 - threadIdx.x];
  out[900 + threadIdx.x] = static_cast<int>(copy.x + copy.y + copy.z);
}
