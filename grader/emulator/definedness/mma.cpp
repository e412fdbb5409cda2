#include "definedness/mma.hpp"

#include <map>

namespace warpgrade::emulator {
namespace {

// The bytes of its register that an element covers, at least in part.
std::uint16_t bytes_of(const isa::Fragment& fragment, int part) {
  const int bits = fragment.width / fragment.packed, first = part * bits / 8, last = (part + 1) * bits - 1;
  std::uint16_t bytes = 0;
  for (int byte = first; byte <= last / 8; ++byte) bytes |= static_cast<std::uint16_t>(1u << byte);
  return bytes;
}

template <typename Use>
void for_each_element(const isa::Fragment& fragment, const Use& use) {
  for (int reg = 0; reg < fragment.distinct; ++reg)
    for (int part = 0; part < fragment.packed; ++part)
      for (int lane = 0; lane < kWarpSize; ++lane)
        use(reg, lane, fragment.place(reg, part, lane), bytes_of(fragment, part));
}

using Reads = std::map<std::uint32_t,
                       std::uint32_t>;  // by element, row or column: the uninitialised read it depends on

template <typename Number>
Reads undefined_of(const isa::Fragment& fragment, const std::vector<UndefinedRegister>& registers,
                   const Number& number) {
  Reads out;
  for_each_element(fragment, [&](int reg, int lane, std::uint32_t place, std::uint16_t bytes) {
    if (static_cast<std::size_t>(reg) >= registers.size()) return;
    const Undefined& held = registers[static_cast<std::size_t>(reg)][static_cast<std::size_t>(lane)];
    if ((held.bytes & bytes) != 0) out[number(place)] = held.read;
  });
  return out;
}

}  // namespace

void find_undefined_mma_elements(const isa::MatrixForm& form,
                                 const std::array<std::vector<UndefinedRegister>, 3>& operands,
                                 std::span<UndefinedRegister> results) {
  isa::MatrixForm of_result = form;
  of_result.c = form.d;
  const isa::Fragment a = fragment_of(form, isa::MatrixRole::a), b = fragment_of(form, isa::MatrixRole::b),
                      c = fragment_of(form, isa::MatrixRole::c),
                      d = fragment_of(of_result, isa::MatrixRole::c);
  // A form of several matrices numbers rows and columns consecutively through all of them.
  const auto row = [](const isa::Fragment& in) {
    return [&in](std::uint32_t place) { return place / in.columns; };
  };
  const auto column = [](const isa::Fragment& in) {
    return [&in](std::uint32_t place) {
      return place / (in.rows * in.columns) * in.columns + place % in.columns;
    };
  };
  const Reads rows = undefined_of(a, operands[0], row(a)), columns = undefined_of(b, operands[1], column(b)),
              places = undefined_of(c, operands[2], [](std::uint32_t place) { return place; });
  for_each_element(d, [&](int reg, int lane, std::uint32_t place, std::uint16_t bytes) {
    if (static_cast<std::size_t>(reg) >= results.size()) return;
    const auto reach = [&](const Reads& from, std::uint32_t number) {
      const auto found = from.find(number);
      if (found == from.end()) return;
      Undefined& to = results[static_cast<std::size_t>(reg)][static_cast<std::size_t>(lane)];
      to = {static_cast<std::uint16_t>(to.bytes | bytes), found->second};
    };
    reach(places, place);
    reach(columns, column(d)(place));
    reach(rows, row(d)(place));
  });
}

}  // namespace warpgrade::emulator
