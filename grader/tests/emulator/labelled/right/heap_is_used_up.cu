//: block 32
// The device's heap has eight megabytes unless the host asks for more.
__global__ void test(const int* in, int* out, int* zero, int n) {
  void* most = nullptr;
  if (threadIdx.x == 0) {
    most = malloc(7 << 20);
    out[0] = most != nullptr && malloc(2 << 20) == nullptr ? in[0] : 0;
    free(most);
    void* again = malloc(7 << 20);
    out[1] = again != nullptr ? in[1] : 0;
    free(again);
  }
}
