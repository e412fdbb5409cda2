//= captured 3 nodes, three launches: 0 6 12 18
//= built by hand: 105
// A stream captured into a graph and replayed; a graph built node by node.
#include "check.hpp"

__global__ void raise(int* x, int by) { x[threadIdx.x] += by * threadIdx.x; }
__global__ void set(int* x, int value) { *x = value; }

int main() {
  int *device, host[4];
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMemset(device, 0, sizeof host));
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreate(&other));
  cudaEvent_t fork, join;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));

  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  raise<<<1, 4, 0, stream>>>(device, 1);
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(other, fork));
  raise<<<1, 4, 0, other>>>(device, 1);
  OK(cudaEventRecord(join, other));
  OK(cudaStreamWaitEvent(stream, join));
  OK(cudaMemsetAsync(device, 0, 0, stream));  // nothing: no node
  OK(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  std::printf("captured %zu nodes, three launches: %d %d %d %d\n", nodes, host[0], host[1], host[2], host[3]);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  OK(cudaGraphCreate(&graph, 0));
  int value = 100;
  void* arguments[] = {&device, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(set);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t copy, first, host_node;
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, device, sizeof(int), cudaMemcpyDeviceToHost));
  OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
  OK(cudaGraphAddDependencies(graph, &first, &copy, nullptr, 1));
  cudaHostNodeParams call = {[](void* data) { *static_cast<int*>(data) += 5; }, host};
  OK(cudaGraphAddHostNode(&host_node, graph, &copy, 1, &call));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  std::printf("built by hand: %d\n", host[0]);
  cudaKernelNodeParams known = {};
  OK(cudaGraphKernelNodeGetParams(first, &known));
  CHECK(known.func == reinterpret_cast<void*>(set));  // the program's name for it
  value = 7;
  OK(cudaGraphExecKernelNodeSetParams(exec, first, &kernel));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 12);
  OK(cudaGraphAddDependencies(graph, &host_node, &first, nullptr, 1));
  cudaGraphExec_t cyclic;
  IS(cudaGraphInstantiate(&cyclic, graph, 0), cudaErrorInvalidValue);
}
