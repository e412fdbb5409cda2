// SGEMM: C = alpha·A·B + beta·C in single precision, as fast as you can
//
// Problem   A is m×k, B is k×n, C is m×n, row-major, of any size and starting at any float. With
//           beta = 0, C is written and never read: there may be anything in it. No tensor cores.
// Options   A line of its own, `// ptxas: -O1`, chooses the assembler's level; -O3 is usual.
//> solution
// ptxas: -O1
//
// Approach  A block computes 128×256 elements of C with 8 warps, a warp 64×64, a lane 8×16: for
//           128 multiply-adds a lane reads 2 float4 of A and 4 of B. While one pair of tiles is
//           multiplied, cp.async brings the next three; while one depth is multiplied, the operands
//           of the next are read. What is left between the multiply-adds is 9 % of the instructions.
//           Sizes and pointers that are no multiples of 16 bytes are copied by single floats. The
//           loop is compiled a second time for them: copies of both widths in one loop cost 3.5 %
//           even where only the wide ones are made. Copies start in two bursts between multiply-adds.
//           Tiles are only 8 deep, so that the loops are short: an SM that has just run another
//           kernel fetches each of their instructions from device memory, at 1024³ for 8 of 67 µs.
//           Tiles of C that do not fill all SMs are split along k, into as many parts as there are
//           SMs. All blocks with a part of a tile add them up, each some rows, in the order of the
//           parts. None depends on the others: who has waited for a while goes, and the last to come
//           adds up what is left. A launch needs the workspace for itself: two at once, in streams,
//           would mix their parts.
//           A few rows or columns beyond whole tiles, as 1025 = 8 · 128 + 1 has them, get no tiles:
//           all blocks share their dot products.
// Adds      Lanes in pairs, pointers ahead of bursts of copies
// Steps     steps/ holds a kernel for each row below: each adds one optimisation to the one before.
//> measured
//   TFLOP/s on an NVIDIA H200, with ptxas                    -O3   -O3   -O1   -O1
//                                                          4096³ 8192³ 4096³ 8192³
//   One output a thread, neighbours in a column of C         0.5   0.5   0.5   0.5
//   Neighbours in a row of C                                 5.9   5.5   3.3   3.0
//   Tiles in shared memory                                   8.7   8.8   8.6   8.7
//   Eight outputs a thread, one below the other             16.5  16.3  16.7  16.6
//   Eight by eight outputs a thread                         21.3  21.3  20.4  20.7
//   Operands as float4, A's tile transposed                 34.3  35.0  30.4  30.1
//   Warp tiles: eight by sixteen outputs a thread           30.9  31.2  25.7  25.9
//   Asynchronous copies, two tiles of each matrix           38.5  39.2  39.6  40.4
//   Operands a depth ahead, blocks in groups                45.2  45.6  52.4  53.0
//   Copies between multiply-adds                            45.6  46.1  52.7  53.3
//   Tiles that do not fill all SMs split along k            43.6  44.2  55.9  57.0
//   Four stages of half the depth, parts added up together  42.5  43.1  53.4  54.3
//   Lanes in pairs, pointers ahead of bursts of copies      43.3  43.8  54.7  55.6
//   cuBLAS, pedantic                                        49.5  51.0  49.5  51.0
//< measured
// -O1       A multiply-add takes three registers from two banks, even and odd. ptxas -O3 regroups
//           the multiply-adds by 4 columns, and then a quarter of them find two operands in one
//           bank, which costs a cycle. -O1 keeps the order of the source: along a row of 16, in
//           alternating direction, with the operand of A reused. Then it is a tenth of them.
// No gain   16×8 outputs per lane instead of 8×16; multiply-adds by
//           columns or in 4×4 blocks; two copies of A's operands in registers; groups of 1, 4 or
//           16 rows of blocks instead of 8; volatile loads or __syncwarp to fix the order under
//           -O3. Reading the next operands of A for all 8 rows at once, not for two after each
//           second row, costs 8 %; the barrier at the end of a tile's depths or at their
//           beginning is the same. Single floats through registers take 1.5 times as long as by
//           cp.async, and 1.2 times where each warp's begin at a multiple of 128 bytes. Warps that
//           skip what lies outside C gain nothing: one warp for each scheduler is too few. Two stages
//           of twice the depth are 4 % faster from 4096³ up, and 10 % slower at 1024³.
// Floats    Single floats cost 11 % at 2047³ and now 4 %. Stores of a lane's neighbours were 5 %: rows pass
//           through shared memory, so that a warp's lanes store neighbours. Copies one by one between the
//           multiply-adds take up to 7 % more than two bursts: ptxas puts three more instructions before
//           each cp.async of 4 bytes that follows a read of shared memory. A pointer for each row is
//           2.5 %: no multiply-add gets a register that a copy still reads, and no 64-bit multiply-add
//           computes an address. Advancing pointers two rows of multiply-adds before their copies, not
//           right before, is 3 % at 4096³.
//< solution
#include "launch_shape.cuh"

//> solution
//> shape
// A tile of BLOCK_ROWS × BLOCK_COLUMNS elements of C is a block's work, from tiles of A and B that are
// TILE_DEPTH deep, STAGES of each: one is being multiplied while the others arrive. They fill 48 KB of shared
// memory to the last byte.
constexpr int BLOCK_ROWS = 128;
constexpr int BLOCK_COLUMNS = 256;
constexpr int TILE_DEPTH = 8;
constexpr int STAGES = 4;
// A warp computes 64 × 64 of them, with its lanes in 8 rows and 4 columns; a lane 8 × 16.
constexpr int WARP_ROWS = 64;
constexpr int WARP_COLUMNS = 64;
constexpr int LANES_Y = 8;
constexpr int LANES_X = 4;
constexpr int THREAD_ROWS = WARP_ROWS / LANES_Y;
constexpr int THREAD_COLUMNS = WARP_COLUMNS / LANES_X;
// Everything moves in chunks of four neighbours, 16 bytes.
constexpr int CHUNK = 4;
// Rows of tiles of C that are computed together: their blocks find each other's tiles of A and B in L2.
constexpr int ROWS_TOGETHER = 8;

constexpr int THREADS = BLOCK_ROWS / WARP_ROWS * (BLOCK_COLUMNS / WARP_COLUMNS) * 32;
// Blocks for each tile of C, so that there are enough to split tiles. Those without work end at once.
constexpr int BLOCKS_OF_TILE = 4;
LAUNCH_SHAPE(THREADS, 1, BLOCK_COLUMNS / BLOCKS_OF_TILE, BLOCK_ROWS)
//< shape
//< solution
/*> stub
// How many threads a block has, and how many columns and rows of C it computes: your choice.
constexpr int SIDE = 32;
constexpr int THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)
<*/

//> solution
using Tile_A = float[BLOCK_ROWS][TILE_DEPTH];
using Tile_B = float[TILE_DEPTH][BLOCK_COLUMNS];
constexpr int CHUNKS_A = TILE_DEPTH / CHUNK;  // in a row of A's tile

// The same number. The compiler does not know that it is the same, so that it computes what depends on it
// again instead of keeping it in registers, of which this kernel has none to spare.
__device__ int again(int number) {
  asm volatile("" : "+r"(number));
  return number;
}

//> copy
// Copies FLOATS (4 or 1) to shared memory while the thread continues. What lies outside a matrix is zero.
template <int FLOATS>
__device__ void copy_async(float* to, const float* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int read = inside ? FLOATS * 4 : 0;
  if constexpr (FLOATS == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(read));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(read));
#else
  for (int i = 0; i < FLOATS; ++i) to[i] = inside ? from[i] : 0.0f;
#endif
}

// Closes the group of copies that this thread has started since the group before.
__device__ void end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}

// Waits for the oldest group of this thread, where it fetches STAGES - 1 groups ahead.
__device__ void await_oldest_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

__device__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
//< copy

//> swizzle
// Where chunk `chunk` of a row of A's tile lies in that row. The 8 rows that a warp reads together would have
// their chunks in only 4 groups of 4 banks; exchanged like this, they are in all 8.
__device__ int place_in_row(int row, int chunk) { return (chunk ^ (row / 4 % CHUNKS_A)) * CHUNK; }
//< swizzle

//> loader
// Advances a pointer without a 64-bit multiply-add, which would keep other multiply-adds waiting.
__device__ void advance(const float*& pointer, unsigned bytes) {
  asm volatile(
      "{\n"
      " .reg .u32 low, high;\n"
      " mov.b64 {low, high}, %0;\n"
      " add.cc.u32 low, low, %1;\n"
      " addc.u32 high, high, 0;\n"
      " mov.b64 %0, {low, high};\n"
      "}"
      : "+l"(pointer)
      : "r"(bytes));
}

// Copies for the next tiles start in so many parts, one in the last of so many depths.
constexpr int PARTS_OF_FETCH = 2;
constexpr int DEPTHS_OF_PART = TILE_DEPTH / PARTS_OF_FETCH - 1;

// What one thread copies of each tile, FLOATS neighbours at a time.
template <int FLOATS>
struct Loader {
  static constexpr int ACROSS_A = TILE_DEPTH / FLOATS;    // threads that share a row of A's tile
  static constexpr int ACROSS_B = BLOCK_COLUMNS / CHUNK;  // or of B's,
  static constexpr int COPIES_OF_ROW = CHUNK / FLOATS;    // each with so many copies of it, from one address
  static constexpr int STRIDE_A = THREADS / ACROSS_A;     // from one row of this thread to its next
  static constexpr int STRIDE_B = THREADS / ACROSS_B;
  static constexpr int ROWS_A = BLOCK_ROWS / STRIDE_A;    // of this thread, in a tile
  static constexpr int ROWS_B = TILE_DEPTH / STRIDE_B;
  static constexpr int POINTERS_B = FLOATS == 1 ? ROWS_B : 1;
  // To the thread's rows of the tiles before the next: a pointer is advanced shortly before its copy, when its
  // last copy has long read it.
  const float* a[ROWS_A];
  const float* b[POINTERS_B];
  unsigned step_b;   // bytes to a pointer's next row of B
  int to_a, to_b;    // places of the thread's first copies in a tile
  int rows_left;     // of A, from the thread's first copy on
  int columns_left;  // of B, likewise
  int depth_left;    // of both matrices, from the next tiles on

  __device__ Loader(const float* A, const float* B, int first_row, int first_column, int depth, int m, int n,
                    int k)
      : step_b(sizeof(float) * POINTERS_B * STRIDE_B * n),
        rows_left(m - first_row - row_a()),
        depth_left(k - depth) {
    const int column_b = threadIdx.x % ACROSS_B * FLOATS;
    const size_t row_size = n;
#pragma unroll
    for (int i = 0; i < ROWS_A; ++i)
      a[i] = A + static_cast<size_t>(first_row + row_a() + i * STRIDE_A) * k + depth + column_a() - TILE_DEPTH;
#pragma unroll
    for (int i = 0; i < POINTERS_B; ++i)
      b[i] = B + (depth + row_b() + i * STRIDE_B) * row_size + first_column + column_b -
             POINTERS_B * STRIDE_B * row_size;
    to_a = row_a() * TILE_DEPTH + place_in_row(row_a(), column_a() / CHUNK) + column_a() % CHUNK;
    to_b = row_b() * BLOCK_COLUMNS + column_b;
    columns_left = n - first_column - column_b;
  }
  static __device__ int row_a() { return threadIdx.x / ACROSS_A; }
  static __device__ int column_a() { return threadIdx.x % ACROSS_A * FLOATS; }
  static __device__ int row_b() { return threadIdx.x / ACROSS_B; }

  // Advances the pointers of a part of the next tiles,
  __device__ void prepare(int part) {
#pragma unroll
    for (int i = part * ROWS_A / PARTS_OF_FETCH; i < (part + 1) * ROWS_A / PARTS_OF_FETCH; ++i)
      advance(a[i], sizeof(float) * TILE_DEPTH);
#pragma unroll
    for (int i = part * ROWS_B / PARTS_OF_FETCH; i < (part + 1) * ROWS_B / PARTS_OF_FETCH; ++i)
      advance(b[i % POINTERS_B], again(step_b));
  }
  // and starts their copies; behind the last tiles they are zero.
  __device__ void fetch(Tile_A& to_A, Tile_B& to_B, int part) {
#pragma unroll
    for (int i = part * ROWS_A / PARTS_OF_FETCH; i < (part + 1) * ROWS_A / PARTS_OF_FETCH; ++i) {
      const int row = i * STRIDE_A;
      copy_async<FLOATS>(&to_A[row][0] + to_a, a[i], row < again(rows_left) && column_a() < depth_left);
    }
#pragma unroll
    for (int i = part * ROWS_B / PARTS_OF_FETCH; i < (part + 1) * ROWS_B / PARTS_OF_FETCH; ++i) {
      const int row = i * STRIDE_B;
#pragma unroll
      for (int column = 0; column < COPIES_OF_ROW * ACROSS_B; column += ACROSS_B)
        copy_async<FLOATS>(&to_B[row][column] + to_b, b[i % POINTERS_B] + column,
                           column < again(columns_left) && row + row_b() < depth_left);
    }
    if (part == PARTS_OF_FETCH - 1) {
      depth_left -= TILE_DEPTH;
      end_group();
    }
  }
};
//< loader

//> split
constexpr int SMS = 132;            // of an H200; on a GPU with other numbers of SMs the shares are less even
constexpr int STEPS_TO_SPLIT = 96;  // of a tile of C, at least
constexpr int STEPS_OF_PART = 32;   // at least
constexpr int COST = 8;             // of splitting, in steps: storing the sums of parts and adding them up
constexpr int EDGE = 4;             // rows or columns of C behind whole tiles that get no tile, at most

// Which blocks compute which tiles of C. A step multiplies one tile of A by one of B. The steps of all tiles
// of C are numbered through, and a block has consecutive ones: those of one tile or, among the first `shared`
// tiles, a part of all their steps, which may begin in one tile and end in the next.
struct Split {
  int across, down;  // tiles of C
  int steps;         // of each
  int shared;        // tiles
  int parts;         // as many blocks share them

  __device__ Split(int m, int n, int k)
      : across(tiles(n, BLOCK_COLUMNS)),
        down(tiles(m, BLOCK_ROWS)),
        steps((k + TILE_DEPTH - 1) / TILE_DEPTH),
        shared(across * down % SMS),  // with the others every SM is busy to the end
        parts(shared) {
    const int blocks = gridDim.x * gridDim.y - (across * down - shared);  // that the others leave
    if (steps >= STEPS_TO_SPLIT && (SMS - shared) * steps > SMS * COST)
      parts = max(shared, min(min(SMS, shared * steps / STEPS_OF_PART), blocks));
  }
  // Of a side of C. A few rows or columns behind whole tiles are an edge and get none.
  static __device__ int tiles(int size, int tile) {
    return (size + tile - 1 - (size > tile ? min(EDGE, size % tile) : 0)) / tile;
  }
  __device__ int edge_row(int m) const { return min(m, down * BLOCK_ROWS); }  // where the edge begins
  __device__ int edge_column(int n) const { return min(n, across * BLOCK_COLUMNS); }
  __device__ int blocks() const { return parts + across * down - shared; }  // with work
  __device__ int first_step(int block) const {
    return block < parts ? block * (shared * steps) / parts : (shared + block - parts) * steps;
  }
  __device__ int all_steps() const { return across * down * steps; }
  // The block that has this step of a shared tile.
  __device__ int block_of(int step) const { return ((step + 1) * parts - 1) / (shared * steps); }
  __device__ int first_block(int tile) const { return block_of(tile * steps); }
  __device__ int last_block(int tile) const { return block_of((tile + 1) * steps - 1); }
  __device__ bool is_divided(int tile) const { return tile < shared && first_block(tile) < last_block(tile); }

  // ROWS_TOGETHER rows of tiles are computed together, column by column.
  __device__ int first_row(int tile) const {
    return (group(tile) + (tile - group(tile) * across) % height(tile)) * BLOCK_ROWS;
  }
  __device__ int first_column(int tile) const {
    return (tile - group(tile) * across) / height(tile) * BLOCK_COLUMNS;
  }
  // The first row of those that are computed together with this tile.
  __device__ int group(int tile) const { return tile / (ROWS_TOGETHER * across) * ROWS_TOGETHER; }
  __device__ int height(int tile) const { return min(ROWS_TOGETHER, down - group(tile)); }
};

// The sums of parts. A block has parts of two tiles at most, one with an even number and one with an odd.
__device__ float4 sums_of_parts[2 * SMS][THREAD_ROWS][THREAD_COLUMNS / CHUNK][THREADS];
// Of each shared tile, 0 before and after a launch: parts that are stored, shares of the adding up that blocks
// have taken, and blocks that are done with it.
__device__ unsigned parts_stored[SMS], shares_taken[SMS], blocks_done[SMS];
constexpr int ROWS_OF_SHARE = 2;
constexpr int SHARES = THREAD_ROWS / ROWS_OF_SHARE;
constexpr int PATIENCE = 40;  // looks at parts_stored, before a block leaves the adding up to others
//< split

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

//> lanes
// A lane's row and column in its warp. Lanes 0 and 1 have the same row, lanes 0 and 2 the same column: a shared
// load of float4 takes two wavefronts, not four, if pairs i, i ^ 1 or pairs i, i ^ 2 read the same address.
__device__ int lane_row() { return (threadIdx.x >> 1 & 1) | (threadIdx.x >> 2 & 6); }
__device__ int lane_column() { return (threadIdx.x & 1) | (threadIdx.x >> 1 & 2); }
//< lanes
// Where a warp's elements begin in a tile of C.
__device__ int warp_row() { return threadIdx.x / 32 / (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_ROWS; }
__device__ int warp_column() { return threadIdx.x / 32 % (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_COLUMNS; }
// And a thread's: in every LANES_Y-th row, CHUNK of LANES_X * CHUNK columns.
__device__ int row_in_tile() { return warp_row() + lane_row(); }
__device__ int column_in_tile() { return warp_column() + lane_column() * CHUNK; }

//> edges
// Edges of C are EDGE rows below its tiles and EDGE columns beside them, at most: dot products of the EDGE lines
// of one matrix, which a block keeps in shared memory, and of all lines of the other, of which it takes WIDE at
// a time. A line is a row of A or a column of B.
constexpr int WIDE = 8;
constexpr int DEPTHS_KEPT = 1024;  // of lines
constexpr int BATCH = 16;          // reads of a thread before it waits for the first

// What one thread reads of a matrix whose LINES lines a block goes through.
template <int LINES>
struct Reader {
  static constexpr int DEPTHS = THREADS / LINES;  // that a block reads at once
  int line, depth;                                // of the thread among those
  const float* next;
  size_t step;
  bool exists;  // the thread's line

  // Neighbouring threads read neighbours: of one depth if a line is a column, else of one line.
  __device__ Reader(const float* first, size_t from_line_to_line, size_t from_depth_to_depth, int first_line,
                    int lines)
      : line(from_line_to_line == 1 ? threadIdx.x % LINES : threadIdx.x / DEPTHS),
        depth(from_line_to_line == 1 ? threadIdx.x / LINES : threadIdx.x % DEPTHS),
        next(first + (first_line + line) * from_line_to_line + depth * from_depth_to_depth),
        step(DEPTHS * from_depth_to_depth),
        exists(first_line + line < lines) {}
  // Reads the line's elements from `first` to `end`, each DEPTHS-th. There are zeros behind `end`.
  __device__ void read(float (&elements)[BATCH], int first, int end) {
#pragma unroll
    for (int i = 0; i < BATCH; ++i, next += step)
      elements[i] = exists && first + depth + i * DEPTHS < end ? *next : 0.0f;
  }
};

// Computes this block's share of both edges, side 0 below and side 1 beside the tiles, at the same time: what
// costs time are the waits. A function that is called leaves the registers of the loop over tiles as they are.
__device__ __noinline__ void multiply_edges(const float* A, const float* B, float* C, int m, int n, int k,
                                            float alpha, float beta, float4* kept, float4* sums_of_threads) {
  using Lines = Reader<WIDE>;
  using Edge = Reader<EDGE>;
  const Split split(m, n, k);
  const int bottom = split.edge_row(m), right = split.edge_column(n);
  const size_t row_A = k, row_C = n;
  const int lengths[2] = {bottom < m ? n : 0, right < n ? bottom : 0};
  const int first_block = blockIdx.y * gridDim.x + blockIdx.x;
#pragma unroll 1
  for (int at = first_block * WIDE; at < max(lengths[0], lengths[1]); at += split.blocks() * WIDE) {
    Lines lines[2] = {Lines(B, 1, row_C, at, lengths[0]), Lines(A, row_A, 1, at, lengths[1])};
    Edge edges[2] = {Edge(A + bottom * row_A, row_A, 1, 0, m - bottom), Edge(B + right, 1, row_C, 0, n - right)};
    float4 sums[2] = {};
#pragma unroll 1
    for (int depth = 0; depth < k; depth += DEPTHS_KEPT) {
      const int end = min(DEPTHS_KEPT, k - depth);
      float elements[2][BATCH];
      __syncthreads();
#pragma unroll 1
      for (int first = 0; first < end; first += BATCH * Edge::DEPTHS) {
#pragma unroll
        for (int side = 0; side < 2; ++side) edges[side].read(elements[side], first, end);
#pragma unroll
        for (int side = 0; side < 2; ++side)
#pragma unroll
          for (int i = 0; i < BATCH; ++i) {
            const int place = side * DEPTHS_KEPT + first + edges[side].depth + i * Edge::DEPTHS;
            reinterpret_cast<float*>(&kept[place])[edges[side].line] = elements[side][i];
          }
      }
      __syncthreads();
#pragma unroll 1
      for (int first = 0; first < end; first += BATCH * Lines::DEPTHS) {
#pragma unroll
        for (int side = 0; side < 2; ++side) lines[side].read(elements[side], first, end);
#pragma unroll
        for (int side = 0; side < 2; ++side)
#pragma unroll
          for (int i = 0; i < BATCH; ++i) {
            const float4 edge = kept[side * DEPTHS_KEPT + first + lines[side].depth + i * Lines::DEPTHS];
            sums[side].x += elements[side][i] * edge.x, sums[side].y += elements[side][i] * edge.y;
            sums[side].z += elements[side][i] * edge.z, sums[side].w += elements[side][i] * edge.w;
          }
      }
    }
    constexpr int PITCH = Lines::DEPTHS + 1;  // no multiple of all banks
#pragma unroll
    for (int side = 0; side < 2; ++side)
      sums_of_threads[(side * WIDE + lines[side].line) * PITCH + lines[side].depth] = sums[side];
    __syncthreads();
    const int side = threadIdx.x / (WIDE * EDGE), line = threadIdx.x / EDGE % WIDE, e = threadIdx.x % EDGE;
    if (side >= 2) continue;
    float sum = 0;
#pragma unroll 8
    for (int i = 0; i < Lines::DEPTHS; ++i)
      sum += reinterpret_cast<const float*>(&sums_of_threads[(side * WIDE + line) * PITCH + i])[e];
    const int row = side == 0 ? bottom + e : at + line, column = side == 0 ? at + line : right + e;
    if (at + line >= lengths[side] || row >= m || column >= n) continue;
    float& to = C[row * row_C + column];
    to = alpha * sum + (beta != 0 ? beta * to : 0);
  }
  __syncthreads();
}
//< edges
//< solution
/*> stub
// This lab is open: the kernel's name and parameters are given, everything else is yours.
<*/

//> signature
extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  //< signature
  //> solution
  __shared__ alignas(16) Tile_A A_tile[STAGES];
  __shared__ alignas(16) Tile_B B_tile[STAGES];

  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const bool aligned =
      (n | k) % CHUNK == 0 &&
      (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;

  float sum[THREAD_ROWS][THREAD_COLUMNS];
  const auto run = [&](auto loader, int tiles) {
    alignas(16) float a[THREAD_ROWS][CHUNK] = {};                // values of four depths
    alignas(16) float b[2][THREAD_COLUMNS / CHUNK][CHUNK] = {};  // values of this depth and the next
    const int row = row_in_tile(), column = column_in_tile();
    const auto load_a = [&](int i, int stage, int chunk) {
      load(a[i], &A_tile[stage][row + i * LANES_Y][place_in_row(row, chunk)]);
    };
    const auto load_b = [&](int stage, int depth) {
#pragma unroll
      for (int j = 0; j < THREAD_COLUMNS / CHUNK; ++j)
        load(b[depth % 2][j], &B_tile[stage][depth][column + j * LANES_X * CHUNK]);
    };
    //> multiply
    // Row i of the outer product for one depth: to and fro, so that b's last element serves twice.
    const auto multiply = [&](int i, int depth) {
#pragma unroll
      for (int step = 0; step < THREAD_COLUMNS; ++step) {
        const int j = i % 2 ? THREAD_COLUMNS - 1 - step : step;
        sum[i][j] += a[i][depth % CHUNK] * b[depth % 2][j / CHUNK][j % CHUNK];
      }
    };
    //< multiply

#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
      for (int j = 0; j < THREAD_COLUMNS; ++j) sum[i][j] = 0;
    //> turn
    int stage = 0;
#pragma unroll
    for (int ahead = 0; ahead < STAGES - 1; ++ahead)
#pragma unroll
      for (int part = 0; part < PARTS_OF_FETCH; ++part) {
        loader.prepare(part);
        loader.fetch(A_tile[ahead], B_tile[ahead], part);
      }
#pragma unroll 1
    for (; tiles > 0; --tiles) {
      await_oldest_group();  // this tile has arrived,
      __syncthreads();       // and nobody reads the one before it any more
      const int free = (stage + STAGES - 1) % STAGES;
#pragma unroll
      for (int next = 0; next < TILE_DEPTH; ++next) {
        load_b(stage, next);
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) {
          if (next % DEPTHS_OF_PART == DEPTHS_OF_PART - 1) {
            if (i == 0) loader.prepare(next / DEPTHS_OF_PART);
            if (i == 2) loader.fetch(A_tile[free], B_tile[free], next / DEPTHS_OF_PART);
          }
          multiply(i, (next + TILE_DEPTH - 1) % TILE_DEPTH);  // at first: the last depth of the tile before
          if (next % CHUNK == 0 && i % 2 == 1) {              // these two rows need the next four depths
            load_a(i - 1, stage, next / CHUNK);
            load_a(i, stage, next / CHUNK);
          }
        }
      }
      stage = (stage + 1) % STAGES;
    }
    //< turn
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i) multiply(i, TILE_DEPTH - 1);
  };

  //> store
  // Row i of the thread's elements of the tile of C that begins at this row and column.
  const auto store = [&](int first_row, int first_column, int i, const float(&sums)[THREAD_COLUMNS]) {
    const int row = first_row + row_in_tile() + i * LANES_Y;
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
      const int column = first_column + column_in_tile() + j * LANES_X;
      if (row >= m || column >= n) continue;
      float* to = C + static_cast<size_t>(row) * n + column;
      alignas(16) float result[CHUNK];
      if (beta != 0) load(result, to);
#pragma unroll
      for (int e = 0; e < CHUNK; ++e) result[e] = alpha * sums[j + e] + (beta != 0 ? beta * result[e] : 0);
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(result);
    }
  };
  // The same by single floats. A warp's rows pass through shared memory, so that its lanes store neighbours.
  const auto store_floats = [&](int first_row, int first_column, int i, const float(&sums)[THREAD_COLUMNS]) {
    constexpr int PITCH = WARP_COLUMNS + 16, TIMES = WARP_COLUMNS / 32;
    float* rows = &B_tile[0][0][0] + threadIdx.x / 32 * LANES_Y * PITCH;
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS; j += CHUNK)
      *reinterpret_cast<float4*>(&rows[lane_row() * PITCH + lane_column() * CHUNK + j * LANES_X]) =
          make_float4(sums[j], sums[j + 1], sums[j + 2], sums[j + 3]);
    __syncwarp();
    const int row = first_row + warp_row() + i * LANES_Y;
    const int column = first_column + warp_column() + threadIdx.x % 32;
    float* const to = C + static_cast<size_t>(row) * n + column;
    float result[LANES_Y][TIMES];
#pragma unroll
    for (int y = 0; y < LANES_Y; ++y)
#pragma unroll
      for (int x = 0; x < TIMES; ++x) result[y][x] = alpha * rows[y * PITCH + x * 32 + threadIdx.x % 32];
    __syncwarp();
    if (beta != 0) {
      const float* from = to;
#pragma unroll
      for (int y = 0; y < LANES_Y; ++y, from += n)
#pragma unroll
        for (int x = 0; x < TIMES; ++x)
          if (row + y < m && column + x * 32 < n) result[y][x] += beta * from[x * 32];
    }
    float* row_of_C = to;
#pragma unroll
    for (int y = 0; y < LANES_Y; ++y, row_of_C += n)
#pragma unroll
      for (int x = 0; x < TIMES; ++x)
        if (row + y < m && column + x * 32 < n) row_of_C[x * 32] = result[y][x];
  };
  //< store

  int step = Split(m, n, k).first_step(block);
  if (step >= Split(m, n, k).all_steps()) return;
#pragma unroll 1
  while (true) {
    {
      const Split split(again(m), n, k);
      const int tile = step / split.steps, depth = step % split.steps * TILE_DEPTH;
      const int first_row = split.first_row(tile), first_column = split.first_column(tile);
      const int tiles = min(split.first_step(block + 1), (tile + 1) * split.steps) - step;
      if (aligned)
        run(Loader<CHUNK>(A, B, first_row, first_column, depth, m, n, k), tiles);
      else
        run(Loader<1>(A, B, first_row, first_column, depth, m, n, k), tiles);
    }

    //> parts
    const Split split(again(m), n, k);
    const int tile = again(step) / split.steps;
    if (!split.is_divided(tile)) {
      const int first_row = split.first_row(tile), first_column = split.first_column(tile);
      if (aligned) {
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) store(first_row, first_column, i, sum[i]);
      } else {
        await_copies();
        __syncthreads();  // nobody reads or fills tiles of B any more
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) store_floats(first_row, first_column, i, sum[i]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j += CHUNK)
          __stcg(&sums_of_parts[2 * block + tile % 2][i][j / CHUNK][threadIdx.x],
                 make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();  // who counts this part sees its sums, too
        atomicAdd(&parts_stored[tile], 1);
      }
    }
    //< parts
    step = (tile + 1) * split.steps;
    if (step >= split.first_step(block + 1)) break;
    await_copies();  // of tiles behind this part: those for the next part go to the same places
  }

  //> sums
  await_copies();
  if (Split(m, n, k).edge_row(m) < m || Split(m, n, k).edge_column(n) < n)
    multiply_edges(A, B, C, m, n, k, alpha, beta, reinterpret_cast<float4*>(B_tile),
                   reinterpret_cast<float4*>(A_tile));
  int& number = reinterpret_cast<int&>(A_tile[0][0][0]);  // from the first thread to all
#pragma unroll 1
  for (int last_tile = 1; last_tile >= 0; --last_tile) {
    const Split split(again(m), n, k);
    if (block >= split.parts) return;
    const int tile = last_tile ? (step - 1) / split.steps : split.first_step(block) / split.steps;
    if (!last_tile && tile == (step - 1) / split.steps) return;
    if (!split.is_divided(tile)) continue;
    const int first = split.first_block(tile), last = split.last_block(tile);
    const unsigned all = last - first + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      const volatile unsigned& stored = parts_stored[tile];
      for (int look = 0; look < PATIENCE && stored < all; ++look) {
      }
      number = stored == all ? atomicAdd(&shares_taken[tile], 1) : SHARES;
      __threadfence();  // who has counted all parts sees their sums
    }
    __syncthreads();
    for (int share = number; share < SHARES; share = number) {
      __syncthreads();
      if (threadIdx.x == 0) number = atomicAdd(&shares_taken[tile], 1);
#pragma unroll 1
      for (int i = share * ROWS_OF_SHARE; i < (share + 1) * ROWS_OF_SHARE; ++i) {
        float row[THREAD_COLUMNS] = {};
#pragma unroll 4
        for (int part = first; part <= last; ++part)
#pragma unroll
          for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
            const float4 four = __ldcg(&sums_of_parts[2 * part + tile % 2][i][j / CHUNK][threadIdx.x]);
            row[j] += four.x, row[j + 1] += four.y, row[j + 2] += four.z, row[j + 3] += four.w;
          }
        const int first_row = split.first_row(tile), first_column = split.first_column(tile);
        if (aligned)
          store(first_row, first_column, i, row);
        else
          store_floats(first_row, first_column, i, row);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && atomicInc(&blocks_done[tile], all - 1) == all - 1) {
      atomicExch(&parts_stored[tile], 0);
      atomicExch(&shares_taken[tile], 0);
    }
  }
  //< sums
  //< solution
  /*> stub
  // TODO(1): any size, right. C = alpha · A · B + beta · C, and where beta is 0, C is not read at all.

  // TODO(2): tiles in shared memory and many outputs a thread, as in lab 04.

  // TODO(3): bring the next tiles while these are multiplied.

  // TODO(4): find out what the inner loop waits for, and continue from there.
  <*/
}
