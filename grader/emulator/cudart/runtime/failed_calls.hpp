// Failed calls whose errors the program may still check. Where it never does, they become findings.
//
// A program has checked an error if its code uses the value that the call returned
// (host_code/dropped_result.hpp), or if the thread asks for its last error later. Trying a call that may fail
// is correct.
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
  void error_queried();
  // A call has succeeded: the program has continued after the errors that it checked.
  void succeeded() {
    if (any_) forget_seen();
  }
  // Reports the refused launches whose errors no thread has checked, each place once.
  void report_refused(Reporter& reporter);
  // Reports all unchecked errors, once. `status`: the exit status of the process. If that is an error and the
  // program has checked the error of its last call, reports that one, too.
  void report(Reporter& reporter, int status);
  // The reason of the last failed call, if this process makes calls for another one and nothing else reports
  // it.
  const std::string& why_remote() const { return why_remote_; }
  void forget_why() { why_remote_.clear(); }
  // Prints once, on standard error, which calls failed because a kernel's fault had ended the context: these
  // are no findings. Omits the call at which a program that ends with an error code noticed the fault.
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
  std::vector<FailedCall> ignored_;  // failed calls that may be unchecked
  FailedCall consequence_;           // the first that failed because of a kernel's fault
  std::uint64_t consequences_ = 0;
  FailedCall seen_;               // the last that the program checked; success: none since the last success
  std::atomic<bool> any_{false};  // ignored_ or seen_ holds a call
};

// The status that the process ends with, by exit() or by a return from main(); 0 before that.
int exit_status();
// Makes exit_status() known. Once a process.
void watch_exit_status();

}  // namespace warpgrade::cudart
