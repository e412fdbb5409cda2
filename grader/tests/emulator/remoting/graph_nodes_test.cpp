// What a process could send in place of the front end's messages about nodes of graphs: nothing of it harms
// the back end, which goes on to serve.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "remoting/backend/session.hpp"

using namespace warpgrade::remoting;

namespace {

constexpr std::uint64_t kHuge = ~std::uint64_t{0} / 2;

// A program's end of the connection, beside a session.
class Program {
 public:
  Program() {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_) == 0);
    thread_ = std::thread([this] {
      ProgramSession(ends_[1], {}, true).serve();
      close(ends_[1]);
    });
  }
  ~Program() {
    close(ends_[0]);
    thread_.join();
  }
  Program(const Program&) = delete;

  // The answer's code; -1 where the session has ended.
  int call(ApiFunction function, const MessageWriter& in) {
    MessageHeader header{static_cast<std::uint32_t>(function)}, answer;
    if (!send_message(ends_[0], header, in.bytes()) || !receive_message(ends_[0], answer, out_)) return -1;
    while (answer.function == static_cast<std::uint32_t>(ApiFunction::run_function)) {
      MessageReader reader(out_);
      reader.get<cudaHostFn_t>();
      asked.push_back(reader.get<std::uint64_t>());
      for (const ApiFunction each : answers)
        if (!send_message(ends_[0], {static_cast<std::uint32_t>(each)}, {})) return -1;
      if (!receive_message(ends_[0], answer, out_)) return -1;
    }
    return answer.code;
  }
  std::vector<ApiFunction> answers;  // to a function that is to run here
  std::vector<std::uint64_t> asked;  // the arguments of these functions
  template <class T>
  T made(ApiFunction function, const MessageWriter& in) {
    REQUIRE(call(function, in) == cudaSuccess);
    return MessageReader(out_).get<T>();
  }

 private:
  int ends_[2];
  std::thread thread_;
  std::string out_;
};

template <class... In>
MessageWriter of(const In&... in) {
  MessageWriter writer;
  (writer.put(in), ...);
  return writer;
}

using Nodes = std::vector<cudaGraphNode_t>;

std::string bytes_of(const Nodes& nodes) {
  return {reinterpret_cast<const char*>(nodes.data()), nodes.size() * sizeof(cudaGraphNode_t)};
}

// A message about a new node; what it does is to be appended.
template <class... In>
MessageWriter node(cudaGraph_t graph, const Nodes& before, cudaGraphNodeType type, const In&... in) {
  MessageWriter writer = of(graph);
  writer.text(bytes_of(before)).put(type);
  (writer.put(in), ...);
  return writer;
}

MessageWriter copy(cudaGraph_t graph, const void* to, std::uint64_t pitch, const void* from,
                   std::uint64_t width, std::uint64_t height, bool to_program, bool from_program) {
  return node(graph, {}, cudaGraphNodeTypeMemcpy, to, pitch, from, pitch, width, height, cudaMemcpyDefault,
              cudaStream_t{}, to_program, from_program, false);
}

cudaGraph_t a_graph(Program& program) {
  return program.made<cudaGraph_t>(ApiFunction::cudaGraphCreate, of(0U));
}
cudaGraphNode_t empty_node(Program& program, cudaGraph_t graph, const Nodes& before = {}) {
  return program.made<cudaGraphNode_t>(ApiFunction::cudaGraphAddEmptyNode,
                                       node(graph, before, cudaGraphNodeTypeEmpty));
}
cudaGraphExec_t executable(Program& program, cudaGraph_t graph) {
  return program.made<cudaGraphExec_t>(ApiFunction::cudaGraphInstantiate, of(graph, 0ULL));
}
char* memory(Program& program, std::uint64_t bytes) {
  return program.made<char*>(ApiFunction::cudaMalloc, of(bytes, 0U));
}

}  // namespace

TEST_CASE("handles that were never given out name nothing") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  auto* const stranger = reinterpret_cast<cudaGraph_t>(&program);
  const Nodes strangers = {reinterpret_cast<cudaGraphNode_t>(&program), nullptr,
                           reinterpret_cast<cudaGraphNode_t>(kHuge)};
  const auto add = ApiFunction::cudaGraphAddNode;
  CHECK(program.call(add, node(stranger, {}, cudaGraphNodeTypeEmpty)) == cudaErrorInvalidValue);
  for (const cudaGraphNode_t each : strangers) {
    CHECK(program.call(add, node(graph, {each}, cudaGraphNodeTypeEmpty)) == cudaErrorInvalidValue);
    CHECK(program.call(ApiFunction::cudaGraphDestroyNode, of(each)) == cudaErrorInvalidValue);
    CHECK(program.call(ApiFunction::cudaGraphNodeSetParams, of(each, cudaGraphNodeTypeEmpty)) ==
          cudaErrorInvalidValue);
  }
  for (const auto type : {cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph})
    CHECK(program.call(add, node(graph, {}, type, stranger)) != cudaSuccess);
  const cudaGraphNode_t one = empty_node(program, graph), other = empty_node(program, a_graph(program));
  CHECK(program.call(add, node(graph, {other}, cudaGraphNodeTypeEmpty)) == cudaErrorInvalidValue);
  CHECK(program.call(add, node(graph, {one, one}, cudaGraphNodeTypeEmpty)) == cudaErrorInvalidValue);
  const cudaGraphExec_t work = executable(program, graph);
  CHECK(program.call(ApiFunction::cudaGraphExecNodeSetParams, of(work, other, cudaGraphNodeTypeEmpty)) ==
        cudaErrorInvalidValue);
  CHECK(program.call(ApiFunction::cudaGraphLaunch, of(work, cudaStream_t{})) == cudaSuccess);
}

TEST_CASE("a kind of node that is not known is refused, whatever stands in the message") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  for (int type = cudaGraphNodeTypeHost; type < 40; ++type) {
    const auto kind = static_cast<cudaGraphNodeType>(type);
    const bool known = kind == cudaGraphNodeTypeEmpty || kind == cudaGraphNodeTypeMemAlloc ||
                       kind == cudaGraphNodeTypeMemFree || kind == cudaGraphNodeTypeHost;
    if (known) continue;
    CHECK(program.call(ApiFunction::cudaGraphAddNode,
                       node(graph, {}, kind, reinterpret_cast<const void*>(&close), 1ULL)) != cudaSuccess);
  }
}

TEST_CASE("a function of the host runs in the program, never in the back end") {
  Program program;
  const auto wait = ApiFunction::cudaDeviceSynchronize;
  const auto function = [](void*) { FAIL("it runs in the back end"); };
  const cudaGraph_t graph = a_graph(program);
  REQUIRE(program.call(ApiFunction::cudaGraphAddHostNode,
                       node(graph, {}, cudaGraphNodeTypeHost, static_cast<cudaHostFn_t>(function), 7ULL)) ==
          cudaSuccess);
  const cudaGraphExec_t work = executable(program, graph);
  const auto launch = [&] { return program.call(ApiFunction::cudaGraphLaunch, of(work, cudaStream_t{})); };
  SUBCASE("it is done") {
    program.answers = {ApiFunction::function_done};
    CHECK(launch() == cudaSuccess);
    CHECK(program.call(wait, {}) == cudaSuccess);
    CHECK(program.asked == std::vector<std::uint64_t>{7});
  }
  SUBCASE("it calls the runtime, which no front end sends") {
    program.answers = {ApiFunction::cudaDeviceSynchronize};
    const int launched = launch(), waited = program.call(wait, {});
    CHECK((launched == -1 || waited == -1));
  }
  SUBCASE("an access that is cut off") {
    program.answers = {ApiFunction::host_access};
    const int launched = launch(), waited = program.call(wait, {});
    CHECK((launched == -1 || waited == -1));
  }
}

TEST_CASE("a copy reaches the device's memory and the rows of its message, and nothing else") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  char* const device = memory(program, 64);
  char own[64] = {};
  const auto add = ApiFunction::cudaGraphAddMemcpyNode1D;
  // The back end's memory, as if it were the device's.
  CHECK(program.call(add, copy(graph, own, 64, device, 64, 1, false, false)) == cudaErrorInvalidValue);
  CHECK(program.call(add, copy(graph, device, 64, own, 64, 1, false, false)) == cudaErrorInvalidValue);
  // More than there is.
  CHECK(program.call(add, copy(graph, device, 0, device, kHuge, 3, false, false)) == cudaErrorInvalidValue);
  CHECK(program.call(add, copy(graph, own, 0, device, kMostBytes, 1, true, false)) == cudaErrorInvalidValue);
  MessageWriter few = copy(graph, device, 64, own, 64, 1, false, true);
  CHECK(program.call(add, few.text("few")) == cudaErrorInvalidValue);
  // Beyond the end of the allocation: the launch says so.
  for (const std::uint64_t pitch : {std::uint64_t{64}, std::uint64_t{1} << 40, kHuge}) {
    const cudaGraph_t wild = a_graph(program);
    if (program.call(add, copy(wild, device, pitch, device + 32, 64, 3, false, false)) != cudaSuccess)
      continue;
    CHECK(program.call(ApiFunction::cudaGraphLaunch, of(executable(program, wild), cudaStream_t{})) ==
          cudaErrorInvalidValue);
  }
  CHECK(program.call(ApiFunction::cudaGraphAddMemsetNode,
                     node(graph, {}, cudaGraphNodeTypeMemset, static_cast<void*>(own), std::size_t{64}, 0U,
                          1U, std::size_t{64}, std::size_t{1})) == cudaErrorInvalidValue);
  for (const std::size_t width : {std::size_t{65}, std::size_t{kHuge}, (std::size_t{1} << 62) + 32}) {
    const cudaGraph_t wild = a_graph(program);
    CHECK(program.call(ApiFunction::cudaGraphAddMemsetNode,
                       node(wild, {}, cudaGraphNodeTypeMemset, static_cast<void*>(device), std::size_t{kHuge},
                            0U, 4U, width, std::size_t{2})) == cudaSuccess);
    CHECK(program.call(ApiFunction::cudaGraphLaunch, of(executable(program, wild), cudaStream_t{})) !=
          cudaSuccess);
  }
}

TEST_CASE("rows of the program travel with a launch only as many as the graph has") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  char* const device = memory(program, 64);
  MessageWriter in = copy(graph, device, 64, nullptr, 64, 1, false, true);
  REQUIRE(program.call(ApiFunction::cudaGraphAddMemcpyNode1D, in.text(std::string(64, 'x'))) == cudaSuccess);
  const cudaGraphExec_t work = executable(program, graph);
  MessageWriter short_rows = of(work, cudaStream_t{}), rows = of(work, cudaStream_t{});
  CHECK(program.call(ApiFunction::cudaGraphLaunch, short_rows.text("x")) == cudaErrorInvalidValue);
  CHECK(program.call(ApiFunction::cudaGraphLaunch, rows.text(std::string(64, 'y'))) == cudaSuccess);
  CHECK(program.call(ApiFunction::cudaGraphLaunch, of(work, cudaStream_t{})) == -1);  // no rows at all
}

TEST_CASE("a kernel that nobody registered is none") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  MessageWriter in = node(graph, {}, cudaGraphNodeTypeKernel, reinterpret_cast<const void*>(&program),
                          dim3(1), dim3(1), std::size_t{0});
  CHECK(program.call(ApiFunction::cudaGraphAddKernelNode, in) != cudaSuccess);
  CHECK(program.call(ApiFunction::cudaGraphAddKernelNode, in.text("12345678")) != cudaSuccess);
}

TEST_CASE("edges that make a circle, or lead nowhere, are refused") {
  Program program;
  const cudaGraph_t graph = a_graph(program);
  const cudaGraphNode_t one = empty_node(program, graph), two = empty_node(program, graph, {one});
  const auto edges = [&](const Nodes& from, const Nodes& to) {
    MessageWriter in = of(graph);
    return program.call(ApiFunction::cudaGraphAddDependencies, in.text(bytes_of(from)).text(bytes_of(to)));
  };
  CHECK(edges({one}, {one}) == cudaErrorInvalidValue);
  CHECK(edges({one, two}, {two}) == cudaErrorInvalidValue);
  CHECK(edges({two}, {nullptr}) == cudaErrorInvalidValue);
  CHECK(edges(Nodes(70'000, one), Nodes(70'000, two)) == cudaErrorMemoryAllocation);
  CHECK(edges({two}, {one}) == cudaSuccess);
  CHECK(program.call(ApiFunction::cudaGraphInstantiate, of(graph, 0ULL)) == cudaErrorInvalidValue);
}

TEST_CASE("graphs of graphs and many nodes have an end") {
  Program program;
  const auto add = ApiFunction::cudaGraphAddChildGraphNode;
  cudaGraph_t inner = a_graph(program);
  empty_node(program, inner);
  int depth = 0;
  for (bool room = true; room && depth < 64; ++depth) {
    const cudaGraph_t outer = a_graph(program);
    for (int twice = 0; twice < 2 && room; ++twice)
      room = program.call(add, node(outer, {}, cudaGraphNodeTypeGraph, inner)) == cudaSuccess;
    inner = outer;
  }
  CHECK(depth < 16);
  CHECK(program.call(ApiFunction::cudaGraphLaunch, of(executable(program, inner), cudaStream_t{})) ==
        cudaSuccess);
  int nodes = 0;
  while (nodes < 10'000 && program.call(ApiFunction::cudaGraphAddEmptyNode,
                                        node(inner, {}, cudaGraphNodeTypeEmpty)) == cudaSuccess)
    ++nodes;
  CHECK(nodes < 5'000);
}

TEST_CASE("a message about a node that is cut off ends the connection") {
  const std::string whole = [] {
    Program program;
    char* const device = memory(program, 64);
    return copy(a_graph(program), device, 64, device, 32, 1, false, false).bytes();
  }();
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    Program program;
    MessageWriter part;
    part.append(whole.data(), size);
    CHECK(program.call(ApiFunction::cudaGraphAddMemcpyNode1D, part) != cudaSuccess);
  }
}
