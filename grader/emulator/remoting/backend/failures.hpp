// Which calls of a program are made to fail.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "remoting/backend/run.hpp"

namespace warpgrade::remoting {

using Places = std::set<CallPlace>;

// Places whose first call has failed, places whose later calls have failed, and places beyond the limit,
// which are not tried.
struct Failed {
  Places first, later, untried;
};

// The calls that are to fail, without those in `failed`: of each place in the program its first call and, in
// a loop, its last call and one between. A program that checks errors only in a loop's first iteration, or
// after the loop, misses one of these. Launches and copies to the device also fail in words alone. `choice`
// selects the one between, so that no program can check exactly the iterations that fail. `calls`: those of a
// run in which none failed.
std::vector<PlannedFailure> failures(const nlohmann::json& calls, Failed& failed, std::size_t choice);

// The failures and runs without any, which nobody can tell apart beforehand. A program that ends with an
// error whenever it likes must not do so in the latter, or it has noticed nothing: it would have to guess
// which are which of them and of the failures at which it does not look.
std::vector<std::optional<PlannedFailure>> with_controls(const std::vector<PlannedFailure>& failures);

}  // namespace warpgrade::remoting
