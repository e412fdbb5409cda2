//: grid 4 block 64
// The loops of the programming guide: the first value to compare with is read plainly, and may be stale.
__device__ float highest(float* at, float value) {
  int* bits = reinterpret_cast<int*>(at);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__device__ void add(double* at, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
}

__device__ void add(unsigned short* at, unsigned short value) {
  unsigned short old = *at, assumed;
  do {
    assumed = old;
    old = atomicCAS(at, assumed, static_cast<unsigned short>(assumed + value));
  } while (assumed != old);
}

__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ double sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  highest(reinterpret_cast<float*>(zero), static_cast<float>(in[threadIdx.x]));
  add(reinterpret_cast<double*>(zero + 2), 1.0);
  add(reinterpret_cast<unsigned short*>(zero + 4), 1);
  add(&sum, 1.0);
}
