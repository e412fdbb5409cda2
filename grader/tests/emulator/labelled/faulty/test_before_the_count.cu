//: block 256
// What others add between the look and the update takes the count past its end.
__global__ void test(const int* in, int* out, int* zero, int n) {
  if (*zero < 100) atomicAdd(zero, 1);  //! WG114
}
