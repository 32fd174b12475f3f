// The graph of an example of the reference as SVG, drawn as the canvas draws it. Used by the HTML form of the help
// pages.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/tools/help/op_examples.h"

namespace tessera {

// The entry computation, without an XML head, to be embedded in HTML.
Result<std::string> figureOf(const ReferenceExample& example);

}  // namespace tessera
