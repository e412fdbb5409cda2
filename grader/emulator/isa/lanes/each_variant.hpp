// Code in lanes/ is built once for each vector width, each build in a namespace of its own. This is the one
// place that lists these namespaces, and that chooses among them.
#pragma once

#ifndef WARPGRADE_ONLY_V1
#define WARPGRADE_EACH_VARIANT(M) M(lanes_v1) M(lanes_v3) M(lanes_v4)
#define WARPGRADE_DECLARE_LANES(...) \
  namespace lanes_v1 {               \
  __VA_ARGS__                        \
  }                                  \
  namespace lanes_v3 {               \
  __VA_ARGS__                        \
  }                                  \
  namespace lanes_v4 {               \
  __VA_ARGS__                        \
  }
#define WARPGRADE_CHOOSE_LANES(function) \
  ::warpgrade::isa::choose(&lanes_v1::function, &lanes_v3::function, &lanes_v4::function)
#else
#define WARPGRADE_EACH_VARIANT(M) M(lanes_v1)
#define WARPGRADE_DECLARE_LANES(...) \
  namespace lanes_v1 {               \
  __VA_ARGS__                        \
  }
#define WARPGRADE_CHOOSE_LANES(function) ::warpgrade::isa::choose(&lanes_v1::function)
#endif

// WARPGRADE_DECLARE_LANES(declarations) declares functions of a file in lanes/, in each build's namespace.
// WARPGRADE_CHOOSE_LANES(function) is the function of the build that this machine runs: see isa/variant.hpp.
