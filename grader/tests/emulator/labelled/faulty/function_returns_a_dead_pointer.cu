//: block 32
struct Box {
  int* data;
};
__global__ void test(const int* in, int* out, int* zero, int n) {
  Box box;
  box.data = static_cast<int*>(malloc(64));
  box.data[0] = in[threadIdx.x];
  out[threadIdx.x] = box.data[0];
  free(box.data);
  out[threadIdx.x] += box.data[0];  //! WG104
}
