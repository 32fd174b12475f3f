// Gesture: one typing into a field or one drag, as the history sees it: its steps have one key and are undone at once.
// Held by the widget that is typed into or dragged on; used with Document::perform and setRunSettings.
#pragma once

#include <string>
#include <utility>

#include "core/edit/edit.h"

namespace tessera {

class Gesture {
 public:
  // Begins where none goes on.
  StepKey key(InstructionId instruction, std::string field) {
    if (!number_) number_ = ++last();
    return {instruction, std::move(field), number_};
  }
  void end() { number_ = 0; }

 private:
  static uint64_t& last() {
    static uint64_t number = 0;
    return number;
  }
  uint64_t number_ = 0;
};

}  // namespace tessera
