// Scan: each number becomes the sum of all up to it, in a block and then in all blocks; and a use of it
//
// Problem   Parts 1 and 2: sums[i] is the sum of the numbers of i's segment up to number i; a segment has SEGMENT
//           of n floats, the last one perhaps fewer. Part 3: sums[i] is the sum of all numbers up to number i.
//           Part 4: the numbers above 0 are kept, in their order, and counted.
// Approach  Part 1 (Kogge and Stone): in each step a thread adds the sum of the thread 1, 2, 4, … places before.
//           Part 2: a thread adds four neighbours by itself, and lanes hand on the sums of these by shuffles: fewer
//           additions, and one barrier for the block.
//           Part 3 (decoupled look-back, Merrill and Garland, 2016): a block draws the number of its tile,
//           publishes the tile's sum, and looks back: at the sums of the tiles before, until it finds one whose sum
//           of all up to it is known. A tile's word holds a number and what the number means. Both are stored
//           at once, so that nobody sees the one without the other, and no fence is needed.
//           Part 4: how many numbers are kept before a number is its new place, and that is a scan. A block puts
//           what it keeps side by side in shared memory first, so that a warp writes 32 neighbours at once.
// Cost      Part 1 takes 9 additions a number, part 2 fewer than 4. Part 3 reads each number once and writes each sum
//           once, 8 bytes, and one word for each tile of TILE numbers.
#include "launch_shape.cuh"

constexpr int SEGMENT = 1024;  // numbers of one scan in parts 1 and 2

//> launch-shape
// Parts 1 and 2: a block scans one segment.
LAUNCH_SHAPE_1D_OF(kogge_stone, SEGMENT, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, SEGMENT / 4, 1)

// Parts 3 and 4: a block has one tile. A tile has at least 256 numbers.
constexpr int THREADS = 128;
constexpr int ROWS = 8;                   // a row is what a warp loads at once: 128 numbers, four a lane
constexpr int TILE = THREADS * 4 * ROWS;
LAUNCH_SHAPE_1D_OF(scan_all, THREADS, TILE)
LAUNCH_SHAPE_1D_OF(compact_positive, THREADS, TILE)
//< launch-shape

//> kogge-stone-signature
extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  //< kogge-stone-signature
  //> solution
  __shared__ float partial[SEGMENT];
  const int i = blockIdx.x * SEGMENT + threadIdx.x;
  float sum = i < n ? numbers[i] : 0.0f;
  //> kogge-stone
  for (int distance = 1; distance < SEGMENT; distance *= 2) {
    partial[threadIdx.x] = sum;
    __syncthreads();  // the sums of the step before are there
    if (threadIdx.x >= distance) sum += partial[threadIdx.x - distance];
    __syncthreads();  // all have read them
  }
  //< kogge-stone
  if (i < n) sums[i] = sum;
  //< solution
  /*> stub
  // TODO(1): scan the block's segment, which begins at blockIdx.x * SEGMENT, with one thread a number. In the step of
  // distance d a thread adds the sum of the thread d places before; d is 1, 2, 4, … Who waits for whom?
  <*/
}

//> solution
constexpr unsigned ALL_LANES = 0xffffffffu;

// Four numbers from number i on; 0 stands for numbers that do not exist.
__device__ float4 four_of(const float* numbers, int i, int n) {
  if (i + 3 < n) return *reinterpret_cast<const float4*>(numbers + i);
  return {i < n ? numbers[i] : 0.0f, i + 1 < n ? numbers[i + 1] : 0.0f, i + 2 < n ? numbers[i + 2] : 0.0f, 0.0f};
}

// Stores four sums from sum i on, as far as they exist.
__device__ void store_four(float* sums, int i, int n, float4 four) {
  if (i + 3 < n) {
    *reinterpret_cast<float4*>(sums + i) = four;
    return;
  }
  if (i < n) sums[i] = four.x;
  if (i + 1 < n) sums[i + 1] = four.y;
  if (i + 2 < n) sums[i + 2] = four.z;
}

// Makes four numbers to their sums.
__device__ void scan_four(float4& four) {
  four.y += four.x;
  four.z += four.y;
  four.w += four.z;
}

__device__ float4 plus(float4 four, float before) {
  return {before + four.x, before + four.y, before + four.z, before + four.w};
}

// The sum of the values of all lanes up to this one.
//> warp
template <class T>
__device__ T scan_of_warp(T value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const T before = __shfl_up_sync(ALL_LANES, value, distance);
    if (threadIdx.x % 32 >= distance) value += before;
  }
  return value;
}
//< warp

// What the lane before has; 0 for the first lane.
template <class T>
__device__ T of_lane_before(T value) {
  const T before = __shfl_up_sync(ALL_LANES, value, 1);
  return threadIdx.x % 32 > 0 ? before : T{0};
}
//< solution

//> work-efficient-signature
extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  //< work-efficient-signature
  //> solution
  const int i = blockIdx.x * SEGMENT + threadIdx.x * 4;
  float4 four = four_of(numbers, i, n);
  scan_four(four);

  __shared__ float of_warp[SEGMENT / 128];
  const float of_warp_so_far = scan_of_warp(four.w);
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = of_warp_so_far;
  __syncthreads();  // the sums of all warps are there
  float before = of_lane_before(of_warp_so_far);
  for (int warp = 0; warp < threadIdx.x / 32; ++warp) before += of_warp[warp];
  store_four(sums, i, n, plus(four, before));
  //< solution
  /*> stub
  // TODO(2): the same sums with at most 5 additions a number and at most 4 barriers. Let a thread add neighbours
  // by itself, and the lanes of a warp hand on what the threads have. What has to go through shared memory?
  <*/
}

//> solution
// What the number in the lower half of a tile's word is: the tile's own sum, or that of all tiles up to it. A word that
// is 0 has no number yet.
constexpr unsigned long long OF_TILE = 1ull << 32, OF_ALL = 2ull << 32;

__device__ unsigned bits_of(float number) { return __float_as_uint(number); }
__device__ unsigned bits_of(int number) { return static_cast<unsigned>(number); }
__device__ void set(float& number, unsigned bits) { number = __uint_as_float(bits); }
__device__ void set(int& number, unsigned bits) { number = static_cast<int>(bits); }

//> publish
// One store of 8 bytes: whoever sees what the number is also sees the number.
template <class T>
__device__ void publish(unsigned long long* word, unsigned long long what, T number) {
  *static_cast<volatile unsigned long long*>(word) = what | bits_of(number);
}
//< publish

// The sum of all tiles before this one. Publishes `sum`, the tile's own, and then the sum of all up to it. One whole
// warp calls it.
//> look-back
template <class T>
__device__ T sum_of_tiles_before(unsigned long long* words, int tile, T sum) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) publish(&words[tile], tile == 0 ? OF_ALL : OF_TILE, sum);
  T before = 0;
  bool is_found = tile == 0;
  for (int other = tile - 1 - lane; !is_found; other -= 32) {  // 32 tiles at a time, the nearest in lane 0
    unsigned long long word;
    unsigned known, nearer;  // lanes that see a sum of all; lanes before the first of these, or all lanes
    do {
      word = OF_ALL;  // 0, the sum of all before the first tile
      if (other >= 0) word = *static_cast<volatile unsigned long long*>(&words[other]);
      known = __ballot_sync(ALL_LANES, word >= OF_ALL);
      nearer = (known & -known) - 1;
    } while (__ballot_sync(ALL_LANES, word == 0) & nearer);
    T number;
    set(number, static_cast<unsigned>(word));
    const unsigned added = nearer | known & -known;
    before += __shfl_sync(ALL_LANES, scan_of_warp(added >> lane & 1 ? number : T{0}), 31);
    is_found = known != 0;
  }
  if (lane == 0 && tile > 0) publish(&words[tile], OF_ALL, before + sum);
  return before;
}
//< look-back

// The number of the block's tile. Tiles are numbered as blocks begin, so that all tiles before have begun.
//> ticket
__device__ int next_tile(unsigned long long* tickets) {
  __shared__ int tile;
  if (threadIdx.x == 0) tile = static_cast<int>(atomicAdd(tickets, 1ull));
  __syncthreads();  // the number is there
  return tile;
}
//< ticket

// The sums of all numbers before the block's tile, and before those of this warp.
template <class T>
struct Before {
  T tile, warp;
};

// `sum`: of this warp's numbers. All threads of the block call it.
template <class T>
__device__ Before<T> sums_before(unsigned long long* words, int tile, T sum) {
  __shared__ T of_warp[THREADS / 32];  // first its own sum, then that of all before it
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();  // the sums of all warps are there
  if (warp == 0) {
    const T so_far = scan_of_warp(lane < THREADS / 32 ? of_warp[lane] : T{0});
    const T of_tiles = sum_of_tiles_before(words, tile, __shfl_sync(ALL_LANES, so_far, 31));
    const T before = of_tiles + of_lane_before(so_far);
    if (lane < THREADS / 32) of_warp[lane] = before;
  }
  __syncthreads();  // what is before each warp is there
  return {of_warp[0], of_warp[warp]};
}

// The first number of this lane in its warp's first row.
__device__ int first_of(int tile) {
  return tile * TILE + threadIdx.x / 32 * (128 * ROWS) + threadIdx.x % 32 * 4;
}
//< solution

//> scan-signature
extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  //< scan-signature
  //> solution
  const int tile = next_tile(words), first = first_of(tile);
  float4 fours[ROWS];
  for (int row = 0; row < ROWS; ++row) fours[row] = four_of(numbers, first + row * 128, n);

  //> rows
  float before[ROWS], of_warp = 0.0f;  // what is before a lane's four in its warp; the sum of the rows so far
  for (int row = 0; row < ROWS; ++row) {
    scan_four(fours[row]);
    const float so_far = scan_of_warp(fours[row].w);
    before[row] = of_warp + of_lane_before(so_far);
    of_warp += __shfl_sync(ALL_LANES, so_far, 31);
  }
  //< rows
  const float before_warp = sums_before(words + 1, tile, of_warp).warp;
  for (int row = 0; row < ROWS; ++row)
    store_four(sums, first + row * 128, n, plus(fours[row], before_warp + before[row]));
  //< solution
  /*> stub
  // TODO(3): begin with a scan of the block's tile, as in part 2. A tile has TILE numbers, more than the block has
  // threads. Its place is right in the first tile only; `check` shows that.

  // TODO(4): draw the tile's number from words[0], publish the tile's sum in words[1 + tile], and look back for
  // the sum of all tiles before. All words are 0 when the kernel begins. What must be seen together, or in order?
  <*/
}

//> compact-signature
extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  //< compact-signature
  //> solution
  const int tile = next_tile(words), first = first_of(tile);
  float4 fours[ROWS];
  int before[ROWS], of_warp = 0;  // numbers that are kept: before a lane's four in its warp; in the rows so far
  for (int row = 0; row < ROWS; ++row) {
    const float4 four = fours[row] = four_of(numbers, first + row * 128, n);
    const int own = (four.x > 0.0f) + (four.y > 0.0f) + (four.z > 0.0f) + (four.w > 0.0f);
    const int so_far = scan_of_warp(own);
    before[row] = of_warp + so_far - own;
    of_warp += __shfl_sync(ALL_LANES, so_far, 31);
  }
  const Before<int> kept_before = sums_before(words + 1, tile, of_warp);
  const int in_tile = kept_before.warp - kept_before.tile;  // kept of the tile before this warp's

  //> places
  __shared__ float kept_of_tile[TILE];
  __shared__ int kept_count;
  for (int row = 0; row < ROWS; ++row) {
    int place = in_tile + before[row];
    if (fours[row].x > 0.0f) kept_of_tile[place++] = fours[row].x;
    if (fours[row].y > 0.0f) kept_of_tile[place++] = fours[row].y;
    if (fours[row].z > 0.0f) kept_of_tile[place++] = fours[row].z;
    if (fours[row].w > 0.0f) kept_of_tile[place] = fours[row].w;
  }
  if (threadIdx.x == THREADS - 1) kept_count = in_tile + of_warp;
  __syncthreads();  // the tile's numbers lie side by side, so that a warp writes 32 neighbours
  for (int i = threadIdx.x; i < kept_count; i += THREADS) kept[kept_before.tile + i] = kept_of_tile[i];
  //< places
  if (tile == gridDim.x - 1 && threadIdx.x == THREADS - 1) *count = kept_before.warp + of_warp;
  //< solution
  /*> stub
  // TODO(5): write the numbers above 0 to `kept`, in their order and without gaps, and how many there are to *count.
  // The place of a number is how many are kept before it: the same look-back, with whole numbers.
  <*/
}
