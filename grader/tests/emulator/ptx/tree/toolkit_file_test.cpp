#include "ptx/tree/toolkit_file.hpp"

#include <doctest/doctest.h>

#include <string>

using warpgrade::ptx::is_toolkit_file;

TEST_CASE("places: the toolkit's headers, by the folder that the compiler took them from") {
  for (const char* header : {
           "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_60_atomic_functions.hpp",
           "/home/ann/course/.deps/cuda/bin/..//include/sm_60_atomic_functions.hpp",
           "/home/ann/course/.deps/wheels/nvidia/cu13/bin/..//include/cooperative_groups/details/helpers.h",
           "/opt/x/nvidia/cu13/include/device_atomic_functions.hpp",
           "/usr/local/cuda/include/cuda_pipeline_helpers.h",
           "/usr/local/cuda-13.0/include/crt/sm_70_rt.hpp",
           "/opt/toolkits/13/include/crt/sm_70_rt.hpp",
           "/usr/local/cuda/targets/sbsa-linux/include/cuda_fp16.hpp",
       })
    CHECK_MESSAGE(is_toolkit_file(header), std::string(header));
  for (const char* own : {"/home/ann/cuda/kernel.cu", "/home/ann/labs/include/tile.cuh", "kernel.cu", "",
                          "/home/ann/cuda/labs/include/tile.cuh", "/home/ann/bin/../kernel.cu",
                          "/home/ann/cuda-labs/include/tile.cuh"})
    CHECK_MESSAGE(!is_toolkit_file(own), std::string(own));
}
