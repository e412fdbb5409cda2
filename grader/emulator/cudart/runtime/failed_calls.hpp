// Failed calls at whose errors the program may still look. Where it never does, they are findings.
//
// The program has looked where its code uses what the call returned (host_code/dropped_result.hpp), or where
// the thread asks for its last error later: a program that tries what may fail is right.
#pragma once

#include <driver_types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cudart/runtime/error.hpp"
#include "machine/finding.hpp"

namespace warpgrade::cudart {

class Reporter;

class FailedCalls {
 public:
  // A call of this thread has failed.
  void add(const std::string& function, const Failure& failure);
  // This thread has asked for its last error.
  void looked();
  // A call has succeeded: the program went on after the errors at which it looked.
  void went_on() {
    if (any_) forget_seen();
  }
  // Reports the refused launches at whose errors no thread has looked, each place once.
  void report_refused(Reporter& reporter);
  // The same for all errors, once. `status`: what the process ends with.
  // If that is an error, and the program has looked at the error of its last call, that one is reported, too.
  void report(Reporter& reporter, int status);
  // Of the last call that failed, if the process makes calls for another one and nothing else says it: why.
  const std::string& why_remote() const { return why_remote_; }
  void forget_why() { why_remote_.clear(); }
  // Says once, on standard error, which calls failed because a kernel's fault had ended the context: they are
  // no findings. Says nothing of the one call at which a program with an error as exit code noticed.
  void explain_consequences(int status);

 private:
  struct FailedCall {
    std::thread::id thread;
    std::string function;
    cudaError_t code = cudaSuccess;
    std::string why;
    std::string refused;         // Failure::refused
    const void* call = nullptr;  // its return address
    bool is_launch = false;
    std::uint64_t times = 1;
  };
  static emulator::Finding finding_of(const FailedCall& failed, const std::string& then);
  static emulator::Finding refusal_of(const FailedCall& failed);
  void ignore(FailedCall failed);
  void note_consequence(const std::string& function, cudaError_t code);
  void forget_seen();

  std::mutex mutex_;
  std::string why_remote_;
  std::vector<FailedCall> ignored_;  // those that may be
  FailedCall consequence_;           // of a fault, the first
  std::uint64_t consequences_ = 0;
  FailedCall seen_;               // at which the program looked last; success: none since the last success
  std::atomic<bool> any_{false};  // of both
};

// What the process returns to its parent, once it ends by exit() or by a return from main(); before that 0.
int exit_status();
// Makes exit_status() known. Once a process.
void watch_exit_status();

}  // namespace warpgrade::cudart
