// Fat binaries, host stubs of kernels and host shadows of variables that the constructors of a program
// registered before main(). Nothing is parsed here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cudart/module/device_code.hpp"

namespace warpgrade::cudart {

// A __device__, __constant__ or __managed__ variable, known to the host by the address of its shadow.
struct RegisteredSymbol {
  DeviceCode* code = nullptr;
  std::string name;  // the name in the PTX
  std::size_t bytes = 0;
  void** host_pointer = nullptr;          // __managed__: where the program reads its address
  std::vector<std::uint8_t> shadow = {};  // its bytes on the host at registration; empty: large or managed
};

class Registry {
 public:
  static Registry& instance();  // lives until the process ends: programs unregister in atexit handlers

  DeviceCode& add(std::unique_ptr<DeviceCode> code);
  DeviceCode& add_library(std::unique_ptr<DeviceCode> code);
  void remove(DeviceCode& code);
  // cudaDeviceReset: unloads libraries; the program's own code is loaded again at its next use.
  void reset();
  void add_stub(const void* host, DeviceCode& code, const std::string& kernel);
  void add_symbol(const void* host, RegisteredSymbol symbol);

  // Null if there is none.
  RegisteredFunction* find_function(const void* stub_or_handle) const;
  const RegisteredSymbol* find_symbol(const void* host) const;
  // The inverse of find_function(): the program's host stub; the handle if there is none.
  const void* stub_of(const RegisteredFunction& function) const;
  DeviceCode* find_code(const void* handle) const;
  std::vector<DeviceCode*> codes() const;
  std::vector<RegisteredSymbol> managed(const DeviceCode& code) const;
  // PTX names of the variables whose host shadow the host has written.
  std::vector<std::string> written_shadows() const;

  RegisteredFunction& handle(DeviceCode& code,
                             const std::string& kernel);  // valid for find_function from now on

 private:
  mutable std::recursive_mutex mutex_;
  std::map<const void*, std::unique_ptr<DeviceCode>> codes_;
  std::set<DeviceCode*> libraries_;
  std::map<const void*, RegisteredFunction*> functions_;  // indexed by stub and by handle
  std::map<const void*, RegisteredSymbol> symbols_;
};

}  // namespace warpgrade::cudart
