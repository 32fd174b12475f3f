// See run_compare.h.
#include "app/cli/run_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

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

// The program gives all that is expected: out3 of the file beside three outputs is a mistake in either.
Status expectCount(const NamedArrays& expected, size_t outputs, const Expectation& wanted) {
  for (const auto& [key, value] : expected) {
    const bool isOutput = key.starts_with("out") && key.size() > 3 &&
                          std::all_of(key.begin() + 3, key.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!isOutput || std::strtoull(key.c_str() + 3, nullptr, 10) < outputs) continue;
    return fail(ErrorKind::Input, fmt::format("{} has {}, the program gives {} output{}", sourceOf(wanted), key,
                                              outputs, outputs == 1 ? "" : "s"));
  }
  return {};
}

Result<Literal> arrayOf(const NamedArrays& expected, size_t output, const Expectation& wanted) {
  const std::string key = "out" + std::to_string(output);
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
  if (auto counted = expectCount(named, found.size(), wanted); !counted) return std::unexpected(counted.error());
  std::vector<Literal> out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root))) {
    if (leaf.shape->isToken()) continue;
    TESSERA_ASSIGN_OR_RETURN(const Literal given, arrayOf(named, out.size(), wanted));
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

// Each device's output by itself, or the joined one, as the expected shape says.
Status compareDevices(const Module& module, const Expectation& wanted, const DeviceArrays& outputs, Report& report) {
  if (wanted.file.empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(const NamedArrays expected, readNpz(wanted.file));
  if (auto counted = expectCount(expected, outputs[0].size(), wanted); !counted) return counted;
  Comparison all;
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(const Literal given, arrayOf(expected, i, wanted));
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> values, comparable(module, outputs, i, given.shape()));
    const Tolerance tolerance = toleranceOf(wanted, values[0].shape().type);
    for (size_t device = 0; device < values.size(); ++device) {
      const std::string name = fmt::format("out{}{}", i, values.size() > 1 ? fmt::format(" of device {}", device) : "");
      all.add(compareLiterals(given, values[device], tolerance, name));
    }
  }
  reportComparison(all, report);
  return {};
}

}  // namespace tessera::cli
