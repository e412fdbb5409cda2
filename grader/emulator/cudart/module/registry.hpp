// What the constructors of an nvcc-made program registered before main(): fat binaries, the host stubs of
// their kernels, and the host shadows of their variables. Nothing is parsed yet.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cudart/module/device_code.hpp"

namespace warpgrade::cudart {

// A __device__, __constant__ or __managed__ variable, known to the host by the address of its shadow.
struct Symbol {
  Code* code = nullptr;
  std::string name;  // as in the PTX
  std::size_t bytes = 0;
  void** host_pointer = nullptr;  // __managed__: where the program reads its address
};

class Registry {
 public:
  static Registry& instance();  // lives until the process ends: programs unregister in atexit handlers

  Code& add(std::unique_ptr<Code> code);
  Code& add_library(std::unique_ptr<Code> code);
  void remove(Code& code);
  // cudaDeviceReset: unloads libraries; the program's own code is loaded again at its next use.
  void reset();
  void add_stub(const void* host, Code& code, const std::string& kernel);
  void add_symbol(const void* host, Symbol symbol);

  // Null where there is none.
  Function* find_function(const void* stub_or_handle) const;
  const Symbol* find_symbol(const void* host) const;
  // The other way round: the program's own name for it, the handle where it has none.
  const void* stub_of(const Function& function) const;
  Code* find_code(const void* handle) const;
  std::vector<Symbol> managed(const Code& code) const;

  Function& handle(Code& code, const std::string& kernel);  // valid for find_function from now on

 private:
  mutable std::recursive_mutex mutex_;
  std::map<const void*, std::unique_ptr<Code>> codes_;
  std::set<Code*> libraries_;
  std::map<const void*, Function*> functions_;  // by stub and by handle
  std::map<const void*, Symbol> symbols_;
};

}  // namespace warpgrade::cudart
