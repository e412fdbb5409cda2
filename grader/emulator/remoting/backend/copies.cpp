// Copies. Rows of the program's own memory travel, packed, with the message and its answer. A graph keeps the
// address of the back end's rows: each launch sends the rows that the graph reads, and returns those that it
// has written.
#include <algorithm>

#include "cudart/api/warpgrade.h"
#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

// The direction of a copy: "to host", "to device", or "" if both sides are the same.
const char* direction(bool to_host, bool from_host) {
  return to_host == from_host ? "" : to_host ? "to host" : "to device";
}

}  // namespace

void ProgramSession::RowsCopy::read(MessageReader& in) {
  to = in.get<void*>();
  to_pitch = in.get<std::uint64_t>();
  from = in.get<const void*>();
  from_pitch = in.get<std::uint64_t>();
  width = in.get<std::uint64_t>();
  height = in.get<std::uint64_t>();
  kind = in.get<cudaMemcpyKind>();
  stream = in.get<cudaStream_t>();
  to_program = in.get<bool>();
  from_program = in.get<bool>();
}

cudaError_t ProgramSession::read(MessageReader& in, RowsCopy& c, CallRecord& record) {
  c.read(in);
  const auto registered = in.get<bool>();
  if (__builtin_mul_overflow(c.width, c.height, &c.all) || c.all > kMostBytes / 2)
    return cudaErrorInvalidValue;
  if ((!c.to_program && !is_device_address(c.to)) || (!c.from_program && !is_device_address(c.from)))
    return cudaErrorInvalidValue;
  c.program_to = address(c.to);
  c.program_from = address(c.from);
  c.program_to_pitch = c.to_pitch;
  c.program_from_pitch = c.from_pitch;
  if (c.from_program && c.all != 0) {
    c.source = in.text();
    if (c.source.size() != c.all) {
      record.why = "the source is neither memory of the host nor of the device: was it allocated?";
      return cudaErrorInvalidValue;
    }
    if (exchange_ != nullptr) exchange_->exchange(c.source);
    c.from = c.source.data();
    c.from_pitch = c.width;
  }
  if (c.to_program) {
    c.target.resize(std::max<std::uint64_t>(c.all, 1));
    c.to = c.target.data();
    c.to_pitch = c.width;
  }
  const bool pinned_to = !c.to_program && is_pinned(c.to);
  const bool pinned_from = !c.from_program && is_pinned(c.from);
  record.stream = address(c.stream);
  record.bytes = c.all;
  record.pinned = pinned_to || pinned_from || registered;
  record.direction = direction(c.to_program || pinned_to, c.from_program || pinned_from);
  return cudaSuccess;
}

cudaError_t ProgramSession::copy(ApiFunction function, MessageReader& in, Answer& out, CallRecord& record) {
  RowsCopy c;
  if (const cudaError_t code = read(in, c, record); code != cudaSuccess) return code;
  const std::string_view name = name_of(function);
  const bool waits = !name.ends_with("Async");
  const auto make = [&] {
    return c.height <= 1 ? (waits ? cudaMemcpy(c.to, c.from, c.all, c.kind)
                                  : cudaMemcpyAsync(c.to, c.from, c.all, c.kind, c.stream))
           : waits       ? cudaMemcpy2D(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.height, c.kind)
                   : cudaMemcpy2DAsync(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.height, c.kind,
                                       c.stream);
  };
  if (captures_ != 0 && is_captured(record.stream)) return put_into_graph(c, record, make);
  const cudaError_t code = make();
  record.copy = warpgradeLastCopy();
  if (code != cudaSuccess) return code;
  if (tracks_ && c.from_program)
    origin_.sent(c.source, c.height <= 1 ? address(c.to) : 0);
  else if (tracks_ && is_pinned(c.from) && c.height <= 1)
    origin_.sent({static_cast<const char*>(c.from), c.all}, address(c.to));
  if (!c.to_program) return code;
  if (tracks_ && !c.from_program)
    origin_.came({c.target.data(), c.all}, c.from, c.width, c.from_pitch, of_twin(0, c.all));
  if (twin_ != nullptr && !c.from_program) twin_->came_back(c.target, of_twin(0, c.all));
  out.out.append(c.target.data(), c.all);
  return code;
}

cudaError_t ProgramSession::put_into_graph(RowsCopy& c, CallRecord& record,
                                           const std::function<cudaError_t()>& make) {
  GraphCopy kept;
  const std::size_t before = captured_copies_.size();
  if (c.has_own_rows() && captured_bytes_ + 2 * c.all > kMostBytes) return cudaErrorMemoryAllocation;
  const auto keep_rows = [&](CapturedCopy copy) {
    captured_bytes_ += copy.rows.size();
    kept.own.push_back(&captured_copies_.emplace_back(std::move(copy)));
    return kept.own.back()->rows.data();
  };
  if (c.from_program && c.all != 0)
    c.from =
        keep_rows({c.program_from, c.program_from_pitch, c.width, c.height, false, c.source, nullptr, 0});
  else if (!c.from_program && is_pinned(c.from) && c.height <= 1)
    kept.pinned = {static_cast<const char*>(c.from), c.all};
  if (c.to_program && c.all != 0)
    c.to = keep_rows(
        {c.program_to, c.program_to_pitch, c.width, c.height, true, c.target, c.from, c.from_pitch});
  const cudaError_t code = make();
  if (code != cudaSuccess) {
    captured_copies_.resize(before);
    return code;
  }
  record.copy = warpgradeLastCopy();
  graph_copies_[record.copy] = std::move(kept);
  return code;
}

std::vector<ProgramSession::GraphCopy*> ProgramSession::copies_of(cudaGraphExec_t executable) {
  std::vector<std::uint64_t> numbers;
  warpgradeGraphNodes(
      executable,
      [](void* into, const warpgradeNode* node) {
        if (node->copy != 0) static_cast<std::vector<std::uint64_t>*>(into)->push_back(node->copy);
      },
      &numbers);
  std::vector<GraphCopy*> found;
  for (const std::uint64_t each : numbers)
    if (const auto copy = graph_copies_.find(each); copy != graph_copies_.end())
      found.push_back(&copy->second);
  return found;
}

cudaError_t ProgramSession::launch_graph(MessageReader& in, Answer& out, CallRecord& record) {
  const auto executable = in.get<cudaGraphExec_t>();
  const auto stream = in.get<cudaStream_t>();
  record.executable = address(executable);
  record.stream = address(stream);
  bool writes = false;
  const std::vector<GraphCopy*> copies = copies_of(executable);
  for (const GraphCopy* copy : copies) {
    if (tracks_ && is_pinned(copy->pinned.data(), copy->pinned.size())) origin_.sent(copy->pinned);
    for (CapturedCopy* each : copy->own) {
      writes = writes || each->to_program;
      if (each->to_program) continue;
      std::string rows = in.text();
      if (exchange_ != nullptr) exchange_->exchange(rows);
      if (rows.size() != each->rows.size()) return cudaErrorInvalidValue;
      std::copy(rows.begin(), rows.end(), each->rows.begin());  // in place: the graph has their address
      if (tracks_) origin_.sent(rows);
    }
  }
  const bool captured = captures_ != 0 && is_captured(record.stream);
  launched_copies_ = copies;
  cudaError_t code = cudaGraphLaunch(executable, stream);
  if (code == cudaSuccess && !captured) list_nodes(executable, record);
  if (code == cudaSuccess && writes && !captured) code = cudaStreamSynchronize(stream);
  launched_copies_.clear();
  if (code != cudaSuccess || captured) return code;
  for (const GraphCopy* copy : copies)
    for (const CapturedCopy* each : copy->own) {
      if (!each->to_program) continue;
      if (tracks_)
        origin_.came(each->rows, each->from, each->width, each->from_pitch,
                     of_twin(out.out.bytes().size(), each->rows.size()));
      out.out.append(each->rows.data(), each->rows.size());
    }
  return code;
}

}  // namespace warpgrade::remoting
