#include "exec/worker_pool.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace warpgrade::exec {
namespace {

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(int count, const std::function<void(int)>& task) {
    const std::lock_guard one_at_a_time(callers_);
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_.size()) < count - 1) {
        const int number = static_cast<int>(threads_.size()) + 1;
        threads_.emplace_back([this, number] { serve(number); });
      }
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
      wake_.wait(lock, [&] { return ending_ || (round_ != seen && task_); });
      if (ending_) return;
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
  std::vector<std::thread> threads_;
  const std::function<void(int)>* task_ = nullptr;
  int count_ = 0, busy_ = 0;
  unsigned long round_ = 0;
  bool ending_ = false;
};

}  // namespace

void run_on_workers(int count, const std::function<void(int)>& task) {
  if (count <= 1) {
    task(0);
    return;
  }
  static Pool pool;
  pool.run(count, task);
}

}  // namespace warpgrade::exec
