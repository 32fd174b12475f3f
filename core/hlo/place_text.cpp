// See place_text.h.
#include "core/hlo/place_text.h"

namespace tessera {

std::string placeText(const Module& module, InstructionId id) {
  const Instruction& i = module.at(id);
  return module.at(i.computation).name + "/" + std::string(i.name);
}

}  // namespace tessera
