// See like_evaluator.h.
#include "tests/support/like_evaluator.h"

#include "core/formats/hlo_text.h"

namespace tessera::test {
namespace {

// Runs the module on so many threads; every run gives `first` bit for bit, the very first one sets it.
void runOn(const Module& module, int threads, const std::vector<Literal>& arguments, const LikeEvaluator& how,
           std::vector<Literal>& first) {
  const auto executable = compiled(module, threads, how.isa);
  if (!executable) return;
  for (int run = 0; run < how.runs; ++run) {
    Profile profile;
    const bool profiled = how.inspect && run == 0;
    auto found = executable->run(arguments, {}, profiled ? &profile : nullptr);
    ASSERT_TRUE(found) << found.error().toString();
    if (first.empty()) first = *found;
    EXPECT_TRUE(sameValues(first, *found, kSameBits)) << "run " << run << " on " << threads << " threads (0: all)";
    if (profiled) how.inspect(*executable, profile);
  }
}

}  // namespace

Module parsedModule(const std::string& hloText) {
  auto read = readHloText(hloText);
  EXPECT_TRUE(read.module) << hloText;
  return read.module ? std::move(*read.module) : Module("unread");
}

std::vector<Literal> filledArguments(const Module& module, const FillRule& rule) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module)) {
    auto literal = fillParameter(shape, out.size(), rule);
    EXPECT_TRUE(literal) << literal.error().toString();
    out.push_back(literal ? std::move(*literal) : Literal());
  }
  return out;
}

std::unique_ptr<Executable> compiled(const Module& module, int threads, const std::string& isa) {
  CompileOptions options;
  options.threads = threads;
  options.isa = isa;
  auto executable = makeBackend("cpu").value()->compile(module, options);
  EXPECT_TRUE(executable) << executable.error().toString();
  return executable ? std::move(*executable) : nullptr;
}

StepListing rootStep(const std::string& hloText, int threads) {
  const auto executable = compiled(parsedModule(hloText), threads);
  if (!executable) return {};
  auto steps = executable->list(executable->optimized().entryComputation().root, true);
  EXPECT_TRUE(steps && !steps->empty() && !steps->front().irBefore.empty()) << hloText;
  return steps && !steps->empty() ? std::move(steps->front()) : StepListing{};
}

void expectLikeEvaluator(const Module& module, const LikeEvaluator& how) {
  const std::string text = printHloText(module);
  SCOPED_TRACE(text.size() > 20'000 ? module.name : text);
  const std::vector<Literal> arguments = filledArguments(module, how.fill);
  const auto expected = evaluateModule(module, arguments);
  ASSERT_TRUE(expected) << expected.error().toString();
  std::vector<Literal> found;
  for (int threads : how.threads) runOn(module, threads, arguments, how, found);
  EXPECT_TRUE(sameValues(*expected, found, how.closeness));
}

void expectLikeEvaluator(const std::string& hloText, const LikeEvaluator& how) {
  const Module module = parsedModule(hloText);
  if (module.contains(module.entry())) expectLikeEvaluator(module, how);
}

}  // namespace tessera::test
