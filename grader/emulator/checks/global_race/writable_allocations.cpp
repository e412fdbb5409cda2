#include "checks/global_race/writable_allocations.hpp"

#include <cstdint>
#include <cstring>
#include <string>

namespace warpgrade::emulator {

WritableAllocations::WritableAllocations(const WrittenGlobals& written, const LaunchRequest& request,
                                         const DeviceMemory& memory)
    : all_(written.anywhere) {
  for (const std::uint32_t offset : written.parameters) {
    std::uint64_t address = 0;
    if (offset + sizeof address > request.parameters.size())
      continue;  // the last parameter, shorter than a pointer
    std::memcpy(&address, request.parameters.data() + offset, sizeof address);
    const Allocation* in = memory.find(address);
    if (in != nullptr) some_.push_back(in);
    all_ |= in == nullptr && memory.in_range(address);  // before the first element, or after the last
  }
  for (const std::string& name : written.variables)
    if (const Allocation* in = request.kernel->program->find_variable(name)) some_.push_back(in);
}

}  // namespace warpgrade::emulator
