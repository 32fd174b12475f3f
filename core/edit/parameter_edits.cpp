// Titles and actions of the edits in parameter_edits.h.
#include "core/edit/parameter_edits.h"

#include <utility>

namespace tessera {
namespace {

Edit setting(const char* what, const Module& module, InstructionId parameter, Shape shape) {
  return {what + std::string(module.at(parameter).name), {SetParameterShape{parameter, std::move(shape)}}};
}

}  // namespace

Edit settingShape(const Module& module, InstructionId parameter, Shape shape) {
  fillDefaultLayouts(shape);
  return setting("Shape of ", module, parameter, std::move(shape));
}

Edit settingLayout(const Module& module, InstructionId parameter, Shape shape) {
  return setting("Layout of ", module, parameter, std::move(shape));
}

}  // namespace tessera
