// The fixture of tests of the contract of `tessera`: a folder with a small program, and refusals.
#pragma once

#include <string>

#include "tests/cli/spawn.h"

namespace tessera {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Contract : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("add.hlo", kAddProgram); }

  // Exits with `exit`, says `message` on stderr.
  void refused(const std::string& arguments, int exit, const std::string& message) {
    const Ran ran = scratch_.tessera(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    EXPECT_TRUE(contains(ran.err, message)) << arguments << "\nneeds: " << message << "\nsays:  " << ran.err;
  }
  Scratch scratch_;
};

}  // namespace tessera
