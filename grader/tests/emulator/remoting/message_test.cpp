#include "remoting/message.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace warpgrade::remoting;

TEST_CASE("what a writer put, a reader gets in the same order") {
  MessageWriter writer;
  writer.put(7).text("saxpy").put(2.5);
  MessageReader reader(writer.bytes());
  CHECK(reader.get<int>() == 7);
  CHECK(reader.text() == "saxpy");
  CHECK(reader.left() == sizeof(double));
  CHECK(reader.get<double>() == 2.5);
  CHECK(reader.left() == 0);
}

TEST_CASE("a message that is too short is refused") {
  const std::string three("\1\2\3", 3);
  MessageReader reader(three);
  CHECK_THROWS_AS(reader.get<int>(), std::length_error);
  MessageWriter writer;
  writer.put(std::uint64_t{1} << 60);  // the length of a text that is not there
  MessageReader texts(writer.bytes());
  CHECK_THROWS_AS(texts.text(), std::length_error);
}

TEST_CASE("a message travels with a file descriptor, and one that claims to be huge does not") {
  int ends[2], pipes[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  REQUIRE(pipe(pipes) == 0);
  REQUIRE(send_message(ends[0], {3, 0, 9, 0}, "abc", pipes[1]));
  MessageHeader header;
  std::string bytes;
  int memory = -1;
  REQUIRE(receive_message(ends[1], header, bytes, &memory));
  CHECK(header.function == 3);
  CHECK(header.caller == 9);
  CHECK(bytes == "abc");
  REQUIRE(memory >= 0);
  CHECK(write(memory, "x", 1) == 1);
  char got = 0;
  CHECK(read(pipes[0], &got, 1) == 1);
  header.bytes = kMostBytes + 1;
  REQUIRE(send(ends[0], &header, sizeof header, 0) == sizeof header);
  CHECK_FALSE(receive_message(ends[1], header, bytes));
  for (const int each : {ends[0], ends[1], pipes[0], pipes[1], memory}) close(each);
}
