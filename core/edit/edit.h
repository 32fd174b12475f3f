// Edits: what a user does to a module, as values. Undo, the journal, tests and fuzzers speak them. An edit stores only
// what the user said; what inference derives is derived again.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct SetParameterShape { InstructionId instruction; Shape shape; };
struct SetAttribute { InstructionId instruction; Attr name; std::string text; };  // value as HLO text
struct Rename { InstructionId instruction; std::string name; };
struct SetOperand { InstructionId instruction; int32_t operand; InstructionId value; };
struct SetNote { InstructionId instruction; std::string note; };
using EditAction = std::variant<SetParameterShape, SetAttribute, Rename, SetOperand, SetNote>;

struct Edit {
  std::string title;                 // for the undo menu
  std::vector<EditAction> actions;
};

// Applies to a copy of the module: infers again what depends on it. Diagnostics of inference are not failures: they
// stand in `diagnostics`; an action that makes no sense (unknown id, text that does not parse) is.
struct EditResult {
  Module module;
  Diagnostics diagnostics;                  // inference and verification of the new module, per instruction
  std::vector<InstructionId> changed;       // instructions whose shape or content changed
};
Result<EditResult> apply(const Module& module, const Edit& edit);

// One line of JSON per edit and back, for the journal.
std::string toJson(const Edit& edit);
Result<Edit> editFromJson(const std::string& line);

// Snapshots before and after, so undo is exact. Copying a Module is cheap.
class History {
 public:
  explicit History(Module initial);
  const Module& current() const { return steps_[position_].module; }
  Result<EditResult> perform(const Edit& edit);
  bool canUndo() const { return position_ > 0; }
  bool canRedo() const { return position_ + 1 < steps_.size(); }
  void undo();
  void redo();
  std::string undoTitle() const;
  std::string redoTitle() const;

 private:
  struct Step {
    Module module;
    std::string title;
  };
  std::vector<Step> steps_;
  size_t position_ = 0;
};

}  // namespace tessera
