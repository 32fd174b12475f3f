// The lines that `tessera profile` prints for people.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/communication.h"
#include "core/analysis/roofline_model.h"
#include "core/profile/op_profile.h"

namespace tessera::cli {

std::vector<std::string> summaryLines(const OpProfile& profile);
// By self time; rates where flops and bytes are known. `top` 0: all.
std::vector<std::string> instructionLines(const OpProfile& profile, size_t top);
std::vector<std::string> groupLines(const OpProfile& profile, const std::vector<GroupTime>& groups, size_t top);
// What was not placed, and what ran beside it on the host.
std::vector<std::string> lostLines(const OpProfile& profile, size_t top);
std::vector<std::string> comparisonLines(const ProfileComparison& comparison);
std::vector<std::string> rooflineLines(const std::vector<RooflineDot>& kernels, const ModelError& error,
                                       const DevicePeaks& device, size_t top);
std::vector<std::string> communicationLines(const CommunicationTimes& communication);

}  // namespace tessera::cli
