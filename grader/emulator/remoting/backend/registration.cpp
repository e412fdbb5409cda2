// What a program registers before its main(): fat binaries, kernels and variables.
#include <cstring>
#include <deque>

#include "remoting/backend/session.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*);
void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                              int, int);
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int, int);
}

namespace warpgrade::remoting {
namespace {

constexpr std::uint64_t kMostImage = std::uint64_t{64} << 20;

// Whether the bytes are a fat binary whose header states the size that was received.
bool is_image(const std::string& bytes) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  if (bytes.size() < 16 || bytes.size() > kMostImage) return false;
  std::uint32_t magic = 0;
  std::uint16_t head = 0;
  std::uint64_t body = 0;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  std::memcpy(&head, bytes.data() + 6, sizeof head);
  std::memcpy(&body, bytes.data() + 8, sizeof body);
  return magic == kMagic && body <= bytes.size() && head + body == bytes.size();
}

struct Wrapper {
  std::uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* rest = nullptr;
};

}  // namespace

cudaError_t ProgramSession::register_code(MessageReader& in, Answer& out) {
  const std::string& image = images_.emplace_back(in.text());
  if (!is_image(image)) return cudaErrorInvalidKernelImage;
  static std::deque<Wrapper> wrappers;
  Wrapper& wrapper = wrappers.emplace_back();
  wrapper.data = image.data();
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  codes_.insert(handle);
  out.out.put(handle);
  return cudaSuccess;
}

cudaError_t ProgramSession::register_name(ApiFunction function, MessageReader& in) {
  const bool is_variable = function == ApiFunction::register_variable;
  auto** const handle = in.get<void**>();
  auto* const host = in.get<char*>();
  const auto bytes = is_variable ? in.get<std::size_t>() : 0;
  const std::string& name = names_.emplace_back(in.text());
  if (!codes_.contains(handle)) return cudaErrorInvalidValue;
  if (function == ApiFunction::register_managed) {
    __cudaRegisterManagedVar(handle, &managed_[host], nullptr, name.c_str(), 0, 0, 0, 0);
    return cudaSuccess;
  }
  if (is_variable) {
    __cudaRegisterVar(handle, host, nullptr, name.c_str(), 0, bytes, 0, 0);
    return cudaSuccess;
  }
  kernels_[host] = name;
  __cudaRegisterFunction(handle, host, nullptr, name.c_str(), -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  return cudaSuccess;
}

}  // namespace warpgrade::remoting
