#include <doctest/doctest.h>

#include "cudart/api/api.hpp"

namespace {

// A graph of two fills and a copy to the host: device ← 1, device[0..1] ← 2, host ← device.
struct Built {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr, copy = nullptr;
  unsigned char* device = nullptr;
  unsigned char host[8] = {};

  Built() {
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 8) == cudaSuccess);
    REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
    const cudaMemsetParams one = fill(1, 8), two = fill(2, 2);
    REQUIRE(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &one) == cudaSuccess);
    REQUIRE(cudaGraphAddMemsetNode(&second, graph, &first, 1, &two) == cudaSuccess);
    REQUIRE(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, device, 8, cudaMemcpyDeviceToHost) ==
            cudaSuccess);
  }
  ~Built() {
    cudaGraphDestroy(graph);
    cudaFree(device);
    cudaGetLastError();
  }
  cudaMemsetParams fill(unsigned value, std::size_t width) const { return {device, 0, value, 1, width, 1}; }
  cudaGraphExec_t instantiate() const {
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    return exec;
  }
};

}  // namespace

TEST_CASE("a graph runs its nodes behind their dependencies") {
  Built b;
  const cudaGraphExec_t exec = b.instantiate();
  CHECK(b.host[0] == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(b.host[0] == 2);
  CHECK(b.host[2] == 1);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(exec) == cudaErrorInvalidValue);
}

TEST_CASE("the structure of a graph can be asked for") {
  Built b;
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(b.graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 3);
  CHECK(cudaGraphGetRootNodes(b.graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(cudaGraphGetEdges(b.graph, nullptr, nullptr, nullptr, &count) == cudaSuccess);
  CHECK(count == 2);
  cudaGraphNode_t found[3];
  count = 3;
  CHECK(cudaGraphNodeGetDependentNodes(b.first, found, nullptr, &count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(found[0] == b.second);
  CHECK(found[1] == nullptr);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(b.copy, &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemcpy);
  CHECK(cudaGraphDestroyNode(b.second) == cudaSuccess);
  CHECK(cudaGraphGetNodes(b.graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 2);
  CHECK(cudaGraphNodeGetType(b.second, &type) == cudaErrorInvalidValue);
}

TEST_CASE("an instantiated graph keeps what it was made of, and can be changed by itself") {
  Built b;
  const cudaGraphExec_t exec = b.instantiate();
  const cudaMemsetParams five = b.fill(5, 8);
  CHECK(cudaGraphMemsetNodeSetParams(b.first, &five) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(b.host[7] == 1);
  CHECK(cudaGraphExecUpdate(exec, b.graph, nullptr) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(b.host[7] == 5);
  const cudaMemsetParams six = b.fill(6, 8);
  CHECK(cudaGraphExecMemsetNodeSetParams(exec, b.first, &six) == cudaSuccess);
  CHECK(cudaGraphNodeSetEnabled(exec, b.second, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(b.host[0] == 6);
  cudaGraphExecDestroy(exec);
}

TEST_CASE("an update must have the shape of what it replaces") {
  Built b;
  const cudaGraphExec_t exec = b.instantiate();
  cudaGraphNode_t more;
  REQUIRE(cudaGraphAddEmptyNode(&more, b.graph, nullptr, 0) == cudaSuccess);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(exec, b.graph, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(info.errorNode == more);
  cudaGraphExecDestroy(exec);
}

TEST_CASE("clones and children") {
  Built b;
  cudaGraph_t clone, parent;
  REQUIRE(cudaGraphClone(&clone, b.graph) == cudaSuccess);
  cudaGraphNode_t twin, child;
  CHECK(cudaGraphNodeFindInClone(&twin, b.copy, clone) == cudaSuccess);
  CHECK(twin != b.copy);
  REQUIRE(cudaGraphCreate(&parent, 0) == cudaSuccess);
  REQUIRE(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, b.graph) == cudaSuccess);
  cudaGraph_t inside;
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &inside) == cudaSuccess);
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(inside, nullptr, &count) == cudaSuccess);
  CHECK(count == 3);
  cudaGraphExec_t exec;
  REQUIRE(cudaGraphInstantiate(&exec, parent, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(b.host[0] == 2);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(parent);
  cudaGraphDestroy(clone);
}

TEST_CASE("an object lives as long as a graph holds it") {
  static int destroyed = 0;
  destroyed = 0;
  cudaUserObject_t object;
  cudaGraph_t graph;
  REQUIRE(cudaUserObjectCreate(
              &object, nullptr, [](void*) { ++destroyed; }, 1, cudaUserObjectNoDestructorSync) ==
          cudaSuccess);
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  CHECK(cudaGraphRetainUserObject(graph, object, 1, 0) == cudaSuccess);
  CHECK(cudaUserObjectRelease(object, 1) == cudaSuccess);
  CHECK(destroyed == 0);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(destroyed == 1);
}

TEST_CASE("a graph's memory that the program has freed is there again at its next launch") {
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemAllocNodeParams made{};
  made.poolProps.allocType = cudaMemAllocationTypePinned;
  made.poolProps.location = {cudaMemLocationTypeDevice, 0};
  made.bytesize = 8;
  cudaGraphNode_t allocation = nullptr, fill = nullptr;
  REQUIRE(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &made) == cudaSuccess);
  const cudaMemsetParams seven{made.dptr, 0, 7, 1, 8, 1};
  REQUIRE(cudaGraphAddMemsetNode(&fill, graph, &allocation, 1, &seven) == cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  for (int launch = 0; launch < 2; ++launch) {
    CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
    unsigned char host[8] = {};
    CHECK(cudaMemcpy(host, made.dptr, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(host[7] == 7);
    CHECK(cudaFree(made.dptr) == cudaSuccess);
    CHECK(cudaFree(made.dptr) == cudaErrorInvalidValue);
  }
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("wrong handles and edges") {
  Built b;
  cudaGraphNode_t node;
  cudaGraphNode_t twice[] = {b.first, b.first};
  CHECK(cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddEmptyNode(&node, b.graph, twice, 2) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddDependencies(b.graph, &b.first, &b.second, nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddDependencies(b.graph, &b.copy, &b.first, nullptr, 1) == cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, b.graph, 0) == cudaErrorInvalidValue);  // a cycle
  CHECK(cudaGraphRemoveDependencies(b.graph, &b.copy, &b.first, nullptr, 1) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&exec, b.graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(nullptr, nullptr) == cudaErrorInvalidValue);
  cudaGraphExecDestroy(exec);
}
