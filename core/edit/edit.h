// Edits: what a user does to a module, as values, and the history of what was done. Used by the editor, tests and
// fuzzers. An edit stores only the user's input; what inference derives is derived again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/formats/project.h"
#include "core/hlo/module.h"

namespace tessera {

struct SetParameterShape {
  InstructionId instruction;
  Shape shape;
};
struct SetAttribute {
  InstructionId instruction;
  Attr name;
  std::string text;
};  // value as HLO text
struct Rename {
  InstructionId instruction;
  std::string name;
};
// An invalid value opens the input; one behind the last operand is appended where the op takes any number.
struct SetOperand {
  InstructionId instruction;
  int32_t operand;
  InstructionId value;
};
struct SetNote {
  InstructionId instruction;
  std::string note;
};
// The shape of an instruction whose op takes it as written: parameter, iota, broadcast, reshape, convert …,
// or of a constant whose value says how it goes on (core/edit/resized_constant.h).
struct SetShape {
  InstructionId instruction;
  Shape shape;
};
struct SetRoot {
  InstructionId instruction;
};  // of its own computation

// An attribute of a new instruction; its value as HLO text.
struct NewAttribute {
  Attr name;
  std::string text;
};
// A new instruction at the end of a computation. Invalid operands are open inputs. What is not given is derived: the
// name from the opcode, the shape by inference, required attributes by core/edit/defaults.h. A computation without a
// root gets it as root. A parameter takes the next number.
struct AddInstruction {
  ComputationId computation;
  Opcode opcode = Opcode::Unknown;
  std::string name;
  std::vector<InstructionId> operands;
  std::vector<NewAttribute> attributes;
  std::optional<Shape> shape;
  std::string literal;  // constant: its value as HLO text
  // Instructions that are there, in whose scope it is; empty: in that of what it reads.
  std::vector<InstructionId> among = {};
};
// Users are healed: they get the first operand of the same shape, else an open input. Parameters behind a removed one
// of the entry move up; a called computation keeps its parameters.
struct RemoveInstruction {
  InstructionId instruction;
};
// A computation of two scalars of a type, such as a reduction applies; nothing when the name is there with these.
struct AddReducer {
  std::string name;
  Opcode opcode = Opcode::Add;
  ElementType type = ElementType::F32;
};

// Every computation of a module in HLO text but its entry: ready-made bodies, and what pasted instructions call. One
// that is there with the same name and content is shared; else a taken name gets a number, which this edit's attributes
// follow.
struct AddComputations {
  std::string text;
};
// The value of a constant, of the shape that it has.
struct SetLiteral {
  InstructionId instruction;
  std::string literal;
};

// Instructions of one computation move into a computation of their own, which a call or a fusion runs: what they read
// from outside becomes its parameters, what outside reads its result (a tuple where these are several). Parameters stay
// outside; constants and iotas that only they read come along. Refused where a path leaves them and comes back.
struct GroupInstructions {
  std::vector<InstructionId> instructions;
  std::string name;              // of the computation and of its caller
  Opcode caller = Opcode::Call;  // or Fusion
  std::string kind;              // of a fusion: "kLoop"
};
// A call or fusion gives way to what it runs, which moves where nothing else runs it and is copied otherwise.
struct InlineCall {
  InstructionId instruction;
};
// Instructions of one computation give way to the entry of a module in HLO text, whose parameters are what they read
// from outside and whose result is what outside reads of them, as GroupInstructions has both and selectionAsModule
// (core/edit/structure) gives them. Refused where these have other shapes.
struct ReplaceGroup {
  std::vector<InstructionId> instructions;
  std::string text;
};
// A constant becomes a parameter of its computation; callers give it (core/edit/wiring/promoting.cpp), runs go on
// giving a number.
struct PromoteConstant {
  InstructionId instruction;
};

// The gradient of a value (of more than a scalar: of the sum of its elements) with respect to others of its
// computation, as ordinary instructions (core/gradient). Counts as an addition of one instruction for each of these:
// their gradients. Without a value the others are a selection, of which gradientOfSelection (core/edit/structure) says
// what is meant.
struct AddGradient {
  InstructionId of;
  std::vector<InstructionId> withRespectTo;
};

using EditAction = std::variant<SetParameterShape, SetAttribute, Rename, SetOperand, SetNote, SetShape, SetRoot,
                                AddInstruction, RemoveInstruction, AddReducer, AddComputations, SetLiteral,
                                GroupInstructions, InlineCall, ReplaceGroup, PromoteConstant, AddGradient>;

// Within one edit: the instruction that its k-th AddInstruction makes.
inline constexpr uint32_t kNewInstruction = 0x80000000u;
inline InstructionId newInstruction(uint32_t k) { return InstructionId(kNewInstruction + k); }

// A document to begin with: one empty entry computation.
Module emptyModule();

// The position of an instruction afterwards on its computation's page; new ones by newInstruction(k).
struct PlaceInstruction {
  InstructionId instruction;
  PagePoint at;
};
// A group, or what is shown within an open call, on the page that shows it.
struct PlaceGroup {
  ComputationId page;
  std::string path;
  PagePoint at;
};

// Which way wires run on the page for which the places of an edit are.
struct PlaceFlow {
  ComputationId page;
  PageFlow flow = PageFlow::ByForm;
};

struct Edit {
  std::string title;  // for the undo menu
  std::vector<EditAction> actions;
  std::vector<PlaceInstruction> places = {};  // of several for one the first counts, here and below
  std::vector<PlaceGroup> groups = {};
  std::optional<PlaceFlow> flow = {};
};

// Applies to a copy of the module: infers again what depends on it. Diagnostics of inference are not failures: they
// are in `diagnostics`; an action that makes no sense (unknown id, text that does not parse) is.
struct EditResult {
  Module module;
  Diagnostics diagnostics;             // inference and verification of the new module, per instruction
  std::vector<InstructionId> changed;  // instructions whose shape or content changed
  std::vector<InstructionId> added;    // by AddInstruction and AddGradient, in order
};
Result<EditResult> apply(const Module& module, const Edit& edit);

// What a step changes, and in which gesture: one typing into a field, one drag. A step with the key of the last one
// replaces it, so that a gesture is undone at once. Without a field it is a step of its own.
struct StepKey {
  InstructionId instruction;  // invalid: what the field names is of no instruction
  std::string field;
  uint64_t gesture = 0;
  bool operator==(const StepKey&) const = default;
  bool merges() const { return !field.empty(); }
};

// Snapshots before and after of the graph and of its arrangement by the user, so undo is exact. Copying a Module is
// cheap.
class History {
 public:
  explicit History(Module initial, Project project = {});
  const Module& current() const { return steps_[position_]->module; }
  const Project& project() const { return *steps_[position_]->project; }
  // Entries of the project for an instruction follow its name, places are kept in reach (kFarthestPlace). An edit that
  // fails leaves all as it is.
  Result<EditResult> perform(const Edit& edit, StepKey key = {});
  // A step that leaves the graph alone. `change` gets the project as it was before the step that this one replaces.
  void arrange(const std::function<void(Project&)>& change, std::string title, StepKey key = {});
  bool canUndo() const { return position_ > 0; }
  bool canRedo() const { return position_ + 1 < steps_.size(); }
  void undo();
  void redo();
  std::string undoTitle() const;
  std::string redoTitle() const;
  // The graph as it was opened, with what inference found out since; steps that arranged keep it. False: it was edited.
  bool replaceFirstGraph(const Module& inferred);
  // Another number after every edit, the same again after its undo: tells whether the current state is the saved one.
  uint64_t state() const { return steps_[position_]->state; }
  // The same for the graph alone: arranging leaves it.
  uint64_t graph() const { return steps_[position_]->graph; }

 private:
  struct Step {
    Module module;
    std::shared_ptr<const Project> project;
    std::string title;
    StepKey key;
    uint64_t state = 0, graph = 0;
  };
  size_t baseOf(const StepKey& key) const;  // the step that one with this key follows
  void push(size_t base, Step step);

  std::vector<std::shared_ptr<const Step>> steps_;  // shared: a copy of a long history costs a pointer a step
  size_t position_ = 0;
  uint64_t made_ = 0;
};

}  // namespace tessera
