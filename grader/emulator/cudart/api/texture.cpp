// Channel descriptors: all that is left of textures here.
#include "cudart/api/api.hpp"

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
