//: grid 2 block 128
// Neighbouring lanes take neighbouring words, and try again with what they read plainly.
struct Table {
  int size;
  int* slots;
};

__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int rows[4][16];
  __shared__ Table table;
  if (threadIdx.x < 64) rows[threadIdx.x / 16][threadIdx.x % 16] = 0;
  if (threadIdx.x == 0) table = {16, zero};
  __syncthreads();
  int old;
  do {
    old = zero[threadIdx.x % 16];
  } while (atomicCAS(&zero[threadIdx.x % 16], old, old + 1) != old);
  const int row = threadIdx.x % 4, column = threadIdx.x % 16;
  do {
    old = rows[row][column];
  } while (atomicCAS(&rows[row][column], old, old + 1) != old);
  const Table* const at = &table;
  do {
    old = at->slots[threadIdx.x % at->size];
  } while (atomicCAS(&at->slots[threadIdx.x % at->size], old, old + 1) != old);
}
