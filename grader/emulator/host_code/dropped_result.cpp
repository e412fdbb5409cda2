#include "host_code/dropped_result.hpp"

#include <cstdint>
#include <set>

#include "host_code/instruction.hpp"

namespace warpgrade::host_code {
namespace {

constexpr std::size_t kMostInstructions = 400;  // on all paths

// Follows the paths after a call.
class PathWalker {
 public:
  explicit PathWalker(const std::vector<const void*>& calls) : calls_(calls) {}

  bool drops(const std::uint8_t* at, std::size_t depth) {
    while (seen_.insert(at).second) {
      if (seen_.size() > kMostInstructions) return false;
      const HostInstruction now = decode(at);
      if (now.length == 0 || now.reads_rax) return false;
      if (now.replaces_rax || now.flow == Flow::call) return true;
      at += now.length;
      if (now.flow == Flow::back)
        return depth + 1 < calls_.size() && drops(bytes(calls_[depth + 1]), depth + 1);
      if (now.flow == Flow::branch && !drops(at + now.distance, depth)) return false;
      if (now.flow == Flow::jump) at += now.distance;
    }
    return true;  // this path was followed before
  }
  static const std::uint8_t* bytes(const void* address) { return static_cast<const std::uint8_t*>(address); }

 private:
  const std::vector<const void*>& calls_;
  std::set<const std::uint8_t*> seen_;
};

}  // namespace

bool drops_result(const std::vector<const void*>& calls) {
#ifdef __x86_64__
  return !calls.empty() && PathWalker(calls).drops(PathWalker::bytes(calls[0]), 0);
#else
  return false;
#endif
}

}  // namespace warpgrade::host_code
