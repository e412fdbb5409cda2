// Runs a fuzz target without a fuzzer: on the named files, on those in the named folders, and on changed
// copies of them. The copies are the same in each run.
//
//   replay [--copies=100] PATH…
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<char>;

// A fault may end the process, so each input is written to a file until the next one replaces it.
void run(const Bytes& bytes) {
  if (const char* kept = std::getenv("WARPGRADE_FUZZ_LAST"); kept != nullptr)
    std::ofstream(kept, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A few changes, each one of: another byte, a piece removed, a piece repeated, a piece of another file, a
// cut.
Bytes changed(Bytes bytes, const Bytes& other, std::mt19937& random) {
  const auto below = [&](std::size_t most) { return most == 0 ? 0 : random() % most; };
  const auto at = [&](const Bytes& in) {
    return in.begin() + static_cast<std::ptrdiff_t>(below(in.size() + 1));
  };
  for (std::size_t edits = 1 + below(4); edits-- != 0 && !bytes.empty();) {
    const std::size_t length = 1 + below(1u << below(8)), from = below(bytes.size());
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(length, bytes.size() - from));
    const Bytes piece(first, last);
    switch (below(6)) {
      case 0:
        *first = static_cast<char>(random());
        break;
      case 1:
        *first = "0123456789.,;{}[]<>%@!|-+_xfs"[below(29)];
        break;
      case 2:
        bytes.erase(first, last);
        break;
      case 3:
        bytes.insert(at(bytes), piece.begin(), piece.end());
        break;
      case 4: {
        const auto start = at(other);
        const auto rest = static_cast<std::size_t>(other.end() - start);
        bytes.insert(first, start, start + static_cast<std::ptrdiff_t>(std::min(length * 4, rest)));
        break;
      }
      default:
        if (below(20) == 0) bytes.erase(first, bytes.end());
    }
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  int copies = 0;
  std::vector<Bytes> inputs;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], "--copies=", 9) == 0)
      copies = std::atoi(arguments[i] + 9);
    else
      for (const auto& path : files_of(arguments[i])) inputs.push_back(read(path));
  }
  std::mt19937 random(20);
  std::size_t runs = 0;
  for (const Bytes& input : inputs) {
    run(input);
    for (int i = 0; i < copies; ++i) run(changed(input, inputs[random() % inputs.size()], random));
    runs += static_cast<std::size_t>(copies) + 1;
  }
  std::printf("%zu inputs\n", runs);
  return runs > 0 ? 0 : 2;
}
