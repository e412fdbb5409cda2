// Channel descriptors, the only part of textures that is supported.
#include "cudart/api/api.hpp"

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
