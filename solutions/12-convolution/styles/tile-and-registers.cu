// A tile with its halo, then results below one another; a layer in one tile, what is next in registers.
#include "launch_shape.cuh"

constexpr int MOST = 15;  // rows and columns of the largest mask

// The program sets these, row by row, before it launches `convolve`.
extern "C" {
__constant__ float mask[MOST * MOST];
}

constexpr int WIDTH = 128;   // columns of a block's results: one thread each
constexpr int GROUPS = 1;    // threads of a column
constexpr int OUTPUTS = 12;  // results of a thread, below one another
constexpr int HEIGHT = GROUPS * OUTPUTS;
LAUNCH_SHAPE_OF(convolve, WIDTH, GROUPS, WIDTH, HEIGHT)

constexpr int X = 64, Y = 4;  // elements of a layer that a block computes: one thread each
constexpr int LAYERS = 64;    // through which it walks
LAUNCH_SHAPE_3D_OF(stencil_step, X, Y, 1, X, Y, LAYERS)

// The nearest number from 0 to count - 1.
__device__ int clamped(int i, int count) { return min(max(i, 0), count - 1); }

constexpr int PITCH = WIDTH + MOST - 1;
using Tile = float[HEIGHT + MOST - 1][PITCH];

// Brings the block's elements of the image, and those around them, to shared memory.
__device__ void load(Tile& tile, const float* image, int rows, int columns, int mask_rows, int mask_columns) {
  const int first_row = blockIdx.y * HEIGHT - mask_rows / 2, first_column = blockIdx.x * WIDTH - mask_columns / 2;
  for (int x = threadIdx.x; x < WIDTH + mask_columns - 1; x += WIDTH) {
    const float* const column = image + clamped(first_column + x, columns);
#pragma unroll 4
    for (int y = threadIdx.y; y < HEIGHT + mask_rows - 1; y += GROUPS)
      tile[y][x] = column[clamped(first_row + y, rows) * columns];
  }
}

// The OUTPUTS results below one another whose elements begin at `corner` of the tile. The mask's size is known when
// this is compiled, or given as 0 and known when it runs.
template <int ROWS, int COLUMNS>
__device__ void add_up(float (&sums)[OUTPUTS], const float* corner, int mask_rows, int mask_columns) {
  if (ROWS > 0) mask_rows = ROWS, mask_columns = COLUMNS;
#pragma unroll
  for (int j = 0; j < mask_columns; ++j) {
    float elements[OUTPUTS];  // that one weight is for; the next one is for those one row further down
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; ++o) elements[o + 1] = corner[o * PITCH + j];
#pragma unroll
    for (int i = 0; i < mask_rows; ++i) {
      const float weight = mask[i * mask_columns + j];
#pragma unroll
      for (int o = 0; o < OUTPUTS - 1; ++o) elements[o] = elements[o + 1];
      elements[OUTPUTS - 1] = corner[(i + OUTPUTS - 1) * PITCH + j];
#pragma unroll
      for (int o = 0; o < OUTPUTS; ++o) sums[o] += weight * elements[o];
    }
  }
}

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mask_rows,
                                    int mask_columns) {
  __shared__ Tile tile;
  load(tile, image, rows, columns, mask_rows, mask_columns);
  __syncthreads();  // the tile is complete

  const float* const corner = &tile[threadIdx.y * OUTPUTS][threadIdx.x];
  float sums[OUTPUTS] = {};
  if (mask_rows == 5 && mask_columns == 5)
    add_up<5, 5>(sums, corner, mask_rows, mask_columns);
  else
    add_up<0, 0>(sums, corner, mask_rows, mask_columns);

  const int first_row = blockIdx.y * HEIGHT + threadIdx.y * OUTPUTS, column = blockIdx.x * WIDTH + threadIdx.x;
#pragma unroll
  for (int o = 0; o < OUTPUTS; ++o)
    if (first_row + o < rows && column < columns) result[(first_row + o) * columns + column] = sums[o];
}

// One column of elements, along z; `before` points to its element in layer 0. Columns beyond the first one outside
// are nobody's neighbours: nothing is loaded for them.
struct Column {
  __device__ Column(const float* before, int x, int y, int columns, int rows, int layers)
      : first(before + clamped(y, rows) * columns + clamped(x, columns)),
        layer(columns * rows),
        last(layers - 1),
        is_near(x <= columns && y <= rows) {}
  __device__ float at(int z) const { return is_near ? first[min(max(z, 0), last) * layer] : 0.0f; }

  const float* first;
  int layer;  // elements from one layer to the next
  int last;
  bool is_near;
};

// A place of the tile. Elements of the block begin at (1, 1).
struct Place {
  int x, y;
};

// The place beside the block's elements that a thread brings besides its own; none for most of them.
constexpr int HALO = 2 * X + 2 * Y;
__device__ Place halo_of(int thread) {
  if (thread < X) return {thread + 1, 0};
  if (thread < 2 * X) return {thread - X + 1, Y + 1};
  if (thread < 2 * X + Y) return {0, thread - 2 * X + 1};
  return {X + 1, thread - 2 * X - Y + 1};
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float tile[Y + 2][X + 2];
  const int first_x = blockIdx.x * X, first_y = blockIdx.y * Y, first_z = blockIdx.z * LAYERS;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, thread = threadIdx.y * X + threadIdx.x;
  const bool has_halo = thread < HALO;
  const Place halo = halo_of(thread);
  const Column own(before, first_x + x - 1, first_y + y - 1, columns, rows, layers);
  const Column beside(before, first_x + halo.x - 1, first_y + halo.y - 1, columns, rows, layers);
  const bool is_inside = first_x + x <= columns && first_y + y <= rows;

  float below = own.at(first_z - 1), here = own.at(first_z), above = own.at(first_z + 1), next = own.at(first_z + 2);
  float side = has_halo ? beside.at(first_z) : 0.0f, next_side = has_halo ? beside.at(first_z + 1) : 0.0f;
  for (int z = first_z; z < min(first_z + LAYERS, layers); ++z) {
    tile[y][x] = here;
    if (has_halo) tile[halo.y][halo.x] = side;
    __syncthreads();  // the layer is complete
    const float far = own.at(z + 3);
    side = next_side;
    if (has_halo) next_side = beside.at(z + 2);
    const float around = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
    if (is_inside)
      after[(z * rows + first_y + y - 1) * columns + first_x + x - 1] = (2.0f * here + below + above + around) / 8.0f;
    __syncthreads();  // all have read the layer
    below = here;
    here = above;
    above = next;
    next = far;
  }
}
