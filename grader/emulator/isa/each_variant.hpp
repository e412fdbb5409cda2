// Code in lanes/ is built once for each vector width, each build in a namespace of its own. This is the one
// place that chooses among them.
//
// WARPGRADE_DECLARE_LANES(declarations) declares functions of a file in lanes/, in each build's namespace.
// WARPGRADE_CHOOSE_LANES(function) is the function of the build that this machine runs: see isa/variant.hpp.
#pragma once

#ifdef WARPGRADE_LANES  // code in lanes/ knows its own build only
#define WARPGRADE_DECLARE_LANES(...) \
  namespace WARPGRADE_LANES {        \
  __VA_ARGS__                        \
  }
#else
#include "isa/each_level.hpp"  // written by grader/cmake/Warpgrade.cmake: WARPGRADE_EACH_VARIANT
#define WARPGRADE_DECLARE_IN(variant, ...) \
  namespace variant {                      \
  __VA_ARGS__                              \
  }
#define WARPGRADE_ADDRESS_IN(variant, function) &variant::function,
#define WARPGRADE_DECLARE_LANES(...) WARPGRADE_EACH_VARIANT(WARPGRADE_DECLARE_IN, __VA_ARGS__)
#define WARPGRADE_CHOOSE_LANES(function) \
  ::warpgrade::isa::choose({WARPGRADE_EACH_VARIANT(WARPGRADE_ADDRESS_IN, function)})
#endif
