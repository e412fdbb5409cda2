//: grid 4 block 64
__device__ double total;
// The first load is plain: what it brings is looked at again by the swap.
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* word = reinterpret_cast<unsigned long long*>(&total);
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(in[threadIdx.x] + __longlong_as_double(assumed)));
  } while (assumed != old);
}
