#include "landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "error.hpp"

namespace warpgrade::confine {
namespace {

// The kernel's interface (include/uapi/linux/landlock.h), written out here: a distribution's header may be
// older than the kernel that this runs on.
struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr std::uint64_t kMakeCharacterDevice = 1 << 6, kMakeBlockDevice = 1 << 11;
constexpr std::uint64_t kTruncate = 1 << 14, kControlDevice = 1 << 15;
constexpr std::uint64_t kBindAndConnectTcp = 3, kAbstractSocketsAndSignals = 3;

constexpr std::uint64_t first(int bits) { return (std::uint64_t{1} << bits) - 1; }

// All rights to files that this version knows: 13 at first, then "refer", "truncate" and device ioctls.
constexpr std::uint64_t file_rights(int version) {
  return first(version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13);
}

constexpr std::uint64_t kReading = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice;

class Rules {
 public:
  explicit Rules(int version) : known_(file_rights(version)) {
    const RulesetAttributes wanted = {known_, version >= 4 ? kBindAndConnectTcp : 0,
                                      version >= 6 ? kAbstractSocketsAndSignals : 0};
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    set_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &wanted, size, 0));
    if (set_ < 0) fail_with_errno("landlock_create_ruleset");
  }

  // Allow `rights` to a file, or below a folder. A path that does not exist is left out.
  void allow(const std::string& path, std::uint64_t rights) const {
    const int opened = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (opened < 0 && errno == ENOENT) return;
    if (opened < 0) fail_with_errno(path);
    struct stat about;
    if (fstat(opened, &about) != 0) fail_with_errno(path);
    if (!S_ISDIR(about.st_mode)) rights &= kOfFiles;
    const PathRule rule = {rights & known_, opened};
    if (syscall(SYS_landlock_add_rule, set_, kPathBeneath, &rule, 0) != 0) fail_with_errno(path);
    close(opened);
  }

  int descriptor() const { return set_; }

 private:
  std::uint64_t known_;
  int set_ = -1;
};

}  // namespace

int landlock_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::string folder_of_threads(pid_t process) { return "/proc/" + std::to_string(process) + "/task"; }

int landlock_rules(const Options& options) {
  const Rules rules(landlock_version());
  constexpr std::uint64_t kWorking = first(16) & ~(kMakeCharacterDevice | kMakeBlockDevice | kControlDevice);
  for (const std::string& path : options.readable) rules.allow(path, kReading);
  for (const std::string& path : options.writable) rules.allow(path, kWorking);
  for (const std::string& path : options.devices) rules.allow(path, kReadFile | kWriteFile | kControlDevice);
  rules.allow(options.work, kWorking);
  // CUDA's driver fails where it cannot name its threads, which means writing
  // /proc/<process>/task/<thread>/comm.
  if (!options.devices.empty()) rules.allow(folder_of_threads(getpid()), kWriteFile | kTruncate);
  return rules.descriptor();
}

void obey_landlock(int rules) {
  if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) fail_with_errno("landlock_restrict_self");
  close(rules);
}

}  // namespace warpgrade::confine
