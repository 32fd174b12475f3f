// tessera resize: a dimension changed everywhere it flows.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/cli/command.h"
#include "core/edit/sizes/sizes.h"

namespace tessera::cli {
namespace {

struct ResizeArguments {
  std::string file, out;
  std::vector<std::string> wishes;
  bool numbers = false, listed = false;
};

Result<SizeWish> wishIn(const Module& module, const std::string& words) {
  const size_t equals = words.rfind('=');
  SizeWish wish;
  const char* end = words.data() + words.size();
  const char* begin = equals == std::string::npos ? end : words.data() + equals + 1;
  const auto [stopped, error] = std::from_chars(begin, end, wish.size);
  if (begin == end || error != std::errc() || stopped != end)
    return fail(ErrorKind::Usage, "\"" + words + "\" is no change like x:1=64");
  auto spot = dimensionNamed(module, words.substr(0, equals));
  if (!spot) {
    spot.error().kind = ErrorKind::Usage;
    return std::unexpected(spot.error());
  }
  wish.spot = *spot;
  return wish;
}

nlohmann::ordered_json jsonOf(const Module& module, const std::vector<Resizing::Line>& lines) {
  auto out = nlohmann::ordered_json::array();
  for (const Resizing::Line& line : lines)
    out.push_back(
        {{"instruction", module.contains(line.instruction) ? std::string(module.at(line.instruction).name) : ""},
         {"text", line.text}});
  return out;
}

void describe(const Module& module, const Resizing& resizing, const std::vector<DimensionSpot>& others, bool print,
              Report& report) {
  auto numbers = nlohmann::ordered_json::array();
  for (const auto& each : resizing.numbers)
    numbers.push_back(
        {{"constant", std::string(module.at(each.constant).name)}, {"meaning", each.meaning}, {"value", each.value}});
  report.object["changes"] = jsonOf(module, resizing.changes);
  report.object["following"] = resizing.following;
  report.object["cannot_follow"] = jsonOf(module, resizing.stops);
  report.object["numbers"] = numbers;
  for (DimensionSpot spot : others) report.object["same_size"].push_back(nameOf(module, spot));
  if (!print) return;
  for (const auto& line : resizing.changes)
    report.line(fmt::format("{}: {}", module.at(line.instruction).name, line.text));
  report.line(fmt::format("{} more follow", resizing.following));
  for (const auto& each : resizing.numbers)
    report.line(fmt::format("{}: {}; --numbers makes it {}", module.at(each.constant).name, each.meaning, each.value));
  for (DimensionSpot spot : others) report.line(nameOf(module, spot) + " has this size too and is another dimension");
}

std::set<InstructionId> constantsOf(const Resizing& resizing) {
  std::set<InstructionId> out;
  for (const auto& each : resizing.numbers) out.insert(each.constant);
  return out;
}

void resize(const Module& module, const ResizeArguments& options, Report& report) {
  const Sizes sizes(module);
  std::vector<SizeWish> wishes;
  for (const std::string& words : options.wishes) {
    auto wish = wishIn(module, words);
    if (!wish) return report.failure(wish.error());
    wishes.push_back(*wish);
  }
  auto resizing = sizes.resized(wishes);
  if (resizing && options.numbers) resizing = sizes.resized(wishes, constantsOf(*resizing));
  if (!resizing) return report.failure(resizing.error());
  std::vector<DimensionSpot> others;
  for (DimensionSpot other : sizes.othersLike(wishes[0].spot))
    if (std::ranges::none_of(wishes, [&](const SizeWish& wish) { return sizes.same(wish.spot, other); }))
      others.push_back(other);
  describe(module, *resizing, others, options.listed, report);
  for (const auto& line : resizing->stops) {
    Diagnostic d{.message = "cannot follow: " + line.text, .file = options.file};
    report.failure(module.contains(line.instruction) ? placedAt(module.at(line.instruction), std::move(d)) : d);
  }
  if (!resizing->stops.empty() || options.listed) return;
  const auto done = apply(module, resizing->edit);
  if (done)
    printModule(done->module, options.out, report);
  else
    report.failure(done.error());
}

}  // namespace

void addResize(CLI::App& app, Report& report) {
  auto options = std::make_shared<ResizeArguments>();
  auto* command = app.add_subcommand("resize", "Change a dimension everywhere it flows");
  command->add_option("FILE", options->file, "HLO file")->required();
  command->add_option("CHANGE", options->wishes, "NAME:DIMENSION=SIZE; several at once")->required();
  command->add_flag("--numbers", options->numbers,
                    "Change scalar constants too that look like the size, one less, its root or inverse");
  command->add_flag("--list", options->listed, "Say what would change instead of printing the module");
  command->add_option("-o,--output", options->out, "Write to a file instead of stdout");
  command->add_flag("--json", report.json, "Print one JSON object (with -o: without the text)");
  command->footer("Example: tessera resize model.hlo y:0=64 -o longer.hlo");
  command->callback([options, &report] {
    if (auto module = loadModule(options->file, report, true)) resize(*module, *options, report);
  });
}

}  // namespace tessera::cli
