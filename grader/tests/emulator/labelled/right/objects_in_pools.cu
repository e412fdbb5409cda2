//: grid 2 block 32
// Classes with an operator new of their own, in shared and in global memory, and objects put by placement.
#include <new>

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  static __device__ void* operator new(std::size_t) {
    __shared__ __align__(16) char room[32 * 32];
    return room + threadIdx.x * 32;
  }
  static __device__ void operator delete(void*) {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
  double width, height;
  __device__ Rectangle(int w, int h) : width(w), height(h) {}
  __device__ int area() const override { return static_cast<int>(width * height); }
};

__device__ unsigned used;
__device__ __align__(16) char pool[64 * 64];

// In front of these new[] keeps their number.
struct Counted {
  double value;
  __device__ Counted() : value(1) {}
  __device__ ~Counted() { value = 0; }
  static __device__ void* operator new[](std::size_t bytes) {
    return pool + atomicAdd(&used, static_cast<unsigned>(bytes + 15) / 16 * 16);
  }
  static __device__ void operator delete[](void* at) {
    if (static_cast<char*>(at) < pool) __trap();
  }
};

__global__ void test(const int* in, int* out, int* zero, int n) {
  Shape* shape = threadIdx.x % 2 ? static_cast<Shape*>(new Square(in[threadIdx.x]))
                                 : static_cast<Shape*>(new Rectangle(in[threadIdx.x], 2));
  int sum = shape->area();
  delete shape;
  Counted* counted = new Counted[in[5]];
  for (int i = 0; i < 5; ++i) sum += static_cast<int>(counted[i].value);
  delete[] counted;
  __shared__ __align__(8) char place[32 * sizeof(Square)];
  const Square* placed = ::new (place + threadIdx.x * sizeof(Square)) Square(3);
  __syncwarp();
  out[blockIdx.x * 32 + threadIdx.x] = sum + placed->area();
  placed->~Square();
}
