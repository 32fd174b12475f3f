// A graph without operations (a Graphviz file) as a picture: the same boxes, wires and groups as a Module's, none of
// which means an instruction. Used by `tessera render` and the studio.
#pragma once

#include "core/formats/dot_reader.h"
#include "core/picture/picture.h"

namespace tessera {

// Clusters are open groups; the first line of a label is the title, the others the subtitle.
GraphView viewOf(const PlainGraph& graph);
Picture drawPlain(const PlainGraph& graph, const GraphView& view, const Arrangement& arrangement);

}  // namespace tessera
