// Records one block: each step of its warps with what it changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/block_recording.hpp"
#include "machine/observers.hpp"
#include "machine/step_recorder.hpp"
#include "recording/register_table.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

class BlockRecorder : public StepRecorder {
 public:
  BlockRecorder(const RecordingRequest& request, const Code& code, const Program& program);

  // Records the block if it is the requested one. Called after its warps have been set up.
  void start_if_wanted(BlockRun& block);
  void begin(const Warp& warp, const DecodedInstruction* at) override;
  void end() override;
  void access(const Access& access) override;
  void barrier_opened() override { opened_ = true; }
  bool started() const { return block_ != nullptr; }
  // The block has ended or failed.
  void finish(bool failed);
  BlockRecording take();

 private:
  // One access of the running step: its addresses, and the content before it.
  struct StepAccess {
    Access::Kind kind{};
    ptx::Space space{};
    std::uint8_t bytes = 0;
    std::uint32_t mask = 0;
    // Addresses of the lanes of the mask, side by side.
    std::uint64_t address[kWarpSize] = {};
    const std::byte* place[kWarpSize] = {};
    std::vector<std::byte> before;
  };
  struct ChangedRegister {
    std::uint32_t number = 0, lanes = 0;
  };
  const std::byte* place_of(const Access& access, unsigned lane, std::uint64_t address);
  void note(const Allocation& memory);
  void note_parameters();
  void end_step(std::uint8_t more);
  void put_step(std::uint8_t more);
  void find_changed_registers();
  void mark_written();
  bool put_registers();
  bool put_accesses();
  void put_groups(std::uint32_t warp);
  void put_others();
  void put_state();
  bool groups_changed(std::uint32_t warp);
  bool keeps() const { return all_ >= request_.first && !full_; }

  const RecordingRequest request_;
  const Code& code_;
  const RegisterTable table_;
  BlockRun* block_ = nullptr;
  RegisterShadow shadow_;
  BlockRecording made_;
  std::uint64_t all_ = 0;
  bool full_ = false, opened_ = false, done_ = false, started_ = false;
  std::vector<std::vector<std::uint32_t>> groups_;  // of each warp, as written last
  std::vector<std::uint32_t> groups_now_;           // scratch of groups_changed()
  std::vector<bool> written_;                       // bytes of shared memory
  std::uint64_t noted_ = 0;                         // address of the memory that was accessed last

  const Warp* warp_ = nullptr;  // null: no step runs
  const DecodedInstruction* at_ = nullptr;
  const RecordedInstruction* here_ = nullptr;
  const std::byte* frame_ = nullptr;
  std::uint32_t mask_ = 0;
  std::vector<StepAccess> accesses_;
  std::size_t access_count_ = 0;
  std::vector<ChangedRegister> changed_;
  std::vector<std::byte> content_;          // scratch of put_accesses()
  std::vector<std::uint32_t> other_warps_;  // scratch of put_others()
};

}  // namespace warpgrade::emulator
