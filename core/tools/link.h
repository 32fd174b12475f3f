// Links: one text for an instruction of a file, "model.hlo#body/add.5". The programs print and take them. Used by
// `tessera grep`, whatever takes a file and an instruction, and the studio.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/hlo/module.h"

namespace tessera {

// The shortest names that instructionNamed() leads back from: NAME, or COMPUTATION/NAME where several computations have
// the name. For many instructions of one module, which must not change meanwhile.
class LinkNames {
 public:
  explicit LinkNames(const Module& module);
  std::string of(InstructionId id) const;

 private:
  const Module& module_;
  std::unordered_map<const char*, uint32_t> holders_;  // by the interned name: how many have it
};

// "FILE#NAME" in its parts. A file that exists under the whole text, or up to a later '#', is that file: names of files
// may hold one. name is "" without a link.
struct LinkParts {
  std::string file, name;
};
LinkParts splitLink(const std::string& text);

}  // namespace tessera
