// {@ title @}
//
// Problem   A pixel of the result is the brightest of the pixel in the image and its up to eight neighbours.
// Approach  One thread computes one pixel; the lanes of a warp run along a row. Loops over rows and columns end at
//           the border of the image.
// Cost      2 bytes a pixel: each is read and written once. The neighbours come from a cache.
#include "launch_shape.cuh"

//> launch-shape
constexpr int WIDTH = 32;  // one warp
constexpr int HEIGHT = 8;
LAUNCH_SHAPE(WIDTH, HEIGHT, WIDTH, HEIGHT)  // threads of a block, and columns and rows of the result
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const unsigned char* image, unsigned char* result, int height, int width) {
  //< signature
  //> solution
  const int x = blockIdx.x * WIDTH + threadIdx.x;
  const int y = blockIdx.y * HEIGHT + threadIdx.y;
  if (x >= width || y >= height) return;
  int brightest = 0;
  for (int j = max(y - 1, 0); j <= min(y + 1, height - 1); ++j)
    for (int i = max(x - 1, 0); i <= min(x + 1, width - 1); ++i)
      brightest = max(brightest, image[j * width + i]);
  result[y * width + x] = brightest;
  //< solution
  /*> stub
  // TODO(1): which pixel is this thread's? Does it exist?

  // TODO(2): look for the brightest of the pixel and its neighbours. Which of them exist?
  <*/
}
