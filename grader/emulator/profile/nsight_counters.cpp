#include "profile/nsight_counters.hpp"

#include "analysis/memory/machine_access_widths.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

ptx::Space space_of(std::uint8_t tag) { return static_cast<ptx::Space>((tag - 1) / 4); }
Access::Kind kind_of(std::uint8_t tag) { return static_cast<Access::Kind>((tag - 1) % 4); }

// Adds accesses that were counted at their usual cost: plain loads and stores of shared memory.
AccessRow with_usual(const AccessRow& counted, const ptx::Instruction& from, AccessWidth width) {
  AccessRow row = counted;
  if (row.usual == 0) return row;
  if (row.tag == 0) {
    row.tag = tag_of(ptx::Space::shared, from.opcode == Opcode::st ? 1 : 0);
    row.bytes = width.bytes == kAsWritten ? static_cast<std::uint8_t>(bytes_of_access(from)) : width.bytes;
  }
  const SharedCost usual = SharedCost::usual(row.bytes);
  row.full += row.usual;
  row.units += row.usual * usual.wavefronts;
  row.ideal_units += row.usual * usual.ideal;
  return row;
}

// Scales the counts to the machine code: in a loop that ptxas unrolled, one access may serve several
// iterations.
AccessRow as_done(const AccessRow& written, AccessWidth width) {
  AccessRow row = written;
  if (width.times == width.each || width.bytes == kAsWritten) return row;
  for (std::uint64_t* each :
       {&row.full, &row.part, &row.part_lanes, &row.units, &row.ideal_units, &row.lines})
    *each = *each * width.times / width.each;
  return row;
}

struct Sum {  // counts of a row
  std::uint64_t executions, lanes, bytes;
};
Sum sum_of(const AccessRow& row) {
  const std::uint64_t lanes = kWarpSize * row.full + row.part_lanes;
  return {row.full + row.part, lanes, lanes * row.bytes};
}

// Kinds of instructions for which Nsight Compute has different counting rules.
enum class By : std::uint8_t {
  any,
  matrix,   // ldmatrix: not among the loads, but for its wavefronts
  copy,     // cp.async: what it reads among the loads but for the bytes, what it writes on its own
  barrier,  // mbarrier: nowhere
  bulk,     // cp.async.bulk: nowhere, the LSU does not do it
};

By by(const ptx::Instruction& from) {
  if (from.opcode == Opcode::ldmatrix) return By::matrix;
  if (from.opcode == Opcode::mbarrier) return By::barrier;
  if (from.opcode != Opcode::cp) return By::any;
  return from.has(Modifier::bulk) ? By::bulk : from.has(Modifier::mbarrier) ? By::barrier : By::copy;
}

void add_global(const AccessRow& row, By who, Counters& to) {
  const auto [executions, lanes, bytes] = sum_of(row);
  const Access::Kind kind = kind_of(row.tag);
  if (kind == Access::Kind::atomic) {
    to[Metric::global_atomics] += executions;
    to[Metric::global_atomic_bytes] += bytes;
    return;
  }
  const bool read = kind == Access::Kind::read;
  to[read ? Metric::global_load_requests : Metric::global_store_requests] += executions;
  to[read ? Metric::global_load_sectors : Metric::global_store_sectors] += row.units;
  if (read) to[Metric::global_load_lines] += row.lines;
  to[who == By::copy ? Metric::async_copy_bytes
     : read          ? Metric::global_load_bytes
                     : Metric::global_store_bytes] += bytes;
}

void add_shared(const AccessRow& row, By who, Counters& to) {
  const std::uint64_t executions = sum_of(row).executions;
  const Access::Kind kind = kind_of(row.tag);
  if (who == By::copy) {
    to[Metric::async_copies] += executions;
    to[Metric::async_copy_wavefronts] += row.units;
    return;
  }
  if (kind == Access::Kind::atomic) {
    to[Metric::shared_atomics] += executions;
    return;
  }
  const bool read = kind == Access::Kind::read;
  if (who != By::matrix)
    to[read ? Metric::shared_load_instructions : Metric::shared_store_instructions] += executions;
  to[read ? Metric::shared_load_wavefronts : Metric::shared_store_wavefronts] += row.units;
}

void add_total(const AccessRow& row, By who, Counters& to) {
  if (who == By::barrier || who == By::bulk) return;
  const bool read = kind_of(row.tag) == Access::Kind::read;
  switch (space_of(row.tag)) {
    case ptx::Space::global:
      add_global(row, who, to);
      break;
    case ptx::Space::shared:
      add_shared(row, who, to);
      break;
    case ptx::Space::local:
      to[read ? Metric::local_load_sectors : Metric::local_store_sectors] += row.units;
      break;
    case ptx::Space::constant:
      to[Metric::constant_loads] += sum_of(row).executions;
      to[Metric::constant_words] += row.units;
      break;
    default:
      break;
  }
}

void add_site(const AccessRow& row, By who, SiteCounters& site) {
  const Sum sum = sum_of(row);
  const bool shared = space_of(row.tag) == ptx::Space::shared;
  if (who != By::copy || shared) {  // a copy's read and write are one execution
    site.executions += sum.executions;
    site.lanes += sum.lanes;
  }
  site.lines += row.lines;
  (shared ? site.wavefronts : site.sectors) += row.units;
  (shared ? site.ideal_wavefronts : site.ideal_sectors) += row.ideal_units;
}

}  // namespace

void add_row(const AccessRow& counted, std::uint32_t instruction, const Program& program, Counters& to) {
  if (counted.tag == 0 && counted.usual == 0) return;
  const AccessWidth width = program.access_width(instruction);
  const ptx::Instruction& from = *program.origin(instruction).ptx;
  const AccessRow row = as_done(with_usual(counted, from, width), width);
  const By who = by(from);
  if (who == By::bulk && kind_of(row.tag) != Access::Kind::write) return;  // the row of the mbarrier
  add_total(row, who, to);
  add_site(row, who, to.sites[instruction]);
}

}  // namespace warpgrade::emulator
