#include "tests/emulator/support/kernel_stage.hpp"
#include "tests/emulator/support/checkout.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "fatbin/container.hpp"
#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

namespace stage {

struct Stage::Impl {
  emulator::DeviceMemory memory{std::size_t{1} << 30};
  std::unique_ptr<emulator::Program> program;
};

static std::string read_kernels(const std::string& name) {
  const std::string path = warpgrade::checkout() / "build/tests/kernels" / (name + ".fatbin");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " is missing; type: make test");
  return {std::istreambuf_iterator<char>(file), {}};
}

Stage::Stage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stage::Stage(Stage&&) noexcept = default;
Stage::~Stage() = default;

Stage::Stage(const std::string& kernels) : impl_(std::make_unique<Impl>()) {
  const std::string bytes = read_kernels(kernels);
  const auto entries = warpgrade::fatbin::read(std::as_bytes(std::span(bytes)));
  impl_->program = emulator::Program::load(
      warpgrade::ptx::parse(warpgrade::fatbin::choose_ptx(entries, 90).payload), impl_->memory);
}

Stage Stage::of_text(const std::string& ptx) {
  auto impl = std::make_unique<Impl>();
  impl->program = emulator::Program::load(warpgrade::ptx::parse(ptx), impl->memory);
  return Stage(std::move(impl));
}

const emulator::Program& Stage::program() const { return *impl_->program; }

Ran Stage::run(const std::string& kernel, int n, const RunConfig& config, std::size_t size) {
  emulator::LaunchRequest request;
  request.kernel = impl_->program->find_kernel(kernel);
  REQUIRE(request.kernel != nullptr);
  request.grid = grid;
  request.block = block;
  request.dynamic_shared = dynamic_shared;
  request.cooperative = cooperative;
  if (size == 0) size = grid.count() * block.count();
  emulator::Allocation* out =
      impl_->memory.allocate(size * sizeof(std::int32_t), emulator::Allocation::Kind::device, "out");
  REQUIRE(out != nullptr);
  auto* host = reinterpret_cast<std::int32_t*>(out->data());
  std::memset(host, 0, size * sizeof *host);
  std::vector<std::byte> parameters(12);
  std::memcpy(parameters.data(), &out->base, 8);
  std::memcpy(parameters.data() + 8, &n, 4);
  parameters.insert(parameters.end(), more_parameters.begin(), more_parameters.end());
  request.parameters = parameters;
  emulator::LaunchOptions options;
  options.check_memory = options.check_race = options.check_init = config.checks;
  options.check_barrier = true;
  options.count = config.count;
  options.scalar = config.scalar;
  options.threads = config.workers;
  options.step_limit = step_limit;
  options.sample = sample;
  Ran ran;
  ran.result = emulator::launch(request, impl_->memory, h200(), options);
  ran.out.assign(host, host + size);
  impl_->memory.release(out->base);
  return ran;
}

}  // namespace stage

TEST_CASE("the stage says which file is missing and what to type") {
  CHECK_THROWS_WITH(stage::Stage("no_such_kernels"),
                    doctest::Contains("no_such_kernels.fatbin is missing; type: make test"));
}
