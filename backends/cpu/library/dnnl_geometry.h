// Geometry of a convolution as oneDNN describes it: a forward convolution from `source` by `weights` to `result`. Which
// of the three is computed is decided by the plan: forward makes the result, a convolution over a dilated base is the
// gradient of a source, one whose window covers more than its output the gradient of weights.
#pragma once

#include <optional>

#include "backends/cpu/library/convolution_form.h"
#include "backends/runtime/dnnl/convolution_step.h"

namespace tessera::cpu {

// nullopt: this convolution is not of that form.
std::optional<Geometry> forwardGeometry(const ConvolutionForm& form);
std::optional<Geometry> sourceGradientGeometry(const ConvolutionForm& form);
std::optional<Geometry> weightsGradientGeometry(const ConvolutionForm& form);

}  // namespace tessera::cpu
