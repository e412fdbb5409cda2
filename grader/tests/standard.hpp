// What make precompiles for the tests (Makefile, PRECOMPILED). No file may lean on it.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "../standard.hpp"
