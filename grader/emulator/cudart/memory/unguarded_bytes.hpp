// What unfinished operations access of registered memory on pages that PageGuard cannot close, because other
// data of the program shares them. What the host writes there is seen later, as another value.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cudart/work/commands.hpp"
#include "machine/memory/device_memory.hpp"

namespace warpgrade::cudart {

class UnguardedBytes {
 public:
  // Keeps the values of what the operation has accessed, or will access.
  void add(const Operation& operation, const emulator::DeviceMemory& memory);
  // An operation has written: these values are not kept any more.
  void written(const emulator::TouchedMemory& touched);
  // The program itself may write now, as a host function of a stream: its values are the ones to keep.
  void take_again();
  void clear() { pieces_.clear(); }
  bool empty() const { return pieces_.empty(); }

  // Reports each operation of which a byte has another value, with that byte's address, and forgets it.
  using Changed = std::function<void(const Operation& operation, std::uint64_t address)>;
  void compare(const Changed& changed);
  // Forgets the operations of which this is true.
  void forget(const std::function<bool(const Operation&)>& is_over);

 private:
  struct Piece {
    Operation operation;
    emulator::AddressRange bytes;
    std::vector<std::uint8_t> values;
  };
  void keep(const Operation& operation, const emulator::AddressRanges& ranges,
            const emulator::DeviceMemory& memory);

  std::vector<Piece> pieces_;
};

}  // namespace warpgrade::cudart
