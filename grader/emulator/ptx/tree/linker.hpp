// Relocatable device code: several modules → one.
#pragma once

#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::ptx {

// What nvcc's device linker does with the modules of `-rdc=true`. An `.extern` declaration is resolved to the
// definition in another module; the first of several weak definitions is kept; names that are not visible
// outside of their module stay distinct. A declaration without a definition is kept. Throws ParseError where
// two modules define one visible name. `modules` must not be empty.
Module link(std::vector<Module> modules);

}  // namespace warpgrade::ptx
