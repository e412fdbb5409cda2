#include "machine/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "checks/global_race/ordered_check.hpp"
#include "definedness/shadow_interpreter.hpp"
#include "launch/block_sampling.hpp"
#include "launch/finding_origins.hpp"
#include "launch/kept_state.hpp"
#include "launch/livelock_report.hpp"
#include "launch/parameter_buffer.hpp"
#include "launch/reachable_memory.hpp"
#include "launch/start_order.hpp"
#include "launch/validate.hpp"
#include "launch/worker_pool.hpp"
#include "machine/lock_holders.hpp"
#include "machine/observers.hpp"
#include "machine/program_impl.hpp"
#include "ops/memory/pending_copies.hpp"
#include "ops/system_calls.hpp"
#include "order/touched_bytes.hpp"
#include "profile/footprint.hpp"
#include "recording/recorder.hpp"
#include "sched/block_context.hpp"
#include "sched/instruction_counts.hpp"
#include "sched/livelock.hpp"
#include "sched/unset_registers.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::uint64_t kNone = ~0ull;
struct Outcome {
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> lowest_failed{kNone};
  std::atomic<bool> needs_company{false};  // all running blocks of a worker waited for blocks not begun
  std::mutex mutex;
  LaunchStatus status = LaunchStatus::success;                // status of the lowest block that failed
  std::vector<std::pair<std::uint64_t, std::string>> output;  // output of the blocks that printed
  std::uint64_t most_executed = 0;                            // warp instructions of a block
  std::uint64_t its_atomics = 0;                              // of warps on global memory, of that block

  void fail(std::uint64_t block, LaunchStatus why) {
    const std::lock_guard lock(mutex);
    if (block >= lowest_failed.load()) return;
    lowest_failed.store(block);
    status = why;
  }

  void count(std::uint64_t executed, std::uint64_t atomics) {
    const std::lock_guard lock(mutex);
    // Of blocks that executed the same number, the one with most atomics: whichever worker comes first.
    std::tie(most_executed, its_atomics) =
        std::max(std::pair{most_executed, its_atomics}, std::pair{executed, atomics});
  }

  void print(std::uint64_t block, std::string& text) {
    if (text.empty()) return;
    const std::lock_guard lock(mutex);
    output.emplace_back(block, std::move(text));
    text.clear();
  }
};

class Worker {
 public:
  Worker(const LaunchSetting& setting, Observers& observers, InstructionCounts* counts, Outcome& outcome,
         const SampledBlocks& sample, const StartOrder& order, bool alone, BlockRecorder* recorder)
      : setting_(setting),
        observers_(observers),
        counts_(counts),
        outcome_(outcome),
        sample_(sample),
        order_(order),
        alone_(alone),
        recorder_(recorder),
        all_(setting.request->grid.count()),
        blocks_(sample.blocks.empty() ? all_ : sample.blocks.size()) {}

  // Runs block after block, or as many as fit in turns. If all resident blocks wait for others, starts as
  // many again: adding one at a time would make a barrier of the whole grid quadratic in its blocks.
  void run() {
    bool stuck = false;
    for (;;) {
      const std::size_t wanted = stuck ? std::min(2 * resident_.size(), order_.most) : order_.together;
      while (resident_.size() < wanted && start_next()) continue;
      if (resident_.empty()) return;
      if (setting_.in_turns) shuffle_resident();
      const std::size_t before = resident_.size();
      for (std::size_t r = 0; r < resident_.size();) {
        if (advance(*resident_[r]))
          retire(r);
        else
          ++r;
      }
      stuck = resident_.size() == before;
      if (stuck && !setting_.in_turns) outcome_.needs_company = true;
      if (stuck && ++stalls_ % kStallsBeforeProbe == 0) end_where_all_wait();
    }
  }

 private:
  // Not std::shuffle(), whose order differs between standard libraries.
  void shuffle_resident() {
    for (std::size_t r = resident_.size(); r > 1; --r) std::swap(resident_[r - 1], resident_[chance_() % r]);
  }

  // False if no block is left that could start.
  bool start_next() {
    const std::uint64_t turn = outcome_.next.load() < blocks_ ? outcome_.next.fetch_add(1) : blocks_;
    if (turn >= blocks_) return false;
    const std::uint64_t place = order_.last_first ? blocks_ - 1 - turn : turn;
    const std::uint64_t block = sample_.blocks.empty() ? place : sample_.blocks[place];
    if (block > outcome_.lowest_failed.load()) return false;
    if (order_.last_first && outcome_.lowest_failed.load() != kNone) return false;
    if (spare_.empty()) {
      resident_.push_back(std::make_unique<BlockContext>(setting_, observers_, counts_));
    } else {
      resident_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    resident_.back()->start(block);
    if (recorder_ != nullptr) recorder_->start_if_wanted(resident_.back()->run());
    observers_.block_begin(resident_.back()->run());
    follow_unset_registers(resident_.back()->run());
    return true;
  }

  // True if the block has finished or failed.
  bool advance(BlockContext& context) {
    BlockRun& run = context.run();
    try {
      const Progress progress = run_block(run);
      if (progress == Progress::yielded) return false;
      if (progress == Progress::livelocked) report_livelock(run, {});
      finish_bulk_copies(run);
    } catch (const Trap& trap) {
      if (run.recorder != nullptr) recorder_->finish(true);
      outcome_.fail(run.linear, trap.status);
    } catch (const Abandoned&) {
    }
    return true;
  }

  // Ends the launch if every block of the grid, or as many of them as the GPU runs at once, waits for another
  // one and none can make progress. Another host thread could still write memory that the host shares; the
  // launching thread cannot, because it waits here.
  void end_where_all_wait() {
    const std::uint64_t started = std::min(outcome_.next.load(), blocks_);
    const bool can_start = started < blocks_ && resident_.size() < order_.most;
    if (!alone_ || can_start || blocks_ != all_) return;
    const bool shared = host_shares_memory();
    if (shared && !nobody_wrote_since_last_round()) return;
    std::size_t r = 0, lowest = 0;
    try {
      for (; r < resident_.size(); ++r) {
        if (find_livelock(resident_[r]->run()) == Livelock::no) return;
        if (resident_[r]->run().linear < resident_[lowest]->run().linear) lowest = r;
      }
      report_livelock(resident_[r = lowest]->run(),
                      {shared, blocks_ - started, resident_.size(), order_.last_first});
    } catch (const Trap& trap) {
      outcome_.fail(resident_[r]->run().linear, trap.status);
    } catch (const Abandoned&) {
    }
    retire(r);
  }

  // A host thread that has ended since the blocks last polled may have written what they wait for.
  bool nobody_wrote_since_last_round() {
    const bool was_alone = std::exchange(host_is_alone_, !other_threads_run());
    return was_alone && host_is_alone_;
  }

  bool host_shares_memory() const {
    const std::vector<const Allocation*> live = setting_.memory->live();
    return std::any_of(live.begin(), live.end(), [](const Allocation* each) {
      return each->kind == Allocation::Kind::managed || each->kind == Allocation::Kind::pinned;
    });
  }

  void retire(std::size_t r) {
    BlockContext& context = *resident_[r];
    if (context.run().recorder != nullptr) recorder_->finish(false);
    observers_.block_end(context.run());
    outcome_.print(context.run().linear, context.output());
    outcome_.count(context.run().executed, context.run().global_atomics);
    spare_.push_back(std::move(resident_[r]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(r));
  }

  const LaunchSetting& setting_;
  Observers& observers_;
  InstructionCounts* counts_;
  Outcome& outcome_;
  const SampledBlocks& sample_;  // empty: all are run
  const StartOrder order_;
  const bool alone_;               // there is no other worker
  BlockRecorder* const recorder_;  // null: nothing is recorded
  const std::uint64_t all_;        // blocks of the grid
  const std::uint64_t blocks_;     // blocks that are run
  std::vector<std::unique_ptr<BlockContext>> resident_, spare_;
  std::uint32_t stalls_ = 0;    // rounds in which all resident blocks waited
  bool host_is_alone_ = false;  // no host thread but the launching one ran when all blocks last waited
  std::minstd_rand chance_;
};

LaunchResult refuse(const Refusal& refusal) {
  LaunchResult result;
  result.status = refusal.status;
  result.findings.push_back(refused_launch(refusal.message));
  return result;
}

// Zeroed device memory in which the blocks of a cooperative grid count their arrivals.
std::uint64_t grid_workspace(Program::Impl& program) {
  constexpr std::size_t kBytes = 4096;
  const std::lock_guard lock(program.mutex);
  if (!program.grid_workspace) {
    program.grid_workspace =
        program.memory->allocate(kBytes, Allocation::Kind::workspace, "cooperative grid's workspace");
  }
  if (!program.grid_workspace) return 0;
  std::memset(program.grid_workspace->data(), 0, kBytes);
  return program.grid_workspace->base;
}

int worker_count(const LaunchRequest& request, const Code& code, const LaunchOptions& options) {
  if (code.depends_on_block_order || request.cooperative || options.record || options.in_turns) return 1;
  // Called once: it takes as long as a small launch.
  static const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int cores = options.threads > 0 ? options.threads : all;
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(cores), request.grid.count()));
}

// Truncates the output after the last line that fits.
void cut_output(std::string& output) {
  if (output.size() <= kPrintBuffer) return;
  const std::size_t end = output.rfind('\n', kPrintBuffer - 1);
  output.resize(end == std::string::npos ? kPrintBuffer : end + 1);
  output += "[printf: the kernel printed more than the buffer of 1 MiB holds; the rest is lost]\n";
}

// Blocks that a launch runs. Blocks of a cooperative launch wait for one another, so all of them run.
SampledBlocks blocks_to_run(const LaunchRequest& request, const LaunchOptions& options) {
  const std::uint64_t all = request.grid.count();
  if (options.sample == 0 || request.cooperative || options.sample >= all) return {};
  return sampled_blocks(options.sample, all, request.grid.x);
}

LaunchResult collect(const Code& code, Outcome& outcome, std::vector<std::unique_ptr<Observers>>& observers,
                     OrderedCheck* global, const std::vector<InstructionCounts>& counts,
                     const LaunchSetting& setting, const SampledBlocks& sample) {
  LaunchResult result;
  result.status = outcome.status;
  const std::uint64_t last = std::min(outcome.lowest_failed.load(), setting.request->grid.count() - 1);
  std::vector<std::vector<Observers::BlockFindings>> found;
  for (auto& one : observers) found.push_back(one->take_findings());
  if (global != nullptr) found.push_back(global->take_findings());
  result.findings = merge(std::move(found), last, *setting.request->kernel->program);
  for (Finding& each : result.findings) add_origins(each, *setting.request, *setting.memory);
  for (auto& one : observers) {
    if (std::vector<TraceEvent> trace = one->take_trace(); !trace.empty()) result.trace = std::move(trace);
  }
  std::sort(outcome.output.begin(), outcome.output.end());
  for (const auto& [block, text] : outcome.output) {
    if (block <= last && result.output.size() <= kPrintBuffer) result.output += text;
  }
  cut_output(result.output);
  // Workers may have run blocks after the failed one: their counts depend on chance and are dropped.
  if (result.status != LaunchStatus::success) return result;
  for (auto& one : observers) result.counters.add(one->take_counters());
  for (const InstructionCounts& one : counts) add_counts(code, one, result.counters);
  if (!sample.blocks.empty())
    extrapolate(result.counters, static_cast<double>(setting.request->grid.count()) /
                                     static_cast<double>(sample.blocks.size()));
  result.counters[Metric::busiest_block_instructions] = outcome.most_executed;
  result.counters[Metric::busiest_block_atomics] = outcome.its_atomics;
  return result;
}

// The allocations that count as written: all, once the kernel has written where its code shows no write.
WritableAllocations writable_allocations(const Code& code, const LaunchRequest& request,
                                         const DeviceMemory& memory) {
  Program::Impl& program = request.kernel->program->impl();
  const std::lock_guard lock(program.mutex);
  if (program.unforeseeable.contains(request.kernel)) return {};
  return {code.written, request, memory};
}

// The check of races in global memory, if it is on. It checks the blocks in order.
std::unique_ptr<OrderedCheck> race_check(const LaunchRequest& request, DeviceMemory& memory, const Code& code,
                                         const LaunchOptions& options, const SampledBlocks& sample,
                                         int workers, Outcome& outcome) {
  if (!options.check_race || !sample.blocks.empty()) return nullptr;
  return std::make_unique<OrderedCheck>(request, memory, code.race_needs.handover, workers,
                                        outcome.lowest_failed, writable_allocations(code, request, memory),
                                        &code.flag_loads);
}

// What all blocks of the launch have in common, except for LaunchSetting::locks.
LaunchSetting setting_of(const LaunchRequest& request, const Code& code, DeviceMemory& memory,
                         const ParameterBuffer& parameters, const DeviceLimits& limits,
                         const LaunchOptions& options, Outcome& outcome) {
  static std::atomic<std::uint64_t> launches{0};
  LaunchSetting setting;
  setting.request = &request;
  setting.code = &code;
  setting.memory = &memory;
  setting.parameters = parameters.data();
  setting.parameters_at = parameters.address();
  setting.facts = {++launches, static_cast<std::uint32_t>(std::max(1, limits.sm_count)),
                   request.cooperative ? grid_workspace(request.kernel->program->impl()) : 0};
  setting.shared_bytes = shared_bytes(request);
  setting.shadow = &shadow_interpreters();
  setting.lowest_failed = &outcome.lowest_failed;
  setting.step_limit = options.step_limit;
  setting.scalar = options.scalar;
  setting.in_turns = options.in_turns;
  setting.check_barrier = options.check_barrier;
  setting.check_init = options.check_init;
  setting.interrupt = options.interrupt;
  return setting;
}

// Tells the program what later launches of the kernel need to know. Returns LaunchResult::kept.
std::vector<std::string> remember(const Code& code, const LaunchRequest& request, const Outcome& outcome,
                                  bool wrote_elsewhere) {
  Program::Impl& program = request.kernel->program->impl();
  program.remember(*request.kernel, wrote_elsewhere, outcome.needs_company);
  return kept_state(code, program, wrote_elsewhere);
}

// Gives each worker's observers what they share, and prepares them for the code.
void prepare_observers(std::vector<std::unique_ptr<Observers>>& observers, const Code& code,
                       const LaunchOptions& options, OrderedCheck* global, Footprints& footprints,
                       TouchedBytes& touched) {
  for (auto& one : observers) {
    one->share(global);
    if (options.count) one->share(&footprints);
    if (options.touched != Recording::none) one->share(touched);
    one->prepare(code);
  }
}

}  // namespace

LaunchResult launch(const LaunchRequest& request, DeviceMemory& memory, const DeviceLimits& limits,
                    const LaunchOptions& options) {
  if (const auto refusal = check_request(request, limits)) return refuse(*refusal);
  Program::Impl& program = request.kernel->program->impl();
  std::vector<std::unique_ptr<Observers>> observers;
  observers.push_back(std::make_unique<Observers>(options, *request.kernel->program));
  const Code& code = program.code(*request.kernel, {observers[0]->wants_accesses(), options.count});
  const ParameterBuffer parameters(program, code, request);
  Outcome outcome;
  LockHolders locks;
  LaunchSetting setting = setting_of(request, code, memory, parameters, limits, options, outcome);
  setting.locks = &locks;
  const int workers = worker_count(request, code, options);
  const SampledBlocks sample = blocks_to_run(request, options);
  const StartOrder order = start_order(request, code, limits, options.in_turns);
  while (static_cast<int>(observers.size()) < workers)
    observers.push_back(std::make_unique<Observers>(options, *request.kernel->program));
  const auto global = race_check(request, memory, code, options, sample, workers, outcome);
  const SampledBlocks seen = footprint_blocks(sample, request.grid.count(), request.grid.x);
  Footprints footprints(seen);
  TouchedBytes touched(options.touched);
  prepare_observers(observers, code, options, global.get(), footprints, touched);
  std::optional<BlockRecorder> recorder;
  if (options.record) recorder.emplace(*options.record, code, *request.kernel->program);
  std::vector<InstructionCounts> counts(options.count ? observers.size() : 0);
  for (InstructionCounts& one : counts) one = make_counts(code);
  run_on_workers(workers, [&](int w) {
    const auto number = static_cast<std::size_t>(w);
    Worker(setting, *observers[number], options.count ? &counts[number] : nullptr, outcome, sample, order,
           workers == 1, recorder ? &*recorder : nullptr)
        .run();
  });
  LaunchResult result = collect(code, outcome, observers, global.get(), counts, setting, sample);
  result.kept = remember(code, request, outcome, global != nullptr && global->wrote_elsewhere());
  if (recorder && recorder->started()) result.recording = recorder->take();
  if (options.touched != Recording::none) result.touched = touched.take();
  if (options.count) result.counters.argument_bytes = argument_bytes(request, memory);
  if (options.count && result.status == LaunchStatus::success) footprints.take(result.counters);
  return result;
}

}  // namespace warpgrade::emulator
