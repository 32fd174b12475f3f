// The corpus ahead of time, in the long tier: the bits of a run in memory.
#include <algorithm>
#include <cstdio>

#include "core/evaluate/device_values.h"
#include "core/formats/npz.h"
#include "tests/aot/library.h"
#include "tests/corpus/corpus.h"
#include "tests/support/skips.h"

namespace tessera::aot {
namespace {

enum class Outcome { Same, Refused, Different, Skipped };

Outcome compareProgram(const std::string& name, std::string& why) {
  Module module = moduleOf(slurp(corpusTexts() / name / "before.hlo"));
  const auto grid = gridOf(module, 0, 0);
  if (!grid) {
    why = grid.error().message;
    return Outcome::Skipped;
  }
  NamedArrays inputs;
  if (const auto file = wholeCorpus() / name / "inputs.npz"; !wholeCorpus().empty() && std::filesystem::exists(file))
    inputs = readNpz(file).value();
  auto object = objectOf(module);
  if (!object) {
    why = object.error().message;
    return Outcome::Refused;
  }
  const Library library(*object, "program");
  if (!library.run) return Outcome::Different;
  const auto arguments = argumentsByDevice(module, *grid, inputs, {});
  const auto expected = arguments ? onDevices(module, *grid, *arguments) : std::unexpected(arguments.error());
  if (!expected) {
    why = expected.error().message;
    return Outcome::Skipped;
  }
  const std::vector<Literal> results = flat(*expected);
  const bool isDynamic = grid->count() == 1 && object->header.find("memory for the bounds") != std::string::npos;
  const Called called =
      isDynamic ? callInBounds(module, library, flat(*arguments)) : call(library, flat(*arguments), results);
  why = called.error;
  if (called.answer != 0) return Outcome::Different;
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].identical(called.results[i])) return Outcome::Different;
  return Outcome::Same;
}

TEST(AheadOfTimeCorpus, GivesTheBitsOfARun) {
  if (!longTier()) TESSERA_SKIP("long-tier");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(corpusTexts()))
    if (std::filesystem::exists(entry.path() / "before.hlo") && !isBad(entry.path().filename().string()))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  int same = 0, refused = 0, skipped = 0;
  for (const std::string& name : names) {
    std::string why;
    switch (compareProgram(name, why)) {
      case Outcome::Same: ++same; break;
      case Outcome::Refused:
        ++refused;
        std::printf("refused: %s: %s\n", name.c_str(), why.c_str());
        break;
      case Outcome::Skipped:
        ++skipped;
        std::printf("no run: %s: %s\n", name.c_str(), why.c_str());
        break;
      case Outcome::Different: ADD_FAILURE() << name << " " << why; break;
    }
  }
  std::printf("%d of %zu programs equal, %d refused, %d without a run\n", same, names.size(), refused, skipped);
  EXPECT_GT(same, 0);
}

}  // namespace
}  // namespace tessera::aot
