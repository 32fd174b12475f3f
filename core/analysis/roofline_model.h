// The roofline model of a profile: kernels as dots (floating point operations a byte against operations a second) under
// what a device allows, the times that this predicts beside those that were measured, and how a dot would move with
// another element type or other edges of a kernel. After Williams, Waterman, Patterson: "Roofline", CACM 52 (2009).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"
#include "core/profile/device_peaks.h"
#include "core/profile/op_tree.h"

namespace tessera {

// Of one run: a kernel, or all of a group.
struct RooflineDot {
  std::string name;
  std::vector<InstructionId> instructions;
  std::string type;  // of its arithmetic
  double count = 0;
  double flops = 0, bytes = 0;
  double measuredNs = 0;   // 0: not measured
  double predictedNs = 0;  // that the device needs at least; 0: not known
  BoundBy bound = BoundBy::Unknown;
  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
  double rate() const { return measuredNs > 0 ? flops / measuredNs : 0; }      // giga a second
  double byteRate() const { return measuredNs > 0 ? bytes / measuredNs : 0; }  // the same
};

// Kernels (OpGrouping::None) or groups of them, the longest first. What has neither arithmetic nor bytes is left out.
std::vector<RooflineDot> rooflineDots(const OpTimes& times, const DevicePeaks& peaks, OpGrouping by);

// How far the model is off: measured over predicted time, of the kernels that have both.
struct ModelError {
  size_t kernels = 0;
  double low = 0, median = 0, high = 0;  // tenth, half, nine tenths of the kernels
  size_t faster = 0;                     // kernels that take less than nine tenths of their prediction
  // One sentence without its full stop where kernels are faster than the peaks allow; else "".
  std::string doubt() const;
};
// But for those that compute one of `without`.
ModelError modelError(std::span<const RooflineDot> kernels, std::span<const InstructionId> without = {});

enum class KernelEdges : uint8_t {
  AsMeasured,
  One,   // the selection is one kernel: what stays inside is not written
  Each,  // every instruction is a kernel of its own, fusions taken apart
};
struct WhatIf {
  std::string type;  // another one for all floating point arrays; "": as they are
  KernelEdges edges = KernelEdges::AsMeasured;
};
struct WhatIfAnswer {
  RooflineDot before, after;     // after.measuredNs is expectedNs
  double expectedNs = 0;         // before as measured, scaled by what the model predicts for both
  double lowNs = 0, highNs = 0;  // after.predictedNs by the model's error on all other kernels; 0: there are none
  ModelError error;              // of all other kernels
  std::vector<std::string> notes;
};
// ErrorKind::Usage where the selection was not measured or the type is none.
Result<WhatIfAnswer> whatIf(const Module& module, const OpTimes& times, const DevicePeaks& peaks,
                            std::span<const InstructionId> selection, const WhatIf& change);

}  // namespace tessera
