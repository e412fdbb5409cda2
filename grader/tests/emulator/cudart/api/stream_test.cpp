// The expected results were observed on an H200 (CUDA 13.0, driver 580).
#include <doctest/doctest.h>

#include "cudart/api/api.hpp"

using namespace warpgrade;

namespace {

struct CapturedStream {
  cudaStream_t stream = nullptr;
  char* device = nullptr;
  cudaGraph_t graph = nullptr;
  explicit CapturedStream(unsigned flags = cudaStreamDefault) {
    REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 64) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  }
  ~CapturedStream() {
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaGetLastError();
  }
  cudaError_t end() { return cudaStreamEndCapture(stream, &graph); }
};

}  // namespace

TEST_CASE("events") {
  cudaEvent_t a, b, untimed;
  REQUIRE(cudaEventCreate(&a) == cudaSuccess);
  REQUIRE(cudaEventCreate(&b) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, a, b) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventQuery(a) == cudaSuccess);
  CHECK(cudaEventSynchronize(a) == cudaSuccess);
  CHECK(cudaEventRecord(a) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, a, b) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(b) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, a, b) == cudaSuccess);
  CHECK(ms >= 0);
  CHECK(cudaEventRecord(untimed) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, a, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(a) == cudaSuccess);
  CHECK(cudaEventRecord(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventCreateWithFlags(&a, 99) == cudaErrorInvalidValue);
  cudaEventDestroy(b);
  cudaEventDestroy(untimed);
}

TEST_CASE("streams") {
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, 5) == cudaErrorInvalidValue);
  REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
  CHECK(cudaStreamQuery(s) == cudaSuccess);
  CHECK(cudaStreamDestroy(s) == cudaSuccess);
  CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  int priority = 7;
  REQUIRE(cudaStreamCreateWithPriority(&s, 0, -99) == cudaSuccess);
  CHECK(cudaStreamGetPriority(s, &priority) == cudaSuccess);
  CHECK(priority == -5);
  cudaStreamDestroy(s);
  // NVIDIA's library reads freed memory here; ours says so.
  CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("host functions run in their place and may call back") {
  static int order = 0;
  static int at_callback = 0;
  order = 0;
  const auto count = [](void* data) { *static_cast<int*>(data) = ++order; };
  int first = 0, second = 0;
  CHECK(cudaLaunchHostFunc(nullptr, count, &first) == cudaSuccess);
  CHECK(cudaStreamAddCallback(
            nullptr, [](cudaStream_t, cudaError_t, void*) { at_callback = ++order; }, nullptr, 0) ==
        cudaSuccess);
  CHECK(cudaLaunchHostFunc(nullptr, count, &second) == cudaSuccess);
  CHECK(first == 1);
  CHECK(at_callback == 2);
  CHECK(second == 3);
  CHECK(cudaLaunchHostFunc(nullptr, nullptr, nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("the default stream cannot be captured") {
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
}

TEST_CASE("a capture is ended by calls that would wait for it") {
  char host[4];
  SUBCASE("cudaStreamSynchronize") {
    CapturedStream c;
    CHECK(cudaStreamSynchronize(c.stream) == cudaErrorStreamCaptureUnsupported);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  SUBCASE("cudaStreamQuery") {
    CapturedStream c;
    CHECK(cudaStreamQuery(c.stream) == cudaErrorStreamCaptureUnsupported);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  SUBCASE("cudaMalloc, then cudaMemcpy") {
    CapturedStream c;
    void* more;
    CHECK(cudaMalloc(&more, 4) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaMemcpy(host, c.device, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureImplicit);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  SUBCASE("cudaDeviceSynchronize") {
    CapturedStream c;
    CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  SUBCASE("work in the default stream") {
    CapturedStream c;
    CHECK(cudaMemsetAsync(c.device, 0, 4, nullptr) == cudaErrorStreamCaptureImplicit);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  SUBCASE("not for a stream that does not wait for the default one") {
    CapturedStream c(cudaStreamNonBlocking);
    CHECK(cudaMemsetAsync(c.device, 0, 4, nullptr) == cudaSuccess);
    CHECK(c.end() == cudaSuccess);
    CHECK(cudaGraphDestroy(c.graph) == cudaSuccess);
  }
}

TEST_CASE("captures begin and end once") {
  CapturedStream c;
  CHECK(cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(c.stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(cudaMemsetAsync(c.device, 7, 4, c.stream) == cudaSuccess);
  const emulator::Allocation* device =
      cudart::Runtime::instance().memory.find(reinterpret_cast<std::uint64_t>(c.device));
  CHECK(device->data()[0] != std::byte{7});  // recorded in the graph, not executed
  CHECK(c.end() == cudaSuccess);
  CHECK(cudaStreamIsCapturing(c.stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  CHECK(cudaGraphDestroy(c.graph) == cudaSuccess);
  CHECK(c.end() == cudaErrorIllegalState);
  CHECK(c.graph == nullptr);
}

TEST_CASE("a stream that joined a capture must be waited for") {
  cudaStream_t other;
  cudaEvent_t fork;
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
  CapturedStream c;
  CHECK(cudaEventRecord(fork, c.stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(other, fork, 0) == cudaSuccess);
  CHECK(cudaMemsetAsync(c.device, 0, 4, other) == cudaSuccess);
  SUBCASE("and is not") {
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
    CHECK(c.end() == cudaErrorStreamCaptureUnjoined);
  }
  SUBCASE("and is") {
    CHECK(cudaEventRecord(fork, other) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(c.stream, fork, 0) == cudaSuccess);
    CHECK(c.end() == cudaSuccess);
    CHECK(cudaGraphDestroy(c.graph) == cudaSuccess);
  }
  SUBCASE("and an event of the capture is asked") {
    CHECK(cudaEventSynchronize(fork) == cudaErrorCapturedEvent);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  }
  CHECK(cudaEventQuery(fork) == cudaSuccess);
  CHECK(cudaEventDestroy(fork) == cudaSuccess);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
}

TEST_CASE("streams that wait for each other in turns make a graph with more paths than anybody can follow") {
  CapturedStream c;
  cudaStream_t other;
  cudaEvent_t event;
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  cudaStream_t pair[] = {c.stream, other};
  for (int turn = 0; turn < 120; ++turn) {  // each turn doubles the paths
    CHECK(cudaMemsetAsync(c.device, 0, 4, pair[turn % 2]) == cudaSuccess);
    CHECK(cudaEventRecord(event, pair[turn % 2]) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(pair[1 - turn % 2], event, 0) == cudaSuccess);
  }
  CHECK(c.end() == cudaSuccess);
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}
