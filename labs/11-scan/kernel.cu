// Lab 11-scan: this file is yours. Fill in the TODOs, then type: ./warpgrade check 11-scan
// (Course staff: made by `make skeletons` from solutions/11-scan/kernel.cu; edit that one.)

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

// Parts 1 and 2: a block scans one segment.
LAUNCH_SHAPE_1D_OF(kogge_stone, SEGMENT, 1)
LAUNCH_SHAPE_1D_OF(work_efficient, SEGMENT / 4, 1)

// Parts 3 and 4: a block has one tile. A tile has at least 256 numbers.
constexpr int THREADS = 128;
constexpr int ROWS = 8;                   // a row is what a warp loads at once: 128 numbers, four a lane
constexpr int TILE = THREADS * 4 * ROWS;
LAUNCH_SHAPE_1D_OF(scan_all, THREADS, TILE)
LAUNCH_SHAPE_1D_OF(compact_positive, THREADS, TILE)

extern "C" __global__ void kogge_stone(const float* numbers, float* sums, int n) {
  // TODO(1): scan the block's segment, which begins at blockIdx.x * SEGMENT, with one thread a number. In the step of
  // distance d a thread adds the sum of the thread d places before; d is 1, 2, 4, … Who waits for whom?
}

extern "C" __global__ void work_efficient(const float* numbers, float* sums, int n) {
  // TODO(2): the same sums with at most 5 additions a number and at most 4 barriers. Let a thread add neighbours
  // by itself, and the lanes of a warp hand on what the threads have. What has to go through shared memory?
}

extern "C" __global__ void scan_all(const float* numbers, float* sums, int n, unsigned long long* words) {
  // TODO(3): begin with a scan of the block's tile, as in part 2. A tile has TILE numbers, more than the block has
  // threads. Its place is right in the first tile only; `check` shows that.

  // TODO(4): draw the tile's number from words[0], publish the tile's sum in words[1 + tile], and look back for
  // the sum of all tiles before. All words are 0 when the kernel begins. What must be seen together, or in order?
}

extern "C" __global__ void compact_positive(const float* numbers, float* kept, int* count, int n, unsigned long long* words) {
  // TODO(5): write the numbers above 0 to `kept`, in their order and without gaps, and how many there are to *count.
  // The place of a number is how many are kept before it: the same look-back, with whole numbers.
}
