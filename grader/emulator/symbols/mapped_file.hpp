// A file mapped into memory, read as lists of structures.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgrade::emulator {

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) bytes_ = static_cast<const char*>(at);
    }
    close(file);
  }
  ~MappedFile() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }
  MappedFile(const MappedFile&) = delete;

  // Empty if the file is too short.
  template <class T>
  std::span<const T> list(std::uint64_t offset, std::uint64_t count) const {
    if (bytes_ == nullptr || offset > size_ || offset % alignof(T) != 0 ||
        count > (size_ - offset) / sizeof(T))
      return {};
    return {reinterpret_cast<const T*>(bytes_ + offset), count};
  }

 private:
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpgrade::emulator
