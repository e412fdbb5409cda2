// What a program sends of its inputs becomes the same part of other ones, and all else stays.
#include "remoting/backend/input_exchange.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using warpgrade::remoting::InputExchange;

namespace {

constexpr std::size_t kElement = 4;  // bytes

std::string elements(std::uint32_t seed, std::size_t count) {
  std::string made;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    made.append(reinterpret_cast<const char*>(&seed), kElement);
  }
  return made;
}

const std::string kX = elements(1, 100), kOtherX = elements(2, 100);
const std::string kY = elements(3, 100), kOtherY = elements(4, 100);

InputExchange two_inputs() { return InputExchange({{kX, kOtherX, kElement}, {kY, kOtherY, kElement}}); }

std::string exchanged(InputExchange exchange, std::string bytes) {
  exchange.exchange(bytes);
  return bytes;
}

std::string in_turn(const std::string& one, const std::string& other) {
  std::string made;
  for (std::size_t at = 0; at < one.size(); at += kElement)
    made += one.substr(at, kElement) + other.substr(at, kElement);
  return made;
}

}  // namespace

TEST_CASE("an input becomes the other one, as a whole and in pieces of any order") {
  CHECK(exchanged(two_inputs(), kX) == kOtherX);
  CHECK(exchanged(two_inputs(), kY + kX) == kOtherY + kOtherX);
  InputExchange exchange = two_inputs();
  for (const std::size_t at : {200, 0, 360, 36}) {
    std::string piece = kX.substr(at, 40);
    exchange.exchange(piece);
    CHECK(piece == kOtherX.substr(at, 40));
  }
}

TEST_CASE("inputs may be sent element by element, in turn or each by a call of its own") {
  CHECK(exchanged(two_inputs(), in_turn(kX, kY)) == in_turn(kOtherX, kOtherY));
  InputExchange exchange = two_inputs();
  for (std::size_t at = 0; at < 40; at += kElement) {
    std::string element = kX.substr(at, kElement);
    exchange.exchange(element);
    CHECK(element == kOtherX.substr(at, kElement));
  }
  std::string apart = kY.substr(80, kElement);
  exchange.exchange(apart);
  CHECK(apart == kOtherY.substr(80, kElement));
}

TEST_CASE("what the host computed, and what fills gaps, stays") {
  const std::string of_host = elements(5, 50), gap(64, '\0');
  CHECK(exchanged(two_inputs(), of_host) == of_host);
  CHECK(exchanged(two_inputs(), gap) == gap);
  CHECK(exchanged(two_inputs(), gap + kX.substr(0, 80) + gap + kX.substr(80, 80) + gap) ==
        gap + kOtherX.substr(0, 80) + gap + kOtherX.substr(80, 80) + gap);
  CHECK(exchanged(two_inputs(), of_host + kY + of_host) == of_host + kOtherY + of_host);
  const std::string few = kX.substr(0, 8) + elements(6, 20);
  CHECK(exchanged(two_inputs(), few) == few);
}

TEST_CASE("the same bytes in front of a piece belong to it where the input has them, too") {
  const std::string front(80, '\1'), x = front + kX, other = elements(7, 20) + kOtherX;
  InputExchange exchange({{elements(8, 30) + x, elements(9, 30) + other, kElement}});
  std::string sent = x;
  exchange.exchange(sent);
  CHECK(sent == other);
}

TEST_CASE("an argument that holds an input as a whole") {
  InputExchange exchange({{kX, kOtherX, kElement}, {"\1\2\3\4", "\5\6\7\7", kElement}});
  std::string value = "\1\2\3\4", structure = "head" + kX + "tail", part = kX.substr(0, 80);
  for (std::string* each : {&value, &structure, &part}) exchange.exchange_argument(*each);
  CHECK(value == "\5\6\7\7");
  CHECK(structure == "head" + kOtherX + "tail");
  CHECK(part == kX.substr(0, 80));
}

TEST_CASE("a part of memory is exchanged with what goes on around it") {
  const std::string zeros(40, '\0'), x = zeros + kX + zeros, other = elements(7, 120);
  InputExchange exchange({{x, other, kElement}});
  const std::string before = std::string(8, '\1') + x + std::string(8, '\1');
  std::string memory = before;
  const std::size_t begin = 8 + zeros.size();
  const auto parts = exchange.exchange(before, {begin, begin + kX.size()}, memory);
  CHECK(memory == std::string(8, '\1') + other + std::string(8, '\1'));
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].begin == 8);
  CHECK(parts[0].end == 8 + x.size());
}

TEST_CASE("a small input as a whole, in front of what fills a gap, and sent again") {
  InputExchange exchange({{"\1\2\3\4", "\5\6\7\7", kElement}});
  const std::string gap(60, '\0');
  for (int i = 0; i < 2; ++i) {
    std::string sent = "\1\2\3\4" + gap;
    exchange.exchange(sent);
    CHECK(sent == "\5\6\7\7" + gap);
  }
}

TEST_CASE("what came back from the device may be sent again, but zeros are the program's") {
  const std::string came = elements(7, 40), of_twin = elements(8, 40), zeros(64, '\0');
  InputExchange exchange = two_inputs();
  exchange.came_back(came, of_twin);
  exchange.came_back(zeros, elements(9, 16));
  std::string sent = came;
  exchange.exchange(sent);
  CHECK(sent == of_twin);
  sent = zeros;
  exchange.exchange(sent);
  CHECK(sent == zeros);
}
