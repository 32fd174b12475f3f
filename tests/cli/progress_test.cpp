// Work that lasts says so on a terminal, and nothing in a pipe.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/cli/spawn.h"

namespace tessera {
namespace {

constexpr const char* kChain =
    "HloModule chain\n\nENTRY e {\n  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] sine(a)\n"
    "  ROOT c = f32[4] cosine(b)\n}\n";

// What `command` writes to a terminal. Where `awaited` is seen, Ctrl+C is pressed.
std::string onTerminal(const std::string& command, const std::string& awaited = {}) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  std::string out;
  char buffer[4096];
  bool pressed = awaited.empty();
  for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<size_t>(got));
    if (pressed || out.find(awaited) == out.npos) continue;
    pressed = true;
    EXPECT_EQ(::write(terminal, "\x03", 1), 1);
  }
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return out;
}

TEST(Progress, OnATerminalAndNotInAPipe) {
  const Scratch scratch;
  const std::string file = scratch.write("chain.hlo", kChain).string();
  const std::string slow = "reduce '" + file + "' -o /dev/null --runs=5 -- sh -c 'sleep 0.6; exit 1'";
  Ran piped;
  std::thread beside([&] { piped = scratch.tessera(slow); });
  const std::string seen = onTerminal(std::string("TESSERA_KERNEL_CACHE=off '") + TESSERA_PROGRAM + "' " + slow);
  beside.join();
  EXPECT_EQ(piped.exit, 0) << piped.err;
  EXPECT_EQ(piped.err, "");
  EXPECT_NE(seen.find("of at most 5: "), std::string::npos) << seen;
  EXPECT_NE(seen.find(" instructions"), std::string::npos) << seen;
  const size_t wiped = seen.rfind("\r\x1b[K");
  EXPECT_NE(wiped, std::string::npos);
  EXPECT_EQ(seen.find("of at most", wiped), std::string::npos) << "the line stays";
}

// The command fails twice, on the module and on a smaller one, and then lasts.
TEST(Progress, WhatIsReducedSoFarIsWrittenAfterCtrlC) {
  const Scratch scratch;
  const std::string file = scratch.write("chain.hlo", kChain).string();
  const std::string small = (scratch.folder() / "small.hlo").string(), runs = (scratch.folder() / "runs").string();
  const std::string command = "echo >>" + runs + "; test $(wc -l <" + runs + ") -le 2 || sleep 50; exit 1";
  const std::string seen = onTerminal(
      std::string("'") + TESSERA_PROGRAM + "' reduce '" + file + "' -o '" + small + "' -- sh -c '" + command + "'",
      " instructions: ");
  EXPECT_NE(seen.find("interrupted"), std::string::npos) << seen;
  EXPECT_TRUE(std::filesystem::exists(small)) << seen;
}

TEST(Progress, WhatIsShortSaysNothing) {
  const Scratch scratch;
  const std::string file = scratch.write("chain.hlo", kChain).string();
  const std::string seen = onTerminal(std::string("'") + TESSERA_PROGRAM + "' opt '" + file + "' -o /dev/null");
  EXPECT_EQ(seen, "");
}

}  // namespace
}  // namespace tessera
