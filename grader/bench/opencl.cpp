// Times the tiled kernel on the first OpenCL device (PoCL; Oclgrind when it is preloaded).
//
// opencl TILED.cl N REPEATS   →   seconds of each launch after one for warm-up, one a line
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

void must(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "opencl: %s failed with %d\n", what, status);
  std::exit(4);
}

cl_device_id first_device() {
  cl_platform_id platform;
  cl_device_id device;
  must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  return device;
}

cl_kernel build(cl_context context, cl_device_id device, const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string source = text.str();
  const char* lines = source.c_str();
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &lines, nullptr, &status);
  must(status, "clCreateProgramWithSource");
  must(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "matmul_tiled", &status);
  must(status, "clCreateKernel");
  return kernel;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: opencl TILED.cl N REPEATS\n");
    return 2;
  }
  const int n = std::atoi(words[2]);
  const int repeats = std::atoi(words[3]);
  const std::size_t elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  cl_device_id device = first_device();
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  must(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  must(status, "clCreateCommandQueue");
  cl_kernel kernel = build(context, device, words[1]);

  std::vector<float> ones(elements, 1.0f), result(elements);
  cl_mem matrices[3];
  for (auto& matrix : matrices) {
    matrix = clCreateBuffer(context, CL_MEM_READ_WRITE, elements * sizeof(float), nullptr, &status);
    must(status, "clCreateBuffer");
    must(clEnqueueWriteBuffer(queue, matrix, CL_TRUE, 0, elements * sizeof(float), ones.data(), 0, nullptr,
                              nullptr),
         "clEnqueueWriteBuffer");
  }
  for (cl_uint i = 0; i < 3; ++i)
    must(clSetKernelArg(kernel, i, sizeof(cl_mem), &matrices[i]), "clSetKernelArg");
  for (cl_uint i = 3; i < 6; ++i) must(clSetKernelArg(kernel, i, sizeof(int), &n), "clSetKernelArg");

  const std::size_t global[] = {static_cast<std::size_t>(n), static_cast<std::size_t>(n)};
  const std::size_t local[] = {16, 16};
  for (int i = 0; i <= repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    must(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
         "clEnqueueNDRangeKernel");
    must(clFinish(queue), "clFinish");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) std::printf("%.9f\n", took.count());
  }
  must(clEnqueueReadBuffer(queue, matrices[2], CL_TRUE, 0, elements * sizeof(float), result.data(), 0,
                           nullptr, nullptr),
       "clEnqueueReadBuffer");
  for (float value : result)
    if (!(value == static_cast<float>(n))) {
      std::fprintf(stderr, "opencl: wrong result\n");
      return 4;
    }
}
