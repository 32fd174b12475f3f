// What `tessera run` compares with: outputs of an npz or of a snapshot, element by element with a tolerance at each
// output's own scale; factors of a decomposition by their product; on several devices each device's output, or the
// joined one. Used by `tessera run`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/cli/command.h"
#include "core/evaluate/device_values.h"
#include "core/formats/npz.h"

namespace tessera::cli {

struct Expectation {
  std::string file;      // npz with out0 …, or nameOfOutput's; empty: the snapshot's result, if there is one
  std::string snapshot;  // the file of that result
  const Literal* result = nullptr;
  std::optional<double> rtol, atol, floor;  // Tolerance's; absent: by output type
};

// Differences are reported and raise exit code 3; an error is what could not be read.
Status compareOutputs(const Module& module, const Expectation& wanted, const std::vector<Literal>& outputs,
                      Report& report);
Status compareDevices(const Module& module, const Expectation& wanted, const DeviceArrays& outputs, Report& report);

// In files of outputs: "out0" of one device, "device1_out0" of several.
std::string nameOfOutput(size_t devices, size_t device, size_t output);

}  // namespace tessera::cli
