// Two ways to compute the same, value by value: one module on two backends, two versions of a module, or one module at
// two precisions. Where they part first, where NaN and infinities come from, and how the error grows from there. Used
// by `tessera compare` and `tessera bisect`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate/compare.h"
#include "core/tools/diff/diff.h"

namespace tessera {

struct ComparedSide {
  const Module* module = nullptr;
  std::string backend = "cpu";     // with its device: "cuda:simulated"
  std::vector<Literal> arguments;  // leaves of the entry's parameters
};

// Both sides with their modules, and what stands for what. It stays where it is made: the sides point into it.
struct ComparedPair {
  Module leftModule, rightModule;
  ComparedSide left, right;
  DiffResult pairs;
};
// right: another version; without one the left module itself, in another precision where one is given. arguments: of
// the left module; the right one gets those of the parameters that stand for its own.
Result<std::unique_ptr<ComparedPair>> comparedPair(Module left, std::optional<Module> right,
                                                   std::optional<ElementType> precision,
                                                   std::pair<std::string, std::string> backends,
                                                   std::vector<Literal> arguments);

// What may differ; absent: by the element type, the looser of both.
struct ComparedTolerance {
  std::optional<double> rtol, atol, floor;
};

struct ComparedValue {
  InstructionId left, right;
  Comparison comparison;
  int64_t leftNans = 0, leftInfinities = 0, rightNans = 0, rightInfinities = 0;
};

struct ValueComparison {
  std::vector<ComparedValue> values;  // matched arrays, in the left module's order
  int64_t differing = 0;
  bool resultsEqual = true;     // of what the entries give
  std::optional<size_t> first;  // of `values`: differs, and nothing that it is computed from does
  // Has one on either side, and nothing that it is computed from does. A constant is no source of infinities: there
  // they are meant, as where a maximum starts.
  std::optional<size_t> firstNan, firstInfinity;
  std::vector<size_t> path;  // from `first` to a result, by way of the largest error behind it
};

// Of the entries' instructions; what a fusion, loop or branch computes inside is one value. Fails with what the
// backends support. pairs: matched instructions.
Result<ValueComparison> compareValues(const ComparedSide& left, const ComparedSide& right, const DiffResult& pairs,
                                      const ComparedTolerance& tolerance);

// The values of instructions of the entry; arrays only.
Result<std::vector<Literal>> valuesOf(const ComparedSide& side, std::span<const InstructionId> wanted);

// The right module's arguments: those of the matched parameters, in its types. Fails where a parameter
// has none.
Result<std::vector<Literal>> argumentsFor(const Module& right, const Module& left, std::span<const Literal> arguments,
                                          const DiffResult& pairs);

}  // namespace tessera
