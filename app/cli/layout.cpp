// tessera layout SHAPE: where the elements of a shape are in memory.
#include "app/cli/command.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/memory_map.h"

namespace tessera::cli {
namespace {

struct LayoutArguments {
  std::string shape;
  std::vector<int64_t> padded, index;
  std::optional<double> paddingValue;
  std::optional<int64_t> linear;
};

Result<Shape> shapeOf(const LayoutArguments& options) {
  TESSERA_ASSIGN_OR_RETURN(Shape shape, parseShape(options.shape));
  if (!shape.isArray()) return fail(ErrorKind::Usage, "a layout needs an array shape, not " + toString(shape));
  fillDefaultLayouts(shape);
  shape.layout->paddedDimensions = options.padded;
  shape.layout->paddingValue = options.paddingValue;
  return shape;
}

Status checkIndex(const Shape& shape, const std::vector<int64_t>& index) {
  if (index.size() != shape.dimensions.size())
    return fail(ErrorKind::Usage,
                "--index needs " + std::to_string(shape.rank()) + " numbers, found " + std::to_string(index.size()));
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= shape.dimensions[d])
      return fail(ErrorKind::Usage, "index " + std::to_string(index[d]) + " of dimension " + std::to_string(d) +
                                        " is outside 0 … " + std::to_string(shape.dimensions[d] - 1));
  return {};
}

Status describe(const LayoutArguments& options, Report& report) {
  TESSERA_ASSIGN_OR_RETURN(Shape shape, shapeOf(options));
  TESSERA_ASSIGN_OR_RETURN(MemoryMap map, MemoryMap::of(shape));
  auto& out = report.object;
  out["shape"] = toString(shape);
  std::optional<int64_t> linear = options.linear;
  if (!options.index.empty()) {
    TESSERA_TRY(checkIndex(shape, options.index));
    linear = map.linearIndex(options.index);
  }
  if (linear) {
    if (*linear < 0 || *linear >= map.positions())
      return fail(ErrorKind::Usage, "--linear is outside 0 … " + std::to_string(map.positions() - 1));
    auto index = map.index(*linear);
    out["index"] = index ? nlohmann::ordered_json(*index) : nlohmann::ordered_json(nullptr);
    out["linear"] = *linear;
    out["byte_offset"] = map.byteOffset(*linear);
  }
  out["positions"] = map.positions();
  out["bytes"] = map.bytes();
  out["waste_bytes"] = map.wasteBytes();
  return {};
}

}  // namespace

void addLayout(CLI::App& app, Report& report) {
  auto* command = app.add_subcommand("layout", "Show where the elements of a shape lie in memory");
  auto options = std::make_shared<LayoutArguments>();
  command->add_option("SHAPE", options->shape, "e.g. 'bf16[3,130]{1,0:T(8,128)(2,1)}'")->required();
  command->add_option("--padded", options->padded, "padded_dimensions, e.g. 3,5")->delimiter(',');
  command->add_option("--padding-value", options->paddingValue, "What the padding holds");
  auto* index = command->add_option("--index", options->index, "A multidimensional index")->delimiter(',');
  command->add_option("--linear", options->linear, "A position in memory")->excludes(index);
  command->add_flag("--json", report.json, "Print one JSON object");
  command->footer("Example: tessera layout 'f32[2,3]{1,0}' --padded=3,5 --index=1,2");
  command->callback([options, &report] {
    if (auto status = describe(*options, report); !status) return report.failure(status.error());
    for (const auto& [key, value] : report.object.items())
      report.line(key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  });
}

}  // namespace tessera::cli
