// The order between streams, graphs and the host, as the program's calls establish it; conflicts are
// reported.
//
// The order is kept for every program. What operations access is only recorded where two of them may be
// unordered: once there is a second stream or a graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cudart/memory/page_guard.hpp"
#include "cudart/memory/unguarded_bytes.hpp"
#include "cudart/work/commands.hpp"
#include "machine/finding.hpp"
#include "order/conflict.hpp"
#include "order/operation.hpp"
#include "order/stream_order.hpp"

namespace warpgrade::cudart {

struct GraphExec;

class OrderCheck {
 public:
  // The work as the stream's next operation, in the order of the calls. A record marks its event; a wait
  // makes the stream wait.
  Operation submitted(Runtime& runtime, const Stream& stream, const Work& work);
  // The same for memory that is allocated or freed in stream order.
  void allocated(Runtime& runtime, const Stream& stream, const void* pointer, std::size_t bytes);
  void released(Runtime& runtime, const Stream& stream, const void* pointer);
  // The memory of cudaMallocAsync is freed by cudaFree, which then does not wait.
  void released_at_once(Runtime& runtime, const void* pointer);
  // Work waits for its turn, or begins. Until it has run, the memory shared with the host that it may access
  // is closed.
  void waits(const Runtime& runtime, const Operation& operation);
  void begins(Runtime& runtime, const Operation& operation);
  // An operation has run: reports its conflicts.
  void ran(Runtime& runtime, const Operation& operation);
  // Which of a kernel's accesses must be recorded.
  emulator::Recording recording() const { return recording_; }

  // Work begins or ends that accesses memory of the host.
  void begin_run() { ++running_, guard_.open(); }
  void end_run() { --running_, close_pages(); }
  // A host function of a stream begins or ends in this thread: what it accesses is compared.
  void begin_function(const Operation& operation);
  static bool in_function();
  void end_function();
  // Reports the host's access to a page that is closed, or was until now, if it comes too early; if a kernel
  // that has not run may access the page, reports after that kernel. False if the fault has another cause.
  bool host_accessed(Runtime& runtime, emulator::HostAccess access);
  const PageGuard& guard() const { return guard_; }
  void open_all() { guard_.clear(), unguarded_.clear(); }  // in a forked child

  // One launch of a graph: the nodes that run, with their operations, in the order in which they may run.
  // Nodes are ordered by edges only; the launch is after its stream's work and after the graph's launch
  // before.
  struct LaunchedNode {
    const Work* work;
    Operation operation;
  };
  std::vector<LaunchedNode> launched(Runtime& runtime, const Stream& stream, GraphExec& exec);
  void destroyed(const GraphExec& exec);

  // See StreamOrder::completed.
  emulator::StreamClock completed(const Runtime& runtime, const Stream& stream);

  bool host_knows(const emulator::StreamClock& clock) const { return order_.host().knows(clock); }
  void host_waits(Runtime& runtime, const emulator::StreamClock& for_that);
  void host_waits(Runtime& runtime, const emulator::StreamOperation& for_that);
  void host_waits(Runtime& runtime, const Stream& stream);
  void host_waits_for_all(Runtime& runtime);
  void destroyed(const Runtime& runtime, const Stream& stream);
  void reset();

  // The last work of each stream that the host has not waited for, although it was done when it was
  // submitted.
  struct LastWork {
    emulator::Timeline timeline = 0;
    std::uint64_t tick = 0;
    std::string kernel;  // its name; empty: other work
    std::string words;   // description of other work
    const void* call = nullptr;
  };
  std::vector<LastWork> unwaited() const;

 private:
  class GraphLaunch;
  void report(Runtime& runtime, const emulator::StreamConflict& conflict);
  bool report_early(Runtime& runtime, const emulator::StreamOperation& operation,
                    const emulator::HostAccess& access);

  emulator::OrderedPlace place_of(emulator::StreamId stream, const Work& work);
  bool watches() const { return recording_ != emulator::Recording::none; }
  void watch(const Runtime& runtime, bool streams);
  void keep_last(emulator::StreamId stream, const Work& work, const emulator::StreamOperation& operation);
  void remove_known(const Runtime& runtime);
  void close_pages();
  void read_flag(Runtime& runtime, const emulator::StreamOperation& kernel);
  void report_changes(Runtime& runtime);

  emulator::Recording recording_ = emulator::Recording::none;
  PageGuard guard_;
  UnguardedBytes unguarded_;
  std::vector<Operation> waiting_;  // work that has not run, if it may access memory that the host shares
  int running_ = 0;  // a host function runs without the lock: another thread may run work at the same time
  std::uint64_t graph_launches_ = 0;
  // The last operation of all, if it was a kernel: its stream's number, and what happens before it.
  struct LastKernel {
    std::uint64_t stream;
    emulator::StreamClock before;
  };
  std::optional<LastKernel> last_kernel_;
  std::map<std::uint64_t, LastWork> last_work_;  // by the stream's number
  emulator::StreamOrder order_;
  emulator::UnfinishedOperations unfinished_;
  std::set<std::tuple<emulator::FindingKind, const void*, const void*>> reported_;
};

}  // namespace warpgrade::cudart
