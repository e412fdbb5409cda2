#include "launch/parameter_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace warpgrade::emulator {

ParameterBuffer::ParameterBuffer(Program::Impl& program, const Code& code, const LaunchRequest& request)
    : program_(program) {
  const std::size_t bytes = std::max<std::size_t>(request.kernel->parameter_bytes, 16);
  if (code.parameters_in_memory) placed_ = take(bytes);
  if (!placed_) own_.resize(bytes);
  std::byte* to = placed_ ? placed_->data() : own_.data();
  std::memset(to, 0, bytes);
  std::copy_n(request.parameters.begin(), std::min(bytes, request.parameters.size()), to);
  data_ = to;
}

ParameterBuffer::~ParameterBuffer() {
  if (!placed_) return;
  const std::lock_guard lock(program_.mutex);
  program_.parameter_buffers.push_back(placed_);
}

Allocation* ParameterBuffer::take(std::size_t bytes) {
  const std::lock_guard lock(program_.mutex);
  std::vector<Allocation*>& free = program_.parameter_buffers;
  auto fits = std::find_if(free.begin(), free.end(), [&](const Allocation* a) { return a->bytes >= bytes; });
  if (fits == free.end())
    return program_.memory->allocate(bytes, Allocation::Kind::module_constant, "kernel parameters");
  Allocation* taken = *fits;
  free.erase(fits);
  return taken;
}

}  // namespace warpgrade::emulator
