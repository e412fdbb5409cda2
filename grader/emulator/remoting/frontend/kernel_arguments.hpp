// The arguments of a kernel as its parameters say.
#pragma once

#include "remoting/frontend/connection.hpp"

namespace warpgrade::remoting {

// Appends the values that the pointers lead to.
cudaError_t put_arguments(MessageWriter& in, const void* kernel, void** pointers, const void* caller);

}  // namespace warpgrade::remoting
