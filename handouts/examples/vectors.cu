// Small programs about vector types; handouts show them, a test compiles them.

//> copy-four
// One thread moves four neighbours at once: a single 16-byte load and store.
// The addresses must be multiples of 16 bytes.
__global__ void copy_four(const float* from, float* to, int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  float4 v = reinterpret_cast<const float4*>(from)[i];
  v = make_float4(v.x, v.y, v.z, v.w);  // the four parts are .x .y .z .w
  reinterpret_cast<float4*>(to)[i] = v;
}
//< copy-four
