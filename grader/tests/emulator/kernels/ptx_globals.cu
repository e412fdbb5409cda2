// For the PTX parser: variables of all spaces with all kinds of initial values. Never launched.
#include <cuda_fp16.h>

struct Node {
  int value;
  const Node* next;
  const char* name;
};
struct __attribute__((packed)) Packed {
  char c;
  int* pointer;
  short s;
};

__device__ int array[4] = {1, 2, 3, 4};
__device__ float reals[3] = {1.5f, -2.f, 3e10f};
__device__ double real = 3.14159;
__device__ int* pointer = &array[2];
__device__ int* pointers[3] = {&array[0], array + 1, nullptr};
__device__ const char* text = "hello world\n\t\"q\"";
__constant__ Node zero = {1, nullptr, "zero"};
__device__ Node one = {2, nullptr, "one"};
__device__ Node two = {3, &one, "two"};
__managed__ int managed[8] = {9, 8};
__device__ float4 vector = {1, 2, 3, 4};
__device__ __align__(32) char aligned[33] = "abc";
__device__ volatile int changing;
__device__ __half half_value;
__device__ bool yes = true;
__device__ long long negative = -1;
__device__ short shorts[5] = {-1, 2};
__device__ Packed packed = {1, &array[1], 3};
__constant__ Packed packed_twice[2] = {{1, &array[3], 3}, {2, array, 4}};
namespace inner {
__device__ int y = 5;
template <class T>
__device__ T variable = T(3);
}  // namespace inner

__global__ void globals(int* out, float4 q, int2 w) {
  extern __shared__ float dynamic[];
  __shared__ int ints[10];
  __shared__ double one_double;
  __shared__ char4 chars[3];
  ints[threadIdx.x] = 1;
  one_double = 3;
  chars[0].x = 1;
  __syncthreads();
  out[7] = ints[3] + int(one_double) + chars[0].x + int(dynamic[threadIdx.x]);
  out[0] = array[1] + *pointer + managed[2] + inner::y + yes + int(negative) + shorts[1] + inner::variable<int>;
  out[1] = two.next->value + text[3] + zero.value;
  changing = 3;
  reals[0] = vector.x;
  vector = make_float4(q.x, float(real), w.x, w.y);
  half_value = __float2half(q.z);
  out[5] = aligned[out[4]];
  out[6] = pointers[out[2]][0] + *packed.pointer + packed_twice[out[1]].pointer[0];
  int local[10];
  for (int i = 0; i < 10; i++) local[i] = out[i];
  local[out[3]] = 3;
  out[8] = local[out[5]];
}
