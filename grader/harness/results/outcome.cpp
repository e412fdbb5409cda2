#include "results/outcome.hpp"

namespace warpgrade::harness {

const char* name_of(Status status) {
  switch (status) {
    case Status::pass:
      return "pass";
    case Status::wrong_answer:
      return "wrong_answer";
    case Status::stray_write:
      return "stray_write";
    case Status::input_changed:
      return "input_changed";
    case Status::cuda_error:
      return "cuda_error";
    case Status::launch_shape:
      return "launch_shape";
    case Status::kernel_missing:
      return "kernel_missing";
  }
  return "";
}

Outcome Outcome::failure(Status status, const std::string& message) {
  Outcome outcome;
  outcome.status = status;
  outcome.message = message;
  return outcome;
}

}  // namespace warpgrade::harness
