#include "recording/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "recording/value_block.hpp"

namespace warpgrade::emulator {
namespace {

// Parts that follow a step's head.
enum Parts : std::uint8_t {
  kRegisters = 1,  // registers that changed
  kAccesses = 2,   // accesses to memory
  kGroups = 4,     // groups of lanes of this warp
  kOthers = 8,     // groups of other warps: a barrier has opened
  kFault = 16,     // the step did not end
};

constexpr std::size_t kReserved = std::size_t{4} << 20;  // bytes; takes memory only as it is written
constexpr unsigned kWidest = 8;                          // bytes that put_lanes() takes of a lane
constexpr std::size_t kMostMemory = 256;                 // allocations that are listed

std::uint64_t part(const std::string& bytes, std::size_t lane, std::size_t stride, std::size_t at,
                   unsigned width) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + lane * stride + at, width);
  return value;
}

// `bytes` of each lane of `mask`, at most 8 at a time.
void put_memory(std::string& to, std::uint32_t mask, std::uint32_t of_step, unsigned bytes,
                const std::string& content) {
  for (unsigned at = 0; at < bytes; at += kWidest) {
    const unsigned width = std::min(kWidest, bytes - at);
    std::uint64_t values[kWarpSize] = {};
    std::size_t rank = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1, ++rank)
      values[std::countr_zero(left)] = part(content, rank, bytes, at, width);
    put_lanes(to, mask, of_step, width, values);
  }
}

std::uint8_t space_number(ptx::Space space) {
  switch (space) {
    case ptx::Space::global:
      return 0;
    case ptx::Space::shared:
      return 1;
    case ptx::Space::local:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

BlockRecorder::BlockRecorder(const RecordingRequest& request, const Code& code, const Program& program)
    : request_(request), code_(code), table_(code, program) {
  made_.request = request;
}

void BlockRecorder::start_if_wanted(BlockRun& block) {
  if (block_ != nullptr || block.index != request_.block) return;
  block_ = &block;
  block.recorder = this;
  made_.bytes.reserve(std::min(request_.most_bytes, kReserved));
  made_.shared_bytes = block.shared_bytes;
  groups_.assign(block.warps, {});
  written_.assign(block.shared_bytes, false);
  shadow_.start(table_, block.warps);
  note_parameters();
  for (std::uint32_t w = 0; w < block.warps; ++w) {
    for (std::uint32_t r = 0; r < table_.of_kernel; ++r)
      if (!table_.registers[r].is_written)
        shadow_.update(table_, w, r, block.state[w].root.frame, block.warp[w].alive);
  }
}

void BlockRecorder::begin(const Warp& warp, const DecodedInstruction* at) {
  warp_ = nullptr;
  if (done_) return;
  const RecordedInstruction& here = table_.at[code_.position(at)];
  if (here.skipped) return;
  if (full_) {
    ++all_;
    return;
  }
  if (keeps() && !started_) put_state();
  warp_ = &warp;
  at_ = at;
  frame_ = warp.frame;
  access_count_ = 0;
  mask_ = warp.active;
  if (here.collective) {
    const WarpState& state = state_of(warp);
    for (std::uint32_t g = 0; g < state.groups; ++g)
      if (state.group[g].waits_at == at) mask_ |= state.group[g].mask;
  } else if (!here.branch && at->guard != kNoOperand) {
    mask_ &= here.negated ? ~warp.mask(at->guard) : warp.mask(at->guard);
  }
}

const std::byte* BlockRecorder::place_of(const Access& access, unsigned lane, std::uint64_t address) {
  const Block& block = *access.warp->block;
  switch (access.space) {
    case ptx::Space::shared:
      return block.shared + address;
    case ptx::Space::local:
      return access.warp->local + std::size_t{lane} * access.warp->local_bytes + address;
    default: {
      const Allocation* in = access.allocation;
      if (in == nullptr) in = block.memory->find(address);
      if (in == nullptr) return nullptr;
      if (in->base != noted_) note(*in);
      return in->at(address);
    }
  }
}

// What the parameters point to, also where the block fails before it accesses it. Pointers are aligned.
void BlockRecorder::note_parameters() {
  const std::span<const std::byte> parameters = block_->launch->parameters;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, parameters.data() + at, sizeof value);
    if (const Allocation* found = block_->memory->find(value)) note(*found);
  }
}

void BlockRecorder::note(const Allocation& memory) {
  noted_ = memory.base;
  std::vector<const Allocation*>& all = made_.memory;
  if (all.size() < kMostMemory && std::find(all.begin(), all.end(), &memory) == all.end())
    all.push_back(&memory);
}

void BlockRecorder::access(const Access& access) {
  if (warp_ == nullptr || access.mask == 0) return;
  if (access_count_ == accesses_.size()) accesses_.emplace_back();
  StepAccess& to = accesses_[access_count_];
  to.kind = access.kind;
  to.space = access.space;
  to.bytes = access.bytes;
  to.mask = access.mask;
  to.before.clear();
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    to.address[lane] = access.of(lane);
    to.place[lane] = place_of(access, lane, to.address[lane]);
    if (to.place[lane] == nullptr) return;
    to.before.append(reinterpret_cast<const char*>(to.place[lane]), to.bytes);
  }
  ++access_count_;
}

void BlockRecorder::put_registers() {
  const RecordedInstruction& here = table_.at[code_.position(at_)];
  const bool waits = here.collective && (mask_ & ~warp_->active) != 0;
  list_.clear();
  std::uint32_t count = 0;
  for (std::uint32_t i = here.first; i < here.end && !waits && mask_ != 0; ++i) {
    const std::uint32_t number = table_.written[i];
    const std::uint32_t changed = shadow_.update(table_, warp_->index, number, frame_, mask_);
    if (changed == 0) continue;
    std::uint64_t values[kWarpSize];
    shadow_.values(table_, warp_->index, number, values);
    put_varint(list_, number);
    put_lanes(list_, changed, mask_, std::max<unsigned>(table_.registers[number].width, 1), values);
    ++count;
  }
  if (count == 0) return;
  body_[0] = static_cast<char>(body_[0] | kRegisters);
  put_varint(body_, count);
  body_ += list_;
}

void BlockRecorder::put_accesses() {
  if (access_count_ == 0) return;
  body_[0] = static_cast<char>(body_[0] | kAccesses);
  put_varint(body_, access_count_);
  for (std::size_t a = 0; a < access_count_; ++a) {
    const StepAccess& each = accesses_[a];
    body_ += static_cast<char>(static_cast<std::uint8_t>(each.kind) | space_number(each.space) << 2);
    body_ += static_cast<char>(each.bytes);
    put_lanes(body_, each.mask, mask_, 8, each.address);
    put_memory(body_, each.mask, each.mask, each.bytes, each.before);
    if (each.kind == Access::Kind::read) continue;
    std::string now;
    for (std::uint32_t left = each.mask; left != 0; left &= left - 1)
      now.append(reinterpret_cast<const char*>(each.place[std::countr_zero(left)]), each.bytes);
    put_memory(body_, each.mask, each.mask, each.bytes, now);
    if (each.space != ptx::Space::shared) continue;
    for (std::uint32_t left = each.mask; left != 0; left &= left - 1)
      for (std::uint64_t b = 0; b < each.bytes; ++b)
        written_[each.address[std::countr_zero(left)] + b] = true;
  }
}

// Lanes alive, and three numbers for each group: state with its barrier, lanes, where it stands.
bool BlockRecorder::groups_changed(std::uint32_t warp) {
  const WarpState& state = block_->state[warp];
  std::vector<std::uint32_t>& now = groups_now_;
  now.assign(1, block_->warp[warp].alive);
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    const Group& group = state.group[g];
    const DecodedInstruction* at = group.state == Group::State::runnable ? group.at : group.waits_at;
    now.insert(now.end(), {static_cast<std::uint32_t>(group.state) | std::uint32_t{group.barrier} << 2,
                           group.mask, at->index});
  }
  if (now == groups_[warp]) return false;
  groups_[warp] = now;
  return true;
}

void BlockRecorder::put_groups(std::uint32_t warp) {
  const std::vector<std::uint32_t>& groups = groups_[warp];
  put_word(body_, groups[0]);
  put_varint(body_, groups.size() / 3);
  for (std::size_t i = 1; i < groups.size(); i += 3) {
    put_varint(body_, groups[i]);
    put_word(body_, groups[i + 1]);
    put_varint(body_, groups[i + 2]);
  }
}

// All that is known before the first kept step.
void BlockRecorder::put_state() {
  started_ = true;
  body_.clear();
  for (std::uint32_t w = 0; w < block_->warps; ++w) {
    groups_changed(w);
    put_groups(w);
    std::string list;
    std::uint32_t count = 0;
    for (std::uint32_t r = 0; r < table_.registers.size(); ++r) {
      if (shadow_.known(w, r) == 0) continue;
      std::uint64_t values[kWarpSize];
      shadow_.values(table_, w, r, values);
      put_varint(list, r);
      put_lanes(list, shadow_.known(w, r), 0, std::max<unsigned>(table_.registers[r].width, 1), values);
      ++count;
    }
    put_varint(body_, count);
    body_ += list;
  }
  for (std::size_t at = 0; at < written_.size();) {
    std::size_t end = at;
    while (end < written_.size() && written_[end]) ++end;
    if (end > at) {
      put_varint(body_, end - at);
      put_varint(body_, at);
      body_.append(reinterpret_cast<const char*>(block_->shared) + at, end - at);
    }
    at = end + 1;
  }
  put_varint(body_, 0);
  made_.bytes += body_;
}

void BlockRecorder::put_step(std::uint8_t more) {
  body_.assign(1, static_cast<char>(more));
  put_varint(body_, warp_->index);
  put_varint(body_, at_->index);
  put_word(body_, mask_);
  put_registers();
  put_accesses();
  if (groups_changed(warp_->index)) {
    body_[0] = static_cast<char>(body_[0] | kGroups);
    put_groups(warp_->index);
  }
  if (std::exchange(opened_, false)) {
    body_[0] = static_cast<char>(body_[0] | kOthers);
    std::vector<std::uint32_t> changed;
    for (std::uint32_t w = 0; w < block_->warps; ++w)
      if (w != warp_->index && groups_changed(w)) changed.push_back(w);
    put_varint(body_, changed.size());
    for (const std::uint32_t w : changed) {
      put_varint(body_, w);
      put_groups(w);
    }
  }
  const bool keep = keeps();
  ++all_;
  warp_ = nullptr;
  if (!keep) return;
  made_.bytes += body_;
  full_ = ++made_.steps >= request_.most || made_.bytes.size() >= request_.most_bytes;
}

void BlockRecorder::end() {
  if (warp_ != nullptr) put_step(0);
}

void BlockRecorder::finish(bool failed) {
  if (done_) return;
  made_.complete = !full_;
  made_.failed = failed && warp_ != nullptr && !full_;
  if (failed && warp_ != nullptr) put_step(kFault);
  if (!started_) put_state();
  done_ = true;
}

BlockRecording BlockRecorder::take() {
  made_.all = all_;
  made_.registers = table_.names;
  return std::move(made_);
}

}  // namespace warpgrade::emulator
