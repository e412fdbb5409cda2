#include "ops/memory/access_form.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpgrade::emulator {
namespace {

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Without effect on results: scopes, caches.
constexpr std::array<std::string_view, 15> kNoEffect = {"weak", "cta", "cluster", "gpu",     "sys",
                                                        "ca",   "cg",  "cs",      "lu",      "cv",
                                                        "wb",   "wt",  "nc",      "unified", "noftz"};
constexpr std::array<std::string_view, 6> kStrong = {"relaxed", "acquire", "release",
                                                     "acq_rel", "mmio",    "sc"};
constexpr std::array<std::string_view, 10> kOperations = {"add", "exch", "min", "max", "inc",
                                                          "dec", "cas",  "and", "or",  "xor"};

bool is_space(std::string_view word, ptx::Space& space) {
  // `const[1]` names a bank of old; the parser leaves the bracket on.
  if (word == "global")
    space = ptx::Space::global;
  else if (word == "shared" || word == "shared::cta" || word == "shared::cluster")  // of a cluster of one
    space = ptx::Space::shared;
  else if (word == "local")
    space = ptx::Space::local;
  else if (word == "const" || word.starts_with("const["))
    space = ptx::Space::constant;
  else if (word == "param" || word == "param::entry" || word == "param::func")
    space = ptx::Space::param;
  else
    return false;
  return true;
}

bool is_vector(std::string_view word, int& vector) {
  if (word != "v2" && word != "v4" && word != "v8") return false;
  vector = word[1] - '0';
  return true;
}

}  // namespace

MemoryForm memory_form(const ptx::Instruction& instruction) {
  MemoryForm form;
  for (const std::string& word : instruction.modifiers) {
    const ptx::Type type = ptx::type_from_name(word);
    form.of_block |= word == "cta";
    if (type != ptx::Type::none)
      form.type = type;
    else if (is_space(word, form.space) || is_vector(word, form.vector) || among(word, kNoEffect))
      continue;
    else if (word == "volatile")
      form.is_volatile = true;
    else if (among(word, kStrong)) {
      form.is_strong = true;
      form.releases |= word == "release" || word == "acq_rel";
    } else if (among(word, kOperations))
      form.operation = word;
    else if (word == "L2::cache_hint" || word == "level::cache_hint")
      form.cache_hint = true;
    else if (word.starts_with("L1::") || word.starts_with("L2::"))
      continue;
    else if (form.refused.empty())
      form.refused = word;
  }
  return form;
}

}  // namespace warpgrade::emulator
