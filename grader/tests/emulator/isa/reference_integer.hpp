// Reference of the integer, carry, logic, shift, mov and video forms.
#pragma once

#include "reference.hpp"

namespace warpgrade::isa::reference {

inline bool bit_at(Raw value, int i) { return value >> i & 1; }

inline Integer floor_divide_power(Integer value, int bits) { return value >> bits; }

// popc, clz, bfind, brev …, bit by bit.
inline Reference bit_counting(const Form& form) {
  const std::string type = form.types[0];
  const int bits = bits_of(type);
  if (form.opcode == "popc") {
    return [=](const Lane& lane) {
      int count = 0;
      for (int i = 0; i < bits; ++i) count += bit_at(lane.in[1], i);
      return answer(static_cast<Raw>(count));
    };
  }
  if (form.opcode == "clz") {
    return [=](const Lane& lane) {
      int count = 0;
      while (count < bits && !bit_at(lane.in[1], bits - 1 - count)) ++count;
      return answer(static_cast<Raw>(count));
    };
  }
  if (form.opcode == "bfind") {
    const bool shift = form.has("shiftamt");
    return [=](const Lane& lane) {
      const bool sign = is_signed(type) && bit_at(lane.in[1], bits - 1);
      for (int i = bits - 1; i >= 0; --i) {
        if (bit_at(lane.in[1], i) != sign) return answer(static_cast<Raw>(shift ? bits - 1 - i : i));
      }
      return answer(0xffffffff);
    };
  }
  if (form.opcode == "brev") {
    return [=](const Lane& lane) {
      Raw result = 0;
      for (int i = 0; i < bits; ++i) result |= Raw{bit_at(lane.in[1], i)} << (bits - 1 - i);
      return answer(result);
    };
  }
  return {};
}

// bfe, bfi, szext, bmsk, fns, as the manual's pseudocode has them, bit by bit.
inline std::int64_t field_operand(int bits, Raw raw) {
  return static_cast<std::int64_t>(bits == 32 ? raw & 0xff : raw & 0xffffffff);
}
inline Reference extract_field(const std::string& type) {
  const int bits = bits_of(type);
  return [=](const Lane& lane) {
    const std::int64_t position = field_operand(bits, lane.in[2]), length = field_operand(bits, lane.in[3]);
    const std::int64_t last = std::min<std::int64_t>(position + length - 1, bits - 1);
    const bool sign = is_signed(type) && length > 0 && bit_at(lane.in[1], static_cast<int>(last));
    Raw result = 0;
    for (int i = 0; i < bits; ++i) {
      const bool inside = i < length && position + i < bits;
      result |= Raw{inside ? bit_at(lane.in[1], static_cast<int>(position + i)) : sign} << i;
    }
    return answer(result);
  };
}
inline Reference insert_field(int bits) {
  return [=](const Lane& lane) {
    const std::int64_t position = field_operand(bits, lane.in[3]), length = field_operand(bits, lane.in[4]);
    Raw result = lane.in[2];
    for (int i = 0; i < length && position + i < bits; ++i) {
      const int at = static_cast<int>(position) + i;
      result = (result & ~(Raw{1} << at)) | Raw{bit_at(lane.in[1], i)} << at;
    }
    return answer(result);
  };
}
inline Reference extend_sign(const std::string& type, bool wrap) {
  return [=](const Lane& lane) {
    const auto count = static_cast<int>(wrap ? lane.in[2] % 32 : std::min<Raw>(lane.in[2], 32));
    if (count == 0) return answer(0);
    const std::string narrow = type.substr(0, 1) + std::to_string(count);
    return answer(from_integer(32, to_integer(narrow, lane.in[1])));
  };
}
inline Reference bit_mask(bool wrap) {
  return [=](const Lane& lane) {
    const Raw position = wrap ? lane.in[1] % 32 : lane.in[1], width = wrap ? lane.in[2] % 32 : lane.in[2];
    Raw result = 0;
    for (int i = 0; i < 32; ++i)
      result |= Raw{static_cast<Raw>(i) >= position && static_cast<Raw>(i) - position < width} << i;
    return answer(result);
  };
}
inline Answer find_nth_set(const Lane& lane) {
  const Integer offset = to_integer("s32", lane.in[3]);
  if (offset == lowest("s32")) return answer(0);  // undefined; what an H200 does
  if (lane.in[2] > 31) return answer(0xffffffff);
  int at = static_cast<int>(lane.in[2]);
  if (offset == 0) return answer(bit_at(lane.in[1], at) ? lane.in[2] : 0xffffffff);
  const int step = offset > 0 ? 1 : -1;
  Integer found = 0;
  for (; at >= 0 && at < 32; at += step) {
    found += bit_at(lane.in[1], at);
    if (found == offset * step) return answer(static_cast<Raw>(at));
  }
  return answer(0xffffffff);
}
inline Reference bit_fields(const Form& form) {
  const std::string& type = form.types[0];
  if (form.opcode == "bfe") return extract_field(type);
  if (form.opcode == "bfi") return insert_field(bits_of(type));
  if (form.opcode == "szext") return extend_sign(type, form.has("wrap"));
  if (form.opcode == "bmsk") return bit_mask(form.has("wrap"));
  if (form.opcode == "fns") return find_nth_set;
  return {};
}

inline Integer absolute(Integer x) { return x < 0 ? -x : x; }

// Operations of whole numbers: on exact values, then cut to the destination's bits.
inline Integer arithmetic(const Form& form, const std::string& type, Integer a, Integer b, Integer c) {
  const int bits = bits_of(type);
  const auto product = [&] {
    if (bits < 64) return a * b;
    return static_cast<Integer>(static_cast<Raw>(a) * static_cast<Raw>(b));  // low 128 bits
  };
  const auto part = [&](Integer whole) {
    if (form.has("hi")) return floor_divide_power(whole, bits);
    return whole;
  };
  const std::string& op = form.opcode;
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "mul") {
    // u64 × u64 overflows a signed 128-bit number: its upper half is read as unsigned.
    if (form.has("hi") && type == "u64") return static_cast<Integer>(static_cast<Raw>(product()) >> 64);
    return part(product());
  }
  if (op == "mad")
    return arithmetic(parse_form("mul" + std::string(form.has("hi") ? ".hi." : ".lo.") + type), type, a, b,
                      0) +
           c;
  if (op == "sad") return c + absolute(a - b);
  if (op == "div") return b == 0 ? -1 : a / b;
  if (op == "rem") return b == 0 ? -1 : a % b;
  if (op == "abs") return absolute(a);
  if (op == "neg") return -a;
  if (op == "min" || op == "max") {
    const Integer chosen = (op == "min") == (a < b) ? a : b;
    return form.has("relu") && chosen < 0 ? 0 : chosen;
  }
  return 0;
}

inline Reference integer_arithmetic(const Form& form) {
  static const std::vector<std::string> known = {"add", "sub", "mul", "mad", "sad", "div",
                                                 "rem", "abs", "neg", "min", "max"};
  if (std::find(known.begin(), known.end(), form.opcode) == known.end()) return {};
  std::string type = form.types[0];
  if (type[0] != 'u' && type[0] != 's') return {};
  if (type.ends_with("x2")) {
    type = type.substr(0, type.size() - 2);
    return [=](const Lane& lane) {
      Raw result = 0;
      for (int half = 0; half < 2; ++half) {
        const Integer a = to_integer(type, lane.in[1] >> 16 * half),
                      b = to_integer(type, lane.in[2] >> 16 * half);
        result |= from_integer(16, arithmetic(form, type, a, b, 0)) << 16 * half;
      }
      return answer(result);
    };
  }
  const int bits = bits_of(type) * (form.has("wide") ? 2 : 1);
  const std::string c_type = form.has("wide") ? type.substr(0, 1) + std::to_string(bits) : type;
  return [=](const Lane& lane) {
    const Integer result = arithmetic(form, type, to_integer(type, lane.in[1]), to_integer(type, lane.in[2]),
                                      to_integer(c_type, lane.in[3]));
    return answer(from_integer(bits, form.has("sat") ? clamp(type, result) : result));
  };
}

inline Reference products24(const Form& form) {
  if (form.opcode != "mul24" && form.opcode != "mad24") return {};
  const std::string type = form.types[0], narrow = type.substr(0, 1) + "24";
  return [=](const Lane& lane) {
    const Integer product = to_integer(narrow, lane.in[1]) * to_integer(narrow, lane.in[2]);
    Integer result = to_integer(type, from_integer(32, form.has("hi") ? product >> 16 : product));
    if (form.opcode == "mad24") result += to_integer(type, lane.in[3]);
    return answer(from_integer(32, form.has("sat") ? clamp(type, result) : result));
  };
}

inline Reference dot_products(const Form& form) {
  if (form.opcode != "dp4a" && form.opcode != "dp2a") return {};
  const int parts = form.opcode == "dp4a" ? 4 : 2;
  const std::string left = form.types[0].substr(0, 1) + std::to_string(32 / parts),
                    right = form.types[1].substr(0, 1) + "8";
  const int first = form.has("hi") ? 2 : 0;
  return [=](const Lane& lane) {
    Integer sum = to_integer("u32", lane.in[3]);
    for (int i = 0; i < parts; ++i) {
      sum +=
          to_integer(left, lane.in[1] >> i * (32 / parts)) * to_integer(right, lane.in[2] >> (i + first) * 8);
    }
    return answer(from_integer(32, sum));
  };
}

inline Reference extended(const Form& form) {
  const bool reads = form.opcode == "addc" || form.opcode == "subc" || form.opcode == "madc";
  if (!reads && !form.has("cc")) return {};
  const int bits = bits_of(form.types[0]);
  return [=, type = form.types[0]](const Lane& lane) {
    const auto unsigned_value = [&](Raw raw) {
      return static_cast<Raw>(from_integer(bits, static_cast<Integer>(raw)));
    };
    Raw sum = 0;
    if (form.opcode.starts_with("add"))
      sum = unsigned_value(lane.in[1]) + unsigned_value(lane.in[2]) + (reads && lane.carry);
    if (form.opcode.starts_with("sub"))
      sum = unsigned_value(lane.in[1]) + unsigned_value(~lane.in[2]) + (reads ? lane.carry : true);
    if (form.opcode.starts_with("mad")) {
      const Form product = parse_form(std::string("mul.") + (form.has("hi") ? "hi." : "lo.") + type);
      const Integer low =
          arithmetic(product, type, to_integer(type, lane.in[1]), to_integer(type, lane.in[2]), 0);
      sum = unsigned_value(static_cast<Raw>(low)) + unsigned_value(lane.in[3]) + (reads && lane.carry);
    }
    Answer result = answer(from_integer(bits, static_cast<Integer>(sum)));
    result.carry = sum >> bits & 1;
    return result;
  };
}

inline Reference logic(const Form& form) {
  const std::string& op = form.opcode;
  const int bits = bits_of(form.types[0]);
  const auto cut = [bits](Raw raw) { return answer(from_integer(bits, static_cast<Integer>(raw))); };
  if (op == "and") return [=](const Lane& lane) { return cut(lane.in[1] & lane.in[2]); };
  if (op == "or") return [=](const Lane& lane) { return cut(lane.in[1] | lane.in[2]); };
  if (op == "xor")
    return [=](const Lane& lane) { return cut((lane.in[1] | lane.in[2]) - (lane.in[1] & lane.in[2])); };
  if (op == "not") return [=](const Lane& lane) { return cut(-lane.in[1] - 1); };
  if (op == "cnot") return [=](const Lane& lane) { return answer(lane.in[1] == 0); };
  if (op == "lop3") {
    const int first = form.modifiers.empty() ? 1 : 2;
    return [=](const Lane& lane) {
      Answer result;
      const auto at = static_cast<std::size_t>(first);
      for (int i = 0; i < 32; ++i) {
        const int index =
            4 * bit_at(lane.in[at], i) + 2 * bit_at(lane.in[at + 1], i) + bit_at(lane.in[at + 2], i);
        result.out[0] |= Raw{bit_at(lane.in[at + 3], index)} << i;
      }
      const bool q = lane.in[6] != 0;
      if (first == 2) result.out[1] = form.has("or") ? (result.out[0] != 0) || q : (result.out[0] != 0) && q;
      return result;
    };
  }
  return {};
}

inline Reference shifts(const Form& form) {
  const std::string& op = form.opcode;
  const std::string type = form.types[0];
  const int bits = bits_of(type);
  if (op == "shl") {
    return [=](const Lane& lane) {
      return answer(
          lane.in[2] >= static_cast<Raw>(bits)
              ? 0
              : from_integer(bits, static_cast<Integer>(lane.in[1] << static_cast<int>(lane.in[2]))));
    };
  }
  if (op == "shr") {
    return [=](const Lane& lane) {
      const auto count = static_cast<int>(std::min<Raw>(lane.in[2], 100));
      return answer(from_integer(bits, to_integer(type, lane.in[1]) >> count));
    };
  }
  if (op == "shf") {
    const bool left = form.has("l"), wrap = form.has("wrap");
    return [=](const Lane& lane) {
      const auto count = static_cast<int>(wrap ? lane.in[3] % 32 : std::min<Raw>(lane.in[3], 32));
      const Raw both = lane.in[2] << 32 | lane.in[1];
      return answer(left ? (both << count) >> 32 & 0xffffffff : both >> count & 0xffffffff);
    };
  }
  return {};
}

inline Reference permute(const Form& form) {
  if (form.opcode != "prmt") return {};
  // Which bytes the special modes take, by the low two bits of c, least significant first; from the manual's
  // table.
  static const std::vector<std::pair<std::string, std::array<const char*, 4>>> modes = {
      {"f4e", {"0123", "1234", "2345", "3456"}}, {"b4e", {"0765", "1076", "2107", "3210"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"0123", "1123", "2223", "3333"}},
      {"ecr", {"0000", "0111", "0122", "0123"}}, {"rc16", {"0101", "2323", "0101", "2323"}}};
  return [=](const Lane& lane) {
    const Raw bytes = lane.in[2] << 32 | lane.in[1];
    Raw result = 0;
    for (int i = 0; i < 4; ++i) {
      auto selector = static_cast<int>(lane.in[3] >> 4 * i & 15);
      for (const auto& [name, lists] : modes) {
        if (form.has(name)) selector = lists[static_cast<std::size_t>(lane.in[3] & 3)][i] - '0';
      }
      Raw byte = bytes >> 8 * (selector & 7) & 0xff;
      if (selector & 8) byte = byte >= 128 ? 0xff : 0;
      result |= byte << 8 * i;
    }
    return answer(result);
  };
}

inline Reference move(const Form& form, const Operation& row) {
  if (form.opcode != "mov") return {};
  int count = 0;
  while (count < 8 && row.operands[static_cast<std::size_t>(count)] != ptx::Type::none) ++count;
  if (form.pattern.empty()) return [](const Lane& lane) { return answer(lane.in[1]); };
  const bool packs = form.pattern.starts_with(" r");
  const int parts = count - 1, bits = 8 * ptx::size_in_bytes(row.operands[packs ? 1 : 0]);
  return [=](const Lane& lane) {
    Answer result;
    for (int i = 0; i < parts; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (packs)
        result.out[0] += from_integer(bits, static_cast<Integer>(lane.in[at + 1])) << bits * i;
      else
        result.out[at] =
            from_integer(bits, static_cast<Integer>(lane.in[static_cast<std::size_t>(parts)] >> bits * i));
    }
    return result;
  };
}

inline Reference video(const Form& form) {
  const std::string op = form.opcode.substr(0, form.opcode.size() - 1);
  static const std::vector<std::string> known = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
  if (std::find(known.begin(), known.end(), op) == known.end()) return {};
  const int bits = form.opcode.back() == '2' ? 16 : 8;
  const std::string width = std::to_string(bits);
  const std::string to = form.types[0].substr(0, 1) + width, left = form.types[1].substr(0, 1) + width,
                    right = form.types[2].substr(0, 1) + width;
  return [=](const Lane& lane) {
    Integer sum = to_integer("u32", lane.in[3]);
    Raw packed = 0;
    for (int i = 0; i < 32 / bits; ++i) {
      const Integer a = to_integer(left, lane.in[1] >> i * bits),
                    b = to_integer(right, lane.in[2] >> i * bits);
      Integer x = 0;
      if (op == "vadd") x = a + b;
      if (op == "vsub") x = a - b;
      if (op == "vavrg") x = (a + b + (a + b >= 0)) >> 1;
      if (op == "vabsdiff") x = absolute(a - b);
      if (op == "vmin") x = std::min(a, b);
      if (op == "vmax") x = std::max(a, b);
      if (form.has("sat")) x = clamp(to, x);
      sum += x;
      packed |= from_integer(bits, x) << i * bits;
    }
    return answer(form.has("add") ? from_integer(32, sum) : packed);
  };
}

inline Reference integer_reference(const Form& form, const Operation& row) {
  if (auto found = extended(form)) return found;
  if (auto found = move(form, row)) return found;
  if (auto found = integer_arithmetic(form)) return found;
  if (auto found = products24(form)) return found;
  if (auto found = dot_products(form)) return found;
  if (auto found = bit_counting(form)) return found;
  if (auto found = bit_fields(form)) return found;
  if (auto found = logic(form)) return found;
  if (auto found = shifts(form)) return found;
  if (auto found = permute(form)) return found;
  return video(form);
}

}  // namespace warpgrade::isa::reference
