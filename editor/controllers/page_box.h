// The frames and notes of a page by one number, as the canvas counts them: notes stand behind frames. Used by
// ArrangeController.
#pragma once

#include "core/formats/project.h"

namespace tessera {

// Null: there is none.
inline PageBox* pageBox(ProjectPage& page, int item) {
  const auto frames = static_cast<int>(page.frames.size());
  if (item < 0 || item >= frames + static_cast<int>(page.notes.size())) return nullptr;
  return item < frames ? &page.frames[static_cast<size_t>(item)] : &page.notes[static_cast<size_t>(item - frames)];
}

}  // namespace tessera
