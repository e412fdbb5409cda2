#include "fatbin/container.hpp"

#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace warpgrade::fatbin;

namespace {

const std::string kPtx = "\n\n.version 9.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

enum class Packed { no, lz4, zstd };

// An entry as nvcc writes it: 64 bytes of fields, the name behind them, then the payload padded to 8.
std::string entry(std::uint16_t kind, std::uint32_t architecture, const std::string& plain,
                  Packed packed = Packed::no, const std::string& name = "") {
  std::string payload = plain;
  std::uint64_t flags = 0x11;
  if (packed == Packed::lz4) {
    payload.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(plain.size()))));
    payload.resize(static_cast<std::size_t>(LZ4_compress_default(
        plain.data(), payload.data(), static_cast<int>(plain.size()), static_cast<int>(payload.size()))));
    flags |= 0x2000;
  } else if (packed == Packed::zstd) {
    payload.resize(ZSTD_compressBound(plain.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), plain.data(), plain.size(), 3));
    flags |= 0x8000;
  }
  const auto stored = static_cast<std::uint32_t>(payload.size());
  payload.resize((payload.size() + 8) / 8 * 8);
  std::string header(64, '\0');
  put<std::uint16_t>(header, 0, kind);
  put<std::uint16_t>(header, 2, 0x0101);
  put<std::uint32_t>(header, 8, static_cast<std::uint32_t>(payload.size()));
  if (packed != Packed::no) {
    put<std::uint32_t>(header, 0x10, stored);
    put<std::uint64_t>(header, 0x38, plain.size());
  }
  put<std::uint16_t>(header, 0x1a, 9);
  put<std::uint32_t>(header, 0x1c, architecture);
  put<std::uint32_t>(header, 0x20, 64);
  put<std::uint32_t>(header, 0x24, static_cast<std::uint32_t>(name.size()));
  put<std::uint64_t>(header, 0x28, flags);
  header += name;
  header.resize((header.size() + 15) / 16 * 16);
  put<std::uint32_t>(header, 4, static_cast<std::uint32_t>(header.size()));
  return header + payload;
}

std::string container(const std::vector<std::string>& entries) {
  std::string body;
  for (const std::string& e : entries) body += e;
  std::string bytes(16, '\0');
  put<std::uint32_t>(bytes, 0, 0xBA55ED50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, body.size());
  return bytes + body;
}

std::vector<Entry> read_text(const std::string& bytes) { return read(std::as_bytes(std::span(bytes))); }

std::string error(const std::string& bytes) {
  try {
    read_text(bytes);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("fatbin: plain, LZ4 and zstd payloads give the same PTX") {
  for (const Packed packed : {Packed::no, Packed::lz4, Packed::zstd}) {
    const std::vector<Entry> entries = read_text(container({entry(1, 75, kPtx, packed, "kernel.cu")}));
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].kind == Entry::Kind::ptx);
    CHECK(entries[0].payload == kPtx);
    CHECK(entries[0].architecture == 75);
    CHECK(entries[0].major == 9);
    CHECK(entries[0].minor == 0);
    CHECK(entries[0].name == "kernel.cu");
  }
}

TEST_CASE("fatbin: ELF entries keep every byte, other kinds are skipped") {
  const std::string elf(
      "\x7f"
      "ELF\0\0\1\0",
      8);
  const std::vector<Entry> entries =
      read_text(container({entry(2, 90, elf, Packed::zstd), entry(64, 90, "?"), entry(1, 75, kPtx)}));
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].kind == Entry::Kind::elf);
  CHECK(entries[0].payload == elf);
  CHECK(entries[1].payload == kPtx);
}

TEST_CASE("fatbin: PTX text itself, with or without a NUL at its end") {
  for (const std::string& text : {kPtx, kPtx + std::string(3, '\0')}) {
    const std::vector<Entry> entries = read_text(text);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].payload == kPtx);
    CHECK(entries[0].architecture == 75);
  }
}

TEST_CASE("fatbin: an embedded container says its own size, embedded PTX ends with its NUL") {
  const std::string bytes = container({entry(1, 75, kPtx, Packed::lz4)}) + "what follows in memory";
  CHECK(read_embedded(bytes.data())[0].payload == kPtx);
  CHECK(read_embedded(kPtx.c_str())[0].payload == kPtx);
  CHECK_THROWS_AS(read_embedded(nullptr), FormatError);
}

TEST_CASE("fatbin: the highest architecture that the device has is chosen") {
  const std::vector<Entry> entries = read_text(
      container({entry(1, 75, kPtx), entry(2, 90, "elf"), entry(1, 90, kPtx), entry(1, 100, kPtx)}));
  CHECK(choose_ptx(entries, 90).architecture == 90);
  CHECK(choose_ptx(entries, 89).architecture == 75);
  CHECK(choose_ptx(entries, 120).architecture == 100);
}

TEST_CASE("fatbin: where nothing can be chosen, the message says what is there and what to type") {
  const auto message = [](const std::vector<Entry>& entries) {
    try {
      choose_ptx(entries, 80);
    } catch (const FormatError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string newer = message(read_text(container({entry(1, 90, kPtx), entry(1, 100, kPtx)})));
  CHECK(has(newer, "compute_90, compute_100, newer than the device (compute capability 8.0)"));
  CHECK(has(newer, "compile with -gencode arch=compute_75,code=compute_75"));
  const std::string machine_code = message(read_text(container({entry(2, 80, "elf")})));
  CHECK(has(machine_code, "machine code (sm_80) but no PTX"));
  CHECK(has(message({}), "no device code"));
}

TEST_CASE("fatbin: damaged fields are named") {
  const std::string good = container({entry(1, 75, kPtx, Packed::zstd, "name")});
  const auto with = [&](std::size_t offset, auto value) {
    std::string bytes = good;
    put(bytes, offset, value);
    return error(bytes);
  };
  CHECK(has(error(""), "the file is empty"));
  CHECK(has(error("PK\3\4"), "neither a fat binary nor PTX"));
  CHECK(has(error("\x7f"
                  "ELF.version"),
            "an ELF file"));
  CHECK(has(with(4, std::uint16_t{2}), "format version 2"));
  CHECK(has(with(6, std::uint16_t{32}), "header of 32 bytes"));
  CHECK(has(with(8, ~std::uint64_t{0}), "impossible size"));
  CHECK(has(with(8, std::uint64_t{1} << 40), "reaches beyond its end"));
  CHECK(has(with(16 + 4, std::uint32_t{8}), "header of 8 bytes"));
  CHECK(has(with(16 + 4, ~std::uint32_t{0}), "an entry's header reaches beyond"));
  CHECK(has(with(16 + 8, ~std::uint32_t{0}), "an entry's payload reaches beyond"));
  CHECK(has(with(16 + 0x10, ~std::uint32_t{0}), "a compressed payload reaches beyond"));
  CHECK(has(with(16 + 0x1c, ~std::uint32_t{0}), "no known architecture"));
  CHECK(has(with(16 + 0x20, ~std::uint32_t{0}), "an entry's name reaches beyond"));
  CHECK(has(with(16 + 0x38, std::uint64_t{1} << 60), "256 MB is the most"));
  CHECK(has(with(16 + 0x38, std::uint64_t{5}), "zstd data in the fat binary are damaged"));
}

TEST_CASE("fatbin: cut off at every byte, it is refused") {
  const std::string good =
      container({entry(1, 75, kPtx, Packed::lz4, "name"), entry(2, 75, "elf", Packed::zstd)});
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::vector<char> part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(read(std::as_bytes(std::span(part))), FormatError);
  }
}

TEST_CASE("fatbin: with any bytes changed it is read or refused") {
  const std::string good =
      container({entry(1, 75, kPtx, Packed::lz4, "name"), entry(1, 90, kPtx, Packed::zstd)});
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 2; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    refused += error(bytes) != "no error" ? 1 : 0;
  }
  CHECK(refused > 300);
}
