// What a program sends of its inputs becomes the same part of other ones, and all else stays.
#include "remoting/backend/data_flow/input_exchange.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using warpgrade::remoting::ArrayForm;
using warpgrade::remoting::InputExchange;

namespace {

constexpr std::size_t kElement = 4;  // bytes
const ArrayForm kIntegers = {"i4", {}};

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

InputExchange two_inputs() { return InputExchange({{kX, kOtherX, kIntegers}, {kY, kOtherY, kIntegers}}); }

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

TEST_CASE("in turn, an element of one input may by chance be the next one of the other") {
  std::string y = kY;
  y.replace(50 * kElement, kElement, kX, 51 * kElement, kElement);
  const InputExchange exchange({{kX, kOtherX, kIntegers}, {y, kOtherY, kIntegers}});
  CHECK(exchanged(exchange, in_turn(kX, y)) == in_turn(kOtherX, kOtherY));
  std::string x = kX;
  x.replace(50 * kElement, kElement, kY, 50 * kElement, kElement);
  const InputExchange equal({{x, kOtherX, kIntegers}, {kY, kOtherY, kIntegers}});
  CHECK(exchanged(equal, in_turn(x, kY)) == in_turn(kOtherX, kOtherY));
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
  InputExchange exchange({{elements(8, 30) + x, elements(9, 30) + other, kIntegers}});
  std::string sent = x;
  exchange.exchange(sent);
  CHECK(sent == other);
}

TEST_CASE("an argument that holds an input as a whole") {
  InputExchange exchange({{kX, kOtherX, kIntegers}, {"\1\2\3\4", "\5\6\7\7", kIntegers}});
  std::string value = "\1\2\3\4", structure = "head" + kX + "tail", part = kX.substr(0, 80);
  for (std::string* each : {&value, &structure, &part}) exchange.exchange_argument(*each);
  CHECK(value == "\5\6\7\7");
  CHECK(structure == "head" + kOtherX + "tail");
  CHECK(part == kX.substr(0, 80));
}

TEST_CASE("a part of memory is exchanged with what goes on around it") {
  const std::string zeros(40, '\0'), x = zeros + kX + zeros, other = elements(7, 120);
  InputExchange exchange({{x, other, kIntegers}});
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
  InputExchange exchange({{"\1\2\3\4", "\5\6\7\7", kIntegers}});
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

namespace {

template <class To>
std::string floats_as(const std::vector<float>& numbers) {
  std::string made;
  for (const float each : numbers) {
    const auto number = static_cast<To>(each);
    made.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return made;
}

std::vector<float> fractions(std::uint32_t seed, std::size_t count) {
  std::vector<float> made;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    made.push_back(static_cast<float>(seed >> 12) / 1048576);
  }
  return made;
}

const std::vector<float> kU = fractions(1, 120), kOtherU = fractions(2, 120);
const std::vector<float> kV = fractions(3, 120), kOtherV = fractions(4, 120);

InputExchange two_of_floats() {
  const ArrayForm form{"f4", {20, 6}};
  return InputExchange({{floats_as<float>(kU), floats_as<float>(kOtherU), form},
                        {floats_as<float>(kV), floats_as<float>(kOtherV), form}});
}

}  // namespace

TEST_CASE("an input that the host converts becomes the other one, converted") {
  CHECK(exchanged(two_of_floats(), floats_as<double>(kU)) == floats_as<double>(kOtherU));
  CHECK(exchanged(two_of_floats(), floats_as<_Float16>(kV)) == floats_as<_Float16>(kOtherV));
  InputExchange exchange = two_of_floats();
  for (const std::size_t at : {320, 0, 640}) {
    std::string piece = floats_as<double>(kV).substr(at, 320);
    exchange.exchange(piece);
    CHECK(piece == floats_as<double>(kOtherV).substr(at, 320));
  }
  const std::string gap(64, '\0'), padded = floats_as<double>(kU).substr(0, 400),
                                   rest = floats_as<double>(kU).substr(400);
  const std::string other = floats_as<double>(kOtherU);
  CHECK(exchanged(two_of_floats(), gap + rest + gap + padded) ==
        gap + other.substr(400) + gap + other.substr(0, 400));
  CHECK(exchange.followed().parts[1] == 1.0);
  CHECK(exchange.followed().parts[0] == 0.0);
  CHECK_FALSE(exchange.followed().are_rearranged);
}

TEST_CASE("members of structs, beside what the host adds to each") {
  const auto structs = [](const std::vector<float>& u, const std::vector<float>& v) {
    std::string made;
    for (std::uint32_t i = 0; i < u.size(); ++i) {
      made += floats_as<float>({u[i], v[i]});
      made.append(reinterpret_cast<const char*>(&i), sizeof i);
      made.append(4, '\0');
    }
    return made;
  };
  CHECK(exchanged(two_of_floats(), structs(kU, kV)) == structs(kOtherU, kOtherV));
}

TEST_CASE("a rearranged input becomes the other one, rearranged, and is reported") {
  const auto backwards = [](const std::vector<float>& numbers) {
    return floats_as<float>({numbers.rbegin(), numbers.rend()});
  };
  const auto turned = [](const std::vector<float>& numbers) {
    return warpgrade::remoting::transposed(floats_as<float>(numbers), sizeof(float), {20, 6}, {1, 0});
  };
  InputExchange exchange = two_of_floats();
  std::string sent = backwards(kU);
  exchange.exchange(sent);
  CHECK(sent == backwards(kOtherU));
  CHECK(exchange.followed().are_rearranged);
  CHECK(exchanged(two_of_floats(), turned(kV)) == turned(kOtherV));
}

TEST_CASE("more pieces come back than are kept apart") {
  InputExchange exchange = two_inputs();
  const std::string came = elements(7, 4000), of_twin = elements(8, 4000);
  for (std::size_t at = 0; at < came.size(); at += 40)
    exchange.came_back(came.substr(at, 40), of_twin.substr(at, 40));
  std::string sent = came;
  exchange.exchange(sent);
  CHECK(sent == of_twin);
}
