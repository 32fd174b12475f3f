// See run_compare.h.
#include "app/cli/run_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/evaluate/argument_rules.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/factors.h"

namespace tessera::cli {
namespace {

// What is expected of a result with dynamic dimensions may be given within their bounds: then the part that counts is.
Result<Literal> countingPart(const Literal& expected, const Literal& found, const Shape& declared) {
  const bool whole = declared.hasDynamicDimensions() && expected.shape().dimensions == declared.dimensions;
  if (!whole || expected.shape().type != found.shape().type) return expected;
  return cutTo(expected, found.shape().dimensions);
}

Tolerance toleranceOf(const Expectation& wanted, ElementType type) {
  Tolerance out = defaultTolerance(type);
  if (wanted.rtol) out.rtol = *wanted.rtol;
  if (wanted.atol) out.atol = *wanted.atol;
  if (wanted.floor) out.floor = *wanted.floor;
  return out;
}

const std::string& sourceOf(const Expectation& wanted) { return wanted.file.empty() ? wanted.snapshot : wanted.file; }

// The number behind the prefix, which ends the text or is followed by `rest`; that then begins what is left.
std::optional<uint64_t> takeNumber(std::string_view& text, std::string_view prefix, std::string_view rest) {
  if (!text.starts_with(prefix)) return std::nullopt;
  uint64_t out = 0;
  const char* const begin = text.data() + prefix.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), out);
  if (error != std::errc() || end == begin) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return text.starts_with(rest) && (!rest.empty() || text.empty()) ? std::optional(out) : std::nullopt;
}

// The program gives all that is expected: out3 of the file beside three outputs is a mistake in either, and so is
// device2_out0 beside two devices.
Status expectCount(const NamedArrays& expected, size_t devices, size_t outputs, const Expectation& wanted) {
  for (const auto& [key, value] : expected) {
    std::string_view rest = key;
    const auto device = takeNumber(rest, "device", "_");
    const auto output = takeNumber(rest, device ? "_out" : "out", "");
    if (!output || (*output < outputs && device.value_or(0) < devices)) continue;
    return fail(ErrorKind::Input, fmt::format("{} has {}, the program gives {} output{}{}", sourceOf(wanted), key,
                                              outputs, outputs == 1 ? "" : "s",
                                              devices == 1 ? "" : fmt::format(" on each of {} devices", devices)));
  }
  return {};
}

Result<Literal> arrayOf(const NamedArrays& expected, const std::string& key, const Expectation& wanted) {
  const auto given = expected.find(key);
  if (given == expected.end()) return fail(ErrorKind::Input, sourceOf(wanted) + " lacks " + key);
  return given->second;
}

// The expected outputs in order, of the sizes of those found.
Result<std::vector<Literal>> expectedOutputs(const Module& module, const Expectation& wanted,
                                             std::span<const Literal> found) {
  NamedArrays named;
  if (wanted.file.empty()) {
    named = namedLeaves(std::span(wanted.result, 1), "out");
  } else {
    TESSERA_ASSIGN_OR_RETURN(named, readNpz(wanted.file));
  }
  if (auto counted = expectCount(named, 1, found.size(), wanted); !counted) return std::unexpected(counted.error());
  std::vector<Literal> out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root))) {
    if (leaf.shape->isToken()) continue;
    TESSERA_ASSIGN_OR_RETURN(const Literal given, arrayOf(named, nameOfOutput(1, 0, out.size()), wanted));
    TESSERA_ASSIGN_OR_RETURN(Literal counting, countingPart(given, found[out.size()], *leaf.shape));
    out.push_back(std::move(counting));
  }
  return out;
}

// Factors of a decomposition that differ element by element are equal when their products are.
void compareFactors(const Module& module, const Expectation& wanted, std::span<const Literal> expected,
                    std::span<const Literal> found, std::vector<Comparison>& comparisons, Report& report) {
  if (std::ranges::all_of(comparisons, &Comparison::equal)) return;
  for (const FactoredOutputs& group : factoredOutputs(module)) {
    std::vector<size_t> members;
    for (size_t i = 0; i < found.size(); ++i)
      if (group.has(static_cast<int>(i))) members.push_back(i);
    if (std::ranges::all_of(members, [&](size_t i) { return comparisons[i].equal; })) continue;
    const Comparison products =
        compareByReconstruction(group, expected, found, toleranceOf(wanted, found[members[0]].shape().type));
    if (!products.equal) continue;
    for (size_t i : members) {
      comparisons[i] = products;
      report.line("out" + std::to_string(i) + ": a factor, compared by reconstruction");
    }
  }
}

// Differences raise exit code 3.
void reportComparison(const Comparison& all, Report& report) {
  report.object["max_abs_err"] = all.maxAbsError;
  report.object["max_rel_err"] = all.maxRelError;
  report.object["equal"] = all.equal;
  report.line(fmt::format("max_abs_err: {:.6g}, max_rel_err: {:.6g}", all.maxAbsError, all.maxRelError));
  if (all.equal) return;
  report.failure({.message = "values differ: " + all.firstMismatch});
  report.exit = kDiffers;  // not "does not compile"
}

// Each device's output by itself, or the joined one, as the expected shape says.
Result<Comparison> compareCommon(const Module& module, const Expectation& wanted, const NamedArrays& expected,
                                 const DeviceArrays& outputs, size_t output) {
  TESSERA_ASSIGN_OR_RETURN(const Literal given, arrayOf(expected, nameOfOutput(1, 0, output), wanted));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> values, comparable(module, outputs, output, given.shape()));
  const Tolerance tolerance = toleranceOf(wanted, values[0].shape().type);
  Comparison out;
  for (size_t device = 0; device < values.size(); ++device)
    out.add(
        compareLiterals(given, values[device], tolerance,
                        fmt::format("out{}{}", output, values.size() > 1 ? fmt::format(" of device {}", device) : "")));
  return out;
}

// Each device's output with its own.
Result<Comparison> compareOwn(const Expectation& wanted, const NamedArrays& expected, const DeviceArrays& outputs,
                              size_t output) {
  Comparison out;
  for (size_t device = 0; device < outputs.size(); ++device) {
    const std::string key = nameOfOutput(outputs.size(), device, output);
    TESSERA_ASSIGN_OR_RETURN(const Literal given, arrayOf(expected, key, wanted));
    const Literal& found = outputs[device][output];
    out.add(compareLiterals(given, found, toleranceOf(wanted, found.shape().type), key));
  }
  return out;
}

}  // namespace

Status compareOutputs(const Module& module, const Expectation& wanted, const std::vector<Literal>& outputs,
                      Report& report) {
  if (wanted.file.empty() && !wanted.result) return {};
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> expected, expectedOutputs(module, wanted, outputs));
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < outputs.size(); ++i)
    comparisons.push_back(compareLiterals(expected[i], outputs[i], toleranceOf(wanted, outputs[i].shape().type),
                                          "out" + std::to_string(i)));
  compareFactors(module, wanted, expected, outputs, comparisons, report);
  Comparison all;
  for (const Comparison& comparison : comparisons) all.add(comparison);
  reportComparison(all, report);
  return {};
}

Status compareDevices(const Module& module, const Expectation& wanted, const DeviceArrays& outputs, Report& report) {
  if (wanted.file.empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(const NamedArrays expected, readNpz(wanted.file));
  if (auto counted = expectCount(expected, outputs.size(), outputs[0].size(), wanted); !counted) return counted;
  Comparison all;
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    const bool isOwn = expected.contains(nameOfOutput(outputs.size(), 0, i));
    TESSERA_ASSIGN_OR_RETURN(const Comparison one, isOwn ? compareOwn(wanted, expected, outputs, i)
                                                         : compareCommon(module, wanted, expected, outputs, i));
    all.add(one);
  }
  reportComparison(all, report);
  return {};
}

std::string nameOfOutput(size_t devices, size_t device, size_t output) {
  return devices > 1 ? fmt::format("device{}_out{}", device, output) : fmt::format("out{}", output);
}

}  // namespace tessera::cli
