#include "symbols/dwarf_values.hpp"

namespace warpgrade::emulator {

using namespace dwarf;

DwarfAbbreviation read_abbreviation(DwarfBytes& in) {
  DwarfAbbreviation made;
  made.tag = in.unsigned_leb();
  made.has_children = in.read<std::uint8_t>() != 0;
  for (;;) {
    DwarfAttribute each{in.unsigned_leb(), in.unsigned_leb(), 0};
    if (in.failed || (each.name == 0 && each.form == 0)) return made;
    if (each.form == kImplicitConst) each.constant = in.signed_leb();
    made.attributes.push_back(each);
  }
}

// The value of a form that holds text or a block.
static std::string_view read_bytes(DwarfBytes& in, std::uint64_t form) {
  switch (form) {
    case kString:
      return in.text();
    case kData16:
      return in.take(16);
    case kBlock1:
      return in.take(in.read<std::uint8_t>());
    case kBlock2:
      return in.take(in.read<std::uint16_t>());
    case kBlock4:
      return in.take(in.read<std::uint32_t>());
    case kBlock:
    case kExprloc:
      return in.take(in.unsigned_leb());
    default:
      in.failed = true;
      return {};
  }
}

DwarfValue read_value(DwarfBytes& in, const DwarfAttribute& of) {
  switch (of.form) {
    case kData1:
    case kFlag:
      return {in.read<std::uint8_t>(), {}, false};
    case kData2:
      return {in.read<std::uint16_t>(), {}, false};
    case kData4:
    case kStrp:
    case kRefAddr:
    case kSecOffset:
    case kLineStrp:
      return {in.read<std::uint32_t>(), {}, false};
    case kAddr:
    case kData8:
    case kRefSig8:
      return {in.read<std::uint64_t>(), {}, false};
    case kRef1:
      return {in.read<std::uint8_t>(), {}, true};
    case kRef2:
      return {in.read<std::uint16_t>(), {}, true};
    case kRef4:
      return {in.read<std::uint32_t>(), {}, true};
    case kRef8:
      return {in.read<std::uint64_t>(), {}, true};
    case kRefUdata:
      return {in.unsigned_leb(), {}, true};
    case kUdata:
      return {in.unsigned_leb(), {}, false};
    case kSdata:
      return {static_cast<std::uint64_t>(in.signed_leb()), {}, false};
    case kImplicitConst:
      return {static_cast<std::uint64_t>(of.constant), {}, false};
    case kFlagPresent:
      return {1, {}, false};
    default:
      return {0, read_bytes(in, of.form), false};
  }
}

}  // namespace warpgrade::emulator
