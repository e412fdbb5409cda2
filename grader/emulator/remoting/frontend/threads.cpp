// Threads of the program: tells the back end which thread begins and which one has been joined.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "remoting/frontend/connection.hpp"

namespace warpgrade::remoting {
namespace {

thread_local std::int32_t number = 0;

struct ProgramThread {
  std::int32_t number;
  void* (*function)(void*);
  void* argument;
};

void* begin(void* given) {
  const std::unique_ptr<ProgramThread> thread(static_cast<ProgramThread*>(given));
  number = thread->number;
  return thread->function(thread->argument);
}

// Threads that may be joined. Never destroyed: a thread may outlive main().
struct Running {
  std::mutex mutex;
  std::map<pthread_t, std::int32_t> numbers;
};
Running& running() {
  static auto* made = new Running;
  return *made;
}

// Keeps this thread's last error, because this is no call of the program's.
void tell(ApiFunction function, std::int32_t thread, const void* caller) {
  std::string none;
  const cudaError_t before = last_error();
  ask(function, caller, arguments(thread), none);
  set_last_error(before);
}

}  // namespace

std::int32_t own_thread() { return number; }

}  // namespace warpgrade::remoting

using namespace warpgrade::remoting;

#pragma GCC visibility push(default)
extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  static const auto next = reinterpret_cast<decltype(&::pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  static std::atomic<std::int32_t> made{0};
  auto start = std::make_unique<ProgramThread>(ProgramThread{++made, function, argument});
  const std::int32_t own = start->number;
  tell(ApiFunction::pthread_create, own, CALLER);
  const std::lock_guard lock(running().mutex);  // else the thread could be joined before it is known
  const int code = next(thread, attributes, begin, start.get());
  if (code != 0) return code;
  static_cast<void>(start.release());
  running().numbers[*thread] = own;
  return code;
}

int pthread_join(pthread_t thread, void** result) {
  static const auto next = reinterpret_cast<decltype(&::pthread_join)>(dlsym(RTLD_NEXT, "pthread_join"));
  const int code = next(thread, result);
  if (code != 0) return code;
  std::int32_t joined = 0;
  {
    const std::lock_guard lock(running().mutex);
    joined = running().numbers[thread];
  }
  tell(ApiFunction::pthread_join, joined, CALLER);
  return code;
}

}  // extern "C"
#pragma GCC visibility pop
