// Copies of the program's own memory in graphs. A graph keeps the address of the back end's rows; each launch
// brings those that the graph reads, and takes back those that it has written.
#include <algorithm>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {

// The rows that the graph of the stream's capture keeps.
char* ProgramSession::capture(CapturedCopy copy, std::uint64_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  cudaStreamGetCaptureInfo(reinterpret_cast<cudaStream_t>(stream), &status, nullptr, &graph, nullptr, nullptr,
                           nullptr);
  copy.graph = reinterpret_cast<std::uint64_t>(graph);
  captured_bytes_ += copy.rows.size();
  return captured_copies_.emplace_back(std::move(copy)).rows.data();
}

cudaError_t ProgramSession::launch_graph(MessageReader& in, Answer& out, CallRecord& record) {
  const auto executable = in.get<cudaGraphExec_t>();
  const auto stream = in.get<cudaStream_t>();
  record.executable = reinterpret_cast<std::uint64_t>(executable);
  record.stream = reinterpret_cast<std::uint64_t>(stream);
  for (const auto& [from, bytes] : captured_sources_)
    if (is_pinned(from, bytes)) keep(to_device_, {from, bytes});
  const std::vector<CapturedCopy*>& copies = copies_of_[record.executable];
  for (CapturedCopy* each : copies) {
    if (each->to_program) continue;
    const std::string rows = in.text();
    if (rows.size() != each->rows.size()) return cudaErrorInvalidValue;
    std::copy(rows.begin(), rows.end(), each->rows.begin());  // in place: the graph has their address
    keep(to_device_, rows);
  }
  cudaError_t code = cudaGraphLaunch(executable, stream);
  const bool writes = std::ranges::any_of(copies, &CapturedCopy::to_program);
  if (code == cudaSuccess && writes) code = cudaStreamSynchronize(stream);
  if (code != cudaSuccess) return code;
  for (const CapturedCopy* each : copies) {
    if (!each->to_program) continue;
    keep(from_device_, each->rows);
    out.out.append(each->rows.data(), each->rows.size());
  }
  return code;
}

}  // namespace warpgrade::remoting
