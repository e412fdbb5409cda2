// One run of a program: serves its calls on the emulator and records each.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remoting/backend/data_flow/output_origin.hpp"
#include "remoting/backend/twin.hpp"
#include "remoting/message.hpp"

namespace warpgrade::remoting {

// A node that a launch of a graph runs.
struct NodeRecord {
  std::int64_t call = -1;             // the number of the call that says what it does, -1: none
  const char* does = "";              // the function that does the same in a stream, "": no work
  std::uint64_t event = 0;            // that it records or waits for
  std::vector<std::uint64_t> before;  // places in the launch's list
  bool operator==(const NodeRecord&) const = default;
};

// A call of the runtime by the program. Members that a function does not use are 0.
struct CallRecord {
  ApiFunction function{};
  std::string absent;        // the name of a function that programs of labs cannot call
  std::uint64_t caller = 0;  // return address in the program
  std::int32_t thread = 0;   // of the program
  cudaError_t code = cudaSuccess;
  std::string why;                     // why it failed, in words; empty if something else reports it
  std::uint64_t stream = 0;            // handle, 0: the legacy default stream
  bool non_blocking = false;           // the stream that was made: it and the default stream do not wait
  std::uint64_t event = 0, other = 0;  // handles of events
  std::uint64_t bytes = 0;
  const char* direction = "";  // copy: "to device", "to host" or ""
  bool pinned = false;         // the host's side of a copy is pinned memory
  std::uint64_t copy = 0;      // its number in the runtime
  double milliseconds = 0;     // result of cudaEventElapsedTime
  std::uint64_t memory = 0;    // device memory that was allocated or freed
  std::string kernel;          // launch: the kernel's symbol
  std::uint64_t launch = 0;    // its number in the runtime
  dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::uint64_t executable = 0;   // handle of a graph that is launched
  std::vector<NodeRecord> nodes;  // of that graph, where they have changed since its last launch
  bool captured = false;          // put into a graph, not into a stream
};

inline std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
// Whether the pointer is a device address. The emulator checks these; other pointers would be addresses of
// this process.
bool is_device_address(const void* pointer);
const char* name_of(ApiFunction function);  // "cudaMalloc"
// Whether a program must check the error that this function returns.
bool can_fail(ApiFunction function);

// A place in the program that calls the runtime: the function, and the return address.
using CallPlace = std::pair<std::string, std::uint64_t>;
CallPlace call_place(const CallRecord& call);

// The call that is made to fail: number `turn` of the program's calls at this place, counted from 0. `works`:
// it is made, and only says that it has failed, as a call does that reports an error of earlier work. A
// program that looks at what came of a call, and not at what the call returned, then sees nothing.
struct PlannedFailure {
  CallPlace place;
  std::size_t turn = 0;
  bool works = false;
};

class ProgramSession {
 public:
  // `fail`: the call that fails. `tracks`: whether origin() will be asked. `twin`: what
  // gets all calls, too.
  ProgramSession(int socket, std::optional<PlannedFailure> fail, bool tracks, Twin* twin = nullptr)
      : socket_(socket), fail_(std::move(fail)), tracks_(tracks), twin_(twin) {}
  // A twin's own: `exchange` changes what the program sends.
  ProgramSession(int socket, InputExchange& exchange)
      : socket_(socket), tracks_(false), exchange_(&exchange) {}
  void serve();  // serves calls until the program closes its end

  const std::vector<CallRecord>& calls() const { return calls_; }
  const CallRecord* failed() const { return has_failed_ ? &calls_[failed_] : nullptr; }
  // Whether the program had executed the failed call's place before, as a loop does.
  bool failed_again() const { return has_failed_ && fail_->turn > 0; }
  bool failed_in_words() const { return has_failed_ && fail_->works; }
  OutputOrigin& origin() { return origin_; }
  // How much of the inputs the twin has found in what the program sent.
  FollowedInputs followed();

 private:
  struct SharedMemory {
    std::uint64_t extent = 0;
    std::uint64_t bytes = 0;
    bool pinned = false;
    std::string seen;  // contents at the last look
  };
  // A copy of rows as the back end makes it. The program's own memory is replaced by packed rows here.
  struct RowsCopy {
    void read(MessageReader& in);  // all but the rows

    void* to = nullptr;
    const void* from = nullptr;
    std::uint64_t to_pitch = 0, from_pitch = 0, width = 0, height = 0, all = 0;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    cudaStream_t stream = nullptr;
    bool to_program = false, from_program = false;  // the program's own memory
    std::uint64_t program_to = 0, program_from = 0;
    std::uint64_t program_to_pitch = 0, program_from_pitch = 0;
    std::string source, target;
    bool has_own_rows() const { return (to_program || from_program) && all != 0; }
  };
  struct KernelArguments {
    std::vector<std::string> values;
    std::vector<void*> pointers;
    // The rest of the message. False where these are not the arguments that the kernel takes.
    bool read(const void* kernel, MessageReader& in, InputExchange* exchange);
  };
  // What a node of a graph is to do.
  struct NodeWork {
    cudaGraphNodeParams parameters{};
    KernelArguments arguments;
    RowsCopy copy;
  };
  // A copy from or to the program's own memory that a graph does: each launch carries its rows, packed.
  struct CapturedCopy {
    std::uint64_t memory = 0, pitch = 0, width = 0, height = 0;  // in the program
    bool to_program = false;
    std::string rows;
    const void* from = nullptr;  // of a copy to the program: rows of the device's memory
    std::uint64_t from_pitch = 0;
  };
  // A copy that graphs do.
  struct GraphCopy {
    std::vector<CapturedCopy*> own;
    std::string_view pinned;  // its source, if that is pinned memory
  };
  // A function of the program that a graph calls.
  struct ProgramFunction {
    ProgramSession* session;
    cudaHostFn_t function;
    void* data;
  };
  struct Answer {
    MessageWriter out;
    int memory = -1;  // travels with the answer
  };
  bool receive(MessageHeader& header, std::string& bytes);
  bool serve_twin(const MessageHeader& header, const std::string& bytes);
  cudaError_t api_call(const MessageHeader& header, MessageReader& in, Answer& out);
  bool is_to_fail(const CallRecord& call);
  cudaError_t answer(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t allocate(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t release(ApiFunction function, MessageReader& in, CallRecord& record);
  cudaError_t copy(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t launch(ApiFunction function, MessageReader& in, CallRecord& record);
  cudaError_t call_memory(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_pools(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t fill(ApiFunction function, void* pointer, MessageReader& in, CallRecord& record);
  cudaError_t call_streams(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_graphs(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t capture(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_nodes(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t add_node(MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t change_node(ApiFunction function, MessageReader& in, CallRecord& record);
  cudaError_t change_edges(ApiFunction function, MessageReader& in, CallRecord& record);
  cudaError_t clone_graph(MessageReader& in, Answer& out, CallRecord& record);
  bool have_room(std::size_t nodes, std::size_t edges, CallRecord& record) const;
  std::size_t size_of(cudaGraph_t graph) const;
  cudaError_t call_events(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_kernels(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_device(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record);
  cudaError_t call_absent(MessageReader& in, CallRecord& record);
  cudaError_t internal(ApiFunction function, MessageReader& in, Answer& out);
  cudaError_t register_code(MessageReader& in, Answer& out);
  cudaError_t register_name(ApiFunction function, MessageReader& in);
  cudaError_t share_managed(MessageReader& in, Answer& out);
  cudaError_t share(void* made, std::uint64_t bytes, bool pinned, const std::string& content, Answer& out);
  void list_memory(cudaGraphExec_t executable, MessageWriter& answer);
  cudaError_t read(MessageReader& in, RowsCopy& copy, CallRecord& record);
  cudaError_t read(MessageReader& in, NodeWork& node, CallRecord& record);
  cudaError_t read_kernel(MessageReader& in, NodeWork& node, CallRecord& record) const;
  ProgramFunction& function_in(MessageReader& in);
  static void run_in_program(void* function);  // the host function of graphs in the emulator
  void run(const ProgramFunction& function);
  bool answer_access(MessageHeader header, const std::string& bytes);
  // `make` adds the copy to a graph as a node, or changes a node to it.
  cudaError_t put_into_graph(RowsCopy& copy, CallRecord& record, const std::function<cudaError_t()>& make);
  cudaError_t make_node(NodeWork& node, CallRecord& record, const std::function<cudaError_t()>& make);
  void note_sent(const NodeWork& node);
  std::vector<NodeRecord> nodes_of(cudaGraphExec_t executable) const;
  std::vector<GraphCopy*> copies_of(cudaGraphExec_t executable);
  void list_nodes(cudaGraphExec_t executable, CallRecord& record);
  cudaError_t launch_graph(MessageReader& in, Answer& out, CallRecord& record);
  bool is_pinned(const void* pointer, std::uint64_t bytes = 1) const;
  bool is_captured(std::uint64_t stream) const;
  std::int64_t put_closed_pages(std::string& answer);  // returns MessageHeader::closed
  void look_before();
  void look_after();
  std::string_view of_twin(std::size_t at, std::size_t size) const;  // in its answer

  int socket_;
  std::uint64_t caller_ = 0;  // of the program's call that is being served
  std::optional<PlannedFailure> fail_;
  std::size_t turns_ = 0, failed_ = 0;  // executions of the place that is to fail; number of the failed call
  bool has_failed_ = false;
  bool tracks_;
  Twin* twin_ = nullptr;
  bool has_threads_ = false;  // the program has made some
  InputExchange* exchange_ = nullptr;
  std::vector<CallRecord> calls_;
  std::map<std::uint64_t, SharedMemory> shared_;  // managed and pinned memory, by address
  std::vector<ClosedPages> closed_;               // as the program knows them
  std::set<void**> codes_;
  std::map<const void*, void*> managed_;  // addresses of managed variables, by where the program reads them
  std::map<const void*, std::string> kernels_;       // symbols, by what the program's host code calls them
  int captures_ = 0;                                 // that have begun and not ended
  std::deque<CapturedCopy> captured_copies_;         // graphs keep their addresses
  std::map<std::uint64_t, GraphCopy> graph_copies_;  // by the copy's number
  std::map<std::uint64_t, std::int64_t> launch_calls_, copy_calls_;  // numbers of the calls that made them
  std::map<std::uint64_t, std::vector<NodeRecord>> known_nodes_;  // by executable graph: at its last launch
  std::map<std::uint64_t, std::size_t> nodes_inside_;             // by graph: with those of child graphs
  std::size_t listed_nodes_ = 0, made_nodes_ = 0, made_edges_ = 0;
  std::uint64_t captured_bytes_ = 0;
  std::deque<ProgramFunction> functions_;
  std::vector<GraphCopy*> launched_copies_;  // of the graph whose launch the program waits for
  bool is_broken_ = false;                   // the program has sent a message that our front end never sends
  std::deque<std::string> images_, names_;   // images and names that the emulator keeps pointers to
  OutputOrigin origin_;
};

}  // namespace warpgrade::remoting
