#include "analyzer/lsp/MessageStream.h"

#include <catch2/catch.hpp>

#include <array>

#include <unistd.h>

using namespace gradtidy;

namespace {

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    close();
  }
  void write(const std::string &text) const {
    REQUIRE(::write(ends[1], text.data(), text.size()) == ssize_t(text.size()));
  }
  void close() {
    if (ends[1] >= 0)
      ::close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

} // namespace

TEST_CASE("Messages come through whatever the pieces they arrive in") {
  Pipe pipe;
  MessageStream stream(pipe.ends[0], -1);
  pipe.write("Content-Length: 5\r\nContent-Type: application/vscode-jsonrpc\r\n\r\nab");
  REQUIRE(stream.fill());
  CHECK_FALSE(stream.next());
  pipe.write("c\n\ncontent-length:2\r\n\r\n{}Content");
  REQUIRE(stream.fill());
  CHECK(stream.next() == "abc\n\n");
  CHECK(stream.next() == "{}");
  CHECK_FALSE(stream.next());
  pipe.close();
  CHECK_FALSE(stream.fill());
}

TEST_CASE("Headers without a length are skipped") {
  Pipe pipe;
  MessageStream stream(pipe.ends[0], -1);
  pipe.write("Hello: there\r\n\r\nContent-Length: -7\r\n\r\nContent-Length: 1\r\n\r\nx");
  REQUIRE(stream.fill());
  CHECK(stream.next() == "x");
}

TEST_CASE("A message that is too long is skipped, and answered with an error") {
  for (const std::string length : {"1000000000000", "134217729", "99999999999999999999999"}) {
    Pipe pipe, answers;
    MessageStream stream(pipe.ends[0], answers.ends[1]);
    pipe.write("Content-Length: " + length + "\r\n\r\n");
    // Nothing of it is kept, however long it is.
    const std::string piece(1 << 15, 'x');
    for (int i = 0; i < 100; ++i) {
      pipe.write(piece);
      REQUIRE(stream.fill());
      CHECK_FALSE(stream.next());
    }
    pipe.write("}Content-Length: 2\r\n\r\n{}");
    REQUIRE(stream.fill());
    CHECK(stream.next() == "{}");
    if (length.size() > 20)
      continue; // Is no number at all.
    MessageStream client(answers.ends[0], -1);
    REQUIRE(client.fill());
    CHECK(client.next().value_or("").find("longer than 128 MB") != std::string::npos);
  }
}

TEST_CASE("What one side writes the other side reads") {
  Pipe pipe;
  MessageStream stream(pipe.ends[0], pipe.ends[1]);
  const std::string text = R"({"text": "ä"})";
  stream.write(text);
  REQUIRE(stream.fill());
  CHECK(stream.next() == text);
}
