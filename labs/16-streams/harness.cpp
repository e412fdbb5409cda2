// Lab 16, the host half: the arrays of a case. The program that reads and writes them is yours.
#include "lab.hpp"

using namespace warpgrade::harness;

// A film, and how far each pixel moved since the frame before. Nothing has moved in the first frame.
static void make(Dataset& data) {
  const auto frames = data["frames"], pixels = data["pixels"];
  const auto film = data.input<std::int32_t>("film", {frames, pixels});
  auto moved = data.output<std::int32_t>("moved", {frames, pixels});
  for (std::int64_t frame = 0; frame < frames; ++frame)
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const std::int64_t now = film(frame, pixel).integer();
      const std::int64_t before = frame == 0 ? now : film(frame - 1, pixel).integer();
      moved(frame, pixel) = now > before ? now - before : before - now;
    }
}

int main(int argc, char** argv) { return run_lab({.make = make}, argc, argv); }
