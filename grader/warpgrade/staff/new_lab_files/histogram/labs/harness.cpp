// The host half of this lab: its arrays, what is right, and the launch.
#include "lab.hpp"

using namespace warpgrade::harness;

static constexpr std::int64_t MARKS = 16;

// The marks of a case, from 0 to 15, and how often each occurs. The counts do not begin with 0.
static void make(Dataset& data) {
  const View marks = data.input<std::uint8_t>("marks", {data["n"]});
  data.inout<std::uint32_t>("counts", {MARKS});
  const View counts = data.expected_of("counts");
  for (std::int64_t i = 0; i < marks.size(); ++i) {
    // "even" and "skewed" are this lab's own kinds of values: of "skewed", 15 of 16 marks are 3.
    const std::int64_t random = marks(i).integer();
    marks(i) = data.task.values == "skewed" && random >= MARKS ? 3 : random % MARKS;
    counts(marks(i).integer()) += 1;
  }
}

// Launches as many blocks as it takes to cover n marks.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int n = data.as_int("n");
  kernels.only().launch(Extent{n}, on_device.read<std::uint8_t>("marks"),
                        on_device.write<std::uint32_t>("counts"), n);
}

int main(int argc, char** argv) { return run_lab({.make = make, .launch = launch}, argc, argv); }
