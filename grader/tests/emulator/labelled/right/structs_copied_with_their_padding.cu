//: grid 1 block 64
// Structures whose last bytes nobody writes are copied as a whole, by way of shared memory too.
struct __align__(16) Point {
  float x, y, z;
};
struct Entry {
  double key;
  int count;
};

template <class T>
__device__ void copy(T* to, T* from, T* by) {
  by[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = by[threadIdx.x];
  __syncthreads();
}

__global__ void k(const int* in, int* out, int*, int) {
  __shared__ Point points[16];
  __shared__ Entry entries[16];
  if (threadIdx.x >= 16) return;
  Point* const point = reinterpret_cast<Point*>(out);
  Entry* const entry = reinterpret_cast<Entry*>(out + 256);
  point[threadIdx.x].x = point[threadIdx.x].y = point[threadIdx.x].z = in[threadIdx.x];
  entry[threadIdx.x].key = entry[threadIdx.x].count = in[threadIdx.x];
  copy(point + 16, point, points);
  copy(entry + 16, entry, entries);
  copy(point + 32, point + 16, points);
  out[600 + threadIdx.x] = point[32 + threadIdx.x].z + entry[16 + threadIdx.x].count;
}
