#include "exec/worker_pool.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace warpgrade::exec {
namespace {

class Pool {
 public:
  void run(int count, const std::function<void(int)>& task) {
    const std::lock_guard one_at_a_time(callers_);
    {
      const std::lock_guard lock(mutex_);
      for (; threads_ < count - 1; ++threads_)
        std::thread([this, number = threads_ + 1] { serve(number); }).detach();
      task_ = &task;
      count_ = count;
      busy_ = count - 1;
      ++round_;
    }
    wake_.notify_all();
    task(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    task_ = nullptr;
  }

 private:
  void serve(int number) {
    unsigned long seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return round_ != seen && task_; });
      seen = round_;
      if (number >= count_) continue;
      const std::function<void(int)>& task = *task_;
      lock.unlock();
      task(number);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int threads_ = 0, count_ = 0, busy_ = 0;
  unsigned long round_ = 0;
};

}  // namespace

void run_on_workers(int count, const std::function<void(int)>& task) {
  if (count <= 1) {
    task(0);
    return;
  }
  // Never destroyed: a program may exit while a kernel runs that never ends, and must not wait for it.
  static Pool& pool = *new Pool;
  pool.run(count, task);
}

}  // namespace warpgrade::exec
