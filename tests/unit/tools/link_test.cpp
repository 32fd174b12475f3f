// What a name leads to: an instruction of a file, by FILE#PLACE, and the source file that metadata names.
#include <filesystem>
#include <fstream>

#include "core/hlo/place_text.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "core/tools/source_files.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

TEST(Link, ThePlaceLeadsBack) {
  const Module module = test::moduleOf(
      "HloModule m\n\nbody {\n  a = f32[] parameter(0)\n  ROOT b = f32[] negate(a)\n}\n\nENTRY e {\n"
      "  a = f32[] parameter(0)\n  ROOT c = f32[] call(a), to_apply=body\n}\n");
  std::vector<std::string> all;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      all.push_back(placeText(module, id));
      EXPECT_EQ(instructionNamed(module, all.back()).value(), id) << all.back();
    }
  EXPECT_EQ(all, (std::vector<std::string>{"body/a", "body/b", "e/a", "e/c"}));
}
TEST(Link, AFileWhoseNameHoldsTheSignIsThatFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tessera_link_test";
  std::filesystem::create_directories(folder);
  const std::string odd = (folder / "a#b.hlo").string(), plain = (folder / "c.hlo").string();
  for (const std::string& file : {odd, plain}) std::ofstream(file) << "x";
  const auto split = [](const std::string& text) {
    const LinkParts parts = splitLink(text);
    return parts.file + " " + parts.name;
  };
  EXPECT_EQ(split(plain), plain + " ");
  EXPECT_EQ(split(plain + "#body/add.5"), plain + " body/add.5");
  EXPECT_EQ(split(odd), odd + " ");
  EXPECT_EQ(split(odd + "#body/add.5"), odd + " body/add.5");
  EXPECT_EQ(split("missing.hlo#x"), "missing.hlo x");
  EXPECT_EQ(split("#"), " ");
  std::filesystem::remove_all(folder);
}

TEST(SourceFiles, TheLongestEndBelowAFolderThatIsNamed) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tessera_source_files_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "one" / "b");
  std::filesystem::create_directories(folder / "two");
  std::ofstream(folder / "one" / "b" / "model.py") << "deep";
  std::ofstream(folder / "two" / "model.py") << "flat";
  std::ofstream(folder / "secret.py") << "secret";
  const std::filesystem::path both[] = {folder / "two", folder / "one"};
  EXPECT_EQ(findSourceFile("/home/a/b/model.py", both).value().text, "deep");
  EXPECT_EQ(findSourceFile("/home/a/c/model.py", both).value().text, "flat");
  EXPECT_EQ(findSourceFile("model.py", both).value().text, "flat");
  for (const char* none : {"../secret.py", "/x/../../secret.py", "other.py", "b", "", "/", "..", "."}) {
    const auto missing = findSourceFile(none, both);
    ASSERT_FALSE(missing) << none;
    EXPECT_EQ(missing.error().kind, ErrorKind::Input);
  }
  EXPECT_NE(findSourceFile("other.py", both).error().message.find("is not below"), std::string::npos);
  EXPECT_NE(findSourceFile("other.py", {}).error().message.find("none is named yet"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera
