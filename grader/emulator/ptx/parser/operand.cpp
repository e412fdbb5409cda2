#include "ptx/parser/operand.hpp"

#include <algorithm>
#include <array>

#include "ptx/parser/constant.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::size_t kMaxElements = 1024;  // arguments of a call; vectors have at most 128 (wgmma, tcgen05)

// Special registers, sorted, without components (.x).
constexpr std::array<std::string_view, 37> kSpecial{"%aggr_smem_size",
                                                    "%clock",
                                                    "%clock64",
                                                    "%clock_hi",
                                                    "%cluster_ctaid",
                                                    "%cluster_ctarank",
                                                    "%cluster_nctaid",
                                                    "%cluster_nctarank",
                                                    "%clusterid",
                                                    "%ctaid",
                                                    "%current_graph_exec",
                                                    "%dynamic_smem_size",
                                                    "%globaltimer",
                                                    "%globaltimer_hi",
                                                    "%globaltimer_lo",
                                                    "%gridid",
                                                    "%is_explicit_cluster",
                                                    "%laneid",
                                                    "%lanemask_eq",
                                                    "%lanemask_ge",
                                                    "%lanemask_gt",
                                                    "%lanemask_le",
                                                    "%lanemask_lt",
                                                    "%nclusterid",
                                                    "%nctaid",
                                                    "%nsmid",
                                                    "%ntid",
                                                    "%nwarpid",
                                                    "%reserved_smem_offset_0",
                                                    "%reserved_smem_offset_1",
                                                    "%reserved_smem_offset_begin",
                                                    "%reserved_smem_offset_cap",
                                                    "%reserved_smem_offset_end",
                                                    "%smid",
                                                    "%tid",
                                                    "%total_smem_size",
                                                    "%warpid"};
static_assert(std::is_sorted(kSpecial.begin(), kSpecial.end()));

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 2 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (name.size() > 2 && name[name.size() - 2] == '.' &&
      std::string_view("xyzw").find(name.back()) != std::string_view::npos)
    name.remove_suffix(2);
  if (std::binary_search(kSpecial.begin(), kSpecial.end(), name)) return true;
  if (name.starts_with("%envreg")) return all_digits(name.substr(7));
  if (name.starts_with("%pm"))
    return all_digits(name.substr(3, name.ends_with("_64") ? name.size() - 6 : name.npos));
  return false;
}

// `%r1`, `%r1.b0` (selector of a video instruction), `v` and `v.x` of a vector register.
bool OperandParser::find_register(std::string_view text, Operand& operand) const {
  std::string_view selector;
  Names::Meaning meaning = names_.find(text);
  const std::size_t dot = text.find('.');
  if (meaning.kind == Names::Meaning::Kind::nothing && dot != std::string_view::npos) {
    selector = text.substr(dot + 1);
    meaning = names_.find(text.substr(0, dot));
  }
  if (meaning.kind == Names::Meaning::Kind::vector && selector.empty()) {
    operand.kind = Operand::Kind::vector;
    for (std::int32_t i = 0; i < meaning.count; ++i) {
      Operand part;
      part.kind = Operand::Kind::reg;
      part.reg = meaning.index + i;
      part.place = operand.place;
      operand.elements.push_back(std::move(part));
    }
    return true;
  }
  if (meaning.kind == Names::Meaning::Kind::vector) {
    const std::size_t part = std::string_view("xyzw").find(selector[0]);
    if (selector.size() != 1 || part >= static_cast<std::size_t>(meaning.count)) return false;
    meaning.index += static_cast<std::int32_t>(part);
  } else if (meaning.kind == Names::Meaning::Kind::reg) {
    operand.symbol = std::string(selector);
  } else {
    return false;
  }
  operand.kind = Operand::Kind::reg;
  operand.reg = meaning.index;
  return true;
}

Operand OperandParser::name() {
  Operand operand;
  operand.place = cursor_.place();
  const std::string_view text = cursor_.take().text;
  if (text == "_") return operand;
  if (find_register(text, operand)) return operand;
  const Names::Meaning meaning = names_.find(text);
  if (meaning.kind == Names::Meaning::Kind::variable) {
    operand.kind = Operand::Kind::symbol;
    operand.symbol = *meaning.name;
  } else if (is_special_register(text)) {
    operand.kind = Operand::Kind::special;
    operand.symbol = std::string(text);
    return operand;
  } else if (text[0] == '%') {
    throw ParseError(operand.place, "the register '" + std::string(text.substr(0, 40)) + "' is not declared");
  } else {
    operand.kind = Operand::Kind::symbol;
    operand.symbol = std::string(text);
  }
  if (cursor_.at('+') || cursor_.at('-')) operand.offset = parse_offset(cursor_);
  return operand;
}

// `%p1|%p2`: two destinations, either of which may be a sink.
Operand OperandParser::with_bar(Operand first) {
  if (!cursor_.accept('|')) return first;
  if (first.kind != Operand::Kind::reg && first.kind != Operand::Kind::sink)
    cursor_.fail("'|' stands between two registers");
  if (!cursor_.at_word()) cursor_.fail("expected a register behind '|'");
  const Operand second = name();
  if (second.kind != Operand::Kind::reg && second.kind != Operand::Kind::sink)
    throw ParseError(second.place, "expected a register behind '|'");
  first.second = second.reg;
  return first;
}

Operand OperandParser::constant() {
  Operand operand;
  operand.place = cursor_.place();
  const Constant value = parse_constant(cursor_);
  operand.kind = value.is_real ? Operand::Kind::real : Operand::Kind::integer;
  operand.width = value.is_real ? value.width : 0;
  operand.bits = value.bits;
  return operand;
}

Operand OperandParser::element() {
  if (cursor_.at_word() && cursor_.peek().text != "WARP_SZ") return name();
  if (cursor_.accept('!')) {
    if (!cursor_.at_word()) cursor_.fail("expected a predicate behind '!'");
    Operand operand = name();
    operand.negated = true;
    return operand;
  }
  if (starts_constant(cursor_.peek())) return constant();
  cursor_.fail("expected an operand: a register, a number, a name, {…} or […]");
}

Operand OperandParser::vector() {
  Operand operand;
  operand.kind = Operand::Kind::vector;
  operand.place = cursor_.place();
  cursor_.expect('{', "in front of a vector");
  do {
    if (operand.elements.size() == kMaxElements) cursor_.fail("a vector has at most 1,024 elements");
    operand.elements.push_back(element());
  } while (cursor_.accept(','));
  cursor_.expect('}', "behind a vector");
  return operand;
}

Operand OperandParser::parse_list() {
  Operand operand;
  operand.kind = Operand::Kind::vector;
  operand.place = cursor_.place();
  cursor_.expect('(', "in front of the arguments");
  while (!cursor_.at(')')) {
    if (operand.elements.size() == kMaxElements) cursor_.fail("a call has at most 1,024 arguments");
    operand.elements.push_back(element());
    if (!cursor_.accept(',')) break;
  }
  cursor_.expect(')', "behind the arguments");
  return operand;
}

void OperandParser::address_base(Operand& operand) {
  if (cursor_.at_word() && cursor_.peek().text != "WARP_SZ") {
    const Operand base = name();
    operand.offset = base.offset;
    if (base.kind == Operand::Kind::reg && base.symbol.empty()) {
      operand.has_reg = true;
      operand.reg = base.reg;
      if (cursor_.at('+') || cursor_.at('-')) operand.offset = parse_offset(cursor_);
    } else if (base.kind == Operand::Kind::symbol) {
      operand.symbol = base.symbol;
    } else {
      throw ParseError(base.place, "an address is a register or a name, with or without an offset");
    }
  } else {
    operand.offset = parse_offset(cursor_);
  }
}

Operand OperandParser::address() {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.place = cursor_.place();
  cursor_.expect('[', "in front of an address");
  address_base(operand);
  if (cursor_.at(',')) {
    Operand base;
    base.place = operand.place;
    base.kind = operand.has_reg ? Operand::Kind::reg : Operand::Kind::symbol;
    base.reg = operand.reg;
    base.symbol = operand.symbol;
    operand.elements.push_back(std::move(base));
    while (cursor_.accept(',')) {
      if (operand.elements.size() == 8) cursor_.fail("too many parts in an address");
      operand.elements.push_back(cursor_.at('{') ? vector() : element());
    }
  }
  cursor_.expect(']', "behind an address");
  return operand;
}

Operand OperandParser::parse() {
  if (cursor_.at('[')) return address();
  if (cursor_.at('{')) return vector();
  return with_bar(element());
}

}  // namespace warpgrade::ptx
