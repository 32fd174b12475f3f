// What tests of XLA's profiles share: a module with a loop, and profiles that are made of planes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"
#include "core/profile/sources/profile_source.h"
#include "tests/support/source_tree.h"
#include "tests/support/xplane_bytes.h"

namespace tessera::xplane {

namespace fs = std::filesystem;

inline const fs::path kProfiles = test::inSourceTree("tests/corpus/profiles");

inline constexpr const char* kLoopModule = R"(HloModule jit_step

body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[8] add(x, x)
  ROOT t = (s32[], f32[8]) tuple(next, twice)
}

cond {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  zero = s32[] constant(0)
  p = f32[8] parameter(0)
  neg.1 = f32[8] negate(p)
  init = (s32[], f32[8]) tuple(zero, neg.1)
  loop = (s32[], f32[8]) while(init), condition=cond, body=body
  out = f32[8] get-tuple-element(loop), index=1
  ROOT exp.2 = f32[8] exponential(out)
}
)";

inline std::string protoOf(const std::string& text) {
  const ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module);
  return *writeProto(*read.module);
}

inline std::string bytesOfFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline PlaneBytes metadataOf(const std::string& text, int64_t program) {
  PlaneBytes out("/host:metadata");
  out.module("jit_step", program, protoOf(text));
  return out;
}

class XplaneProfile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-xplane-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    scratch_ = name;
  }
  void TearDown() override { fs::remove_all(scratch_); }

  fs::path write(const std::string& name, const std::string& content) const {
    fs::create_directories((scratch_ / name).parent_path());
    std::ofstream(scratch_ / name, std::ios::binary) << content;
    return scratch_ / name;
  }
  OpProfile profileOf(const std::vector<PlaneBytes>& planes) const {
    auto out = readProfileSource(write("made.xplane.pb", spaceBytes(planes)));
    EXPECT_TRUE(out) << out.error().toString();
    return out ? *std::move(out) : OpProfile();
  }
  fs::path scratch_;
};

inline const InstructionTime* rowOf(const OpProfile& profile, const std::string& name) {
  const auto at = std::ranges::find(profile.instructions, name, &InstructionTime::name);
  return at == profile.instructions.end() ? nullptr : &*at;
}

inline bool mentions(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(part) != text.npos; });
}

}  // namespace tessera::xplane
