// Writes findings, counters and the output of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cudart/runtime/config.hpp"
#include "machine/launch.hpp"

namespace warpgrade::cudart {

class Reporter {
 public:
  // Opens the files of the configuration for appending. Throws ConfigError where one cannot be.
  explicit Reporter(const Config& config);
  ~Reporter();
  Reporter(const Reporter&) = delete;

  void set_label(std::string label) {
    label_ = std::move(label);
    kept_.clear();
  }
  // Launches with a label belong to a harness, which itself reports their outcome.
  bool has_label() const { return !label_.empty(); }
  int last_finding_count() const { return last_findings_; }
  // LaunchResult::kept of the launches with this label.
  const std::set<std::string>& kept() const { return kept_; }

  // Whether this launch is the one to record. Counts the launches that it could be. `kernel`: its name;
  // empty: any.
  bool wants_recording(const Config& config, const std::string& kernel,
                       const emulator::LaunchRequest& request);

  // Reports a finding that belongs to no launch, unless it is suppressed; `kernel` may be empty. A repetition
  // of an earlier finding at the same place is only counted.
  void found(const emulator::Finding& finding, const std::string& kernel);
  // Reports a finding of each place once; later launches that show it are counted.
  void launched(const emulator::LaunchRequest& request, const emulator::LaunchResult& result);
  // Writes the counts of repeated and of suppressed findings, once. At the end of the process.
  void finish();

 private:
  struct Repeated {
    emulator::Site site;
    std::uint64_t first = 0;                // launch that showed it first
    std::uint64_t launches = 0, times = 0;  // later ones; of the host: calls
  };
  bool is_repeated(const emulator::Finding& finding, const std::string& kernel);
  bool is_suppressed(const emulator::Finding& finding, const std::string& kernel);
  void write(const emulator::Finding& finding, const std::string& kernel);
  void finish_suppressions();

  // Label, kernel, kind, the instructions of both sides, and the line; for findings of the host also the
  // message.
  using Place =
      std::tuple<std::string, std::string, emulator::FindingKind, std::uint32_t, std::uint32_t, std::string>;
  Place place_of(const emulator::Finding& finding, const std::string& kernel) const;
  std::map<Place, Repeated> reported_;
  std::vector<emulator::Suppression> suppressions_;
  std::set<Place> suppressed_;
  std::string label_;
  std::set<std::string> kept_;
  std::uint64_t launches_ = 0;
  int last_findings_ = 0;
  std::uint64_t recordable_ = 0;  // launches so far that have the kernel and the block to record
  int findings_ = -1, counters_ = -1, trace_ = -1, record_ = -1;  // file descriptors
  bool colour_ = false;
};

}  // namespace warpgrade::cudart
