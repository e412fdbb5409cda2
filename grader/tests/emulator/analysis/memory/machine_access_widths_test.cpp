// Shared accesses at the widths of the machine code, against what was measured on an H200.
#include <doctest/doctest.h>

#include "fatbin/cubin.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

struct Shared {
  std::uint64_t instructions, wavefronts;
  bool operator==(const Shared&) const = default;
};

// A thread's row of A is read four words at a time, in two passes; its column of B word by word.
Shared tiled(std::uint64_t n, std::uint64_t tile) {
  const std::uint64_t blocks = (n + tile - 1) / tile, warps = blocks * blocks * tile * tile / 32;
  return {warps * blocks * (tile + tile / 4), warps * blocks * (tile + tile / 4 * 2)};
}
// For every four depths a warp loads four rows of A and four of B: 128-bit accesses of four wavefronts each.
Shared register_tiled(std::uint64_t n) {
  const std::uint64_t warps = 4 * ((n + 31) / 32) * ((n + 63) / 64), depths = (n + 15) / 16 * 16;
  return {warps * depths * 2, warps * depths * 2 * 4};
}

struct Merged : KernelRun {
  Merged() : KernelRun("matmul_lectures") {
    machine = fatbin::read_cubin(text_of("build/tests/kernels/matmul_lectures.cubin"));
    program->use_machine_widths(machine, text_of("build/tests/kernels/matmul_lectures.ptx"));
    options.check_race = options.check_init = false;
  }
  Shared multiply(const std::string& kernel, Dim3 grid, Dim3 block, unsigned n) {
    CHECK(program->widths_from(*program->find_kernel(kernel)) == MachineWidths::cubin);
    const std::vector<float> ones(std::size_t{n} * n, 1.0f);
    const std::uint64_t a = buffer(ones), b = buffer(ones), c = raw(ones.size() * 4);
    REQUIRE(launch(kernel, grid, block, a, b, c, static_cast<int>(n)).status == LaunchStatus::success);
    return {counter(Metric::shared_load_instructions), counter(Metric::shared_load_wavefronts)};
  }
  Shared square(const std::string& kernel, unsigned n, unsigned tile) {
    const unsigned blocks = (n + tile - 1) / tile;
    return multiply(kernel + "_" + std::to_string(tile), {blocks, blocks}, {tile, tile}, n);
  }
  fatbin::Cubin machine;
};

bool close(std::uint64_t a, std::uint64_t b) {
  return std::abs(static_cast<double>(a) / static_cast<double>(b) - 1) < 0.005;
}

}  // namespace

// Nsight Compute on an H200: the project's facts on its hardware, "Hardware counters". Wavefronts carry
// noise.
TEST_CASE("the shared loads worked out by hand are what an H200 counted") {
  CHECK(tiled(1000, 16).instructions == 40007520);
  CHECK(tiled(1000, 32).instructions == 41943040);
  CHECK(tiled(1024, 16).instructions == 41943040);
  CHECK(tiled(1024, 32).instructions == 41943040);
  CHECK(register_tiled(1000).instructions == 4128768);
  CHECK(close(tiled(1000, 16).wavefronts, 48048731));
  CHECK(close(tiled(1000, 32).wavefronts, 50372700));
  CHECK(close(tiled(1024, 16).wavefronts, 50375250));
  CHECK(close(tiled(1024, 32).wavefronts, 50364576));
  CHECK(close(register_tiled(1000).wavefronts, 16518476));
}

TEST_CASE("the emulator counts the same, with nothing else watching and with all observers") {
  for (const bool watched : {false, true}) {
    Merged run;
    run.options.check_race = run.options.check_init = watched;
    CHECK(run.square("bounded", 104, 16) == tiled(104, 16));
    CHECK(run.square("bounded", 104, 32) == tiled(104, 32));
    CHECK(run.square("tiled", 128, 16) == tiled(128, 16));
    CHECK(run.square("tiled", 128, 32) == tiled(128, 32));
    CHECK(run.multiply("register_tiled", {4, 2}, {128}, 104) == register_tiled(104));
  }
}

TEST_CASE("machine code of another program changes nothing") {
  Merged run;
  std::string other = text_of("build/tests/kernels/matmul_lectures.ptx");
  for (std::size_t at = 0; (at = other.find("ld.shared", at)) != other.npos; at += 9) other[at + 8] = 'x';
  run.program->use_machine_widths(run.machine, other);
  const KernelInfo& kernel = *run.program->find_kernel("tiled_16");
  CHECK(run.program->widths_from(kernel) == MachineWidths::ptx);
  for (std::uint32_t i = 0; i < run.program->instruction_count(); ++i)
    REQUIRE(run.program->access_width(i).bytes == kAsWritten);
}

// A loop and its remainder: how often each runs is not in the text.
TEST_CASE("a block whose copies have different widths keeps the widths of PTX") {
  Merged run;
  for (fatbin::MachineFunction& each : run.machine.functions) {
    const std::size_t count = each.accesses.size();
    for (std::size_t i = 0; i < count; ++i) {
      each.accesses.push_back(each.accesses[i]);
      each.accesses.back().bytes *= 2;
    }
  }
  run.program->use_machine_widths(run.machine, text_of("build/tests/kernels/matmul_lectures.ptx"));
  const KernelInfo& kernel = *run.program->find_kernel("tiled_16");
  CHECK(run.program->widths_from(kernel) == MachineWidths::cubin_in_part);
  for (std::uint32_t i = 0; i < run.program->instruction_count(); ++i)
    REQUIRE(run.program->access_width(i).bytes == kAsWritten);
}

TEST_CASE("copies of a block, made for several iterations of its loop at once, count as one") {
  Merged run;
  for (fatbin::MachineFunction& each : run.machine.functions) {
    const std::vector<fatbin::MachineAccess> once = each.accesses;
    for (int copy = 0; copy < 3; ++copy) each.accesses.insert(each.accesses.end(), once.begin(), once.end());
  }
  run.program->use_machine_widths(run.machine, text_of("build/tests/kernels/matmul_lectures.ptx"));
  CHECK(run.square("tiled", 128, 16) == tiled(128, 16));
}

// `if (words[0] < x || words[1] < x)`: ptxas makes a predicate of the branch, and one load of both.
TEST_CASE("accesses of neighbouring blocks that ptxas merged are no unrolled loop") {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry either()\n{\n"
      ".reg .pred %p<2>;\n.reg .f32 %f<3>;\n.shared .align 16 .b8 words[16];\n"
      "ld.shared.f32 %f1, [words];\nsetp.lt.f32 %p1, %f1, 0f00000000;\n@%p1 bra done;\n"
      "ld.shared.f32 %f2, [words+4];\nst.shared.f32 [words+8], %f2;\ndone:\nret;\n}\n";
  fatbin::Cubin machine;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) machine.ptx.push_back(line);
  machine.functions = {{"either", {{false, 8, 9}, {true, 4, 13}}}};
  DeviceMemory memory(std::size_t{1} << 20);
  const auto program = Program::load(ptx::parse(text), memory);
  program->use_machine_widths(machine, text);
  CHECK(program->widths_from(*program->find_kernel("either")) == MachineWidths::cubin);
  std::vector<int> bytes;
  for (std::uint32_t i = 0; i < program->instruction_count(); ++i) {
    const AccessWidth width = program->access_width(i);
    if (!program->origin(i).ptx->has(ptx::Modifier::shared)) continue;
    bytes.push_back(width.bytes);
    CHECK((width.bytes == 0 || width.times == width.each));
  }
  CHECK(bytes == std::vector<int>{8, 0, 4});
}
