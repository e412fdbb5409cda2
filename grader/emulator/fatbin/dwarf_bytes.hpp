// Values from the front of some bytes of a DWARF section.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpgrade::fatbin {

// Reads from the front; after the end it gives zeros, and `failed` says so.
class DwarfBytes {
 public:
  explicit DwarfBytes(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty() || failed; }
  std::size_t left() const { return bytes_.size(); }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) {
      failed = true;
      bytes_ = {};
      return {};
    }
    const std::string_view out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }
  template <class T>
  T read() {
    T value{};
    const std::string_view from = take(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string_view text() {
    const std::string_view out =
        take(bytes_.find('\0') == bytes_.npos ? bytes_.size() + 1 : bytes_.find('\0'));
    take(1);
    return out;
  }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }

  bool failed = false;

 private:
  std::uint64_t leb(bool sign) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !failed; shift += 7) {
      const auto byte = read<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (sign && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      break;
    }
    return value;
  }
  std::string_view bytes_;
};

}  // namespace warpgrade::fatbin
