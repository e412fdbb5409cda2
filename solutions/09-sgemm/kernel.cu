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
//           Rows or columns behind whole tiles, as 1100 = 8 · 128 + 76 has them, would leave half of further
//           tiles empty. They are cut into tiles of 64×64, whose depth the warps share out among them.
// Adds      Small tiles at the edges
// Steps     steps/ holds a kernel for each row below: each adds one optimisation to the one before.
//> measured
//   TFLOP/s on an NVIDIA H200, with ptxas                    -O3   -O3   -O1   -O1
//                                                          4096³ 8192³ 4096³ 8192³
//   One output a thread, neighbours in a column of C         0.5   0.5   0.5   0.5
//   Neighbours in a row of C                                 5.8   5.5   3.3   3.0
//   Tiles in shared memory                                   8.7   8.8   8.6   8.7
//   Eight outputs a thread, one below the other             16.5  16.3  16.7  16.6
//   Eight by eight outputs a thread                         21.3  21.3  20.4  20.7
//   Operands as float4, A's tile transposed                 34.0  35.1  30.4  30.2
//   Warp tiles: eight by sixteen outputs a thread           30.9  31.2  25.6  25.9
//   Asynchronous copies, two tiles of each matrix           38.5  39.2  39.5  40.4
//   Operands a depth ahead, blocks in groups                45.2  45.6  52.5  53.1
//   Copies between multiply-adds                            45.7  46.1  52.7  53.4
//   Tiles that do not fill all SMs split along k            43.6  44.3  55.9  57.0
//   Four stages of half the depth, parts added up together  42.5  43.1  53.4  54.4
//   Lanes in pairs, pointers ahead of bursts of copies      43.3  43.8  54.6  55.7
//   Small tiles at the edges                                43.4  44.1  54.6  55.6
//   cuBLAS, pedantic                                        49.2  51.0  49.2  51.0
//< measured
// -O1       A multiply-add takes three registers from two banks, even and odd. ptxas -O3 regroups
//           the multiply-adds by 4 columns, and then a quarter of them find two operands in one
//           bank, which costs a cycle. -O1 keeps the order of the source: along a row of 16, in
//           alternating direction, with the operand of A reused. Then it is a tenth of them, if the sum and
//           the operand of B lie in different banks, which ptxas sees to or not: forms of the source that
//           mean the same, as the order of two loads, decide between 130 and 620 waits in 1024 multiply-adds.
//           After each change, nvdisasm tells how many find two of three registers in one bank.
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
// A block's work is a tile of ROWS × COLUMNS elements of C. Tiles of A and B for it are DEPTH deep, STAGES of
// each: one is being multiplied while the others arrive. Where C's tile is too small for all warps, they form
// GROUPS, each with DEPTH_OF_WARP of the depths. Both kinds of tiles fill 48 KB of shared memory to the last
// byte.
constexpr int THREADS = 256;
// A warp computes 64 × 64 elements, with its lanes in 8 rows and 4 columns; a lane 8 × 16.
constexpr int WARP_ROWS = 64;
constexpr int WARP_COLUMNS = 64;
constexpr int LANES_Y = 8;
constexpr int LANES_X = 4;
constexpr int THREAD_ROWS = WARP_ROWS / LANES_Y;
constexpr int THREAD_COLUMNS = WARP_COLUMNS / LANES_X;
// Everything moves in chunks of four neighbours, 16 bytes.
constexpr int CHUNK = 4;

template <int ROWS_, int COLUMNS_, int DEPTH_OF_WARP_, int STAGES_>
struct Tiles {
  static constexpr int ROWS = ROWS_, COLUMNS = COLUMNS_, DEPTH_OF_WARP = DEPTH_OF_WARP_, STAGES = STAGES_;
  static constexpr int WARPS_ACROSS = COLUMNS / WARP_COLUMNS;
  static constexpr int WARPS_OF_GROUP = ROWS / WARP_ROWS * WARPS_ACROSS;
  static constexpr int GROUPS = THREADS / 32 / WARPS_OF_GROUP;
  static constexpr int DEPTH = GROUPS * DEPTH_OF_WARP;
  static constexpr int OWN_ROWS = THREAD_ROWS / GROUPS;  // of a thread, when the groups' sums are added up
  float A[STAGES][ROWS][DEPTH];
  float B[STAGES][DEPTH][COLUMNS];
};
using Whole = Tiles<128, 256, 8, 4>;
using Small = Tiles<64, 64, 4, 3>;
static_assert(sizeof(Small) == sizeof(Whole));
// Rows of tiles of C that are computed together: their blocks find each other's tiles of A and B in L2.
constexpr int ROWS_TOGETHER = 8;

// Blocks for each tile of C, so that there are enough to split tiles. Those without work end at once.
constexpr int BLOCKS_OF_TILE = 4;
constexpr int BLOCK_ROWS = Whole::ROWS;
constexpr int BLOCK_COLUMNS = Whole::COLUMNS;
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
__shared__ alignas(16) unsigned char shared_memory[sizeof(Whole)];
template <class T>
__device__ T& tiles() {
  return reinterpret_cast<T&>(shared_memory);
}

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
template <int STAGES>
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
// their chunks in half or a quarter of all banks; exchanged like this, they are in all.
template <class T>
__device__ int place_in_row(int row, int chunk) {
  constexpr int ROWS_OF_BANKS = 32 / T::DEPTH;  // lie in as many banks as there are
  return (chunk ^ (row / ROWS_OF_BANKS % (T::DEPTH / CHUNK))) * CHUNK;
}
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
template <class T>
constexpr int DEPTHS_OF_PART = T::DEPTH_OF_WARP / PARTS_OF_FETCH - 1;

// What one thread copies of each tile, FLOATS neighbours at a time.
template <class T, int FLOATS>
struct Loader {
  static constexpr int ACROSS_A = T::DEPTH / FLOATS;    // threads that share a row of A's tile
  static constexpr int ACROSS_B = T::COLUMNS / CHUNK;   // or of B's,
  static constexpr int COPIES_OF_ROW = CHUNK / FLOATS;  // each with so many copies of it, from one address
  static constexpr int STRIDE_A = THREADS / ACROSS_A;   // from one row of this thread to its next
  static constexpr int STRIDE_B = THREADS / ACROSS_B;
  static constexpr int ROWS_A = T::ROWS / STRIDE_A;  // of this thread, in a tile
  static constexpr int ROWS_B = T::DEPTH / STRIDE_B;
  static constexpr int POINTERS_B = FLOATS == 1 ? ROWS_B : ROWS_B / PARTS_OF_FETCH;
  // To the thread's rows of the tiles before the next: a pointer is advanced shortly before its copy, when
  // its last copy has long read it.
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
      a[i] = A + static_cast<size_t>(first_row + row_a() + i * STRIDE_A) * k + depth + column_a() - T::DEPTH;
#pragma unroll
    for (int i = 0; i < POINTERS_B; ++i)
      b[i] = B + (depth + row_b() + i * STRIDE_B) * row_size + first_column + column_b -
             POINTERS_B * STRIDE_B * row_size;
    to_a = row_a() * T::DEPTH + place_in_row<T>(row_a(), column_a() / CHUNK) + column_a() % CHUNK;
    to_b = row_b() * T::COLUMNS + column_b;
    columns_left = n - first_column - column_b;
  }
  static __device__ int row_a() { return threadIdx.x / ACROSS_A; }
  static __device__ int column_a() { return threadIdx.x % ACROSS_A * FLOATS; }
  static __device__ int row_b() { return threadIdx.x / ACROSS_B; }

  // Advances the pointers of a part of the next tiles,
  __device__ void prepare(int part) {
#pragma unroll
    for (int i = part * ROWS_A / PARTS_OF_FETCH; i < (part + 1) * ROWS_A / PARTS_OF_FETCH; ++i)
      advance(a[i], sizeof(float) * T::DEPTH);
#pragma unroll
    for (int i = part * ROWS_B / PARTS_OF_FETCH; i < (part + 1) * ROWS_B / PARTS_OF_FETCH; ++i)
      advance(b[i % POINTERS_B], again(step_b));
  }
  // and starts their copies; behind the last tiles they are zero.
  __device__ void fetch(float (&to_A)[T::ROWS][T::DEPTH], float (&to_B)[T::DEPTH][T::COLUMNS], int part) {
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
      depth_left -= T::DEPTH;
      end_group();
    }
  }
};
//< loader

//> split
constexpr int SMS = 132;            // of an H200; on a GPU with other numbers of SMs the shares are less even
constexpr int STEPS_TO_SPLIT = 96;  // of a tile of C, at least
constexpr int STEPS_OF_PART = 32;   // at least
// What costs time besides steps, in steps:
constexpr int COST_OF_SPLIT = 8;  // storing the sums of parts and adding them up
constexpr int COST_OF_TILE = 4;   // going on to another tile
constexpr int COST_OF_SMALL = 3;  // adding up the sums of a small tile's groups

__device__ int quotient_up(int number, int by) { return (number + by - 1) / by; }

// How C is cut into tiles. If wanted, rows or columns behind whole tiles that would leave half of others
// empty are cut into small ones.
struct Cut {
  int down, across;   // whole tiles
  int right, bottom;  // small tiles beside and below them
  int wide;           // of those beside them, in a row
  int shared;         // of the whole tiles: with the others every SM is busy to the end

  __device__ Cut(int m, int n, bool small) {
    int rows = m, columns = n;  // of whole tiles
    if (small && m % Whole::ROWS <= Small::ROWS) rows = m / Whole::ROWS * Whole::ROWS;
    if (small && n % Whole::COLUMNS <= Whole::COLUMNS / 2) columns = n / Whole::COLUMNS * Whole::COLUMNS;
    wide = quotient_up(n - columns, Small::COLUMNS);
    right = wide * quotient_up(m, Small::ROWS);
    bottom = rows < m ? quotient_up(columns, Small::COLUMNS) : 0;
    down = quotient_up(rows, Whole::ROWS), across = quotient_up(columns, Whole::COLUMNS);
    shared = down * across % SMS;
  }
  __device__ int whole() const { return down * across; }
  __device__ int small() const { return right + bottom; }
  // Where a small tile begins in C.
  __device__ int row_of_small(int tile) const {
    return tile < right ? tile / wide * Small::ROWS : down * Whole::ROWS;
  }
  __device__ int column_of_small(int tile) const {
    return tile < right ? across * Whole::COLUMNS + tile % wide * Small::COLUMNS
                        : (tile - right) * Small::COLUMNS;
  }
};

// How many blocks compute small tiles, and how many the whole tiles that are shared.
struct Shares {
  int small, whole;

  __device__ Shares(int m, int n, int k) {
    const int blocks = gridDim.x * gridDim.y, steps = quotient_up(k, Whole::DEPTH);
    // A step of a whole tile is as much work as one so deep of a small tile. Small tiles are not divided.
    constexpr int DEPTH = Whole::DEPTH * Whole::ROWS * Whole::COLUMNS / (Small::ROWS * Small::COLUMNS);
    const int steps_of_small = quotient_up(k, DEPTH) + COST_OF_SMALL;
    const Cut mixed(m, n, true);
    const int share = (mixed.shared * steps + mixed.small() * steps_of_small) / SMS;  // of an SM
    small = quotient_up(mixed.small(), max(1, (share + COST_OF_SPLIT) / steps_of_small));
    if (steps_of_small > share + COST_OF_SPLIT || small > min(SMS / 2, blocks - mixed.whole())) small = 0;

    const Cut cut(m, n, small > 0);
    const int sms = SMS - small;
    whole = cut.shared;
    if (steps >= STEPS_TO_SPLIT && (whole > sms || (sms - whole) * steps > sms * COST_OF_SPLIT))
      whole = min(min(sms, cut.shared * steps / STEPS_OF_PART), blocks - (cut.whole() - cut.shared) - small);
  }
};

__device__ Shares again(Shares shares) {
  const int both = again(shares.small << 16 | shares.whole);
  shares.small = both >> 16, shares.whole = both & 0xffff;
  return shares;
}

// Which blocks compute which whole tiles of C. A step multiplies one tile of A by one of B. The steps of all
// tiles of C are numbered through, and a block has consecutive ones: those of one tile or, among the first
// `shared` tiles, a part of all their steps, which may begin in one tile and end in another. If some do, the
// cost of going on to another tile is counted as so many steps before its first.
struct Split {
  Cut cut;
  int part;   // of this block
  int parts;  // of the shared tiles
  int begin;  // steps that stand for costs
  int steps;  // of each tile, these included

  __device__ Split(int m, int n, int k, Shares shares)
      : cut(m, n, shares.small > 0),
        part(blockIdx.y * gridDim.x + blockIdx.x - shares.small),
        parts(shares.whole),
        begin(cut.shared > 0 && parts % cut.shared > 0 ? COST_OF_TILE : 0),
        steps(begin + quotient_up(k, Whole::DEPTH)) {}
  __device__ int first_step(int part) const {
    return part < parts ? part * (cut.shared * steps) / parts : (cut.shared + part - parts) * steps;
  }
  __device__ int all_steps() const { return cut.whole() * steps; }
  // The part that has this step of a shared tile.
  __device__ int part_of(int step) const { return ((step + 1) * parts - 1) / (cut.shared * steps); }
  __device__ int first_part(int tile) const { return part_of(tile * steps + begin); }
  __device__ int last_part(int tile) const { return part_of((tile + 1) * steps - 1); }
  __device__ bool is_divided(int tile) const {
    return tile < cut.shared && first_part(tile) < last_part(tile);
  }

  // ROWS_TOGETHER rows of tiles are computed together, column by column.
  __device__ int first_row(int tile) const {
    return (group(tile) + (tile - group(tile) * cut.across) % height(tile)) * Whole::ROWS;
  }
  __device__ int first_column(int tile) const {
    return (tile - group(tile) * cut.across) / height(tile) * Whole::COLUMNS;
  }
  // The first row of those that are computed together with this tile.
  __device__ int group(int tile) const { return tile / (ROWS_TOGETHER * cut.across) * ROWS_TOGETHER; }
  __device__ int height(int tile) const { return min(ROWS_TOGETHER, cut.down - group(tile)); }
  // The place in `sums_of_parts` for a part's sums of a divided tile: its last tile or another.
  __device__ int place(int part, int tile) const { return 2 * part + (first_step(part) < tile * steps); }
};

// The sums of parts. A block has parts of two tiles at most; those between are whole.
__device__ float4 sums_of_parts[2 * SMS][THREAD_ROWS][THREAD_COLUMNS / CHUNK][THREADS];
// Of each shared tile, 0 before and after a launch: parts that are stored, rows of threads that blocks have
// taken to add up, and blocks that are done with it.
__device__ unsigned parts_stored[SMS], rows_taken[SMS], blocks_done[SMS];
constexpr int PATIENCE = 40;  // looks at parts_stored, before a block leaves the adding up to others
//< split

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

//> lanes
// A lane's row and column in its warp. Lanes 0 and 1 have the same row, lanes 0 and 2 the same column: a
// shared load of float4 takes two wavefronts, not four, if pairs i, i ^ 1 or pairs i, i ^ 2 read the same
// address.
__device__ int lane_row() { return (threadIdx.x >> 1 & 1) | (threadIdx.x >> 2 & 6); }
__device__ int lane_column() { return (threadIdx.x & 1) | (threadIdx.x >> 1 & 2); }
//< lanes
// A warp's group, and its number among the warps of that group.
template <class T>
__device__ int group() {
  return threadIdx.x / 32 / T::WARPS_OF_GROUP % T::GROUPS;
}
template <class T>
__device__ int warp() {
  return threadIdx.x / 32 % T::WARPS_OF_GROUP;
}
// Where a warp's elements begin in a tile of C.
template <class T>
__device__ int warp_row() {
  return warp<T>() / T::WARPS_ACROSS * WARP_ROWS;
}
template <class T>
__device__ int warp_column() {
  return warp<T>() % T::WARPS_ACROSS * WARP_COLUMNS;
}
// And a thread's: in every LANES_Y-th row, CHUNK of LANES_X * CHUNK columns.
template <class T>
__device__ int row_in_tile() {
  return warp_row<T>() + lane_row();
}
template <class T>
__device__ int column_in_tile() {
  return warp_column<T>() + lane_column() * CHUNK;
}

using Sums = float[THREAD_ROWS][THREAD_COLUMNS];  // of a thread

// Multiplies `steps` tiles of A by tiles of B.
template <class T, class L>
__device__ __forceinline__ void multiply_tiles(Sums& sum, L loader, int steps) {
  T& shared = tiles<T>();
  alignas(16) float a[THREAD_ROWS][CHUNK] = {};                // values of four depths
  alignas(16) float b[2][THREAD_COLUMNS / CHUNK][CHUNK] = {};  // values of this depth and the next
  const int row = row_in_tile<T>(), column = column_in_tile<T>(), first_depth = group<T>() * T::DEPTH_OF_WARP;
  const auto load_a = [&](int i, int stage, int chunk) {
    load(a[i], &shared.A[stage][row + i * LANES_Y][place_in_row<T>(row, first_depth / CHUNK + chunk)]);
  };
  const auto load_b = [&](int stage, int depth) {
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS / CHUNK; ++j)
      load(b[depth % 2][j], &shared.B[stage][first_depth + depth][column + j * LANES_X * CHUNK]);
  };
  //> multiply
  // Row i of the outer product for one depth: to and fro, so that b's last element serves twice.
  const auto multiply = [&](int i, int depth) {
#pragma unroll
    for (int step = 0; step < THREAD_COLUMNS; ++step) {
      const int j = i % 2 ? step : THREAD_COLUMNS - 1 - step;
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
  for (int ahead = 0; ahead < T::STAGES - 1; ++ahead)
#pragma unroll
    for (int part = 0; part < PARTS_OF_FETCH; ++part) {
      loader.prepare(part);
      loader.fetch(shared.A[ahead], shared.B[ahead], part);
    }
#pragma unroll 1
  for (; steps > 0; --steps) {
    await_oldest_group<T::STAGES>();  // this tile has arrived,
    __syncthreads();                  // and nobody reads the one before it any more
    const int free = (stage + T::STAGES - 1) % T::STAGES;
#pragma unroll
    for (int next = 0; next < T::DEPTH_OF_WARP; ++next) {
      load_b(stage, next);
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i) {
        const int part = next / DEPTHS_OF_PART<T>;
        if (next % DEPTHS_OF_PART<T> == DEPTHS_OF_PART<T> - 1 && part < PARTS_OF_FETCH) {
          if (i == 1) loader.prepare(part);
          if (i == 3) loader.fetch(shared.A[free], shared.B[free], part);
        }
        // At first the last depth of the tile before.
        multiply(i, (next + T::DEPTH_OF_WARP - 1) % T::DEPTH_OF_WARP);
        if (next % CHUNK == 0 && i % 2 == 1) {  // these two rows need the next four depths
          load_a(i, stage, next / CHUNK);
          load_a(i - 1, stage, next / CHUNK);
        }
      }
    }
    stage = stage == T::STAGES - 1 ? 0 : stage + 1;
  }
  //< turn
#pragma unroll
  for (int i = 0; i < THREAD_ROWS; ++i) multiply(i, T::DEPTH_OF_WARP - 1);
}

// Adds up the sums of all groups, multiplied by alpha. A thread gets the OWN_ROWS rows of its group.
__device__ __forceinline__ void add_groups(float (&rows)[Small::OWN_ROWS][THREAD_COLUMNS], const Sums& sum,
                                           float alpha) {
  constexpr int THREADS_OF_GROUP = THREADS / Small::GROUPS;
  using Chunks = float4[Small::GROUPS][THREADS];
  Chunks& chunks = reinterpret_cast<Chunks&>(shared_memory);
  await_copies();
#pragma unroll
  for (int r = 0; r < Small::OWN_ROWS; ++r)
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
      __syncthreads();
#pragma unroll
      for (int to = 0; to < Small::GROUPS; ++to) {
        const float* const row = sum[to * Small::OWN_ROWS + r];
        chunks[to][threadIdx.x] =
            make_float4(alpha * row[j], alpha * row[j + 1], alpha * row[j + 2], alpha * row[j + 3]);
      }
      __syncthreads();
#pragma unroll
      for (int from = 0; from < Small::GROUPS; ++from) {
        const float4 four = chunks[group<Small>()][from * THREADS_OF_GROUP + threadIdx.x % THREADS_OF_GROUP];
        rows[r][j] += four.x, rows[r][j + 1] += four.y, rows[r][j + 2] += four.z, rows[r][j + 3] += four.w;
      }
    }
  __syncthreads();
}

//> store
// Row i of the thread's elements of the tile of C that begins at this row and column.
template <class T>
__device__ __forceinline__ void store_chunks(float* C, int m, int n, float alpha, float beta, int first_row,
                                             int first_column, int i, const float (&sums)[THREAD_COLUMNS]) {
  const int row = first_row + row_in_tile<T>() + i * LANES_Y;
#pragma unroll
  for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
    const int column = first_column + column_in_tile<T>() + j * LANES_X;
    if (row >= m || column >= n) continue;
    float* to = C + static_cast<size_t>(row) * n + column;
    alignas(16) float result[CHUNK];
    if (beta != 0) load(result, to);
#pragma unroll
    for (int e = 0; e < CHUNK; ++e) result[e] = alpha * sums[j + e] + (beta != 0 ? beta * result[e] : 0);
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(result);
  }
}
// The same by single floats. A warp's rows pass through shared memory, so that its lanes store neighbours.
template <class T>
__device__ __forceinline__ void store_floats(float* C, int m, int n, float alpha, float beta, int first_row,
                                             int first_column, int i, const float (&sums)[THREAD_COLUMNS]) {
  constexpr int PITCH = WARP_COLUMNS + 16, TIMES = WARP_COLUMNS / 32;
  float* rows = &tiles<Whole>().B[0][0][0] + threadIdx.x / 32 * LANES_Y * PITCH;
#pragma unroll
  for (int j = 0; j < THREAD_COLUMNS; j += CHUNK)
    *reinterpret_cast<float4*>(&rows[lane_row() * PITCH + lane_column() * CHUNK + j * LANES_X]) =
        make_float4(alpha * sums[j], alpha * sums[j + 1], alpha * sums[j + 2], alpha * sums[j + 3]);
  __syncwarp();
  const int row = first_row + warp_row<T>() + i * LANES_Y;
  const int column = first_column + warp_column<T>() + threadIdx.x % 32;
  float* const to = C + static_cast<size_t>(row) * n + column;
  float result[LANES_Y][TIMES];
#pragma unroll
  for (int y = 0; y < LANES_Y; ++y)
#pragma unroll
    for (int x = 0; x < TIMES; ++x) result[y][x] = rows[y * PITCH + x * 32 + threadIdx.x % 32];
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
}
// Either, where the matrices allow it.
template <class T>
__device__ __forceinline__ void store(bool aligned, float* C, int m, int n, float alpha, float beta,
                                      int first_row, int first_column, int i,
                                      const float (&sums)[THREAD_COLUMNS]) {
  if (aligned)
    store_chunks<T>(C, m, n, alpha, beta, first_row, first_column, i, sums);
  else
    store_floats<T>(C, m, n, alpha, beta, first_row, first_column, i, sums);
}
//< store

__device__ bool is_aligned(const float* A, const float* B, const float* C, int n, int k) {
  return (n | k) % CHUNK == 0 &&
         (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
}

// Computes this block's small tiles.
__device__ __forceinline__ void multiply_small(const float* A, const float* B, float* C, int m, int n, int k,
                                               float alpha, float beta, int block, Shares shares) {
  const bool aligned = is_aligned(A, B, C, n, k);
  Sums sum;
#pragma unroll 1
  for (int tile = block * Cut(m, n, true).small() / shares.small;;) {
    {
      const Cut cut(again(m), n, true);
      const int row = cut.row_of_small(tile), column = cut.column_of_small(tile),
                steps = quotient_up(k, Small::DEPTH);
      if (aligned)
        multiply_tiles<Small>(sum, Loader<Small, CHUNK>(A, B, row, column, 0, m, n, k), steps);
      else
        multiply_tiles<Small>(sum, Loader<Small, 1>(A, B, row, column, 0, m, n, k), steps);
    }
    float rows[Small::OWN_ROWS][THREAD_COLUMNS] = {};
    add_groups(rows, sum, alpha);
    const Cut cut(again(m), n, true);
    const int row = cut.row_of_small(tile), column = cut.column_of_small(tile);
#pragma unroll
    for (int r = 0; r < Small::OWN_ROWS; ++r)
      store<Small>(aligned, C, m, n, 1, beta, row, column, group<Small>() * Small::OWN_ROWS + r, rows[r]);
    if (++tile >= (block + 1) * cut.small() / again(shares).small) break;
    __syncthreads();  // nobody reads what is stored next to tiles any more
  }
}

// Computes this block's share of the whole tiles.
__device__ __forceinline__ void multiply_whole(const float* A, const float* B, float* C, int m, int n, int k,
                                               float alpha, float beta, Shares shares) {
  const bool aligned = is_aligned(A, B, C, n, k);
  Sums sum;
  int step;
  {
    const Split split(m, n, k, shares);
    step = split.first_step(split.part);
    if (step >= split.all_steps()) return;
  }
#pragma unroll 1
  while (true) {
    {
      const Split split(again(m), n, k, again(shares));
      const int tile = step / split.steps,
                end = min(split.first_step(split.part + 1), (tile + 1) * split.steps);
      step = max(step, tile * split.steps + split.begin);
      const int depth = (step - tile * split.steps - split.begin) * Whole::DEPTH;
      const int row = split.first_row(tile), column = split.first_column(tile);
      if (aligned)
        multiply_tiles<Whole>(sum, Loader<Whole, CHUNK>(A, B, row, column, depth, m, n, k), end - step);
      else
        multiply_tiles<Whole>(sum, Loader<Whole, 1>(A, B, row, column, depth, m, n, k), end - step);
    }

    //> parts
    const Split split(again(m), n, k, again(shares));
    const int tile = again(step) / split.steps;
    if (!split.is_divided(tile)) {
      await_copies();
      __syncthreads();  // nobody reads or fills tiles of B any more
      const int row = split.first_row(tile), column = split.first_column(tile);
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i)
        store<Whole>(aligned, C, m, n, alpha, beta, row, column, i, sum[i]);
    } else {
      auto& sums = sums_of_parts[split.place(split.part, tile)];
#pragma unroll
      for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j += CHUNK)
          __stcg(&sums[i][j / CHUNK][threadIdx.x],
                 make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();  // who counts this part sees its sums, too
        atomicAdd(&parts_stored[tile], 1);
      }
    }
    //< parts
    step = (tile + 1) * split.steps;
    if (step + split.begin >= split.first_step(split.part + 1)) break;
    await_copies();   // of tiles behind this part: those for the next part go to the same places
    __syncthreads();  // that nobody reads any more
  }

  //> sums
  await_copies();
  int& number = reinterpret_cast<int&>(shared_memory);  // from the first thread to all
#pragma unroll 1
  for (int last_tile = 1; last_tile >= 0; --last_tile) {
    const Split split(again(m), n, k, again(shares));
    if (split.part >= split.parts) return;
    const int tile = (last_tile ? step - 1 : split.first_step(split.part)) / split.steps;
    if (!last_tile && tile == (step - 1) / split.steps) return;
    if (!split.is_divided(tile)) continue;
    const int first = split.first_part(tile), last = split.last_part(tile);
    const int first_place = split.place(first, tile);
    const unsigned all = last - first + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      const volatile unsigned& stored = parts_stored[tile];
      for (int look = 0; look < PATIENCE && stored < all; ++look) {
      }
      number = stored == all ? atomicAdd(&rows_taken[tile], 1) : THREAD_ROWS;
      __threadfence();  // who has counted all parts sees their sums
    }
    __syncthreads();
    for (int i = number; i < THREAD_ROWS; i = number) {
      __syncthreads();
      if (threadIdx.x == 0) number = atomicAdd(&rows_taken[tile], 1);
      float row[THREAD_COLUMNS] = {};
#pragma unroll 4
      for (int part = first; part <= last; ++part) {
        const auto& sums = sums_of_parts[part == first ? first_place : 2 * part];
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
          const float4 four = __ldcg(&sums[i][j / CHUNK][threadIdx.x]);
          row[j] += four.x, row[j + 1] += four.y, row[j + 2] += four.z, row[j + 3] += four.w;
        }
      }
      store<Whole>(aligned, C, m, n, alpha, beta, split.first_row(tile), split.first_column(tile), i, row);
      __syncthreads();
    }
    if (threadIdx.x == 0 && atomicInc(&blocks_done[tile], all - 1) == all - 1) {
      atomicExch(&parts_stored[tile], 0);
      atomicExch(&rows_taken[tile], 0);
    }
  }
  //< sums
}
//< solution
/*> stub
// This lab is open: the kernel's name and parameters are given, everything else is yours.
<*/

//> signature
extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  //< signature
  //> solution
  const Shares shares(m, n, k);
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  if (block < shares.small)
    multiply_small(A, B, C, m, n, k, alpha, beta, block, shares);
  else
    multiply_whole(A, B, C, m, n, k, alpha, beta, shares);
  //< solution
  /*> stub
  // TODO(1): any size, right. C = alpha · A · B + beta · C, and where beta is 0, C is not read at all.

  // TODO(2): tiles in shared memory and many outputs a thread, as in lab 04.

  // TODO(3): bring the next tiles while these are multiplied.

  // TODO(4): find out what the inner loop waits for, and continue from there.
  <*/
}
