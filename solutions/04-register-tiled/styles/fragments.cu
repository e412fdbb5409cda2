// Class templates: a tile that knows how it is filled, fragments of a row and a column, their outer product. Loses: performance.
#include "launch_shape.cuh"

constexpr int ROWS = 128, COLUMNS = 64, DEPTH = 8, DOWN = 8, ACROSS = 4;
constexpr int X = COLUMNS / ACROSS, Y = ROWS / DOWN, THREADS = X * Y;
LAUNCH_SHAPE(X, Y, COLUMNS, ROWS)

template <int N>
struct Fragment {
  float of[N];
  __device__ void read(const float* from, int apart) {
    for (int i = 0; i < N; ++i) of[i] = from[i * apart];
  }
};

template <int R, int S>
struct Sums {
  float of[R][S] = {};
  __device__ void add(const Fragment<R>& rows, const Fragment<S>& columns) {
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < S; ++j) of[i][j] += rows.of[i] * columns.of[j];
  }
};

struct Matrix {
  const float* values;
  int rows, columns;
  __device__ float at(int row, int column) const {
    return row < rows && column < columns ? values[row * columns + column] : 0.0f;
  }
};

template <int R, int S, bool TURNED>
struct Tile {
  float of[TURNED ? S : R][(TURNED ? R : S) + 1];
  __device__ void fill(const Matrix& from, int row, int column, int id) {
    for (int e = id; e < R * S; e += THREADS) {
      const int r = e / S, s = e % S;
      of[TURNED ? s : r][TURNED ? r : s] = from.at(row + r, column + s);
    }
  }
};

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ Tile<ROWS, DEPTH, true> a;
  __shared__ Tile<DEPTH, COLUMNS, false> b;
  const Matrix of_a{A, m, k}, of_b{B, k, n};
  const int id = threadIdx.y * X + threadIdx.x, top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;
  Sums<DOWN, ACROSS> sums;
  for (int first = 0; first < k; first += DEPTH) {
    a.fill(of_a, top, first, id);
    b.fill(of_b, first, left, id);
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      Fragment<DOWN> rows;
      Fragment<ACROSS> columns;
      rows.read(&a.of[d][threadIdx.y], Y);
      columns.read(&b.of[d][threadIdx.x], X);
      sums.add(rows, columns);
    }
    __syncthreads();
  }
  for (int i = 0; i < DOWN; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      const int row = top + threadIdx.y + i * Y, column = left + threadIdx.x + j * X;
      if (row < m && column < n) C[row * n + column] = sums.of[i][j];
    }
}
