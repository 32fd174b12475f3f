// tessera render in every form: what the ending asks for is what is written, an unknown one is refused, PNG has the
// size that --scale gives, and the HTML page holds the module.
#include "tests/cli/spawn.h"

namespace tessera {
namespace {

class RenderForms : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("add.hlo", kAddProgram); }
  std::string rendered(const std::string& out, const std::string& options = {}) {
    const Ran ran = scratch_.tessera("render add.hlo -o " + out + " " + options);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return contentOf(scratch_.folder() / out);
  }
  // Of a PNG's header.
  static uint32_t bigEndian(const std::string& png, size_t at) {
    uint32_t out = 0;
    for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(png.at(at + i));
    return out;
  }
  Scratch scratch_;
};

TEST_F(RenderForms, TheEndingSaysTheForm) {
  EXPECT_TRUE(rendered("a.svg").starts_with("<svg"));
  EXPECT_TRUE(rendered("a.pdf").starts_with("%PDF-"));
  EXPECT_TRUE(rendered("a.png").starts_with("\x89PNG\r\n"));
  EXPECT_TRUE(rendered("a.html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(rendered("a.dot").starts_with("digraph"));
  EXPECT_TRUE(rendered("noending", "--to=svg").starts_with("<svg"));
}

TEST_F(RenderForms, AnUnknownEndingIsRefused) {
  for (const char* out : {"a.xyz", "a", "a.svg.gz", "folder.svg/a"}) {
    const Ran ran = scratch_.tessera(std::string("render add.hlo -o ") + out);
    EXPECT_EQ(ran.exit, 64) << out;
    EXPECT_NE(ran.err.find("ends in none of .svg, .pdf, .png, .html, .dot"), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / out)) << out;
  }
  EXPECT_EQ(scratch_.tessera("render add.hlo -o a.svg --scale=2").exit, 64);
}

TEST_F(RenderForms, PngHasTheSizeOfItsScale) {
  const std::string once = rendered("a.png"), thrice = rendered("b.png", "--scale=3");
  for (size_t at : {16u, 20u}) {
    EXPECT_GT(bigEndian(once, at), 20u);
    EXPECT_NEAR(bigEndian(thrice, at), 3.0 * bigEndian(once, at), 3);
  }
  EXPECT_GT(bigEndian(rendered("tall.png", "--scale=64"), 20), 8192u);  // more than one tile
}

TEST_F(RenderForms, GraphvizFilesInEveryForm) {
  scratch_.write("g.dot", "digraph g { subgraph cluster_a { label=inside; a -> b } b -> c }");
  for (const char* form : {"svg", "pdf", "png", "html", "dot"}) {
    const Ran ran = scratch_.tessera(std::string("render g.dot -o out.") + form);
    EXPECT_EQ(ran.exit, 0) << form << ran.err;
    EXPECT_GT(contentOf(scratch_.folder() / (std::string("out.") + form)).size(), 60u) << form;
  }
}

}  // namespace
}  // namespace tessera
