// Prints the fastest of the levels of x86-64 that the arguments name, slowest first, and that this machine
// runs.
#include <cstdio>

#include "isa/processor.hpp"

int main(int argc, char** argv) {
  const char* fastest = "";
  for (int i = 1; i < argc; ++i) {
    if (warpgrade::isa::processor_runs(argv[i])) fastest = argv[i];
  }
  std::fputs(fastest, stdout);
}
