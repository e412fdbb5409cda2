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

/* Findings and counters of later launches carry this label. */
int warpgradeLabel(const char* label);

/* Number of findings that the last launch had. */
int warpgradeFindingCount(void);

#ifdef __cplusplus
}
#endif
