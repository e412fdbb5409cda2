#include "ptx/tree/modifier.hpp"

#include <array>
#include <unordered_map>

namespace warpgrade::ptx {
namespace {

// What modifiers.def says of one modifier.
struct Row {
  std::string_view name;
  Type type = Type::none;
  Space space = Space::none;
  int vector = 0;
  bool strong = false, caching = false, atomic = false, format = false;
};

constexpr Row kRows[] = {
    {},
#define MODIFIER(its, text) {.name = text},
#define TYPE(its) {.name = #its, .type = Type::its, .format = true},
#define FORMAT(its) {.name = #its, .format = true},
#define SPACE(its, text, its_space) {.name = text, .space = Space::its_space},
#define STRONG(its, text) {.name = text, .strong = true},
#define CACHING(its, text) {.name = text, .caching = true},
#define VECTOR(its, elements) {.name = #its, .vector = elements},
#define ATOMIC(its, text) {.name = text, .atomic = true},
#include "ptx/tree/modifiers.def"
};

const Row& row(Modifier modifier) { return kRows[static_cast<std::size_t>(modifier)]; }

}  // namespace

Modifier modifier_from_name(std::string_view name) {
  static const auto& kByName = *new const std::unordered_map<std::string_view, Modifier>{
#define MODIFIER(name, text) {text, Modifier::name},
#include "ptx/tree/modifiers.def"
  };
  // `const[1]` names a bank, which old compilers wrote.
  const auto found = kByName.find(name.starts_with("const[") ? name.substr(0, 5) : name);
  return found == kByName.end() ? Modifier::unknown : found->second;
}

std::string_view name_of(Modifier modifier) { return row(modifier).name; }
Type type_of(Modifier modifier) { return row(modifier).type; }
Space space_of(Modifier modifier) { return row(modifier).space; }
int vector_length_of(Modifier modifier) { return row(modifier).vector; }
bool is_strong(Modifier modifier) { return row(modifier).strong; }
bool is_caching(Modifier modifier) { return row(modifier).caching; }
bool is_atomic(Modifier modifier) { return row(modifier).atomic; }
bool is_number_format(Modifier modifier) { return row(modifier).format; }

}  // namespace warpgrade::ptx
