// The graphs of the lessons as text of projects, made from examples of the reference: changed so that something can be
// dragged. Used by lesson.cpp.
#pragma once

#include <string_view>

namespace tessera {

extern const std::string_view kBroadcastGraph, kTransposeGraph, kLayoutGraph, kReduceGraph, kDotGraph,
    kConvolutionGraph, kGatherGraph, kWhileGraph, kTilesGraph;

}  // namespace tessera
