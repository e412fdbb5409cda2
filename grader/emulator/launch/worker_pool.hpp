// Threads that stay: a launch costs microseconds, not the making of threads.
#pragma once

#include <functional>

namespace warpgrade::emulator {

// Runs task(0) on the calling thread and task(1) … task(count - 1) beside it, on others where they are quick
// to come; returns when all are done. Tasks must not throw. One caller at a time; others wait.
void run_on_workers(int count, const std::function<void(int)>& task);

// Are there threads of the process besides the caller and these?
bool other_threads_run();

}  // namespace warpgrade::emulator
