#include "ops/memory/access_form.hpp"

#include <cstddef>

namespace warpgrade::emulator {

using ptx::Modifier;

MemoryForm memory_form(const ptx::Instruction& instruction) {
  MemoryForm form;
  form.of_block = instruction.has_any({Modifier::cta, Modifier::cluster});  // a cluster has one block here
  form.releases = instruction.has_any({Modifier::release, Modifier::acq_rel});
  form.cache_hint = instruction.has_any({Modifier::L2_cache_hint, Modifier::level_cache_hint});
  for (std::size_t n = 0; n < instruction.modifiers.size(); ++n) {
    const Modifier each = instruction.modifiers[n];
    if (ptx::type_of(each) != ptx::Type::none)
      form.type = ptx::type_of(each);
    else if (ptx::space_of(each) != ptx::Space::none)
      form.space = ptx::space_of(each);
    else if (ptx::vector_length_of(each) != 0)
      form.vector = ptx::vector_length_of(each);
    else if (each == Modifier::volatile_)
      form.is_volatile = true;
    else if (ptx::is_strong(each))
      form.is_strong = true;
    else if (ptx::is_atomic(each))
      form.operation = each;
    else if (!ptx::is_caching(each) && each != Modifier::L2_cache_hint &&
             each != Modifier::level_cache_hint && form.refused.empty())
      form.refused = instruction.modifier_text(n);
  }
  return form;
}

}  // namespace warpgrade::emulator
