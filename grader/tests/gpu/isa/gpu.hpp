// Runs PTX on a GPU, from input bytes to output bytes, through the driver's library alone.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpgrade::hardware {

class Gpu {
 public:
  Gpu() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr) fail("no CUDA driver on this machine", 0);
    void* context = nullptr;
    int device = 0;
    check("cuInit", call<unsigned>("cuInit", 0u));
    check("cuDeviceGet", call<int*, int>("cuDeviceGet", &device, 0));
    check("cuDevicePrimaryCtxRetain", call<void**, int>("cuDevicePrimaryCtxRetain", &context, device));
    check("cuCtxSetCurrent", call<void*>("cuCtxSetCurrent", context));
    check("cuMemAlloc", call<Address*, std::size_t>("cuMemAlloc_v2", &in_, kMostBytes));
    check("cuMemAlloc", call<Address*, std::size_t>("cuMemAlloc_v2", &out_, kMostBytes));
  }

  // Runs the kernel `row(in, out)` of the module; `out` is as large as it was, and zero before. False where
  // the driver cannot compile the module.
  template <class In, class Out>
  bool run(const std::string& ptx, unsigned blocks, unsigned threads, const std::vector<In>& in,
           std::vector<Out>& out) {
    void *module = nullptr, *function = nullptr;
    if (call<void**, const void*>("cuModuleLoadData", &module, ptx.c_str()) != 0) return false;
    const std::size_t in_bytes = in.size() * sizeof(In), out_bytes = out.size() * sizeof(Out);
    if (in_bytes > kMostBytes || out_bytes > kMostBytes) fail("too much data", 0);
    check("cuModuleGetFunction",
          call<void**, void*, const char*>("cuModuleGetFunction", &function, module, "row"));
    check("copy", call<Address, const void*, std::size_t>("cuMemcpyHtoD_v2", in_, in.data(), in_bytes));
    check("clear", call<Address, unsigned char, std::size_t>("cuMemsetD8_v2", out_, 0, out_bytes));
    void* arguments[] = {&in_, &out_};
    check("cuLaunchKernel", call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 void*, void**, void**>("cuLaunchKernel", function, blocks, 1, 1, threads, 1,
                                                        1, 0, nullptr, arguments, nullptr));
    check("copy", call<void*, Address, std::size_t>("cuMemcpyDtoH_v2", out.data(), out_, out_bytes));
    check("cuModuleUnload", call<void*>("cuModuleUnload", module));
    return true;
  }

 private:
  using Address = unsigned long long;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  [[noreturn]] static void fail(const char* what, int error) {
    std::fprintf(stderr, "%s: CUDA error %d\n", what, error);
    std::exit(2);
  }
  static void check(const char* what, int error) {
    if (error != 0) fail(what, error);
  }
  template <class... T>
  int call(const char* name, T... arguments) {
    return reinterpret_cast<int (*)(T...)>(dlsym(library_, name))(arguments...);
  }

  void* library_ = nullptr;
  Address in_ = 0, out_ = 0;
};

}  // namespace warpgrade::hardware
