#include "remoting/backend/data_flow/array_variants.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace warpgrade::remoting {
namespace {

// Represents each number of each type exactly.
using Exact = long double;

constexpr const char* kTypes[] = {"f8", "f4", "f2", "e2", "i8", "i4", "i2", "i1"};
constexpr std::size_t kMostAxes = 4;

template <class T>
T number_at(const char* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

Exact exact(const char* at, const std::string& type) {
  switch (type[0] << 8 | type[1]) {
    case 'f' << 8 | '8':
      return number_at<double>(at);
    case 'f' << 8 | '4':
      return number_at<float>(at);
    case 'f' << 8 | '2':
      return static_cast<float>(number_at<_Float16>(at));
    case 'e' << 8 | '2':
      return std::bit_cast<float>(static_cast<std::uint32_t>(number_at<std::uint16_t>(at)) << 16);
    case 'i' << 8 | '8':
      return static_cast<Exact>(number_at<std::int64_t>(at));
    case 'i' << 8 | '4':
      return number_at<std::int32_t>(at);
    case 'i' << 8 | '2':
      return number_at<std::int16_t>(at);
    case 'i' << 8 | '1':
      return number_at<std::int8_t>(at);
    case 'u' << 8 | '8':
      return static_cast<Exact>(number_at<std::uint64_t>(at));
    case 'u' << 8 | '4':
      return number_at<std::uint32_t>(at);
    case 'u' << 8 | '2':
      return number_at<std::uint16_t>(at);
    default:
      return number_at<std::uint8_t>(at);
  }
}

// A bfloat16, rounded to nearest, ties to even.
std::uint16_t brain_float(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (std::isnan(number)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The bits of an integer with or without a sign; none where the type does not hold it.
std::optional<std::uint64_t> integer_bits(Exact number, std::size_t bytes) {
  const Exact end = std::ldexp(Exact{1}, static_cast<int>(8 * bytes));
  if (!(number >= -end / 2 && number < end) || number != std::trunc(number)) return std::nullopt;
  return number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                    : static_cast<std::uint64_t>(number);
}

template <class T>
bool append_number(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
  return true;
}

// Whether the type holds the number, which a floating-point type does by rounding.
bool append_as(std::string& to, Exact number, const std::string& type) {
  const auto bytes = static_cast<std::size_t>(type[1] - '0');
  if (type == "f8") return append_number(to, static_cast<double>(number));
  if (type == "f4") return append_number(to, static_cast<float>(number));
  if (type == "f2") return append_number(to, static_cast<_Float16>(static_cast<float>(number)));
  if (type == "e2") return append_number(to, brain_float(static_cast<float>(number)));
  const std::optional<std::uint64_t> bits = integer_bits(number, bytes);
  if (bits) to.append(reinterpret_cast<const char*>(&*bits), bytes);
  return bits.has_value();
}

bool are_alike(const std::string& one, const std::string& other) {
  const auto letter = [](char kind) { return kind == 'u' ? 'i' : kind; };
  return letter(one[0]) == letter(other[0]) && one[1] == other[1];
}

}  // namespace

std::span<const char* const> number_types() { return kTypes; }

std::string converted(std::string_view array, const std::string& from, const std::string& to) {
  std::string made;
  const auto element = static_cast<std::size_t>(from[1] - '0');
  made.reserve(array.size() / element * static_cast<std::size_t>(to[1] - '0'));
  for (std::size_t at = 0; at + element <= array.size(); at += element)
    if (!append_as(made, exact(array.data() + at, from), to)) return {};
  return made;
}

std::string transposed(std::string_view array, std::size_t element, const std::vector<std::size_t>& shape,
                       const std::vector<std::size_t>& axes) {
  std::vector<std::size_t> stride(shape.size(), element), index(shape.size(), 0);
  for (std::size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  std::string made;
  made.reserve(array.size());
  for (std::size_t from = 0; made.size() < array.size();) {
    made.append(array.substr(from, element));
    for (std::size_t i = axes.size(); i-- > 0;) {
      from += stride[axes[i]];
      if (++index[i] < shape[axes[i]]) break;
      from -= stride[axes[i]] * std::exchange(index[i], 0);
    }
  }
  return made;
}

std::vector<ArrayVariant> variants(std::string_view one, std::string_view other, const ArrayForm& form,
                                   std::size_t most) {
  std::vector<ArrayVariant> found;
  const auto add = [&](ArrayVariant variant) {
    if (variant.one.empty() || variant.other.empty() || variant.one.size() > most) return;
    most -= variant.one.size();
    found.push_back(std::move(variant));
  };
  for (const std::string to : kTypes)
    if (!are_alike(form.type, to))
      add({converted(one, form.type, to), converted(other, form.type, to),
           static_cast<std::size_t>(to[1] - '0'), false});
  const std::size_t types = found.size();
  std::vector<std::size_t> axes(form.shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (axes.size() > kMostAxes) return found;
  while (std::next_permutation(axes.begin(), axes.end())) {
    const auto turned = [&](std::string_view array, std::size_t element) {
      return transposed(array, element, form.shape, axes);
    };
    add({turned(one, form.element()), turned(other, form.element()), form.element(), true});
    for (std::size_t i = 0; i < types; ++i)
      add({turned(found[i].one, found[i].element), turned(found[i].other, found[i].element), found[i].element,
           true});
  }
  return found;
}

bool is_mostly_of(std::string_view array, const ArrayForm& form, std::string_view other,
                  const ArrayForm& other_form) {
  const auto numbers_of = [](std::string_view bytes, const ArrayForm& of) {
    std::vector<Exact> numbers;
    for (std::size_t at = 0; at + of.element() <= bytes.size(); at += of.element())
      if (const Exact number = exact(bytes.data() + at, of.type); number != 0) numbers.push_back(number);
    return numbers;
  };
  std::vector<Exact> known = numbers_of(other, other_form);
  std::sort(known.begin(), known.end());
  const std::vector<Exact> numbers = numbers_of(array, form);
  const auto of_other = std::ranges::count_if(
      numbers, [&](Exact number) { return std::binary_search(known.begin(), known.end(), number); });
  return !numbers.empty() && 4 * static_cast<std::size_t>(of_other) > 3 * numbers.size();
}

}  // namespace warpgrade::remoting
