// The IR: a Module of Computations of Instructions. Instructions are small records in copy-on-write chunks and refer
// to each other by InstructionId, which is given once per document and never reused; so copying a Module is taking
// a snapshot. A Module does not infer or check anything by itself: readers fill it, core/ops infers, the verifier
// checks, core/edit changes it on behalf of a user, core/passes derive new ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/chunked_vector.h"
#include "core/base/diagnostics.h"
#include "core/base/ids.h"
#include "core/hlo/attributes.h"
#include "core/hlo/literal.h"
#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"
#include "core/hlo/tables.h"

namespace tessera {

// Why a pass inserted a copy, transpose or pad that the source does not have. It does not affect values.
struct Insertion {
  InstructionId user;       // the instruction that needs it, in the derived module; it may be removed by now
  std::string_view reason;  // one sentence without its full stop; static storage
};

// Where an instruction of a derived module comes from: the instructions of the source module whose work it does,
// and the pass that made it.
struct Provenance {
  std::vector<InstructionId> sources;  // sorted, unique
  std::string_view pass;               // static storage
  std::optional<Insertion> insertion = {};
};
using ProvenancePtr = std::shared_ptr<const Provenance>;

struct Instruction {
  InstructionId id;
  ComputationId computation;
  Opcode opcode = Opcode::Unknown;
  bool removed = false;            // a tombstone; ids are not reused
  bool shapeWritten = true;        // the shape is a fact of a file, not derived (then a mismatch is a diagnostic)
  int32_t parameterNumber = -1;    // parameter only
  const Shape* shape = nullptr;    // interned, never null
  std::string_view name;           // interned, without '%'
  std::string_view unknownOpcode;  // only for Opcode::Unknown
  std::span<const InstructionId> operands;  // in the arena of Tables
  AttributeSetPtr attributes;               // never null
  LiteralPtr literal;                       // constant only
  const Metadata* metadata = nullptr;       // interned; null when absent
  ProvenancePtr provenance;                 // derived modules only
  SourcePosition position;                  // of the name in the text it was read from
  std::string_view note;                    // comment lines before it in the text, interned

  // The text name of the opcode, also for unknown ones.
  std::string_view opcodeName() const { return opcode == Opcode::Unknown ? unknownOpcode : nameOf(opcode); }
  // "%name", as the text form and messages refer to it.
  std::string reference() const { return "%" + std::string(name); }
};

extern template class ChunkedVector<Instruction>;  // in module.cpp

// Adds instruction, name and position where the diagnostic has none.
Diagnostic placedAt(const Instruction& instruction, Diagnostic diagnostic);

struct Computation {
  ComputationId id;
  std::string name;                         // without '%'
  std::vector<InstructionId> instructions;  // in the file's order; operands come first
  InstructionId root;
  std::vector<InstructionId> parameters;  // by parameter number
  std::string executionThread;            // empty: main
  bool hasSignature = true;               // the text had "(p: f32[]) -> f32[]"
  bool asyncSugar = false;                // holds the OP of an "OP-start"; prints there and not by itself
};

// input_output_alias and buffer_donor entries.
struct AliasEntry {
  std::vector<int64_t> outputIndex;
  int64_t parameter = 0;
  std::vector<int64_t> parameterIndex;
  bool must = false;
};
struct DonorEntry {
  int64_t parameter = 0;
  std::vector<int64_t> parameterIndex;
};

struct StackFrameTables {
  struct FileLocation {
    int32_t fileNameId = 0, functionNameId = 0, line = 0, endLine = 0, column = 0, endColumn = 0;
  };
  struct StackFrame {
    int32_t fileLocationId = 0, parentFrameId = 0;  // as in text: parent + 1, 1 = none
  };
  std::vector<std::string> fileNames, functionNames;  // entry i has id i + 1
  std::vector<FileLocation> fileLocations;
  std::vector<StackFrame> stackFrames;
};

// Module facts beside the graph. Optional ones print only when set. Braced ones are kept as text.
struct ModuleConfig {
  // Not inline: they are long, and a hundred files need them.
  ModuleConfig();
  ~ModuleConfig();
  ModuleConfig(const ModuleConfig& other);
  ModuleConfig(ModuleConfig&& other) noexcept;
  ModuleConfig& operator=(const ModuleConfig& other);
  ModuleConfig& operator=(ModuleConfig&& other) noexcept;

  bool hasHeader = true;  // false: header-less text
  std::optional<bool> isScheduled;
  std::vector<AliasEntry> inputOutputAlias;
  std::vector<DonorEntry> bufferDonor;
  std::optional<bool> aliasPassthroughParams;
  std::vector<Shape> entryParameterLayouts;  // entry_computation_layout; with entryResultLayout
  std::optional<Shape> entryResultLayout;
  std::string allowShardingPropagationToParameters, allowShardingPropagationToOutput;  // "true" or "{true,false}"
  std::optional<int64_t> replicaCount, numPartitions;
  std::string frontendAttributes, originRecoveryTable, debugAttributes;  // with braces
};

class Module {
 public:
  // A new document with its own Tables.
  explicit Module(std::string name = "module");
  // Not inline: they are long, and a hundred files need them.
  ~Module();
  Module(const Module& other);
  Module(Module&& other) noexcept;
  Module& operator=(const Module& other);
  Module& operator=(Module&& other) noexcept;
  // An empty module that shares the tables of another, for passes that build a derived module.
  static Module derivedFrom(const Module& source);

  std::string name;
  const ModuleConfig& config() const { return *config_; }
  void setConfig(ModuleConfig config);
  std::shared_ptr<const StackFrameTables> stackFrames;  // null when absent
  Tables& tables() const { return *tables_; }

  // --- reading
  size_t instructionSlots() const { return instructions_.size(); }  // ids are 0 … slots-1, removed ones included
  size_t instructionCount() const { return live_; }
  const Instruction& at(InstructionId id) const { return instructions_[id.value]; }
  bool contains(InstructionId id) const { return id.value < instructions_.size() && !at(id).removed; }
  const Computation& at(ComputationId id) const { return *computations_[id.value]; }
  bool contains(ComputationId id) const { return id.value < computations_.size() && computations_[id.value]; }
  size_t computationSlots() const { return computations_.size(); }
  const std::vector<ComputationId>& order() const { return order_; }  // file order; callees first
  ComputationId entry() const { return entry_; }
  const Computation& entryComputation() const { return at(entry_); }
  std::optional<ComputationId> findComputation(std::string_view computationName) const;  // linear
  std::optional<InstructionId> findInstruction(std::string_view instructionName) const;  // linear; entry first
  // Called computations of an instruction in the order of its attributes.
  std::vector<ComputationId> callees(const Instruction& instruction) const;
  const Shape& shapeOf(InstructionId id) const { return *at(id).shape; }

  // --- writing
  ComputationId addComputation(std::string computationName);
  // Appends to the computation's order and, for parameters, to its parameter list. id, computation and interning of
  // name, note and operands are done here; shape must be given; attributes may be null (becomes empty).
  InstructionId add(ComputationId computation, Instruction instruction, const Shape& shape) {
    return addInterned(computation, std::move(instruction), tables_->intern(shape));
  }
  // The same for a shape that these tables() interned.
  InstructionId addInterned(ComputationId computation, Instruction instruction, const Shape* shape);
  // Convenience for passes: opcode with operands; name is made unique from the opcode.
  InstructionId add(ComputationId computation, Opcode opcode, const Shape& shape,
                    std::span<const InstructionId> operands, AttributeSet attributes = {},
                    ProvenancePtr provenance = nullptr);
  Instruction& edit(InstructionId id) { return instructions_.edit(id.value); }  // copy on write
  Computation& edit(ComputationId id);
  void setOperands(InstructionId id, std::span<const InstructionId> operands);
  void setShape(InstructionId id, const Shape& shape) { edit(id).shape = tables().intern(shape); }
  void setAttributes(InstructionId id, AttributeSet attributes);
  void setName(InstructionId id, std::string_view instructionName) { edit(id).name = tables().intern(instructionName); }
  void setRoot(ComputationId computation, InstructionId root) { edit(computation).root = root; }
  void setEntry(ComputationId computation) { entry_ = computation; }
  void setOrder(std::vector<ComputationId> order) { order_ = std::move(order); }
  // Marks it removed and takes it out of its computation's order; users must be gone already.
  void remove(InstructionId id);
  // The same for many instructions of one computation in one sweep, for passes.
  void removeAll(ComputationId computation, std::span<const InstructionId> ids);
  void remove(ComputationId id);
  // Opposite of remove, for undo: at the given place of the computation's order.
  void restore(InstructionId id, size_t place);

 private:
  std::shared_ptr<Tables> tables_;
  std::shared_ptr<const ModuleConfig> config_;
  ChunkedVector<Instruction> instructions_;
  std::vector<std::shared_ptr<Computation>> computations_;  // copy on write; null: removed
  std::vector<ComputationId> order_;
  ComputationId entry_;
  size_t live_ = 0;
};

// Users of every instruction of a module, computed in one sweep: users(id) in order of id, each once.
class UserTable {
 public:
  explicit UserTable(const Module& module);
  std::span<const InstructionId> users(InstructionId id) const;

 private:
  std::vector<uint32_t> begin_;
  std::vector<InstructionId> users_;
};

// Operands-before-users order of a computation. Fails with the names on the cycle.
Result<std::vector<InstructionId>> topologicalOrder(const Module& module, ComputationId computation);

}  // namespace tessera
