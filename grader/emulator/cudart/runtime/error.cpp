#include "cudart/runtime/error.hpp"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>

namespace warpgrade::cudart {
namespace {

struct Row {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr Row kRows[] = {
#define ERROR(code, text) {code, #code, text},
#include "cudart/runtime/errors.def"
#undef ERROR
};

constexpr Row kUnknown = {cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};

const Row& row(cudaError_t code) {
  for (const Row& each : kRows)
    if (each.code == code) return each;
  return kUnknown;
}

// "cudaErrorTextureNotBound" → "texture not bound".
std::string words_of(const char* name) {
  std::string text;
  for (const char* c = name + std::strlen("cudaError"); *c != '\0'; ++c) {
    if (!text.empty() && std::isupper(*c) != 0) text += ' ';
    text += static_cast<char>(std::tolower(*c));
  }
  return text;
}

// Filled once, because callers keep the pointers.
const std::map<cudaError_t, std::string>& derived_texts() {
  static const auto* texts = [] {
    auto* made = new std::map<cudaError_t, std::string>;
    for (const Row& each : kRows)
      if (each.text == nullptr) made->emplace(each.code, words_of(each.name));
    return made;
  }();
  return *texts;
}

thread_local cudaError_t last = cudaSuccess;

}  // namespace

const char* error_name(cudaError_t code) { return row(code).name; }
const char* error_text(cudaError_t code) {
  const Row& found = row(code);
  return found.text != nullptr ? found.text : derived_texts().at(code).c_str();
}

// CUDA Runtime API, "enum cudaError": the errors that say that the process must be terminated.
bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

cudaError_t last_error() { return last; }
void set_last_error(cudaError_t code) { last = code; }

void complain(const std::string& where, const std::string& text) {
  const std::string line = "warpgrade: " + (where.empty() ? text : where + ": " + text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace warpgrade::cudart
