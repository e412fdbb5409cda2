// Which registers each instruction writes, and the values that a recording has last written of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/block_recording.hpp"
#include "machine/kernel_code.hpp"

namespace warpgrade::emulator {

struct TableRegister {
  std::uint32_t slot = 0;   // in the frame of its function
  std::uint32_t place = 0;  // in RegisterShadow
  std::uint8_t width = 0;   // bytes of a lane; 0: a predicate, one bit
  bool is_written = false;  // by some instruction; else its value is there when the block starts
};

// An instruction as the recorder sees it; positions as in Code::instructions.
struct RecordedInstruction {
  bool skipped = false;              // made by the decoder
  bool branch = false;               // executed by all running lanes, whatever its guard says
  bool negated = false;              // guard
  bool collective = false;           // lanes that wait for others get their results later
  std::uint32_t first = 0, end = 0;  // in RegisterTable::written
};

struct RegisterTable {
  RegisterTable(const Code& code, const Program& program);

  std::vector<RecordedRegister> names;   // indexed by register number
  std::vector<TableRegister> registers;  // the same
  std::vector<std::uint32_t> written;    // register numbers
  std::vector<RecordedInstruction> at;   // indexed by position
  std::uint32_t of_kernel = 0;           // registers of the kernel itself come first
  std::uint32_t bytes = 0;               // of a warp's shadow
};

// Values by warp and register as last recorded, and the lanes that have one.
class RegisterShadow {
 public:
  void start(const RegisterTable& table, std::uint32_t warps);
  // Takes the lanes of the register's slot in `frame`. Returns those that changed or were unknown.
  std::uint32_t update(const RegisterTable& table, std::uint32_t warp, std::uint32_t number,
                       const std::byte* frame, std::uint32_t lanes);
  std::uint32_t known(std::uint32_t warp, std::uint32_t number) const {
    return known_[warp * registers_ + number];
  }
  // Appends the values of these lanes; `of_step`: as in put_lanes().
  void put(std::string& to, const RegisterTable& table, std::uint32_t warp, std::uint32_t number,
           std::uint32_t lanes, std::uint32_t of_step) const;

 private:
  std::size_t registers_ = 0, bytes_ = 0;
  std::vector<std::byte> value_;
  std::vector<std::uint32_t> known_;
};

}  // namespace warpgrade::emulator
