// Converts vector elements between memory and registers: the {x, y} of 16 lanes are xyxyxy… in memory, and
// xxx… and yyy… in the register slots. Uses the processor's widest vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "machine/warp.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct Interleave {
  static constexpr int kLanes = kVectorBytes / sizeof(T);  // lanes in one vector
  typedef T Vector __attribute__((vector_size(kVectorBytes)));

  // `count` lanes, V elements of each.
  template <int V>
  static void apart(const std::byte* from, T* const* to, int count) {
    for (int lane = 0; lane < count; lane += kLanes) {
      Vector part[V], half[V];
      __builtin_memcpy(part, from + static_cast<std::size_t>(lane) * V * sizeof(T), sizeof part);
      for (int v = 0; v < V; v += 2) split(part[v], part[v + 1], half[v / 2], half[V / 2 + v / 2]);
      if constexpr (V == 4) {
        split(half[0], half[1], part[0], part[2]);
        split(half[2], half[3], part[1], part[3]);
      }
      for (int v = 0; v < V; ++v) __builtin_memcpy(to[v] + lane, (V == 4 ? part : half) + v, sizeof(Vector));
    }
  }

  template <int V>
  static void together(const T* const* from, std::byte* to, int count) {
    for (int lane = 0; lane < count; lane += kLanes) {
      Vector part[V], half[V];
      for (int v = 0; v < V; ++v) __builtin_memcpy(part + v, from[v] + lane, sizeof(Vector));
      if constexpr (V == 4) {
        merge(part[0], part[2], half[0], half[1]);
        merge(part[1], part[3], half[2], half[3]);
        for (int v = 0; v < V; ++v) part[v] = half[v];
      }
      for (int v = 0; v < V; v += 2) merge(part[v / 2], part[V / 2 + v / 2], half[v], half[v + 1]);
      __builtin_memcpy(to + static_cast<std::size_t>(lane) * V * sizeof(T), half, sizeof half);
    }
  }

 private:
  // The elements of a followed by those of b: the even ones to `even`, the odd ones to `odd`.
  static void split(const Vector& a, const Vector& b, Vector& even, Vector& odd) {
    const auto pick = [&]<int... I>(std::integer_sequence<int, I...>) {
      even = __builtin_shufflevector(a, b, (2 * I)...);
      odd = __builtin_shufflevector(a, b, (2 * I + 1)...);
    };
    pick(std::make_integer_sequence<int, kLanes>{});
  }

  // The inverse of split(): interleaves the elements of a and b.
  static void merge(const Vector& a, const Vector& b, Vector& low, Vector& high) {
    const auto pick = [&]<int... I>(std::integer_sequence<int, I...>) {
      low = __builtin_shufflevector(a, b, (I / 2 + I % 2 * kLanes)...);
      high = __builtin_shufflevector(a, b, (kLanes / 2 + I / 2 + I % 2 * kLanes)...);
    };
    pick(std::make_integer_sequence<int, kLanes>{});
  }
};

}  // namespace warpgrade::emulator::WARPGRADE_LANES
