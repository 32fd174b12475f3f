// What HLO text says of an opcode's attributes, for the reader; independent of whether the opcode has an op file.
#pragma once

#include <vector>

#include "core/hlo/attributes.h"
#include "core/hlo/opcode.h"

namespace tessera {

// May an instruction with this opcode carry the attribute? (Its own rows and those that every instruction may have.)
bool takesAttribute(Opcode opcode, Attr attr);
// Attributes without which the text is wrong.
const std::vector<Attr>& requiredAttributesOf(Opcode opcode);

}  // namespace tessera
