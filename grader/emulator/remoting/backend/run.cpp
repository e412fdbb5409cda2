#include "remoting/backend/run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <thread>

#include "cudart/api/warpgrade.h"
#include "remoting/backend/descriptor.hpp"

namespace warpgrade::remoting {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostPrinted = 16 << 10;
constexpr std::size_t kMostOutput = std::size_t{8} << 20;  // bytes of all outputs
constexpr std::size_t kMostInput = std::size_t{64} << 20;
constexpr std::size_t kMostListed = 10'000;  // calls in a record
constexpr int kSocket = 3;                   // the program's end
constexpr int kPause = 20;                   // milliseconds

// The content of a regular file. A link is not followed, since the program made the file.
std::string contents_of(const std::string& path, std::size_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  std::string text;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) text = contents(file, most);
  close(file);
  return text;
}

// The outputs are read here only: a process that the program left behind could change them for a second look.
std::vector<std::string> contents_of_all(const std::vector<std::string>& paths, std::size_t most) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    all.push_back(contents_of(path, most));
    most -= all.back().size();
  }
  return all;
}

// The array after the header of a .npy file: "\x93NUMPY", two bytes of version, the length of the header.
std::string_view array_of(std::string_view file) {
  if (file.size() < 12 || file.substr(0, 6) != std::string_view("\x93NUMPY", 6)) return file;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[at]));
  };
  std::size_t begin = 10 + byte(8) + (byte(9) << 8);
  if (byte(6) > 1) begin = 12 + byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  return begin <= file.size() ? file.substr(begin) : std::string_view();
}

std::string base64(const std::string& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kLetters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

// Collects what the program prints, and kills it when its time is up.
class ProgramWatcher {
 public:
  ProgramWatcher(pid_t program, int out, int err, int socket, double seconds)
      : program_(program),
        out_(out),
        err_(err),
        socket_(socket),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        thread_([this] { watch(); }) {}
  void join() { thread_.join(); }

  int status = 0;
  bool timed_out = false;
  std::string printed, errors;

 private:
  static bool drain(int pipe, std::string& text) {
    char part[4096];
    const ssize_t got = read(pipe, part, sizeof part);
    if (got > 0)
      text.append(
          part, std::min(static_cast<std::size_t>(got), kMostPrinted - std::min(kMostPrinted, text.size())));
    return got > 0;
  }

  void watch() {
    pollfd pipes[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    for (;;) {
      poll(pipes, 2, kPause);
      const bool more = drain(out_, printed) | drain(err_, errors);
      if (waitpid(program_, &status, WNOHANG) == program_) break;
      if (Clock::now() > end_ && !timed_out) {
        timed_out = true;
        kill(program_, SIGKILL);
      }
      if (!more && (pipes[0].revents | pipes[1].revents) != 0) usleep(kPause * 50);
    }
    for (bool more = true; more && printed.size() < kMostPrinted && errors.size() < kMostPrinted;)
      more = drain(out_, printed) | drain(err_, errors);
    shutdown(socket_, SHUT_RDWR);  // a process that the program left behind may still hold the other end
  }

  pid_t program_;
  int out_, err_, socket_;
  Clock::time_point end_;
  std::thread thread_;
};

[[noreturn]] void become_program(const RunPlan& plan, int socket, int out, int err) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (chdir(plan.place.folder.c_str()) != 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
    _exit(126);
  if (socket != kSocket && dup2(socket, kSocket) < 0) _exit(126);
  if (socket == kSocket) fcntl(kSocket, F_SETFD, 0);
  close_range(kSocket + 1, ~0U, 0);
  std::vector<std::string> words = {plan.program};
  words.insert(words.end(), plan.place.arguments.begin(), plan.place.arguments.end());
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "LC_ALL=C", "LD_LIBRARY_PATH=" + plan.frontend,
                                        std::string(kSocketVariable) + "=" + std::to_string(kSocket)};
  std::vector<char*> argv, environment;
  for (std::string& each : words) argv.push_back(each.data());
  for (std::string& each : variables) environment.push_back(each.data());
  argv.push_back(nullptr);
  environment.push_back(nullptr);
  execve(plan.program.c_str(), argv.data(), environment.data());
  _exit(127);
}

Json json_of(const std::vector<NodeRecord>& nodes) {
  Json all = Json::array();
  for (const NodeRecord& each : nodes)
    all.push_back({{"call", each.call}, {"does", each.does}, {"event", each.event}, {"before", each.before}});
  return all;
}

Json json_of(const CallRecord& call) {
  return {{"function", call_place(call).first},
          {"caller", call.caller},
          {"thread", call.thread},
          {"code", static_cast<int>(call.code)},
          {"error", call.code == cudaSuccess ? "" : cudaGetErrorName(call.code)},
          {"why", call.why},
          {"stream", call.stream},
          {"non_blocking", call.non_blocking},
          {"event", call.event},
          {"other", call.other},
          {"bytes", call.bytes},
          {"direction", call.direction},
          {"pinned", call.pinned},
          {"copy", call.copy},
          {"read_bytes", call.copy == 0 ? 0 : warpgradeBytesRead(call.copy)},
          {"launch", call.launch},
          {"result_bytes", call.launch == 0 ? 0 : warpgradeBytesTaken(call.launch)},
          {"milliseconds", call.milliseconds},
          {"memory", call.memory},
          {"kernel", call.kernel},
          {"grid", {call.grid.x, call.grid.y, call.grid.z}},
          {"block", {call.block.x, call.block.y, call.block.z}},
          {"executable", call.executable},
          {"nodes", json_of(call.nodes)},
          {"captured", call.captured},
          {"can_fail", can_fail(call.function)}};
}

// The first calls of the program, as many as a record lists.
std::span<const CallRecord> listed(const ProgramSession& session) {
  return {session.calls().data(), std::min(session.calls().size(), kMostListed)};
}

Json encoded(const std::vector<std::string>& outputs) {
  Json all = Json::array();  // the contents, not the paths: a link may lead out of the sandbox
  for (const std::string& each : outputs) all.push_back(base64(each));
  return all;
}

// How often the program executes each of its places. The number of queries whether work is done depends on
// chance, and threads are created in a library, whose address differs in each run.
using Turns = std::map<CallPlace, std::size_t>;
Turns of_work(Turns turns) {
  std::erase_if(turns, [](const auto& each) {
    const std::string& function = each.first.first;
    return function.ends_with("Query") || !function.starts_with("cuda");
  });
  return turns;
}

Turns turns_of(std::span<const CallRecord> calls) {
  Turns turns;
  for (const CallRecord& call : calls) ++turns[call_place(call)];
  return of_work(std::move(turns));
}

// Ignores the order: calls of several threads come in any order.
bool are_like(std::span<const CallRecord> calls, const Json& rows) {
  Turns turns;
  for (const Json& row : rows) ++turns[call_place(row)];
  return turns_of(calls) == of_work(std::move(turns));
}

// Whether an output is a rearrangement of an input, so that a program which rearranges does the device's
// work.
bool are_of_inputs(const RunPlan& plan, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < plan.others.size(); ++j)
      if (is_mostly_of(array_of(outputs[i]), plan.outputs.at(i), array_of(inputs.at(j)), plan.others[j].form))
        return true;
  return false;
}

// Adds what the program did: all of it, or only whether it equals the run without a failure.
void add_work(Json& record, const RunPlan& plan, ProgramSession& session,
              const std::vector<std::string>& outputs) {
  record["calls"] = Json::array();
  if (plan.like != nullptr) {
    const bool is_whole =
        std::none_of(outputs.begin(), outputs.end(), [](const std::string& each) { return each.empty(); });
    record["same_calls"] = are_like(listed(session), plan.like->at("calls"));
    record["same_output"] = is_whole && encoded(outputs) == plan.like->at("outputs");
    return;
  }
  for (const CallRecord& call : listed(session)) record["calls"].push_back(json_of(call));
  record["outputs"] = encoded(outputs);
  std::vector<std::string> of_twin(outputs.size());
  bool is_from_device = true;
  for (std::size_t i = 0; i < outputs.size() && is_from_device; ++i)
    is_from_device = !outputs[i].empty() &&
                     session.origin().is_from_device(array_of(outputs[i]), plan.outputs.at(i), &of_twin[i]);
  record["from_device"] = is_from_device;
  if (!is_from_device || plan.others.empty()) return;
  record["of_twin"] = encoded(of_twin);
  const FollowedInputs followed = session.followed();
  record["followed"] = followed.parts;
  record["rearranged"] = followed.are_rearranged && are_of_inputs(plan, session.origin().inputs(), outputs);
}

Json record_of(const RunPlan& plan, ProgramSession& session, const ProgramWatcher& watcher,
               const std::vector<std::string>& outputs) {
  const bool exited = WIFEXITED(watcher.status);
  const CallRecord* failed = session.failed();
  Json record = {{"label", plan.label},
                 {"failed", failed == nullptr ? Json(nullptr) : json_of(*failed)},
                 {"again", session.failed_again()},
                 {"worked", session.failed_in_words()},
                 {"exit_code", exited ? WEXITSTATUS(watcher.status) : -1},
                 {"signal", exited ? 0 : WTERMSIG(watcher.status)},
                 {"timed_out", watcher.timed_out},
                 {"more_calls", session.calls().size() > kMostListed},
                 {"variable_bytes", warpgradeVariableBytes()},
                 {"heap_bytes", warpgradeHeapBytes()},
                 {"printed", watcher.printed},
                 {"errors", watcher.errors}};
  add_work(record, plan, session, outputs);
  return record;
}

// The arrays of the program's inputs and the others in their place. Of unlike sizes there are none.
std::vector<OtherInput> pairs_of(const std::vector<std::string>& inputs,
                                 const std::vector<OtherFile>& others) {
  std::vector<OtherInput> pairs;
  for (std::size_t i = 0; i < std::min(inputs.size(), others.size()); ++i) {
    const std::string_view own = array_of(inputs[i]), other = array_of(others[i].content);
    if (own.size() == other.size()) pairs.push_back({std::string(own), std::string(other), others[i].form});
  }
  return pairs;
}

// The process beside the program. The program has the same user: it may neither trace this process nor open
// what it has open, which PR_SET_DUMPABLE forbids.
[[noreturn]] void serve(const RunPlan& plan, int findings, int counters, int record) {
  std::vector<std::string> inputs;  // as they are before the program runs
  if (plan.tracks) inputs = contents_of_all(plan.place.arguments, kMostInput);
  std::optional<Twin> twin;
  if (plan.tracks && !plan.others.empty()) twin.emplace(pairs_of(inputs, plan.others));
  prctl(PR_SET_DUMPABLE, 1);  // else the next line could not open it
  setenv("WARPGRADE_FINDINGS", ("/proc/self/fd/" + std::to_string(findings)).c_str(), 1);
  if (plan.counts) setenv("WARPGRADE_COUNTERS", ("/proc/self/fd/" + std::to_string(counters)).c_str(), 1);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) _exit(125);
  prctl(PR_SET_DUMPABLE, 0);
  int sockets[2], out[2], err[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
      pipe2(err, O_CLOEXEC) != 0)
    _exit(125);
  const pid_t program = fork();
  if (program < 0) _exit(125);
  if (program == 0) become_program(plan, sockets[1], out[1], err[1]);
  for (const int end : {sockets[1], out[1], err[1]}) close(end);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  ProgramSession session(sockets[0], plan.fail, plan.tracks, twin ? &*twin : nullptr);
  for (std::string& each : inputs) session.origin().input(std::move(each));
  ProgramWatcher watcher(program, out[0], err[0], sockets[0], plan.seconds);
  session.serve();
  shutdown(sockets[0], SHUT_RDWR);  // after an invalid message, no further call is answered
  watcher.join();
  const std::string text = record_of(plan, session, watcher, contents_of_all(plan.place.outputs, kMostOutput))
                               .dump(-1, ' ', true, Json::error_handler_t::replace);
  if (!append(record, text)) _exit(125);
  std::exit(0);  // reports what the program left behind
}

}  // namespace

CallPlace call_place(const Json& call) {
  return {call.at("function").get<std::string>(), call.value("caller", std::uint64_t{0})};
}

void kill_what_is_left() {
  for (;;) {
    std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
    for (pid_t child = 0; list >> child;) kill(child, SIGKILL);
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    if (ended == 0) usleep(1000);
  }
}

RunRecord run_once(const RunPlan& plan) {
  for (const std::string& output : plan.place.outputs) unlink(output.c_str());
  const int findings = memfd_create("findings", MFD_CLOEXEC), record = memfd_create("record", MFD_CLOEXEC);
  const int counters = memfd_create("counters", MFD_CLOEXEC);
  RunRecord result;
  const pid_t server = fork();
  if (server == 0) serve(plan, findings, counters, record);
  int status = 0;
  while (waitpid(server, &status, 0) < 0 && errno == EINTR) {
  }
  kill_what_is_left();
  const std::string text = contents(record, kMostRecorded);
  result.report = Json::parse(text, nullptr, false);
  result.lost = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || result.report.is_discarded();
  if (result.lost) result.report = {{"label", plan.label}, {"lost", true}};
  result.findings = lines_of(findings);
  result.counters = lines_of(counters);
  close(findings);
  close(counters);
  close(record);
  return result;
}

}  // namespace warpgrade::remoting
