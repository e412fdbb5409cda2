#include "cudart/work/order_check.hpp"

#include <unistd.h>

#include <utility>

#include "cudart/memory/host_access.hpp"
#include "cudart/runtime/runtime.hpp"
#include "cudart/work/graph_listing.hpp"
#include "cudart/work/known_accesses.hpp"
#include "order/finding.hpp"
#include "symbols/host_call_site.hpp"
#include "symbols/host_symbols.hpp"

namespace warpgrade::cudart {
namespace {

using emulator::StreamOperation;

emulator::StreamId id_of(const Runtime& runtime, const Stream& stream) {
  if (&stream == &runtime.handles.legacy) return {stream.id, emulator::StreamKind::legacy};
  const bool blocking = (stream.flags & cudaStreamNonBlocking) == 0;
  return {stream.id, blocking ? emulator::StreamKind::blocking : emulator::StreamKind::non_blocking};
}

// Each thread submits the work of its own default stream. A process that makes the calls of another one
// submits the work of all its threads.
bool runs_in_main_thread() { return emulator::calls_are_remote() || gettid() == getpid(); }

std::string words_of(const Runtime& runtime, const Stream& stream) {
  if (&stream == &runtime.handles.legacy) return "the default stream";
  if (runtime.handles.is_own(stream)) {
    if (runs_in_main_thread()) return "the main thread's default stream";
    return "thread " + std::to_string(Handles::kPerThreadId - stream.id + 1) + "'s default stream";
  }
  const std::string number = "stream " + std::to_string(stream.id);
  return (stream.flags & cudaStreamNonBlocking) != 0 ? "non-blocking " + number : number;
}

// Whether the program calls a function that can create non-blocking streams.
bool may_make_non_blocking() {
  static const bool found = emulator::imports("/proc/self/exe", "cudaStreamCreateWithFlags") ||
                            emulator::imports("/proc/self/exe", "cudaStreamCreateWithPriority");
  return found;
}

// Whether there are two streams that do not wait for each other, or may be before this work is done: the
// program may create another stream, or, with per-thread default streams, start another thread.
bool may_be_unordered(Runtime& runtime) {
  return PerThreadDefault::was_used() || runtime.handles.own_made > 0 || runtime.handles.streams_made > 0 ||
         may_make_non_blocking();
}

Operation make(emulator::OrderedPlace place) {
  auto made = std::make_shared<StreamOperation>();
  made->timeline = place.timeline;
  made->tick = place.tick;
  made->before = std::move(place.before);
  return made;
}

emulator::StreamClock after(const StreamOperation& operation) {
  emulator::StreamClock out = operation.before;
  out.learn(operation.timeline, operation.tick);
  return out;
}

}  // namespace

void OrderCheck::watch(const Runtime& runtime, bool streams) {
  if (!runtime.config.check_order) return;
  if (streams)
    recording_ = emulator::Recording::all;
  else if (recording_ == emulator::Recording::none && runtime.memory.shares_with_host())
    recording_ = emulator::Recording::shared_with_host;
}

// A kernel that may begin before the previous one has ended depends only on what that one depends on.
emulator::OrderedPlace OrderCheck::place_of(emulator::StreamId stream, const Work& work) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  const std::optional<LastKernel> last = std::exchange(last_kernel_, std::nullopt);
  const bool early = kernel != nullptr && kernel->may_begin_early && last && last->stream == stream.number;
  emulator::OrderedPlace place;
  if (early) {
    emulator::StreamClock before = last->before;
    before.join(order_.host());
    place = order_.add(order_.new_timeline(), before);
    order_.wait(stream, place.after());
  } else {
    place = order_.add(stream);
  }
  if (kernel != nullptr) last_kernel_ = LastKernel{stream.number, place.before};
  return place;
}

Operation OrderCheck::submitted(Runtime& runtime, const Stream& stream, const Work& work) {
  report_changes(runtime);
  const emulator::StreamId id = id_of(runtime, stream);
  // For a program in another process, uses of what copies and kernels wrote are recorded, too.
  if (recording_ != emulator::Recording::all)
    watch(runtime, may_be_unordered(runtime) || emulator::calls_are_remote());
  if (const auto* wait = std::get_if<WaitWork>(&work)) order_.wait(id, wait->event->order);
  Operation made = make(place_of(id, work));
  if (const auto* record = std::get_if<RecordWork>(&work)) record->event->order = after(*made);
  // Work that waits may meet another stream when it runs.
  if (watches() || (runtime.config.check_order && runtime.config.work_order != WorkOrder::prompt)) {
    fill_in(runtime, work, *made);
    made->stream = words_of(runtime, stream);
    made->call = emulator::current_call();
  }
  if (runtime.config.work_order == WorkOrder::prompt) keep_last(id, work, *made);
  return made;
}

// Does not format the kernel's description, which would take longer than a small launch.
void OrderCheck::keep_last(emulator::StreamId stream, const Work& work, const StreamOperation& operation) {
  LastWork last{operation.timeline, operation.tick, {}, {}, operation.call};
  if (const auto* kernel = std::get_if<KernelWork>(&work))
    last.kernel = kernel->function->name;
  else
    last.words = describe(work);
  if (last.kernel.empty() && last.words.empty()) return;
  if (last.call == nullptr && emulator::is_announced()) last.call = emulator::current_call();
  last_work_[stream.number] = std::move(last);
}

std::vector<OrderCheck::LastWork> OrderCheck::unwaited() const {
  std::vector<LastWork> out;
  for (const auto& [stream, last] : last_work_)
    if (!order_.is_over(last.timeline, last.tick)) out.push_back(last);
  return out;
}

void OrderCheck::allocated(Runtime& runtime, const Stream& stream, const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  unfinished_.forget({begin, begin + bytes});
  if (bytes == 0) return;
  AllocateWork work;
  work.parameters.dptr = const_cast<void*>(pointer);
  const Operation made = submitted(runtime, stream, work);
  made->name = "cudaMallocAsync";
  ran(runtime, made);
}

void OrderCheck::released(Runtime& runtime, const Stream& stream, const void* pointer) {
  const Operation made = submitted(runtime, stream, FreeWork{const_cast<void*>(pointer)});
  made->name = "cudaFreeAsync";
  ran(runtime, made);
}

void OrderCheck::released_at_once(Runtime& runtime, const void* pointer) {
  if (!watches()) return;
  const Operation made = make(order_.add(order_.new_timeline(), order_.host()));
  fill_in(runtime, FreeWork{const_cast<void*>(pointer)}, *made);
  made->name = "cudaFree";
  made->call = emulator::current_call();
  for (const emulator::StreamConflict& each : unfinished_.add(made)) report(runtime, each);
}

void OrderCheck::ran(Runtime& runtime, const Operation& operation) {
  operation->expected = {};
  for (const emulator::HostAccess& each : std::exchange(operation->early, {}))
    report_early(runtime, *operation, each);
  unguarded_.written(operation->touched);
  if (!watches() || order_.is_over(operation->timeline, operation->tick)) return;
  for (const emulator::StreamConflict& each : unfinished_.add(operation)) report(runtime, each);
  guard_.add(operation->touched, runtime.memory);
  unguarded_.add(operation, runtime.memory);
}

// Reports what the host has written since the program's last call, on pages that could not be closed.
void OrderCheck::report_changes(Runtime& runtime) {
  unguarded_.compare([&](const Operation& operation, std::uint64_t address) {
    report_early(runtime, *operation, {address, 1, true, emulator::current_call(), {}, true});
  });
}

void OrderCheck::close_pages() {
  if (running_ == 0 && !guard_.empty() && !emulator::calls_are_remote() && watches_host_accesses())
    guard_.close();
}

void OrderCheck::waits(const Runtime& runtime, const Operation& operation) {
  if (!watches() || (operation->touched.empty() && operation->expected.empty())) return;
  waiting_.push_back(operation);
  unguarded_.add(operation, runtime.memory);
  guard_.add(operation->touched, runtime.memory);
  guard_.add(operation->expected, runtime.memory);
  close_pages();
}

void OrderCheck::begins(Runtime& runtime, const Operation& operation) {
  report_changes(runtime);
  unguarded_.forget([&](const Operation& each) { return each == operation; });
  std::erase(waiting_, operation);
}

static thread_local Operation running_function;

void OrderCheck::begin_function(const Operation& operation) {
  running_function = operation;
  end_run();
}

bool OrderCheck::in_function() { return running_function != nullptr; }

void OrderCheck::end_function() {
  running_function = nullptr;
  unguarded_.take_again();
  begin_run();
}

bool OrderCheck::host_accessed(Runtime& runtime, emulator::HostAccess access) {
  if (!guard_.release(access.address, access.bytes)) return false;
  access.function = running_function;
  const emulator::AddressRange bytes{access.address, access.address + access.bytes};
  for (const auto& each : unfinished_.items()) {
    if (order_.is_over(each->timeline, each->tick)) continue;
    if (access.function != nullptr && access.function->is_after(*each)) continue;
    if (report_early(runtime, *each, access)) return true;
    // The host reads a flag that a kernel sets.
    if (!access.write && each->touched.written_strongly.overlap(bytes))
      return read_flag(runtime, *each), true;
  }
  for (const Operation& each : waiting_) {
    const bool writes = each->expected.written.overlap(bytes).has_value();
    if (writes || (access.write && each->expected.read.overlap(bytes))) each->early.push_back(access);
    report_early(runtime, *each, access);
  }
  return true;
}

// The host reads a flag that the kernel sets. Without a fence before it, the flag orders nothing that the
// kernel has written.
void OrderCheck::read_flag(Runtime& runtime, const StreamOperation& kernel) {
  if (kernel.fences_for_host) return host_waits(runtime, kernel);
  std::erase_if(last_work_, [&](const auto& each) {
    return each.second.timeline == kernel.timeline && each.second.tick == kernel.tick;
  });
}

bool OrderCheck::report_early(Runtime& runtime, const StreamOperation& operation,
                              const emulator::HostAccess& access) {
  const auto finding = emulator::early_access(operation, access, runtime.memory);
  if (finding && reported_.emplace(finding->kind, operation.call, access.call).second)
    runtime.reporter.found(*finding, {});
  return finding.has_value();
}

void OrderCheck::report(Runtime& runtime, const emulator::StreamConflict& conflict) {
  const emulator::Finding finding = emulator::finding_of(conflict, runtime.memory);
  if (reported_.emplace(finding.kind, conflict.first->call, conflict.second->call).second)
    runtime.reporter.found(finding, {});
}

// Gives each node of a launch its place in the order.
class OrderCheck::GraphLaunch {
 public:
  GraphLaunch(OrderCheck& check, Runtime& runtime, const Stream& stream, GraphExec& exec)
      : check_(check), runtime_(runtime), exec_(exec), words_("a graph in " + words_of(runtime, stream)) {}

  // Returns the clock after all nodes. `entry`: the clock before each node.
  emulator::StreamClock walk(const emulator::StreamClock& entry) {
    std::vector<Ran> done;
    emulator::StreamClock all = entry;
    for (const ListedNode& each : listed(exec_)) {
      Ran here{entry, kNone};
      for (const std::size_t before : each.before) here.after.join(done[before].after);
      if (each.node != nullptr) {
        here.timeline = timeline_for(each, done);
        here.after = add(*each.node, here.timeline, std::move(here.after));
      }
      all.join(here.after);
      done.push_back(std::move(here));
    }
    return all;
  }

  std::vector<LaunchedNode> nodes;

 private:
  static constexpr emulator::Timeline kNone = ~emulator::Timeline{0};
  // The most timelines of a graph; further nodes count as ordered, or the clocks would grow too long.
  static constexpr std::size_t kMostTimelines = 256;
  struct Ran {
    emulator::StreamClock after;
    emulator::Timeline timeline = kNone;  // none: a node that did not run, or that another node continues
  };

  // Continues the chain of a node that it depends on, else begins one.
  emulator::Timeline timeline_for(const ListedNode& node, std::vector<Ran>& done) {
    for (const std::size_t each : node.before)
      if (done[each].timeline != kNone) return std::exchange(done[each].timeline, kNone);
    if (used_ == kMostTimelines) return exec_.timelines[0];
    if (used_ == exec_.timelines.size()) exec_.timelines.push_back(check_.order_.new_timeline());
    return exec_.timelines[used_++];
  }

  emulator::StreamClock add(const Node& node, emulator::Timeline timeline, emulator::StreamClock before) {
    if (const auto* wait = std::get_if<WaitWork>(&node.work)) before.join(wait->event->order);
    Operation made = make(check_.order_.add(timeline, before));
    emulator::StreamClock known = after(*made);
    if (const auto* record = std::get_if<RecordWork>(&node.work)) record->event->order = known;
    if (check_.watches()) {
      fill_in(runtime_, node.work, *made);
      made->stream = words_;
      made->call = node.call;
      made->graph = check_.graph_launches_;
    }
    nodes.push_back({&node.work, std::move(made)});
    return known;
  }

  OrderCheck& check_;
  Runtime& runtime_;
  GraphExec& exec_;
  std::string words_;
  std::size_t used_ = 0;  // of the graph's timelines
};

std::vector<OrderCheck::LaunchedNode> OrderCheck::launched(Runtime& runtime, const Stream& stream,
                                                           GraphExec& exec) {
  report_changes(runtime);
  const emulator::StreamId id = id_of(runtime, stream);
  watch(runtime, true);
  last_kernel_.reset();
  ++graph_launches_;
  emulator::StreamClock entry = order_.mark(id);
  entry.join(exec.last_launch);
  GraphLaunch launch(*this, runtime, stream, exec);
  exec.last_launch = launch.walk(entry);
  order_.wait(id, exec.last_launch);
  if (!launch.nodes.empty() && runtime.config.work_order == WorkOrder::prompt)
    keep_last(id, *launch.nodes.back().work, *launch.nodes.back().operation);
  return std::move(launch.nodes);
}

emulator::StreamClock OrderCheck::completed(const Runtime& runtime, const Stream& stream) {
  return order_.completed(id_of(runtime, stream));
}

void OrderCheck::host_waits(Runtime& runtime, const emulator::StreamClock& for_that) {
  report_changes(runtime);
  order_.host_waits(for_that);
  remove_known(runtime);
}

void OrderCheck::host_waits(Runtime& runtime, const StreamOperation& operation) {
  host_waits(runtime, after(operation));
}

void OrderCheck::host_waits(Runtime& runtime, const Stream& stream) {
  host_waits(runtime, completed(runtime, stream));
}

void OrderCheck::host_waits_for_all(Runtime& runtime) {
  report_changes(runtime);
  order_.host_waits_for_all();
  last_work_.clear();
  remove_known(runtime);
}

// Work that has not run yet may be unordered with operations that are over.
void OrderCheck::remove_known(const Runtime& runtime) {
  if (runtime.pending.empty()) unfinished_.remove_known(order_.host());
  unguarded_.forget([&](const Operation& each) { return order_.is_over(each->timeline, each->tick); });
  if (guard_.empty()) return;
  guard_.clear();
  for (const auto& each : unfinished_.items())
    if (!order_.is_over(each->timeline, each->tick)) guard_.add(each->touched, runtime.memory);
  for (const Operation& each : waiting_) {
    guard_.add(each->touched, runtime.memory);
    guard_.add(each->expected, runtime.memory);
  }
  close_pages();
}

void OrderCheck::destroyed(const Runtime& runtime, const Stream& stream) {
  order_.destroy(id_of(runtime, stream));
}

void OrderCheck::destroyed(const GraphExec& exec) {
  for (const emulator::Timeline each : exec.timelines) order_.give_back(each);
}

void OrderCheck::reset() {
  last_kernel_.reset();
  guard_.clear();
  unguarded_.clear();
  order_.clear();
  unfinished_.clear();
  waiting_.clear();
  last_work_.clear();
}

}  // namespace warpgrade::cudart
