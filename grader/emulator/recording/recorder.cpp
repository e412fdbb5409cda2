#include "recording/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "recording/value_block.hpp"

namespace warpgrade::emulator {
namespace {

// Parts that follow the head of a step.
enum Parts : std::uint8_t {
  kRegisters = 1,  // registers that changed
  kAccesses = 2,   // accesses to memory
  kGroups = 4,     // groups of lanes of this warp
  kOthers = 8,     // groups of other warps: a barrier has opened
  kFault = 16,     // the step did not end
};

constexpr std::size_t kReserved = std::size_t{4} << 20;  // bytes; takes memory only as it is written
constexpr std::size_t kMostMemory = 256;                 // allocations that are listed
constexpr std::size_t kMostUnwritten = 256;              // unwritten parts of each

// Copies one lane's bytes, usually a word.
void copy_lane(std::byte* to, const std::byte* from, unsigned bytes) {
  if (bytes == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, bytes);
}

// `bytes` of each lane of `mask`, side by side, at most 8 at a time.
void put_memory(std::string& to, std::uint32_t mask, unsigned bytes, const std::byte* content) {
  if (bytes <= kWidest) return put_lanes(to, mask, mask, bytes, content);
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  for (unsigned at = 0; at < bytes; at += kWidest) {
    const unsigned width = std::min(kWidest, bytes - at);
    std::byte part[kWidest * kWarpSize];
    for (unsigned i = 0; i < lanes; ++i)
      std::memcpy(part + std::size_t{i} * width, content + std::size_t{i} * bytes + at, width);
    put_lanes(to, mask, mask, width, part);
  }
}

// Unwritten ranges of the allocation, at most kMostUnwritten. Other threads may write meanwhile.
std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(const Allocation& memory) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  std::uint64_t next = 0;
  for (std::uint64_t at = memory.open_begin; at < memory.open_end && !memory.written.empty(); at = next) {
    const std::uint64_t number = at - memory.base;
    const std::uint8_t bits = __atomic_load_n(memory.written.data() + number / 8, __ATOMIC_RELAXED);
    const bool is_whole = number % 8 == 0 && memory.open_end - at >= 8 && (bits == 0 || bits == 0xff);
    next = at + (is_whole ? 8 : 1);
    if ((bits >> number % 8 & 1) != 0) continue;
    if (!out.empty() && out.back().second == at) {
      out.back().second = next;
    } else {
      if (out.size() == kMostUnwritten) break;
      out.emplace_back(at, next);
    }
  }
  return out;
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
  here_ = &table_.at[code_.position(at)];
  if (here_->skipped) return;
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
  if (here_->collective) {
    const WarpState& state = state_of(warp);
    for (std::uint32_t g = 0; g < state.groups; ++g)
      if (state.group[g].waits_at == at) mask_ |= state.group[g].mask;
  } else if (!here_->branch && at->guard != kNoOperand) {
    mask_ &= here_->negated ? ~warp.mask(at->guard) : warp.mask(at->guard);
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

// Notes the memory that the parameters point to, because the block may fail before it accesses it. Pointers
// are aligned.
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
  std::vector<RecordedMemory>& all = made_.memory;
  const auto is_it = [&](const RecordedMemory& each) { return each.allocation == &memory; };
  if (all.size() < kMostMemory && std::none_of(all.begin(), all.end(), is_it))
    all.push_back({&memory, unwritten(memory)});
}

void BlockRecorder::access(const Access& access) {
  if (warp_ == nullptr || access.mask == 0) return;
  if (access_count_ == accesses_.size()) accesses_.emplace_back();
  StepAccess& to = accesses_[access_count_];
  to.kind = access.kind;
  to.space = access.space;
  to.bytes = access.bytes;
  to.mask = access.mask;
  to.before.resize(std::size_t{kWarpSize} * to.bytes);
  unsigned i = 0;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1, ++i) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    to.address[i] = access.of(lane);
    to.place[i] = place_of(access, lane, to.address[i]);
    if (to.place[i] == nullptr) return;
    copy_lane(to.before.data() + std::size_t{i} * to.bytes, to.place[i], to.bytes);
  }
  ++access_count_;
}

void BlockRecorder::find_changed_registers() {
  changed_.clear();
  const bool waits = here_->collective && (mask_ & ~warp_->active) != 0;
  for (std::uint32_t i = here_->first; i < here_->end && !waits && mask_ != 0; ++i) {
    const std::uint32_t number = table_.written[i];
    const std::uint32_t lanes = shadow_.update(table_, warp_->index, number, frame_, mask_);
    if (lanes != 0) changed_.push_back({number, lanes});
  }
}

bool BlockRecorder::put_registers() {
  if (changed_.empty()) return false;
  put_varint(made_.bytes, changed_.size());
  for (const auto& [number, lanes] : changed_) {
    put_varint(made_.bytes, number);
    shadow_.put(made_.bytes, table_, warp_->index, number, lanes, mask_);
  }
  return true;
}

void BlockRecorder::mark_written() {
  for (std::size_t a = 0; a < access_count_; ++a) {
    const StepAccess& each = accesses_[a];
    if (each.kind == Access::Kind::read || each.space != ptx::Space::shared) continue;
    for (int i = 0; i < std::popcount(each.mask); ++i)
      std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(each.address[i]), each.bytes, true);
  }
}

bool BlockRecorder::put_accesses() {
  if (access_count_ == 0) return false;
  std::string& to = made_.bytes;
  put_varint(to, access_count_);
  for (std::size_t a = 0; a < access_count_; ++a) {
    const StepAccess& each = accesses_[a];
    to += static_cast<char>(static_cast<std::uint8_t>(each.kind) | space_number(each.space) << 2);
    to += static_cast<char>(each.bytes);
    put_lanes(to, each.mask, mask_, 8, reinterpret_cast<const std::byte*>(each.address));
    put_memory(to, each.mask, each.bytes, each.before.data());
    if (each.kind == Access::Kind::read) continue;
    content_.resize(each.before.size());
    for (int i = 0; i < std::popcount(each.mask); ++i)
      copy_lane(content_.data() + static_cast<std::size_t>(i) * each.bytes, each.place[i], each.bytes);
    put_memory(to, each.mask, each.bytes, content_.data());
  }
  return true;
}

// Lanes alive, and three numbers for each group: state with its barrier, lanes, position.
bool BlockRecorder::groups_changed(std::uint32_t warp) {
  const WarpState& state = block_->state[warp];
  const std::uint32_t alive = block_->warp[warp].alive;
  if (state.groups == 0 && groups_[warp].size() == 1 && groups_[warp][0] == alive) return false;
  std::vector<std::uint32_t>& now = groups_now_;
  now.assign(1, alive);
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
  put_word(made_.bytes, groups[0]);
  put_varint(made_.bytes, groups.size() / 3);
  for (std::size_t i = 1; i < groups.size(); i += 3) {
    put_varint(made_.bytes, groups[i]);
    put_word(made_.bytes, groups[i + 1]);
    put_varint(made_.bytes, groups[i + 2]);
  }
}

// The complete state before the first kept step.
void BlockRecorder::put_state() {
  started_ = true;
  for (std::uint32_t w = 0; w < block_->warps; ++w) {
    groups_changed(w);
    put_groups(w);
    std::string list;
    std::uint32_t count = 0;
    for (std::uint32_t r = 0; r < table_.registers.size(); ++r) {
      if (shadow_.known(w, r) == 0) continue;
      put_varint(list, r);
      shadow_.put(list, table_, w, r, shadow_.known(w, r), 0);
      ++count;
    }
    put_varint(made_.bytes, count);
    made_.bytes += list;
  }
  for (std::size_t at = 0; at < written_.size();) {
    std::size_t end = at;
    while (end < written_.size() && written_[end]) ++end;
    if (end > at) {
      put_varint(made_.bytes, end - at);
      put_varint(made_.bytes, at);
      made_.bytes.append(reinterpret_cast<const char*>(block_->shared) + at, end - at);
    }
    at = end + 1;
  }
  put_varint(made_.bytes, 0);
}

// The groups of other warps that a barrier has changed.
void BlockRecorder::put_others() {
  other_warps_.clear();
  for (std::uint32_t w = 0; w < block_->warps; ++w)
    if (w != warp_->index && groups_changed(w)) other_warps_.push_back(w);
  put_varint(made_.bytes, other_warps_.size());
  for (const std::uint32_t w : other_warps_) {
    put_varint(made_.bytes, w);
    put_groups(w);
  }
}

void BlockRecorder::put_step(std::uint8_t more) {
  std::string& to = made_.bytes;
  const std::size_t begin = to.size();
  to += static_cast<char>(more);
  put_varint(to, warp_->index);
  put_varint(to, at_->index);
  put_word(to, mask_);
  const auto mark = [&](Parts part) { to[begin] = static_cast<char>(to[begin] | part); };
  if (put_registers()) mark(kRegisters);
  if (put_accesses()) mark(kAccesses);
  if (groups_changed(warp_->index)) {
    mark(kGroups);
    put_groups(warp_->index);
  }
  if (opened_) {
    mark(kOthers);
    put_others();
  }
  full_ = ++made_.steps >= request_.most || to.size() >= request_.most_bytes;
}

// For a step before the first kept one, keeps only what put_state() needs.
void BlockRecorder::end_step(std::uint8_t more) {
  find_changed_registers();
  mark_written();
  if (keeps()) put_step(more);
  opened_ = false;
  ++all_;
  warp_ = nullptr;
}

void BlockRecorder::end() {
  if (warp_ != nullptr) end_step(0);
}

void BlockRecorder::finish(bool failed) {
  if (done_) return;
  made_.complete = !full_;
  made_.failed = failed && warp_ != nullptr && !full_;
  if (failed && warp_ != nullptr) end_step(kFault);
  if (!started_) put_state();
  done_ = true;
}

BlockRecording BlockRecorder::take() {
  made_.all = all_;
  made_.registers = table_.names;
  return std::move(made_);
}

}  // namespace warpgrade::emulator
