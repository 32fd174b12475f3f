// What XLA gives for a program of the corpus and how close to it values must be. Used by the tests that run the corpus.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/evaluate/compare.h"
#include "core/evaluate/device_values.h"

namespace tessera {

// The entry's arguments by device: what the folder's inputs.npz gives, and the rule for the rest.
Result<DeviceArrays> corpusArguments(const Module& module, DeviceGrid grid, const std::filesystem::path& folder);
// out0, out1 … of the folder's expected.npz, all of them.
Result<std::vector<Literal>> corpusOutputs(const std::filesystem::path& folder);

// A line of corpus/exceptions.txt: outputs that XLA itself does not know to the default tolerance.
struct ToleranceException {
  std::string file;    // "program/before.hlo", with * for any
  std::string output;  // "out3", with * for any
  Tolerance tolerance;
  std::string reason;
  bool isAbout(const std::string& program) const;  // "program/before.hlo"
};
const std::vector<ToleranceException>& toleranceExceptions();
// Of f32 and c64 1e-4 / 1e-5, of others the default of their type; or the listed exception's.
Tolerance corpusTolerance(const std::string& file, size_t output, ElementType type);

}  // namespace tessera
