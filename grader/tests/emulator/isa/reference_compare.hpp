// Reference of setp, set, selp and slct.
#pragma once

#include "reference_floating.hpp"

namespace warpgrade::isa::reference {

// less, equal, greater or unordered
enum class Order { less, equal, greater, unordered };
inline Order order_of(const std::string& type, bool ftz, Raw a, Raw b) {
  const auto format = format_of(type);
  if (!format) {
    const Integer x = to_integer(type, a), y = to_integer(type, b);
    return x < y ? Order::less : (x == y ? Order::equal : Order::greater);
  }
  const std::uint64_t mask = format->sign() * 2 - 1;
  auto p = static_cast<std::uint64_t>(a) & mask, q = static_cast<std::uint64_t>(b) & mask;
  if (ftz) {
    p = flush(*format, p);
    q = flush(*format, q);
  }
  if (decode(*format, p).nan || decode(*format, q).nan) return Order::unordered;
  const double x = to_double(*format, p), y = to_double(*format, q);
  return x < y ? Order::less : (x == y ? Order::equal : Order::greater);
}
inline bool holds(const std::string& relation, Order order) {
  const bool unordered = order == Order::unordered;
  if (relation == "num") return !unordered;
  if (relation == "nan") return unordered;
  if (relation.size() == 3) return unordered || holds(relation.substr(0, 2), order);
  if (unordered) return false;
  if (relation == "eq") return order == Order::equal;
  if (relation == "ne") return order != Order::equal;
  if (relation == "lt" || relation == "lo") return order == Order::less;
  if (relation == "le" || relation == "ls") return order != Order::greater;
  if (relation == "gt" || relation == "hi") return order == Order::greater;
  return order != Order::less;
}
inline bool combined(const Form& form, bool relation, bool c) {
  if (form.has("and")) return relation && c;
  if (form.has("or")) return relation || c;
  if (form.has("xor")) return relation != c;
  return relation;
}
inline Raw truth(const std::string& type) {
  if (type == "f32") return 0x3f800000;
  if (type == "f16" || type == "f16x2") return 0x3c00;
  if (type == "bf16" || type == "bf16x2") return 0x3f80;
  return (Raw{1} << bits_of(type)) - 1;
}

inline Reference setp(const Form& form) {
  const std::string type = form.types[0], relation = form.modifiers[0];
  const bool ftz = form.has("ftz"), pair = type.ends_with("x2");
  return [=](const Lane& lane) {
    const bool c = lane.in[4] != 0;
    const bool first = holds(relation, order_of(type, ftz, lane.in[2], lane.in[3]));
    const bool second =
        pair ? holds(relation, order_of(type, ftz, lane.in[2] >> 16, lane.in[3] >> 16)) : !first;
    Answer result = answer(combined(form, first, c));
    result.out[1] = combined(form, second, c);
    return result;
  };
}
inline Reference set(const Form& form) {
  const std::string to = form.types[0], type = form.types[1], relation = form.modifiers[0];
  const bool ftz = form.has("ftz"), pair = type.ends_with("x2");
  return [=](const Lane& lane) {
    const bool c = lane.in[3] != 0;
    Raw result = 0;
    for (int half = 0; half < (pair ? 2 : 1); ++half) {
      const bool yes = combined(
          form, holds(relation, order_of(type, ftz, lane.in[1] >> 16 * half, lane.in[2] >> 16 * half)), c);
      if (yes) result |= (pair ? truth(to) & 0xffff : truth(to)) << 16 * half;
    }
    return answer(result);
  };
}

inline Reference compare_reference(const Form& form) {
  if (form.opcode == "setp") return setp(form);
  if (form.opcode == "set") return set(form);
  if (form.opcode == "selp")
    return [](const Lane& lane) { return answer(lane.in[3] != 0 ? lane.in[1] : lane.in[2]); };
  if (form.opcode == "slct") {
    const std::string type = form.types[1];
    return [=](const Lane& lane) {
      const Order order = order_of(type, form.has("ftz"), lane.in[3], 0);
      return answer(order == Order::greater || order == Order::equal ? lane.in[1] : lane.in[2]);
    };
  }
  return {};
}

}  // namespace warpgrade::isa::reference
