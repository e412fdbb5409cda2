// Functions of the C library that let the kernel read or write the program's memory. On a closed page the
// kernel raises no signal, but the call fails. So the access is reported and the page opened before the call.
#include <dlfcn.h>
#include <sys/uio.h>

#include <cstdio>

#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/host_access.hpp"

using namespace warpgrade::remoting;

namespace {

// The function of this name that this one hides.
template <class Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void access(const void* memory, std::size_t bytes, bool write, const void* caller) {
  if (bytes != 0 && is_closed(memory, bytes)) tell_host_access(memory, bytes, write, call_in_program(caller));
}

void access(const iovec* parts, int count, bool write, const void* caller) {
  for (int i = 0; i < count; ++i) access(parts[i].iov_base, parts[i].iov_len, write, caller);
}

}  // namespace

#define HIDDEN(function) static decltype(&::function) const next = hidden<decltype(::function)>(#function)

#pragma GCC visibility push(default)
extern "C" {

ssize_t read(int file, void* to, std::size_t bytes) {
  HIDDEN(read);
  access(to, bytes, true, CALLER);
  return next(file, to, bytes);
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  HIDDEN(write);
  access(from, bytes, false, CALLER);
  return next(file, from, bytes);
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t at) {
  HIDDEN(pread);
  access(to, bytes, true, CALLER);
  return next(file, to, bytes, at);
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  HIDDEN(pwrite);
  access(from, bytes, false, CALLER);
  return next(file, from, bytes, at);
}
ssize_t readv(int file, const iovec* parts, int count) {
  HIDDEN(readv);
  access(parts, count, true, CALLER);
  return next(file, parts, count);
}
ssize_t writev(int file, const iovec* parts, int count) {
  HIDDEN(writev);
  access(parts, count, false, CALLER);
  return next(file, parts, count);
}
std::size_t fread(void* to, std::size_t size, std::size_t count, FILE* file) {
  HIDDEN(fread);
  access(to, size * count, true, CALLER);
  return next(to, size, count, file);
}
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* file) {
  HIDDEN(fwrite);
  access(from, size * count, false, CALLER);
  return next(from, size, count, file);
}

}  // extern "C"
#pragma GCC visibility pop
