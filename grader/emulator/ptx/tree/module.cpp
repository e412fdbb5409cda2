#include "ptx/tree/module.hpp"

#include <algorithm>
#include <utility>

namespace warpgrade::ptx {

void Instruction::set_form(std::string form) {
  form_ = std::move(form);
  modifiers.clear();
  set_.reset();
  const std::string_view text = form_;
  std::size_t dot = std::min(text.find('.'), text.size());
  opcode = opcode_from_name(text.substr(0, dot));
  while (dot < text.size()) {
    const std::size_t next = std::min(text.find('.', dot + 1), text.size());
    modifiers.push_back(modifier_from_name(text.substr(dot + 1, next - dot - 1)));
    set_.set(static_cast<std::size_t>(modifiers.back()));
    dot = next;
  }
}

std::string_view Instruction::modifier_text(std::size_t n) const {
  std::string_view text = form_;
  for (std::size_t i = 0; i <= n; ++i) text.remove_prefix(text.find('.') + 1);
  return text.substr(0, text.find('.'));
}

bool Instruction::has_any(std::initializer_list<Modifier> of) const {
  return std::any_of(of.begin(), of.end(), [this](Modifier each) { return has(each); });
}

Type Instruction::type() const { return modifiers.empty() ? Type::none : type_of(modifiers.back()); }

Space Instruction::space() const {
  for (const Modifier each : modifiers)
    if (const Space space = space_of(each); space != Space::none) return space;
  return Space::generic;
}

bool Instruction::is_strong() const {
  return std::any_of(modifiers.begin(), modifiers.end(), [](Modifier each) { return ptx::is_strong(each); });
}

const Function* Module::find_function(const std::string& name) const {
  const auto alias = aliases.find(name);
  const std::string& wanted = alias == aliases.end() ? name : alias->second;
  for (const Function& function : functions)
    if (function.name == wanted) return &function;
  return nullptr;
}

}  // namespace warpgrade::ptx
