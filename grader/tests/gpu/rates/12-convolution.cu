// The convolution and the stencil of lab 12 against a copy of as many floats by the runtime: 0.8 of its rate where
// there are blocks for several rounds of all SMs. At 4096 x 4096 and at 256 x 256 x 256 there is less than one.
#include "../../../../solutions/12-convolution/kernel.cu"
#include "rate.cuh"

int main() {
  Rate rate;
  bool reached = true;
  char what[64];
  const std::vector<float> weights(MOST * MOST, 0.04f);
  check(cudaMemcpyToSymbol(mask, weights.data(), sizeof mask), "setting the mask");
  for (const int side : {4096, 8192, 16384}) {
    const std::size_t count = static_cast<std::size_t>(side) * side;
    float *image = device_array<float>(count), *result = device_array<float>(count);
    const dim3 grid((side + WIDTH - 1) / WIDTH, (side + HEIGHT - 1) / HEIGHT), block(THREADS);
    const auto library = [&] { cudaMemcpyAsync(result, image, count * sizeof(float), cudaMemcpyDeviceToDevice); };
    for (const int size : {3, 5}) {
      const auto solution = [&] { convolve<<<grid, block>>>(image, result, side, side, size, size); };
      std::snprintf(what, sizeof what, "convolution of %d x %d, mask of %d x %d", side, side, size, size);
      reached = rate.compare(what, 8.0 * static_cast<double>(count), side > 4096 ? 0.8 : 0.0, solution, library) && reached;
    }
    cudaFree(image);
    cudaFree(result);
  }
  for (const int side : {256, 512, 1024}) {
    const std::size_t count = static_cast<std::size_t>(side) * side * side;
    float *before = device_array<float>(count), *after = device_array<float>(count);
    const dim3 grid((side + X - 1) / X, (side + Y - 1) / Y, (side + LAYERS - 1) / LAYERS), block(X, Y / BELOW);
    const auto library = [&] { cudaMemcpyAsync(after, before, count * sizeof(float), cudaMemcpyDeviceToDevice); };
    const auto solution = [&] { stencil_step<<<grid, block>>>(before, after, side, side, side); };
    std::snprintf(what, sizeof what, "stencil of %d x %d x %d", side, side, side);
    reached = rate.compare(what, 8.0 * static_cast<double>(count), side > 256 ? 0.8 : 0.0, solution, library) && reached;
    cudaFree(before);
    cudaFree(after);
  }
  return reached ? 0 : 1;
}
