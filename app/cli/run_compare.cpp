// See run_compare.h.
#include "app/cli/run_compare.h"

#include <algorithm>

#include "core/evaluate/dynamic_values.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/factors.h"

namespace tessera::cli {
namespace {

// Array leaves in order.
void appendLeaves(const Literal& literal, std::vector<Literal>& out) {
  for (const Literal& element : literal.elements()) appendLeaves(element, out);
  if (literal.shape().isArray()) out.push_back(literal);
}

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
  return out;
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
  std::vector<Literal> out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root))) {
    if (leaf.shape->isToken()) continue;
    const std::string key = "out" + std::to_string(out.size());
    const auto given = named.find(key);
    if (given == named.end())
      return std::unexpected(inputFault((wanted.file.empty() ? wanted.snapshot : wanted.file) + " lacks " + key));
    TESSERA_ASSIGN_OR_RETURN(Literal counting, countingPart(given->second, found[out.size()], *leaf.shape));
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

}  // namespace

Diagnostic inputFault(std::string message) {
  Diagnostic d;
  d.kind = ErrorKind::Input;
  d.message = std::move(message);
  return d;
}

NamedArrays namedLeaves(std::span<const Literal> literals, const std::string& prefix) {
  std::vector<Literal> leaves;
  for (const Literal& literal : literals) appendLeaves(literal, leaves);
  NamedArrays out;
  for (size_t i = 0; i < leaves.size(); ++i) out[prefix + std::to_string(i)] = leaves[i];
  return out;
}

// Compares with the expected file; differences raise exit code 3.
Status compareOutputs(const Module& module, const Expectation& wanted, const std::vector<Literal>& outputs,
                      Report& report) {
  if (wanted.file.empty() && !wanted.result) return {};
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> expected, expectedOutputs(module, wanted, outputs));
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < outputs.size(); ++i)
    comparisons.push_back(compareLiterals(expected[i], outputs[i], toleranceOf(wanted, outputs[i].shape().type),
                                          "out" + std::to_string(i)));
  compareFactors(module, wanted, expected, outputs, comparisons, report);
  double maxAbs = 0, maxRel = 0;
  std::string first;
  for (const Comparison& comparison : comparisons) {
    maxAbs = std::max(maxAbs, comparison.maxAbsError);
    maxRel = std::max(maxRel, comparison.maxRelError);
    if (!comparison.equal && first.empty()) first = comparison.firstMismatch;
  }
  report.object["max_abs_err"] = maxAbs;
  report.object["max_rel_err"] = maxRel;
  report.object["equal"] = first.empty();
  report.line("max_abs_err: " + std::to_string(maxAbs) + ", max_rel_err: " + std::to_string(maxRel));
  if (first.empty()) return {};
  Diagnostic d;
  d.message = "values differ: " + first;
  report.failure(d);
  report.exit = kDiffers;  // not "does not compile"
  return {};
}

// Each device's output by itself, or the joined one, as the expected shape says.
Status compareDevices(const Module& module, const Expectation& wanted, const DeviceArrays& outputs, Report& report) {
  if (wanted.file.empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(NamedArrays expected, readNpz(wanted.file));
  double maxAbs = 0;
  std::string first;
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    const std::string key = "out" + std::to_string(i);
    auto found = expected.find(key);
    if (found == expected.end()) return std::unexpected(inputFault(wanted.file + " lacks " + key));
    TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> values, comparable(module, outputs, i, found->second.shape()));
    const Tolerance tolerance = toleranceOf(wanted, values[0].shape().type);
    for (size_t device = 0; device < values.size(); ++device) {
      const std::string name = values.size() > 1 ? key + " of device " + std::to_string(device) : key;
      Comparison comparison = compareLiterals(found->second, values[device], tolerance, name);
      maxAbs = std::max(maxAbs, comparison.maxAbsError);
      if (!comparison.equal && first.empty()) first = comparison.firstMismatch;
    }
  }
  report.object["max_abs_err"] = maxAbs;
  report.object["equal"] = first.empty();
  report.line("max_abs_err: " + std::to_string(maxAbs));
  if (first.empty()) return {};
  Diagnostic d;
  d.message = "values differ: " + first;
  report.failure(d);
  report.exit = kDiffers;
  return {};
}

}  // namespace tessera::cli
