// The contract of an operation. One OpDef per opcode says everything there is to know about it: operands, attribute
// rows and constraints as data, and five functions. The parser, printer, verifier, evaluator, code generator,
// inspector and help read OpDefs; none of them knows an opcode by name.
//
// An op file defines `const OpDef kConcatenate` (k + the opcode's enumerator) and one line in ops.inc lists it.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/attributes.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"

namespace tessera {

struct OpDef;
struct DimensionRelations;  // core/ops/dimension_relations.h
class ElementContext;       // core/ops/shared/element_context.h
class LoopContext;          // core/ops/shared/element_context.h
class Communicator;         // core/devices/collectives.h

enum class ExecutionKind : uint8_t {
  Element,    // one output element from input elements: `element` describes it
  Loops,      // stores over an iteration space: `loops` describes it
  Structure,  // no code: tuple, get-tuple-element, bitcast, parameter, constant, after-all
  Control,    // while, conditional, call, fusion
  Library,    // dot, convolution, sort, fft, linear algebra: the backend has one file for it
  Effect,     // infeed, send, custom-call, collectives
};

struct OperandDoc {
  std::string_view name;
  std::string_view doc;
};

// One attribute of one op. `name` points into attributes.inc, which knows the value kind.
struct AttributeRow {
  Attr name;
  bool required = false;
  std::string_view defaultText = "";  // what absence means, in text form; "" when absence has its own meaning
  std::string_view doc = "";
  std::string_view choices = "";  // Enum and Enums: "EQ NE GE", blank separated
};

struct Constraint {
  std::string_view label;  // "C1"
  std::string_view text;   // one sentence: what must hold
};

// Shapes of a called computation, for inference of ops that apply one.
struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
};

// What inference may look at. Shapes carry their layouts; inference of a Shape ignores them and returns one without
// layout, which the caller completes by inferLayout.
struct InferContext {
  Opcode opcode;
  std::vector<const Shape*> operands;
  const AttributeSet* attributes;
  std::vector<ProgramShape> computations;  // callees in attribute order
  const Shape* written = nullptr;          // the shape in the file, null when absent; ops that cannot infer check it
  int32_t parameterNumber = -1;
  const Literal* literal = nullptr;  // constant
  const OpDef* op = nullptr;

  const Shape& operand(size_t i) const { return *operands[i]; }
  // A Diagnostic for the constraint with this label of `op` ("C2"): message + label; expected and found may be empty.
  std::unexpected<Diagnostic> violated(std::string_view label, std::string message, std::string expected = {},
                                       std::string found = {}) const;
};

// Result of inference: the shape, and for every dimension of the (array) result one sentence saying why it has its
// size. For tuples reasons may be empty.
struct Inferred {
  Shape shape;
  std::vector<std::string> reasons;
};

struct Cost {
  double flops = 0, transcendentals = 0, bytesAccessed = 0;
};

// Evaluation: operands as literals (row-major dense data), called computations through `call`.
struct EvaluateContext {
  const Instruction& instruction;
  const Shape& shape;  // result
  std::span<const Literal> operands;
  std::span<const Shape* const> operandShapes;
  // Runs a callee (index into the attribute order of callees) on argument literals and gives its root value.
  std::function<Result<Literal>(size_t callee, std::span<const Literal> arguments)> call;
  // Polled by long loops: true when the user cancelled.
  std::function<bool()> cancelled;
  // The module of the instruction, for looking into callees; null: callees are only reached through `call`.
  const Module* module = nullptr;
  // What connects this device with others and with the outside; null: one device, with neither source nor sink.
  Communicator* communicator = nullptr;
  // Words that a Library op keeps from one execution to the next within a run, 0 at first (rng); null: there is no run.
  std::array<uint64_t, 2>* memory = nullptr;
  // Runs the target of a custom-call (runCustomCall of core/custom_calls); null: no target can run.
  Result<Literal> (*customCall)(const EvaluateContext& context) = nullptr;
};

inline bool isCancelled(const EvaluateContext& context) { return context.cancelled && context.cancelled(); }

struct OpDef {
  Opcode opcode;
  ExecutionKind kind;
  std::string_view category;  // palette: "Elementwise", "Data movement", "Reduction", "Linear algebra", "Control", …
  std::string_view summary;   // one line of help
  std::string_view doc;       // paragraphs of help; formulas between $…$
  std::span<const OperandDoc> operands;
  std::span<const AttributeRow> attributes;  // print order
  std::span<const Constraint> constraints;
  Result<Inferred> (*inferShape)(const InferContext&) = nullptr;
  // Layout of the result from the operands' layouts, per array leaf; null: default layout.
  void (*inferLayout)(const InferContext&, Shape& result) = nullptr;
  Cost (*cost)(const InferContext&, const Shape& result) = nullptr;  // null: XLA's rule for the kind, core/cost
  Result<Literal> (*evaluate)(const EvaluateContext&) = nullptr;
  // kind Element: one scalar per array leaf of the result. Fails with Fault::Unsupported for types it cannot do.
  Status (*element)(ElementContext&) = nullptr;
  // kind Loops.
  Status (*loops)(LoopContext&) = nullptr;
  // Where each dimension's size comes from; read where inference agrees with the instruction, whose shape is `written`.
  // Null: opaque, nothing is known.
  DimensionRelations (*dimensions)(const InferContext&) = nullptr;
};

// One per op file (external linkage for `const OpDef kAdd = …`); those of opcodes without an op file are never used.
#define TESSERA_OPCODE(enumerator, name, arity) extern const OpDef k##enumerator;
#include "core/hlo/opcodes.inc"
#undef TESSERA_OPCODE

// nullptr when the opcode has no op file.
const OpDef* findOp(Opcode opcode);
// All of them, in the order of ops.inc.
std::span<const OpDef* const> allOps();
// Rows of any opcode that HLO text knows, those without an op file included (syntax_only.cpp); empty for Unknown.
std::span<const AttributeRow> attributeRowsOf(Opcode opcode);

}  // namespace tessera
