// A thread pool that lives as long as the process, so that a launch need not create threads.
#pragma once

#include <functional>

namespace warpgrade::emulator {

// Runs task(0) on the calling thread and task(1) … task(count - 1) on the pool's threads; the calling thread
// also runs tasks that no other thread has begun. Returns when all are done.
// Tasks must not throw. One caller at a time; others wait.
void run_on_workers(int count, const std::function<void(int)>& task);

// Whether the process has threads other than the caller and the pool's.
bool other_threads_run();

// Whether the process has no thread but this one. If the system does not say, it has.
bool is_single_threaded();

}  // namespace warpgrade::emulator
