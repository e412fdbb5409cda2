#include "observe/written_arrays.hpp"

#include <cstdint>
#include <cstring>
#include <string>

namespace warpgrade::observe {

WrittenArrays::WrittenArrays(const exec::WrittenMemory& written, const exec::LaunchRequest& request,
                             const exec::DeviceMemory& memory)
    : all_(written.anywhere) {
  for (const std::uint32_t offset : written.parameters) {
    std::uint64_t address = 0;
    if (offset + sizeof address > request.parameters.size()) continue;  // the last of them, and no pointer
    std::memcpy(&address, request.parameters.data() + offset, sizeof address);
    const exec::Allocation* in = memory.find(address);
    if (in != nullptr) some_.push_back(in);
    all_ |= in == nullptr && memory.in_range(address);  // before the first element, or behind the last
  }
  for (const std::string& name : written.variables)
    if (const exec::Allocation* in = request.kernel->program->find_variable(name)) some_.push_back(in);
}

}  // namespace warpgrade::observe
