// The film of passes: what a pass leaves as it was is not arranged again.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/tools/passes/pass_film.h"

namespace tessera {
namespace {

TEST(PassFilm, APassThatChangesNothingKeepsThePicture) {
  const Module module = *readHloText(R"(HloModule m

ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  zero = f32[] constant(0)
  zeros = f32[64,64]{1,0} broadcast(zero), dimensions={}
  bent = f32[64,64]{1,0} tanh(x)
  same = f32[64,64]{1,0} add(bent, zeros)
  ROOT y = f32[64,64]{1,0} exponential(same)
})")
                             .module;
  PassFilm film(*PassTrail::ofPipeline(module));
  size_t kept = 0, anew = 0;
  std::shared_ptr<const Arrangement> before = film.frameAt(0)->arrangement;
  for (size_t moment = 1; moment < film.trail().moments().size(); ++moment) {
    const PassFrame frame = *film.frameAt(moment);
    ASSERT_EQ(frame.arrangement->boxes.size(), frame.view->nodes.size());
    if (frame.changes->changes.empty()) {
      EXPECT_EQ(frame.arrangement, before) << moment;
      ++kept;
    } else {
      EXPECT_NE(frame.arrangement, before) << moment;
      ++anew;
    }
    before = frame.arrangement;
  }
  EXPECT_GT(kept, anew) << "most passes have nothing to do here";
  EXPECT_GT(anew, 0u);
}

}  // namespace
}  // namespace tessera
