#include "ops/printf.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kWidest = 4096;  // characters that one conversion may take
constexpr std::int32_t kWidestAsked = 1000;
constexpr std::size_t kMostText = std::size_t{1}
                                  << 20;  // output of one call, in which thousands of strings may stand

// One conversion: flags, width and precision as written, stars filled in.
struct Conversion {
  std::string head = "%";
  bool is_64_bit = false;
  char kind = 0;
};

class Formatter {
 public:
  Formatter(const std::string& pattern, const std::function<bool(std::size_t, std::size_t, void*)>& read,
            const std::function<std::string(std::uint64_t)>& string)
      : pattern_(pattern), read_(read), string_(string) {}

  std::string run() {
    while (at_ < pattern_.size() && text_.size() < kMostText) {
      if (pattern_[at_] != '%') {
        text_ += pattern_[at_++];
      } else if (at_ + 1 < pattern_.size() && pattern_[at_ + 1] == '%') {
        text_ += '%';
        at_ += 2;
      } else {
        convert();
      }
    }
    return std::move(text_);
  }

 private:
  template <class T>
  bool take(T& value) {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const bool there = read_(offset_, sizeof(T), &value);
    offset_ += sizeof(T);
    return there;
  }

  // Digits or a star. Returns false at the end of the argument buffer.
  bool number(std::string& head) {
    if (at_ < pattern_.size() && pattern_[at_] == '*') {
      ++at_;
      std::int32_t value = 0;
      if (!take(value)) return false;
      head += std::to_string(std::clamp(value, -kWidestAsked, kWidestAsked));
      return true;
    }
    std::string digits;
    while (at_ < pattern_.size() && pattern_[at_] >= '0' && pattern_[at_] <= '9') digits += pattern_[at_++];
    head += digits.size() > 3 ? "1000" : digits;
    return true;
  }

  bool parse(Conversion& conversion) {
    ++at_;
    while (at_ < pattern_.size() && std::strchr("-+ #0", pattern_[at_])) conversion.head += pattern_[at_++];
    if (!number(conversion.head)) return false;
    if (at_ < pattern_.size() && pattern_[at_] == '.') {
      conversion.head += pattern_[at_++];
      if (!number(conversion.head)) return false;
    }
    std::string length;
    while (at_ < pattern_.size() && std::strchr("hlLqjzt", pattern_[at_])) length += pattern_[at_++];
    conversion.is_64_bit = !length.empty() && length[0] != 'h';
    if (at_ < pattern_.size()) conversion.kind = pattern_[at_++];
    return true;
  }

  template <class T>
  void print(const std::string& head, T value) {
    char buffer[kWidest];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(buffer, sizeof buffer, head.c_str(), value);
#pragma GCC diagnostic pop
    if (length > 0) text_.append(buffer, std::min(static_cast<std::size_t>(length), sizeof buffer - 1));
  }

  void convert() {
    const std::size_t begin = at_;
    Conversion conversion;
    const bool there = parse(conversion) && dispatch(conversion, begin);
    if (!there) text_ += "<?>";
  }

  bool dispatch(const Conversion& conversion, std::size_t begin) {
    const char kind = conversion.kind;
    const auto is_one_of = [kind](std::string_view kinds) { return kinds.find(kind) != kinds.npos; };
    if (is_one_of("diouxX")) return integer(conversion);
    if (is_one_of("eEfFgGaA")) return put<double>(conversion.head + kind);
    if (kind == 'c') return put<std::int32_t>(conversion.head + kind);
    if (kind != 'p' && kind != 's') {
      text_ += pattern_.substr(begin, at_ - begin);
      return true;  // not a conversion: copied as it is
    }
    std::uint64_t value = 0;
    if (!take(value)) return false;
    if (kind == 'p')
      print(conversion.head + kind, reinterpret_cast<void*>(value));
    else
      print(conversion.head + kind, string_(value).c_str());
    return true;
  }

  // Takes an argument of type T and prints it. False at the end of the argument buffer.
  template <class T>
  bool put(const std::string& format) {
    T value{};
    if (!take(value)) return false;
    print(format, value);
    return true;
  }

  bool integer(const Conversion& conversion) {
    if (conversion.is_64_bit) {
      long long value = 0;
      if (!take(value)) return false;
      print(conversion.head + "ll" + conversion.kind, value);
    } else {
      int value = 0;
      if (!take(value)) return false;
      print(conversion.head + conversion.kind, value);
    }
    return true;
  }

  const std::string& pattern_;
  const std::function<bool(std::size_t, std::size_t, void*)>& read_;
  const std::function<std::string(std::uint64_t)>& string_;
  std::size_t at_ = 0, offset_ = 0;
  std::string text_;
};

}  // namespace

std::string format(const std::string& pattern,
                   const std::function<bool(std::size_t offset, std::size_t bytes, void* to)>& read,
                   const std::function<std::string(std::uint64_t address)>& string) {
  return Formatter(pattern, read, string).run();
}

}  // namespace warpgrade::emulator
