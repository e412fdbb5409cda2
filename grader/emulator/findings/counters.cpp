#include "machine/counters/counters.hpp"

namespace warpgrade::emulator {

const char* name(Metric metric) {
  static constexpr const char* names[] = {
#define METRIC(id, name, meaning) name,
#include "machine/counters/metrics.def"
#undef METRIC
  };
  return names[static_cast<int>(metric)];
}

const char* name(Footprint::Kind kind) {
  switch (kind) {
    case Footprint::Kind::load:
      return "load";
    case Footprint::Kind::store:
      return "store";
    default:
      return "atomic";
  }
}

void Footprint::add(const Footprint& other) {
  kind = other.kind;
  allocation = other.allocation;
  allocation_bytes = other.allocation_bytes;
  for (auto each :
       {&Footprint::blocks, &Footprint::requests, &Footprint::bytes, &Footprint::sectors, &Footprint::lines,
        &Footprint::passes, &Footprint::missed_sectors, &Footprint::joined_sectors, &Footprint::warp_sectors,
        &Footprint::block_sectors, &Footprint::on_a_word})
    this->*each += other.*each;
}

void Counters::add(const Counters& other) {
  for (int i = 0; i < static_cast<int>(Metric::count_); ++i) value[i] += other.value[i];
  for (const auto& [instruction, from] : other.sites) {
    SiteCounters& to = sites[instruction];
    to.executions += from.executions;
    to.lanes += from.lanes;
    to.lines += from.lines;
    to.sectors += from.sectors;
    to.ideal_sectors += from.ideal_sectors;
    to.wavefronts += from.wavefronts;
    to.ideal_wavefronts += from.ideal_wavefronts;
    to.divergent += from.divergent;
  }
  for (const auto& [first, executions] : other.blocks) blocks[first] += executions;
}

}  // namespace warpgrade::emulator
