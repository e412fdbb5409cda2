#include "isa/fidelity.hpp"

#include <string_view>

namespace warpgrade::isa {
namespace {

bool has_word(std::string_view form, std::string_view word) {
  for (std::size_t at = form.find(word); at != form.npos; at = form.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at > 0 && form[at - 1] == '.' && (end == form.size() || form[end] == '.' || form[end] == ' '))
      return true;
  }
  return false;
}

bool needs_capability_10(std::string_view form) {
  const bool tensor_rounding = has_word(form, "tf32") && !has_word(form, "rna");
  const bool mixed = !form.starts_with("cvt") && (form.ends_with(".f32.f16") || form.ends_with(".f32.bf16"));
  return mixed || form.ends_with(" d, a, b, c") || has_word(form, "f32x2") ||
         (tensor_rounding && has_word(form, "satfinite"));
}

}  // namespace

Evidence evidence(const Operation& row) {
  const std::string_view form = row.form;
  if (row.shape == Shape::matrix && row.counts == CounterClass::tensor) return Evidence::hardware;
  if (row.shape != Shape::lanewise) return Evidence::elsewhere;
  if (has_word(form, "approx") || has_word(form, "full")) return Evidence::bounded;
  const bool unasked =
      form.ends_with(".u8.bf16") || form.ends_with(".s8.bf16");  // not yet compared with a GPU
  return needs_capability_10(form) || unasked ? Evidence::reference : Evidence::hardware;
}

const char* name(Evidence evidence) {
  switch (evidence) {
    case Evidence::hardware:
      return "as an H200";
    case Evidence::reference:
      return "as the reference";
    case Evidence::bounded:
      return "within the manual's error bound";
    case Evidence::elsewhere:
      return "see the tests of ops";
  }
  return "";
}

void print_fidelity(std::ostream& out) {
  std::string_view previous;
  for (const Operation& row : table()) {
    if (row.form == previous) continue;  // the same form in registers of another width
    previous = row.form;
    out << row.form << '\t' << row.section << '\t' << name(evidence(row)) << '\n';
  }
}

}  // namespace warpgrade::isa
