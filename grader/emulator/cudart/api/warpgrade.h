/* What our runtime offers beyond CUDA's. NVIDIA's library has none of it, so a program declares these weak
   and asks for the address before it calls:

     extern "C" __attribute__((weak)) int warpgradeNameBuffer(const void*, size_t, const char*);
     if (warpgradeNameBuffer) warpgradeNameBuffer(data, bytes, "A");
*/
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels may touch only [data, data + bytes) of the allocation around it, which messages call `name`.
   Copies by the host may still touch all of it. Returns a cudaError_t. */
int warpgradeNameBuffer(const void* data, size_t bytes, const char* name);

/* Whatever [data, data + bytes) holds, it counts as memory that nobody has written: a kernel that depends on
   it reads an uninitialised value. Returns a cudaError_t. */
int warpgradeUnwritten(const void* data, size_t bytes);

/* Findings and counters of later launches carry this label. */
int warpgradeLabel(const char* label);

/* Whether the blocks of later launches run together, a part of each at a time, in an order by chance that is
   the same on each run; else mostly one after the other. Shows what happens where blocks wait for each other.
 */
int warpgradeBlocksInTurns(int in_turns);

/* Number of findings that the last launch had. */
int warpgradeFindingCount(void);

/* Writes at most `bytes` bytes, with the final 0: where launches since the last warpgradeLabel() may have
   left something for later ones, beside the arrays that they were given. Names of the module's variables that
   their code may write, and "the device heap", joined by ", "; empty if there is no such place. */
int warpgradeKeptState(char* names, size_t bytes);

/* The most warp instructions that a block of later launches may run, in place of WARPGRADE_STEP_LIMIT; 0: no
 * limit. */
int warpgradeStepLimit(unsigned long long steps);

/* fork() whose child may call this runtime, and has the memory, kernels and errors that its parent has at
   that time. (A child of fork() itself may not, as with a GPU.) -1: other threads run, or there is no
   process. */
int warpgradeFork(void);

/* The byte that memory of the device is full of until something writes there. */
int warpgradeUnwrittenByte(void);

/* The range of device addresses, which the host can neither read nor write, but for managed and pinned
 * memory. */
int warpgradeDeviceRange(void** begin, size_t* bytes);

/* For a process that calls the runtime on behalf of another one: the next calls of this thread come from this
   address of that program, which messages then name as "program+0x1234". Null: from this process. */
void warpgradeRemoteCall(const void* address);

/* For such a process: why the last call failed, in words; empty if a finding says it, or a fault before.
   Valid until the next call. */
const char* warpgradeWhyFailed(void);

/* For such a process: the number of the last copy that it made. */
unsigned long long warpgradeLastCopy(void);

/* For such a process: the number of the last launch that it made, 0 for none. */
unsigned long long warpgradeLastLaunch(void);

/* How many of the bytes that this launch wrote, each time that it ran, copies or the host have taken since.
 */
unsigned long long warpgradeBytesTaken(unsigned long long launch);

/* Calls `visit` for each part of this memory of the device that kernels have computed: they, or copies of
   what they wrote, were the last to write there. `begin` and `end` count from the memory's beginning. */
void warpgradeComputedBytes(const void* memory, size_t bytes,
                            void (*visit)(void* context, size_t begin, size_t end), void* context);

/* A node that a launch of a graph runs. Of the numbers and handles at most one is not 0. */
struct warpgradeNode {
  unsigned long long launch, copy; /* its number */
  const void *recorded, *awaited;  /* an event */
  const size_t* before;            /* numbers of nodes, from 0 in the order of the calls of `visit` */
  size_t before_count;
};

/* Calls `visit` for each node that a launch of the executable graph runs, with those of its child graphs,
   and for places where several join. Each comes behind those that it depends on. Returns a cudaError_t. */
int warpgradeGraphNodes(const void* executable,
                        void (*visit)(void* context, const struct warpgradeNode* node), void* context);

/* Bytes of the program's variables in global memory. */
unsigned long long warpgradeVariableBytes(void);

/* Bytes of the device heap that kernels held at a time, by malloc() or new: the most that there were. */
unsigned long long warpgradeHeapBytes(void);

/* How many of the bytes that this copy brought to the device, each time that it ran, a kernel has read since.
 */
unsigned long long warpgradeBytesRead(unsigned long long copy);

/* Pages of managed and pinned memory that the program must not access before it has waited for work. */
struct warpgradePages {
  unsigned long long begin, end;
  unsigned long long readable; /* closed for writes only */
};

/* For such a process, which closes these pages in that program: writes at most `most` of them, and returns
   how many there are. */
size_t warpgradeClosedPages(struct warpgradePages* pages, size_t most);

/* That program's host code accessed these bytes of the device's range, at the place that
   warpgradeRemoteCall() has named. Closed pages: an access that comes too early is reported as WG173, now or
   once the work has run. Others: reports WG116. */
int warpgradeHostAccess(const void* address, size_t bytes, int is_write);

#ifdef __cplusplus
}
#endif
