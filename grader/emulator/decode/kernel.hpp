// Decodes a kernel and the functions that it may call into a Code.
#pragma once

#include <memory>

#include "machine/kernel_code.hpp"

namespace warpgrade::emulator {

std::unique_ptr<Code> decode_kernel(Program::Impl& program, const KernelInfo& kernel, CodeVariant variant);

}  // namespace warpgrade::emulator
