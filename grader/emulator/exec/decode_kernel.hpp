// A kernel and the functions that it may call → Code.
#pragma once

#include <memory>

#include "exec/code.hpp"

namespace warpgrade::exec {

std::unique_ptr<Code> decode_kernel(Program::Impl& program, const Kernel& kernel, Variant variant);

}  // namespace warpgrade::exec
