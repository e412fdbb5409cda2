// The one main() of the C++ tests.
#define DOCTEST_CONFIG_IMPLEMENT  // named as well: the precompiled header has had doctest's first half by now
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
