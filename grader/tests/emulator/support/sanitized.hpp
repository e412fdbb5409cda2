// Which sanitizer this program has. The tests are compiled once for all builds, so they ask when they run.
#pragma once

extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace warpgrade {

inline bool has_thread_sanitizer() { return &__tsan_init != nullptr; }
inline bool is_sanitized() { return &__asan_init != nullptr || has_thread_sanitizer(); }

}  // namespace warpgrade
