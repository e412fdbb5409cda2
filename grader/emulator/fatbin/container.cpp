#include "fatbin/container.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

#include "fatbin/compression.hpp"
#include "fatbin/host_memory.hpp"

namespace warpgrade::fatbin {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::size_t kContainerHeader = 16;
constexpr std::size_t kEntryHeader = 64;  // the fields that we read; files have 64 to 112 bytes
constexpr std::size_t kMaxTotalBytes = std::size_t{512} << 20;  // bytes of all payloads, uncompressed
constexpr std::uint16_t kKindPtx = 1, kKindElf = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr const char* kRebuild = ": compile the file again with nvcc -fatbin";
constexpr const char* kAskForPtx = "-gencode arch=compute_75,code=compute_75";

// Reads a little-endian field; throws where it would reach outside.
template <class T>
T field(Bytes bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw FormatError(std::string("the fat binary is cut off") + kRebuild);
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw FormatError(std::string("the fat binary is cut off or damaged: ") + what +
                      " reaches beyond its end" + kRebuild);
  return bytes.subspan(offset, size);
}

std::string text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void strip_nuls(std::string& ptx) { ptx.resize(ptx.find_last_not_of('\0') + 1); }

std::string payload(Bytes padded, Bytes header) {
  const auto flags = field<std::uint64_t>(header, 0x28);
  if ((flags & (kFlagLz4 | kFlagZstd)) == 0) return text(padded);
  const auto compressed = field<std::uint32_t>(header, 0x10);
  const auto size = field<std::uint64_t>(header, 0x38);
  const Bytes packed = part(padded, 0, compressed, "a compressed payload");
  return (flags & kFlagZstd) != 0 ? expand_zstd(packed, size) : expand_lz4(packed, size);
}

// Reads one entry at the front of `bytes`; returns the bytes after it. Kinds other than PTX and ELF are
// skipped.
Bytes read_entry(Bytes bytes, std::vector<Entry>& entries) {
  const auto kind = field<std::uint16_t>(bytes, 0);
  const auto header_bytes = field<std::uint32_t>(bytes, 4);
  const auto payload_bytes = field<std::uint32_t>(bytes, 8);
  if (header_bytes < kEntryHeader)
    throw FormatError("an entry of the fat binary has a header of " + std::to_string(header_bytes) +
                      " bytes, 64 is the least" + kRebuild);
  const Bytes header = part(bytes, 0, header_bytes, "an entry's header");
  const Bytes padded = part(bytes, header_bytes, payload_bytes, "an entry's payload");
  const Bytes rest = bytes.subspan(std::size_t{header_bytes} + payload_bytes);
  if (kind != kKindPtx && kind != kKindElf) return rest;

  Entry entry;
  entry.kind = kind == kKindPtx ? Entry::Kind::ptx : Entry::Kind::elf;
  entry.minor = field<std::uint16_t>(header, 0x18);
  entry.major = field<std::uint16_t>(header, 0x1a);
  const auto architecture = field<std::uint32_t>(header, 0x1c);
  if (architecture > 10000)
    throw FormatError(std::string("an entry of the fat binary names no known architecture") + kRebuild);
  entry.architecture = static_cast<int>(architecture);
  const auto name_offset = field<std::uint32_t>(header, 0x20);
  const auto name_bytes = field<std::uint32_t>(header, 0x24);
  if (name_bytes > 0) entry.name = text(part(header, name_offset, name_bytes, "an entry's name"));
  strip_nuls(entry.name);
  entry.payload = payload(padded, header);
  if (entry.kind == Entry::Kind::ptx) strip_nuls(entry.payload);
  entries.push_back(std::move(entry));
  return rest;
}

// Bytes of the container at the front of `bytes`, header included.
std::uint64_t container_bytes(Bytes bytes) {
  const auto version = field<std::uint16_t>(bytes, 4);
  const auto header = field<std::uint16_t>(bytes, 6);
  const auto size = field<std::uint64_t>(bytes, 8);
  if (version != 1)
    throw FormatError("this fat binary has format version " + std::to_string(version) +
                      ", only 1 is known: compile with CUDA 13.0");
  if (header != kContainerHeader)
    throw FormatError("this fat binary has a header of " + std::to_string(header) + " bytes, not 16" +
                      kRebuild);
  if (size > std::numeric_limits<std::uint64_t>::max() - kContainerHeader)
    throw FormatError(std::string("the fat binary states an impossible size") + kRebuild);
  return size + kContainerHeader;
}

std::vector<Entry> read_container(Bytes bytes) {
  Bytes rest = part(bytes, 0, container_bytes(bytes), "its list of entries").subspan(kContainerHeader);
  std::vector<Entry> entries;
  std::size_t total = 0;
  while (!rest.empty()) {
    const std::size_t before = entries.size();
    rest = read_entry(rest, entries);
    if (entries.size() > before) total += entries.back().payload.size();
    if (total > kMaxTotalBytes)
      throw FormatError(std::string("the fat binary expands to more than 512 MB") + kRebuild +
                        " for fewer architectures");
  }
  return entries;
}

bool looks_like_ptx(std::string_view ptx) {
  return ptx.find('\0') == std::string_view::npos && ptx.find(".version") != std::string_view::npos;
}

// A file of PTX text: the architecture follows `.target sm_`.
Entry text_entry(std::string ptx) {
  Entry entry;
  const std::size_t target = ptx.find("sm_", ptx.find(".target"));
  if (target != std::string::npos)
    std::from_chars(ptx.data() + target + 3, ptx.data() + ptx.size(), entry.architecture);
  entry.payload = std::move(ptx);
  return entry;
}

std::string architectures(const std::vector<Entry>& entries, Entry::Kind kind, const char* prefix) {
  std::string list;
  for (const Entry& entry : entries)
    if (entry.kind == kind)
      list += (list.empty() ? "" : ", ") + (prefix + std::to_string(entry.architecture));
  return list;
}

}  // namespace

std::vector<Entry> read(std::span<const std::byte> bytes) {
  if (bytes.empty()) throw FormatError(std::string("the file is empty") + kRebuild);
  if (bytes.size() >= sizeof kContainerMagic && field<std::uint32_t>(bytes, 0) == kContainerMagic)
    return read_container(bytes);
  std::string ptx = text(bytes);
  if (ptx.starts_with("\x7f"
                      "ELF"))
    throw FormatError(std::string("this is an ELF file (a cubin or an object file), not a fat binary") +
                      kRebuild + " " + kAskForPtx);
  strip_nuls(ptx);
  if (!looks_like_ptx(ptx)) throw FormatError(std::string("this is neither a fat binary nor PTX") + kRebuild);
  std::vector<Entry> entries;
  entries.push_back(text_entry(std::move(ptx)));
  return entries;
}

std::vector<Entry> read_embedded(const void* data) {
  if (data == nullptr) throw FormatError("the program hands over no fat binary: build it with nvcc");
  if (!readable(data, 1)) throw FormatError("the program hands over an address where nothing is");
  const Bytes header(static_cast<const std::byte*>(data), kContainerHeader);
  if (!readable(data, kContainerHeader) || field<std::uint32_t>(header, 0) != kContainerMagic) {
    // cudaLibraryLoadData takes PTX as well, ended by a NUL.
    const auto* ptx = static_cast<const char*>(data);
    return read({static_cast<const std::byte*>(data), std::strlen(ptx)});
  }
  const std::uint64_t bytes = container_bytes(header);
  if (!readable(data, bytes))
    throw FormatError("the fat binary says that it has " + std::to_string(bytes) +
                      " bytes, but the program's memory ends before" + kRebuild);
  return read_container({static_cast<const std::byte*>(data), bytes});
}

const Entry& choose_ptx(const std::vector<Entry>& entries, int compute_capability) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (entry.kind != Entry::Kind::ptx || entry.architecture > compute_capability) continue;
    if (best == nullptr || entry.architecture > best->architecture) best = &entry;
  }
  if (best != nullptr) return *best;
  const std::string ptx = architectures(entries, Entry::Kind::ptx, "compute_");
  const std::string elf = architectures(entries, Entry::Kind::elf, "sm_");
  if (!ptx.empty())
    throw FormatError("the PTX in it is for " + ptx + ", newer than the device (compute capability " +
                      std::to_string(compute_capability / 10) + "." +
                      std::to_string(compute_capability % 10) + "): compile with " + kAskForPtx);
  if (!elf.empty())
    throw FormatError("it holds machine code (" + elf +
                      ") but no PTX, which the emulator runs: compile with " + std::string(kAskForPtx));
  throw FormatError("it holds no device code: compile with " + std::string(kAskForPtx));
}

const Entry* find_machine_code(const std::vector<Entry>& entries, int compute_capability) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const bool runs = entry.kind == Entry::Kind::elf && entry.architecture <= compute_capability &&
                      entry.architecture / 10 == compute_capability / 10;
    if (runs && (best == nullptr || entry.architecture > best->architecture)) best = &entry;
  }
  return best;
}

}  // namespace warpgrade::fatbin
