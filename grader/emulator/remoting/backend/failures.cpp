#include "remoting/backend/failures.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace warpgrade::remoting {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostFailures = 128;  // places in the program whose call is made to fail

// Number of runs without a failure that go with `failures` runs with one.
std::size_t controls(std::size_t failures) { return std::clamp<std::size_t>(failures, 4, 10); }

// Whether the call can do its work although the program is told that it failed: it gives nothing to the
// program.
bool can_work(const Json& call) {
  return call.value("launch", 0) != 0 || call.value("direction", "") == "to device";
}

}  // namespace

std::vector<PlannedFailure> failures(const Json& calls, Failed& failed, std::size_t choice) {
  std::vector<PlannedFailure> found;
  std::map<CallPlace, std::size_t> turns;
  for (const Json& call : calls) {
    if (!call.value("can_fail", false)) continue;
    const CallPlace place = call_place(call);
    if (turns[place]++ != 0 || failed.first.contains(place)) continue;
    if (failed.first.size() == kMostFailures) {
      failed.untried.insert(place);
      continue;
    }
    failed.first.insert(place);
    found.push_back({place, 0});
    if (can_work(call)) found.push_back({place, 0, true});
  }
  for (const auto& [place, count] : turns) {
    if (count < 2 || !failed.first.contains(place) || !failed.later.insert(place).second) continue;
    found.push_back({place, count - 1});
    if (count > 2) found.push_back({place, 1 + choice % (count - 2)});
  }
  return found;
}

std::vector<std::optional<PlannedFailure>> with_controls(const std::vector<PlannedFailure>& failures) {
  std::vector<std::optional<PlannedFailure>> order(failures.begin(), failures.end());
  if (order.empty()) return order;
  order.resize(order.size() + controls(order.size()));
  std::random_device secret;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[secret() % i]);
  return order;
}

}  // namespace warpgrade::remoting
