#include "symbols/kernel_names.hpp"

#include <algorithm>
#include <utility>

#include "symbols/host_symbols.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kReturns = "void ";  // written before a template's name

// The first place of `wanted` at or after `from` that is not inside <>; npos if there is none.
std::size_t find_outside(std::string_view text, char wanted, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (depth == 0 && text[i] == wanted) return i;
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
  }
  return std::string_view::npos;
}

// Where the parameters begin, which the words "(anonymous namespace)" are not.
std::size_t parameters_at(std::string_view text) {
  std::size_t from = 0;
  while (true) {
    const std::size_t at = find_outside(text, '(', from);
    if (at == std::string_view::npos || !text.substr(at).starts_with(kAnonymous)) return at;
    from = at + kAnonymous.size();
  }
}

std::string_view without_arguments(std::string_view plain) {
  if (!plain.ends_with('>')) return plain;
  int depth = 0;
  for (std::size_t i = plain.size(); i-- != 0;) {
    if (plain[i] == '>') ++depth;
    if (plain[i] == '<' && --depth == 0) return plain.substr(0, i);
  }
  return plain;
}

std::string_view without_namespaces(std::string_view plain) {
  const std::size_t end = without_arguments(plain).size();
  const std::size_t colons = plain.substr(0, end).rfind("::");
  return colons == std::string_view::npos ? plain : plain.substr(colons + 2);
}

std::string without_spaces(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

bool is_called(const KernelNames& kernel, std::string_view text) {
  const std::string_view all = kernel.signature, plain = kernel.plain, last = without_namespaces(plain);
  for (const std::string_view each :
       {all, plain, std::string_view(kernel.bare), last, without_arguments(last), without_namespaces(all)})
    if (without_spaces(each) == text) return true;
  return false;
}

}  // namespace

KernelNames names_of_kernel(const std::string& mangled) {
  KernelNames out;
  out.mangled = mangled;
  out.signature = demangled(mangled.c_str());
  if (out.signature.starts_with(kReturns)) out.signature.erase(0, kReturns.size());
  out.plain = out.signature.substr(0, parameters_at(out.signature));
  out.bare = without_arguments(out.plain);
  return out;
}

std::vector<KernelNames> kernels_called(std::string_view text, const std::vector<std::string>& mangled) {
  std::vector<KernelNames> found;
  const std::string wanted = without_spaces(text);
  for (const std::string& each : mangled) {
    if (each == text) return {names_of_kernel(each)};
    if (KernelNames names = names_of_kernel(each); is_called(names, wanted))
      found.push_back(std::move(names));
  }
  return found;
}

}  // namespace warpgrade::emulator
