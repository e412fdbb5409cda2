// Times one kernel on the first OpenCL device (PoCL; Oclgrind when it is preloaded).
//
// opencl KERNELS.cl KERNEL N REPEATS   →   as kernels.cu says it
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
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

cl_kernel build(cl_context context, cl_device_id device, const char* path, const char* name) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string source = text.str();
  const char* lines = source.c_str();
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &lines, nullptr, &status);
  must(status, "clCreateProgramWithSource");
  must(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, name, &status);
  must(status, "clCreateKernel");
  return kernel;
}

// Work items, all and of one group, as kernels.cu launches the threads.
struct Shape {
  cl_uint dimensions;
  std::size_t global[2], local[2];
};
Shape shape_of(const std::string& kernel, std::size_t n) {
  if (kernel == "tiled" || kernel == "basic" || kernel == "stencil") return {2, {n, n}, {16, 16}};
  if (kernel == "register_tiled") return {2, {n / 4, n / 4}, {16, 16}};
  const std::size_t part = kernel == "vectors" ? 16 : kernel == "reduction" ? 8 : 1;
  return {1, {n * n / part, 1}, {256, 1}};
}

// Prints the seconds of each run of the kernel, which adds to the third matrix, but for the first run.
void time_runs(cl_command_queue queue, cl_kernel kernel, const Shape& shape, int repeats,
               const std::function<void()>& reset) {
  for (int i = 0; i <= repeats; ++i) {
    reset();
    const auto begin = std::chrono::steady_clock::now();
    must(clEnqueueNDRangeKernel(queue, kernel, shape.dimensions, nullptr, shape.global, shape.local, 0,
                                nullptr, nullptr),
         "clEnqueueNDRangeKernel");
    must(clFinish(queue), "clFinish");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) std::printf("%.9f\n", took.count());
  }
}

void print_sum(cl_command_queue queue, cl_mem matrix, std::size_t elements) {
  std::vector<float> values(elements);
  must(clEnqueueReadBuffer(queue, matrix, CL_TRUE, 0, elements * sizeof(float), values.data(), 0, nullptr,
                           nullptr),
       "clEnqueueReadBuffer");
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  std::printf("sum %.17g\n", sum);
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fprintf(stderr, "usage: opencl KERNELS.cl KERNEL N REPEATS\n");
    return 2;
  }
  const int n = std::atoi(words[3]);
  const int repeats = std::atoi(words[4]);
  const std::size_t elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  cl_device_id device = first_device();
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  must(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  must(status, "clCreateCommandQueue");
  cl_kernel kernel = build(context, device, words[1], words[2]);

  std::vector<float> ones(elements, 1.0f), zeros(elements);
  const auto write = [&](cl_mem to, const std::vector<float>& from) {
    must(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, elements * sizeof(float), from.data(), 0, nullptr,
                              nullptr),
         "clEnqueueWriteBuffer");
  };
  cl_mem matrices[3];
  for (auto& matrix : matrices) {
    matrix = clCreateBuffer(context, CL_MEM_READ_WRITE, elements * sizeof(float), nullptr, &status);
    must(status, "clCreateBuffer");
    write(matrix, ones);
  }
  for (cl_uint i = 0; i < 3; ++i)
    must(clSetKernelArg(kernel, i, sizeof(cl_mem), &matrices[i]), "clSetKernelArg");
  must(clSetKernelArg(kernel, 3, sizeof(int), &n), "clSetKernelArg");

  const Shape shape = shape_of(words[2], static_cast<std::size_t>(n));
  time_runs(queue, kernel, shape, repeats, [&] { write(matrices[2], zeros); });
  print_sum(queue, matrices[2], elements);
}
