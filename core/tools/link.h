// Links: one text for an instruction of a file, "model.hlo#body/add.5" (placeText behind the file). The programs print
// and take them; one without the computation is taken where instructionNamed() finds it. Used by
// `tessera grep`, whatever takes a file and an instruction, and the studio.
#pragma once

#include <string>

namespace tessera {

// "FILE#NAME" in its parts. A file that exists under the whole text, or up to a later '#', is that file: names of files
// may hold one. name is "" without a link.
struct LinkParts {
  std::string file, name;
};
LinkParts splitLink(const std::string& text);

}  // namespace tessera
