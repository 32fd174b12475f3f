// The source line of what a compiler made without metadata.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/hlo/source_frames.h"

namespace tessera {
namespace {

// line 7 is that of the multiply, line 9 inside the fusion.
constexpr const char* kProgram = R"(HloModule m
f {
  x = f32[4] parameter(0)
  n = f32[4] negate(x), metadata={source_file="model.py" source_line=9}
  ROOT c = f32[4] copy(n)
}
ENTRY e {
  x = f32[4] parameter(0)
  unread = f32[4] abs(x)
  widened = f32[4] convert(x)
  turned = f32[4] reshape(widened)
  made = f32[4] fusion(x), kind=kLoop, calls=f
  own = f32[4] multiply(turned, made), metadata={source_file="model.py" source_line=7}
  ROOT t = (f32[4], f32[4]) tuple(own, unread)
})";

TEST(SourceNear, OwnThenInsideThenReaders) {
  const Module module = *readHloText(kProgram, "m.hlo").module;
  const UserTable users(module);
  const auto line = [&](const char* name) {
    const auto frames = framesNear(module, users, *module.findInstruction(name));
    return frames.empty() ? 0 : frames[0].line;
  };
  EXPECT_EQ(line("own"), 7);
  EXPECT_EQ(line("made"), 9);
  EXPECT_EQ(line("widened"), 7);
  EXPECT_EQ(line("unread"), 0);
}

// Of what a library computes the line that called it is the one to look at.
TEST(SourceNear, OwnFileBehindThoseOfLibraries) {
  const SourceFrame dense{"/usr/lib/python3/site-packages/flax/linen/linear.py", "Dense.__call__", 287};
  const SourceFrame jax{"/usr/lib/python3/dist-packages/jax/api.py", "f", 1};
  const SourceFrame train{"train.py", "loss", 42};
  const std::vector<SourceFrame> called{dense, jax, train}, inside{dense, jax};
  ASSERT_TRUE(ownFrame(called));
  EXPECT_EQ(ownFrame(called)->line, 42);
  EXPECT_FALSE(ownFrame(inside));
  EXPECT_FALSE(ownFrame({}));
}

}  // namespace
}  // namespace tessera
