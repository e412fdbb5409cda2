// Functions of the program that graphs call: they run in the program, while its call of the runtime waits.
#include "cudart/api/warpgrade.h"
#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {

ProgramSession::ProgramFunction& ProgramSession::function_in(MessageReader& in) {
  const auto function = in.get<cudaHostFn_t>();
  return functions_.emplace_back(ProgramFunction{this, function, in.get<void*>()});
}

void ProgramSession::run_in_program(void* function) {
  const auto& called = *static_cast<const ProgramFunction*>(function);
  called.session->run(called);
}

// What the function writes to shared memory counts as written by the program.
void ProgramSession::run(const ProgramFunction& function) {
  if (twin_ != nullptr) twin_->answered();  // it has come to the function, too
  if (tracks_) look_after();
  MessageWriter call;
  call.put(function.function).put(function.data);
  for (const GraphCopy* copy : launched_copies_)
    for (const CapturedCopy* each : copy->own)
      if (each->to_program)
        call.put(each->memory)
            .put(each->pitch)
            .put(each->width)
            .put(each->height)
            .append(each->rows.data(), each->rows.size());
  MessageHeader header{static_cast<std::uint32_t>(ApiFunction::run_function)};
  bool runs = !is_broken_ && send_message(socket_, header, call.bytes());
  for (std::string bytes; runs;) {
    is_broken_ = !receive(header, bytes);
    const auto said = static_cast<ApiFunction>(header.function);
    if (is_broken_ || said == ApiFunction::function_done) break;
    is_broken_ = said != ApiFunction::host_access || !answer_access(header, bytes);
    runs = !is_broken_;
  }
  if (tracks_) look_before();
  if (twin_ != nullptr) twin_->send({static_cast<std::uint32_t>(ApiFunction::function_done)}, {});
}

bool ProgramSession::answer_access(MessageHeader header, const std::string& bytes) {
  MessageReader in(bytes);
  Answer none;
  warpgradeRemoteCall(reinterpret_cast<const void*>(header.caller));
  try {
    header.code = internal(ApiFunction::host_access, in, none);
  } catch (const std::length_error&) {
    return false;
  }
  warpgradeRemoteCall(reinterpret_cast<const void*>(caller_));
  std::string answer;
  header.closed = put_closed_pages(answer);
  return send_message(socket_, header, answer);
}

}  // namespace warpgrade::remoting
