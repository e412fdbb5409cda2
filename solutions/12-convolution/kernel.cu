// Convolution of an image with a mask, and a stencil in space: neighbours are loaded once and used many times
//
// Problem   Part 1: result[r][c] is the sum of mask[i][j] · image[r + i − mask_rows / 2][c + j − mask_columns / 2]
//           over the mask, whose sizes are odd. Part 2: after[z][y][x] is an eighth of twice before[z][y][x] and its
//           six neighbours. Where a neighbour lies outside, the nearest element at the border is taken.
// Approach  A block walks: part 1 down the image, part 2 up through the layers. A ring in shared memory holds the
//           rows (layers) that are needed now, with the elements around the block's own (the halo). cp.async brings
//           those that are needed next while these are used.
//           Part 1: a thread reads an element of a row once for each column of the mask, and adds it to all results
//           that need it. All threads need the same weight at the same time: it comes from constant memory, which
//           serves a whole warp at once.
//           Part 2: what is here now is below in the next layer, and stays in a register.
// Cost      8 bytes an element: all but the halo is read once. With a mask of 5 × 5, a result reads 5 elements of
//           the ring.
#include <cuda_pipeline.h>

#include "launch_shape.cuh"

constexpr int MOST = 15;  // rows and columns of the largest mask

//> mask
// The program sets these, row by row, before it launches `convolve`.
extern "C" {
__constant__ float mask[MOST * MOST];
}
//< mask

//> launch-shape
constexpr int THREADS = 128;  // of a block
constexpr int BESIDE = 2;     // results of a thread in a row, THREADS columns apart
constexpr int WIDTH = BESIDE * THREADS;
constexpr int HEIGHT = 64;  // rows of results through which a block walks
LAUNCH_SHAPE_OF(convolve, THREADS, 1, WIDTH, HEIGHT)

constexpr int X = 128, Y = 16;  // elements of a layer that a block computes
constexpr int BELOW = 4;        // of them, those of a thread, below one another
constexpr int LAYERS = 32;      // through which a block walks
LAUNCH_SHAPE_3D_OF(stencil_step, X, Y / BELOW, 1, X, Y, LAYERS)
//< launch-shape

//> solution
// The nearest number from 0 to count - 1.
__device__ int clamped(int i, int count) { return min(max(i, 0), count - 1); }

// Starts to copy an element to shared memory. __pipeline_commit() ends a group of copies, for which
// __pipeline_wait_prior() waits.
__device__ void copy(float& to, const float& from) { __pipeline_memcpy_async(&to, &from, sizeof(float)); }

//> ring
// The rows of the image that a block needs, counted from half a mask above its first results on. The block holds RING
// of them at a time: those of the largest mask, and one that comes.
constexpr int RING = MOST + 1;
using Row = float[WIDTH + MOST - 1];

struct Strip {
  __device__ Strip(const float* image, int rows, int columns, int mask_rows, int mask_columns)
      : image(image), rows(rows), columns(columns),
        first_row(static_cast<int>(blockIdx.y) * HEIGHT - mask_rows / 2),
        halo(mask_columns - 1),
        count(min(HEIGHT, rows - static_cast<int>(blockIdx.y) * HEIGHT) + mask_rows - 1) {
    const int first_column = blockIdx.x * WIDTH - mask_columns / 2 + threadIdx.x;
    for (int k = 0; k <= BESIDE; ++k) from[k] = clamped(first_column + k * THREADS, columns);
  }

  // Starts to copy row `y`, and the halo beside it.
  __device__ void bring(int y, Row& to) const {
    const float* const row = image + clamped(first_row + y, rows) * columns;
    for (int k = 0; k < BESIDE; ++k) copy(to[threadIdx.x + k * THREADS], row[from[k]]);
    if (threadIdx.x < halo) copy(to[threadIdx.x + WIDTH], row[from[BESIDE]]);
  }

  const float* image;
  int rows, columns;
  int first_row;
  int halo;              // columns beside the block's
  int count;             // of rows, with the halo
  int from[BESIDE + 1];  // columns of the image that the thread brings
};
//< ring

// Where a thread's results go, row by row.
struct Results {
  __device__ Results(float* result, int rows, int columns)
      : columns(columns), room(columns - static_cast<int>(blockIdx.x * WIDTH + threadIdx.x)) {
    next = result + static_cast<int>(blockIdx.y) * HEIGHT * columns + columns - room;
  }
  __device__ void put(const float (&sums)[BESIDE]) {
    for (int k = 0; k < BESIDE; ++k)
      if (k * THREADS < room) next[k * THREADS] = sums[k];
    next += columns;
  }

  int columns;
  int room;  // columns from the thread's first one to the border
  float* next;
};

// For a mask whose size is known when this is compiled: rows come in groups of ROWS, two groups ahead. Row y of the
// strip is the first that result y needs, and the last that result y − (ROWS − 1) needs: ROWS results of each column
// are in the making, and sums[y % ROWS] is that of result y.
//> outputs
template <int ROWS, int COLUMNS>
__device__ void walk(Row (&ring)[RING], const Strip& strip, Results results) {
  constexpr int GROUPS = 3;
  static_assert(GROUPS * ROWS <= RING);
  int coming = 0, group = 0;  // which third of the ring is filled next, and which one is read
  const auto bring_group = [&](int first) {
    if (first < strip.count)
      for (int n = 0; n < ROWS; ++n) strip.bring(first + n, ring[coming * ROWS + n]);
    __pipeline_commit();
    coming = (coming + 1) % GROUPS;
  };
  bring_group(0);
  bring_group(ROWS);
  float sums[ROWS][BESIDE] = {};
  for (int first = 0; first < strip.count; first += ROWS) {
    __pipeline_wait_prior(1);  // all groups of this thread but the last one have come
    __syncthreads();           // those of the others, too; and nobody reads the group before
    bring_group(first + 2 * ROWS);
#pragma unroll
    for (int n = 0; n < ROWS; ++n) {
      const float* const elements = &ring[group * ROWS + n][threadIdx.x];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j)
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
          for (int k = 0; k < BESIDE; ++k)
            sums[(n + ROWS - i) % ROWS][k] += mask[i * COLUMNS + j] * elements[j + k * THREADS];
      float(&complete)[BESIDE] = sums[(n + 1) % ROWS];
      if (first + n >= ROWS - 1 && first + n < strip.count) results.put(complete);
#pragma unroll
      for (int k = 0; k < BESIDE; ++k) complete[k] = 0.0f;
    }
    group = (group + 1) % GROUPS;
  }
}
//< outputs

// For a mask of any size: one row comes while the results of another are computed.
__device__ void walk(Row (&ring)[RING], const Strip& strip, Results results, int mask_rows, int mask_columns) {
  for (int y = 0; y < mask_rows; ++y) strip.bring(y, ring[y]);
  for (int y = 0; y + mask_rows <= strip.count; ++y) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();  // all rows of the mask have come, and nobody reads the row before
    strip.bring(y + mask_rows, ring[(y + mask_rows) % RING]);
    float sums[BESIDE] = {};
    for (int i = 0; i < mask_rows; ++i) {
      const float* const elements = &ring[(y + i) % RING][threadIdx.x];
#pragma unroll 5
      for (int j = 0; j < mask_columns; ++j)
        for (int k = 0; k < BESIDE; ++k) sums[k] += mask[i * mask_columns + j] * elements[j + k * THREADS];
    }
    results.put(sums);
  }
}

// With ten blocks an SM, a thread may keep 48 registers; by itself, the compiler takes too few of them.
extern "C" __global__ void __launch_bounds__(THREADS, 10) convolve(const float*, float*, int, int, int, int);
//< solution

//> convolve-signature
extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mask_rows,
                                    int mask_columns) {
  //< convolve-signature
  //> solution
  __shared__ Row ring[RING];
  const Strip strip(image, rows, columns, mask_rows, mask_columns);
  const Results results(result, rows, columns);
  if (mask_rows == 3 && mask_columns == 3)
    walk<3, 3>(ring, strip, results);
  else if (mask_rows == 5 && mask_columns == 5)
    walk<5, 5>(ring, strip, results);
  else
    walk(ring, strip, results, mask_rows, mask_columns);
  //< solution
  /*> stub
  // Begin with one thread a result, which reads everything from `image`, and the weights from `mask`: it is right, and
  // you can check it. Then make it fast:

  // TODO(1): which element is taken where a neighbour lies outside of the image?

  // TODO(2): bring the block's elements and those around them to shared memory. How many are there, and which
  // thread loads which? Who has to wait?

  // TODO(3): let a thread compute several results. An element that it reads from shared memory serves all of those
  // that need it.
  <*/
}

//> solution
// A place of the tile that holds a layer. Elements of the block begin at (1, 1).
struct Place {
  int x, y;
};

// The place beside the block's elements that a thread brings besides its own; none for most of them.
//> halo
constexpr int HALO = 2 * X + 2 * Y;
__device__ Place halo_of(int thread) {
  if (thread < X) return {thread + 1, 0};
  if (thread < 2 * X) return {thread - X + 1, Y + 1};
  if (thread < 2 * X + Y) return {0, thread - 2 * X + 1};
  return {X + 1, thread - 2 * X - Y + 1};
}
static_assert(HALO <= X * Y / BELOW);
//< halo

// Layers that a block holds at a time: the one that it computes, the one above, and two that come.
constexpr int TILES = 4;
using Tile = float[Y + 2][X + 2];
//< solution

//> stencil-signature
extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  //< stencil-signature
  //> solution
  __shared__ Tile tiles[TILES];
  const int first_x = blockIdx.x * X, first_y = blockIdx.y * Y, first_z = blockIdx.z * LAYERS;
  const int x = threadIdx.x + 1, y = threadIdx.y * BELOW + 1, thread = threadIdx.y * X + threadIdx.x;
  const Place halo = halo_of(thread);
  const int end = min(first_z + LAYERS, layers);
  // Where the element of a place lies in its layer; NOBODYS if it is beyond the first one outside.
  constexpr int NOBODYS = -1;
  const auto index = [&](Place at) {
    const int column = first_x + at.x - 1, row = first_y + at.y - 1;
    return column <= columns && row <= rows ? clamped(row, rows) * columns + clamped(column, columns) : NOBODYS;
  };
  int own[BELOW];
  for (int r = 0; r < BELOW; ++r) own[r] = index({x, y + r});
  const int beside = thread < HALO ? index(halo) : NOBODYS;

  //> walk
  const auto bring_layer = [&](int z) {
    const float* const layer = before + min(z, layers - 1) * (columns * rows);
    Tile& tile = tiles[z % TILES];
    if (z <= end) {  // the layer above the last one, too
      for (int r = 0; r < BELOW; ++r)
        if (own[r] != NOBODYS) copy(tile[y + r][x], layer[own[r]]);
      if (beside != NOBODYS) copy(tile[halo.y][halo.x], layer[beside]);
    }
    __pipeline_commit();
  };
  float below[BELOW];
  for (int r = 0; r < BELOW; ++r)
    if (own[r] != NOBODYS) below[r] = before[max(first_z - 1, 0) * (columns * rows) + own[r]];
  for (int n = 0; n < TILES - 1; ++n) bring_layer(first_z + n);
  for (int z = first_z; z < end; ++z) {
    __pipeline_wait_prior(TILES - 3);  // this thread's elements of this layer and the next one have come
    __syncthreads();                   // those of the others, too; and nobody reads the layer before
    bring_layer(z + TILES - 1);
    const Tile &tile = tiles[z % TILES], &next = tiles[(z + 1) % TILES];
    for (int r = 0; r < BELOW; ++r) {
      if (first_x + x > columns || first_y + y + r > rows) break;
      const float here = tile[y + r][x], above = next[y + r][x];
      const float around = tile[y + r - 1][x] + tile[y + r + 1][x] + tile[y + r][x - 1] + tile[y + r][x + 1];
      after[z * (columns * rows) + own[r]] = (2.0f * here + below[r] + above + around) / 8.0f;
      below[r] = here;
    }
  }
  //< walk
  //< solution
  /*> stub
  // TODO(4): walk through the block's layers. What is here now is below in the next layer: keep it in a register.
  // Bring the layer, with the elements beside the block's, to shared memory.

  // TODO(5): bring what the next layers need while this one is computed, so that nobody waits for it. Then let the
  // blocks of part 1 walk down the image in the same way.
  <*/
}
