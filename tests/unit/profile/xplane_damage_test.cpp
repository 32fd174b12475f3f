// XLA's profiles that are cut, packed and cut, of the host alone, and other files in their place: what is there, or why
// not.
#include <gtest/gtest.h>

#include "core/profile/sources/profile_source.h"
#include "tests/unit/profile/xplane_hand.h"

namespace tessera::xplane {
namespace {

using XplaneDamage = XplaneProfile;

TEST_F(XplaneDamage, AFileCutAnywhereShowsWhatItHasOrSaysWhy) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.op("neg.1", "jit_step", 1, 0, 5000), cpu.op("exp.2", "jit_step", 1, 6000, 1000)});
  PlaneBytes last("/host:python");
  last.line("x", {last.event("main", 0, 100)});
  const std::string whole = spaceBytes({metadataOf(kLoopModule, 1), cpu, last});
  const size_t lastPlane = bytesField(1, last.bytes()).size();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto profile = readProfileSource(write("cut.xplane.pb", whole.substr(0, size)));
    const bool atAnEnd =
        size == whole.size() - lastPlane || size == bytesField(1, metadataOf(kLoopModule, 1).bytes()).size();
    if (!profile) {
      EXPECT_FALSE(profile.error().message.empty());
    }
    if (profile && !atAnEnd) {
      EXPECT_TRUE(mentions(profile->warnings, "cut or damaged")) << size;
    }
    if (profile && size >= whole.size() - lastPlane) {
      EXPECT_EQ(profile->placedNs, 6) << size;
    }
  }
}

// What is behind the cut may have been a device's work.
TEST_F(XplaneDamage, ACutFileDoesNotSayThatOnlyTheHostWasRecorded) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("python", {cpu.event("step", 0, 9'000)});
  const std::string whole = spaceBytes({cpu, metadataOf(kLoopModule, 1)});
  const auto cut = readProfileSource(write("cut.xplane.pb", whole.substr(0, whole.size() - 10)));
  ASSERT_TRUE(cut) << cut.error().toString();
  EXPECT_TRUE(mentions(cut->warnings, "cut or damaged"));
  EXPECT_FALSE(mentions(cut->warnings, "only the host was recorded"));
}

TEST_F(XplaneDamage, APackedFileThatIsCutShowsWhatItHas) {
  const std::string packed = bytesOfFile(kProfiles / "nbody.trace.json.zst");
  const auto profile = readProfileSource(write("cut.trace.json.zst", packed.substr(0, packed.size() / 2)));
  ASSERT_TRUE(profile) << profile.error().toString();
  EXPECT_TRUE(mentions(profile->warnings, "packed data end too early"));
  EXPECT_TRUE(mentions(profile->warnings, "JSON is cut"));
  EXPECT_GT(profile->placedNs, 0);
}

TEST_F(XplaneDamage, AProfileOfTheHostAloneSaysSo) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("python", {cpu.event("main", 0, 100'000)});
  const OpProfile profile = profileOf({cpu});
  EXPECT_EQ(profile.totalNs, 0);
  EXPECT_EQ(profile.host.at(0).times.totalNs, 100);
  EXPECT_TRUE(mentions(profile.warnings, "only the host was recorded"));
}

TEST_F(XplaneDamage, OtherFilesSayWhatTheyAre) {
  const auto message = [&](const std::string& name, const std::string& content) {
    const auto read = readProfileSource(write(name, content));
    return read ? std::string("it was read") : read.error().toString();
  };
  EXPECT_NE(message("m.hlo", kLoopModule).find("found a module"), std::string::npos);
  EXPECT_NE(message("b.mlirbc", "ML\xefR\1\2").find("MLIR bytecode"), std::string::npos);
  EXPECT_NE(message("empty.xplane.pb", "").find("an empty file"), std::string::npos);
  EXPECT_NE(message("sub/x.txt", "nothing").find("no profile"), std::string::npos);
  const auto folder = readProfileSource(scratch_ / "sub");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().toString().find("holds no profile"), std::string::npos);
}

}  // namespace
}  // namespace tessera::xplane
