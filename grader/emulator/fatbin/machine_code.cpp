#include "fatbin/machine_code.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "fatbin/elf.hpp"
#include "fatbin/register_reads.hpp"
#include "fatbin/sass_encoding.hpp"

namespace warpgrade::fatbin {
namespace {

constexpr std::string_view kText = ".text.", kShared = ".shared.";
constexpr int kWaitingReads = 1;  // of a bank of registers
constexpr int kReservedSince = 80, kLongBranchesSince = 90;
constexpr std::uint64_t kReserved = 1024;  // bytes of shared memory that the driver takes of each block
constexpr std::uint8_t kWithValues = 4, kRegisterCount = 0x2f;  // rows of .nv.info

struct Kind {
  std::uint32_t opcode;
  std::string_view name;
  OperandForm reads = {};  // of arithmetic, whose registers come from two banks
};
constexpr unsigned kTwo = 3, kThree = 7, kSecond = 2, kSum = 4;  // places of operands
constexpr std::array kKinds = std::to_array<Kind>({
    {0x181, "global load"},
    {0x180, "global load"},
    {0x186, "global store"},
    {0x185, "global store"},
    {0x184, "shared load"},
    {0x188, "shared store"},
    {0x183, "local load"},
    {0x187, "local store"},
    {0x1a8, "atomic"},
    {0x1a9, "atomic"},
    {0x18a, "atomic"},
    {0x18e, "atomic"},
    {0x1aa, "atomic"},
    {0x1a3, "atomic"},
    {0x1a6, "atomic"},
    {0x18c, "shared atomic"},
    {0x18d, "shared atomic"},
    {0x1ba, "bulk copy"},
    {0x1ae, "asynchronous copy"},
    {0x023, "ffma", {kThree}},
    {0x021, "fp32", {kTwo}},
    {0x020, "fp32", {kTwo}},
    {0x147, "branch"},
    {0x144, "call"},
    {0x150, "return"},
    {0x14d, "exit"},
    {0x118, "nothing"},
    {0x11d, "barrier"},
    {0x108, "special"},
    {0x104, "special"},
    {0x105, "special"},
    {0x106, "special"},
    {0x109, "special"},
    {0x100, "special"},
    {0x101, "special"},
    {0x1c4, "special"},
    {0x107, "special"},
    {0x110, "special"},
    {0x111, "special"},
    {0x112, "special"},
    {0x113, "special"},
    {0x02b, "fp64", {kThree, kThree}},
    {0x028, "fp64", {kTwo, kTwo}},
    {0x029, "fp64", {kTwo, kTwo}},
    {0x02a, "fp64", {kTwo, kTwo}},
    {0x024, "multiply", {kThree}},
    {0x025, "wide multiply", {kThree, kSum}},
    {0x026, "multiply", {kThree}},
    {0x030, "multiply", {kTwo}},
    {0x031, "multiply", {kThree}},
    {0x032, "multiply", {kTwo}},
    {0x027, "wide multiply", {kThree}},
    {0x010, "integer", {kThree}},
    {0x011, "integer", {kThree}},
    {0x012, "integer", {kThree}},
    {0x00c, "integer", {kTwo}},
    {0x019, "integer", {kThree}},
    {0x007, "integer", {kTwo}},
    {0x016, "integer", {kThree}},
    {0x00b, "integer", {kTwo}},
    {0x009, "integer", {kTwo}},
    {0x008, "integer", {kTwo}},
    {0x017, "integer", {kTwo}},
    {0x048, "integer", {kTwo}},
    {0x046, "integer", {kThree}},
    {0x01c, "integer"},
    {0x006, "integer"},
    {0x013, "integer", {kTwo}},
    {0x014, "integer", {kThree}},
    {0x015, "integer", {kThree}},
    {0x040, "integer", {kTwo}},
    {0x036, "other", {kTwo}},
    {0x035, "other", {kThree}},
    {0x002, "other", {kSecond}},
    {0x045, "integer", {kSecond}},
    {0x189, "shuffle"},
    {0x1a1, "match"},
    {0x03c, "mma"},
    {0x086, "uniform vote"},
});
constexpr std::uint64_t kFloatingAtomics[] = {0x1a3, 0x1a6};  // before sm_90 these have the integers' opcodes

// Null for an opcode that is not in the table.
const Kind* kind_of(std::uint64_t low) {
  const auto found = std::ranges::find(kKinds, low & kOpcode, &Kind::opcode);
  return found == kKinds.end() ? nullptr : &*found;
}

// For HMMA: a tile of 16x8x16 halves, or a product in TF32 that takes as long (16x8x8); else half of that.
std::string_view product_kind(std::uint64_t high) {
  constexpr std::uint64_t kDeep = 1u << 11, kSingle = 1u << 19, kShallowSingle = 1u << 14;
  const bool whole = (high & kSingle) != 0 ? (high & kShallowSingle) == 0 : (high & kDeep) != 0;
  return whole ? "mma 16x8x16" : "mma 16x8x8";
}

int access_bytes(std::string_view kind, std::uint64_t high) {
  constexpr int bytes[8] = {1, 1, 2, 2, 4, 8, 16, 4};
  const bool accesses = kind.ends_with("load") || kind.ends_with("store") || kind == "asynchronous copy";
  return accesses ? bytes[high >> 9 & 7] : 0;
}

// Registers lie in two banks, even and odd; each bank serves one read of a warp a cycle. A read that meets
// another one in its bank waits in a queue of kWaitingReads; only a longer queue holds the next instruction
// back: measured on an H200, two reads of one bank cost nothing if the neighbours read the other one.
class RegisterBanks {
 public:
  // Extra cycles of an instruction that fetches so many registers of each bank.
  int cycles(const std::array<int, 2>& fetches) {
    for (std::size_t bank = 0; bank < waiting_.size(); ++bank) waiting_[bank] += fetches[bank];
    drain(1);
    const int held = std::max({0, waiting_[0] - kWaitingReads, waiting_[1] - kWaitingReads});
    drain(held);
    return held;
  }

 private:
  void drain(int cycles) {
    for (int& each : waiting_) each = std::max(0, each - cycles);
  }

  std::array<int, 2> waiting_ = {};
};

// The encoded distance counts quarters of an instruction from the next one. Since sm_90 it has 8 more low
// bits.
std::int64_t branch_target(std::int64_t number, std::uint64_t low, std::uint64_t high, int architecture) {
  unsigned bits = 48;
  std::uint64_t distance = (low >> 34 | (high & 0x3ffff) << 30) & ((std::uint64_t{1} << bits) - 1);
  if (architecture >= kLongBranchesSince) distance = distance << 8 | (low >> 16 & 255), bits = 56;
  const auto extended = static_cast<std::int64_t>(distance << (64 - bits)) >> (64 - bits);
  return number + 1 + (extended >> 2);
}

std::vector<MachineInstruction> decode(std::string_view code, const Lines& lines, int architecture) {
  std::vector<MachineInstruction> found;
  OperandCollectors of_doubles, of_others;
  RegisterBanks banks;
  for (std::uint64_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    const auto low = read_value<std::uint64_t>(code, at), high = read_value<std::uint64_t>(code, at + 8);
    MachineInstruction next;
    const Kind* const known = kind_of(low);
    if (known != nullptr) next.kind = known->name;
    if (next.kind == "mma") next.kind = product_kind(high);
    next.bytes = access_bytes(next.kind, high);
    OperandCollectors& collectors = next.kind == "fp64" ? of_doubles : of_others;
    const BankReads reads = collectors.read(low, high, known != nullptr ? known->reads : OperandForm());
    next.fetches = reads.fetches;
    next.kept = reads.kept;
    next.stall = static_cast<int>(high >> 41 & 15);
    next.conflict_cycles = banks.cycles(next.kind == "ffma" ? next.fetches : std::array<int, 2>());
    next.sets = (high >> 46 & 7) == 7 ? -1 : static_cast<int>(high >> 46 & 7);
    next.waits = static_cast<int>(high >> 52 & 63);
    if (next.kind == "branch" || next.kind == "call")
      next.target = branch_target(static_cast<std::int64_t>(at / kInstruction), low, high, architecture);
    next.line = line_of(lines, at);
    next.floating = std::ranges::find(kFloatingAtomics, low & kOpcode) != std::end(kFloatingAtomics);
    next.guarded = (low & kGuard) != kAlways;
    found.push_back(next);
  }
  return found;
}

// Registers of a thread by kernel: rows of .nv.info, each with the number of a symbol and a value.
std::unordered_map<std::string_view, std::uint32_t> read_register_counts(const Elf& elf) {
  std::unordered_map<std::string_view, std::uint32_t> counts;
  const std::string_view rows = elf.find(".nv.info"), symbols = elf.find(".symtab"),
                         names = elf.find(".strtab");
  for (std::uint64_t at = 0; at + 4 <= rows.size();) {
    const auto form = read_value<std::uint8_t>(rows, at), attribute = read_value<std::uint8_t>(rows, at + 1);
    if (form == kWithValues && attribute == kRegisterCount) {
      const auto index = read_value<std::uint32_t>(rows, at + 4);
      const auto symbol = read_value<Elf64_Sym>(symbols, std::uint64_t{index} * sizeof(Elf64_Sym));
      if (symbol.st_name >= names.size()) throw FormatError("a symbol of the cubin has no name");
      const std::string_view name = names.substr(symbol.st_name);
      counts[name.substr(0, name.find('\0'))] = read_value<std::uint32_t>(rows, at + 8);
    }
    at += 4u + (form == kWithValues ? read_value<std::uint16_t>(rows, at + 2) : 0u);
  }
  return counts;
}

std::unordered_map<std::string_view, std::uint64_t> read_shared_bytes(const Elf& elf) {
  const std::uint64_t reserved = elf.architecture() >= kReservedSince ? kReserved : 0;
  std::unordered_map<std::string_view, std::uint64_t> found;
  for (std::size_t i = 0; i < elf.count(); ++i) {
    const std::string_view name = elf.name(i);
    const std::size_t at = name.find(kShared);
    if (at == name.npos) continue;
    const std::uint64_t bytes = elf.header(i).sh_size;
    found[name.substr(at + kShared.size())] = bytes > reserved ? bytes - reserved : 0;
  }
  return found;
}

std::unordered_map<std::uint32_t, Lines> lines_or_none(const Elf& elf) {
  try {
    return read_line_table(elf);
  } catch (const FormatError&) {
    return {};  // only the pages of a kernel's lines need them
  }
}

std::vector<MachineKernel> read_kernels(std::string_view image, bool with_instructions) {
  const Elf elf(image);
  const auto registers = read_register_counts(elf);
  const auto shared = read_shared_bytes(elf);
  auto lines = with_instructions ? lines_or_none(elf) : std::unordered_map<std::uint32_t, Lines>();
  std::vector<MachineKernel> found;
  for (std::size_t i = 0; i < elf.count(); ++i) {
    if (!elf.name(i).starts_with(kText) || elf.header(i).sh_type != SHT_PROGBITS) continue;
    const std::string_view name = elf.name(i).substr(kText.size());
    MachineKernel kernel{std::string(name), 0, 0, {}};
    if (const auto count = registers.find(name); count != registers.end()) kernel.registers = count->second;
    if (const auto bytes = shared.find(name); bytes != shared.end()) kernel.shared_bytes = bytes->second;
    if (with_instructions)
      kernel.instructions = decode(elf.bytes(i), lines[static_cast<std::uint32_t>(i)], elf.architecture());
    found.push_back(std::move(kernel));
  }
  return found;
}

}  // namespace

std::vector<MachineKernel> read_machine_code(std::string_view image) { return read_kernels(image, true); }
std::vector<MachineKernel> read_resources(std::string_view image) { return read_kernels(image, false); }

std::vector<std::string_view> find_cubins(std::string_view program, int architecture) {
  std::vector<std::string_view> found;
  for (std::size_t at = program.find(ELFMAG); at != program.npos;) {
    const std::string_view rest = program.substr(at);
    std::size_t next = at + 1;
    if (const int own = cubin_architecture(rest); own != 0) {
      next = std::max(next, static_cast<std::size_t>(at + Elf(rest).file_bytes()));
      if (own == architecture) found.push_back(rest);
    }
    at = program.find(ELFMAG, next);
  }
  return found;
}

}  // namespace warpgrade::fatbin
