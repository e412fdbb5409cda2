#include "launches/kernels.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("a kernel is loaded with its launch shape") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 32 8 64 16 does right"),
                        {"matmul"});
  const Kernel& kernel = kernels.only();
  CHECK(kernel.shape().threads == std::array<int, 3>{32, 8, 1});
  CHECK(kernel.shape().outputs == std::array<int, 3>{64, 16, 1});
}

TEST_CASE("a file that cannot be used is bad usage, and named") {
  const TemporaryFolder folder;
  const auto complaint = [&] {
    return message_of<UsageError>([&] { Kernels(folder / "k.fatbin", {"matmul"}); });
  };
  CHECK(contains(complaint(), "k.fatbin cannot be read"));
  std::ofstream(folder / "k.fatbin") << "";
  CHECK(contains(complaint(), "k.fatbin is empty"));
}

TEST_CASE("what the runtime does not load is a CUDA error") {
  const TemporaryFolder folder;
  const auto load = [&] { Kernels(fake_cudart::write_kernel(folder / "k", "rubbish"), {"matmul"}); };
  CHECK(contains(message_of<CudaError>(load), "cudaErrorInvalidPtx while loading the compiled kernel"));
}

TEST_CASE("a kernel of another name, no launch shape, an impossible one") {
  const TemporaryFolder folder;
  const auto load = [&](const std::string& text) {
    Kernels(fake_cudart::write_kernel(folder / "k", text), {"matmul"});
  };
  CHECK(contains(message_of<KernelMissing>([&] { load("kernel Matmul shape 1 1 1 1 does right"); }),
                 "no kernel called matmul"));
  CHECK(contains(message_of<ImpossibleLaunch>([&] { load("kernel matmul does right"); }),
                 "how to launch matmul: LAUNCH_SHAPE_1D(threads, elements), LAUNCH_SHAPE_3D or, in two "
                 "dimensions, LAUNCH_SHAPE(threads x"));
  CHECK(contains(message_of<ImpossibleLaunch>([&] { load("kernel matmul shape 64 64 64 64 does right"); }),
                 "4096 threads"));
}

TEST_CASE("alpha and beta follow the sizes") {
  const TemporaryFolder folder;
  const float a = 3;
  const float b = 4;
  float c = 5;
  fake_cudart::teach("scaled", [](const fake_cudart::Launch& launch) {
    launch.C[0] = launch.alpha * launch.A[0] * launch.B[0] + launch.beta * launch.C[0];
  });
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel sgemm shape 1 1 1 1 does scaled"),
                        {"sgemm"});
  const Kernel& kernel = kernels.only();
  kernel.launch(Extent{1, 1}, &a, &b, &c, 1, 1, 1, 2.0f, -1.0f);
  CHECK(c == 19);
  kernel.launch(Extent{1, 1}, &a, &b, &c, 1, 1, 1, 1.0f, 0.0f);
  CHECK(c == 12);
}

TEST_CASE("a launch that needs more than an SM has is impossible, and the next one may run") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 1 1 1 1 does right"),
                        {"matmul"});
  const Kernel& kernel = kernels.only();
  const float a = 3;
  const float b = 4;
  float c = 0;
  fake_cudart::refuse_next_launch(701);
  const auto launch = [&] { kernel.launch(Extent{1, 1}, &a, &b, &c, 1, 1, 1); };
  CHECK(contains(message_of<ImpossibleLaunch>(launch), "cudaErrorLaunchOutOfResources"));
  launch();
  CHECK(c == 12);
}

TEST_CASE("a kernel with more parameters than the launch has arguments gets zeros") {
  const TemporaryFolder folder;
  float alpha = 7;
  fake_cudart::teach("look", [&](const fake_cudart::Launch& launch) { alpha = launch.alpha; });
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 1 1 1 1 does look"),
                        {"matmul"});
  kernels.only().launch(Extent{1, 1}, &alpha, &alpha, &alpha, 1, 1, 1);
  CHECK(alpha == 0);
}

TEST_CASE("blocks that loop cover no array, and the GPU says how many it holds") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 16 16 16 16 does right"),
                        {"matmul"});
  CHECK(kernels.only().resident_blocks() == 4096 * 8);  // SMs of the fake, 2,048 threads each
  const float a = 3;
  float c = 0;
  kernels.only().launch_blocks(1, &a, &a, &c, 1, 1, 1);
  CHECK(c == 9);
  CHECK(kernels.coverage_of({1, 1}).shape == nullptr);
}

TEST_CASE("at least one block is resident, also where no SM holds one") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 16 16 16 16 does right"),
                        {"matmul"});
  fake_cudart::hold_threads(255);
  CHECK(kernels.only().resident_blocks() == 1);
  fake_cudart::reset();
}

TEST_CASE("the shape for an array is that of the launch that covered it") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 16 16 16 16 does right"),
                        {"matmul"});
  CHECK(kernels.coverage_of({1, 1}).shape == nullptr);
  const float a = 3;
  float c = 0;
  kernels["matmul"].launch(Extent{1, 1}, &a, &a, &c, 1, 1, 1);
  CHECK(kernels.coverage_of({1, 1}).shape == &kernels.only().shape());
  CHECK(kernels.coverage_of({1, 1}).vector == 1);
  CHECK(kernels.coverage_of({2, 1}).shape == nullptr);
  CHECK(kernels.coverage_of({1, 1, 5}).shape == nullptr);
  CHECK(kernels.coverage_of({1, 1, 4}).shape == &kernels.only().shape());
  CHECK(kernels.coverage_of({1, 1, 4}).vector == 4);
  CHECK(contains(message_of<DataError>([&] { kernels["other"]; }),
                 "'other', which its lab.toml does not list"));
}

TEST_CASE("a variable of the file is set, and one that it lacks is named") {
  const TemporaryFolder folder;
  const Kernels kernels(fake_cudart::write_kernel(folder / "k", "kernel matmul shape 1 1 1 1 does right"),
                        {"matmul"});
  const int values[4] = {32, 8, 64, 16};
  CHECK_NOTHROW(kernels.set("launch_shape", values, sizeof values));
  const auto set = [&](const char* name, std::size_t bytes) { kernels.set(name, values, bytes); };
  CHECK(contains(message_of<ImpossibleLaunch>([&] { set("mask", 16); }), "no variable mask of 16 bytes"));
  CHECK(contains(message_of<ImpossibleLaunch>([&] { set("launch_shape", 4096); }), "of 4096 bytes"));
}
