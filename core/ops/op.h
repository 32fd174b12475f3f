// The contract of an operation. One OpDef per opcode says everything there is to know about it: operands, attribute
// rows, constraints, category and traits as data, and a few functions. The parser, printer, verifier, evaluator, code
// generator, canvas, palette, inspector and help read OpDefs. What knows opcodes by name beside the op files is listed
// in tests/lint/opcode_switches.txt: rules of passes, rows of formats, tables of libraries.
//
// For every line of core/hlo/opcodes.inc an op file defines `const OpDef kConcatenate` (k + the enumerator); one that
// is missing does not link.
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
struct DimensionRelations;  // core/ops/shared/dimension_relations.h
class ElementContext;       // core/ops/shared/element_context.h
class LoopContext;          // core/ops/shared/element_context.h
class Communicator;         // core/devices/collectives.h
struct CostContext;         // core/ops/shared/op_cost.h

enum class ExecutionKind : uint8_t {
  Element,    // one output element from input elements: `element` describes it
  Loops,      // stores over an iteration space: `loops` describes it
  Structure,  // no code: tuple, get-tuple-element, bitcast, parameter, constant, after-all
  Control,    // while, conditional, call, fusion
  Library,    // dot, convolution, sort, fft, linear algebra: the backend has one file for it
  Effect,     // infeed, send, custom-call, collectives
};

// Groups of the palette and of help, and colours of nodes. No decision of the compiler reads it: that is what traits
// are for.
enum class OpCategory : uint8_t {
  Elementwise,
  DataMovement,
  Reduction,
  LinearAlgebra,
  Control,
  Structure,
  Communication,
  Random,
  Normalization,
  DynamicShapes,
};
std::string_view nameOf(OpCategory category);  // "Data movement"

// Properties that code which does not know the op may rely on.
enum OpTraits : uint16_t {
  kNoTraits = 0,
  kElementwise = 1,   // element i of the result comes from the elements i of the operands alone, or from scalars
  kReinterprets = 2,  // elementwise where operand and result have elements of one width
  kMovesData = 4,     // the result's elements are elements of the operands, or indices
  kPassesOn = 8,      // the result is its first operand, all of them, or a part of it, in the same memory
  kSideEffect = 16,   // something beyond the result happens, or must happen as often and in the order that the text has
  kCollective = 32,   // exchanges values between devices; of an asynchronous pair, the start
  kStartsAsync = 64,  // the result is a transfer in flight, which an op with kEndsAsync has to end
  kEndsAsync = 128,   // the operand is such a transfer
  kContraction = 256,   // sums of products of two operands
  kWrittenShape = 512,  // operands and attributes do not determine the shape of the result: the instruction states it
};

// Where a node's colour is not its category's.
enum class OpColor : uint8_t { OfCategory, Parameter, Constant, Control, Other };

struct OpClass {
  OpCategory category;
  uint16_t traits = kNoTraits;
  OpColor color = OpColor::OfCategory;
  bool has(unsigned any) const { return (traits & any) != 0; }
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
  OpClass category;
  std::string_view summary;        // one line of help
  std::string_view doc;            // paragraphs of help; formulas between $…$
  std::string_view synonyms = "";  // further words that find it in the palette, blank separated
  // The title of a node: "iota along {iota_dimension}": {parts} are attributes and what core/arrange/titles.cpp lists.
  // "": the opcode's name.
  std::string_view title = "";
  std::span<const OperandDoc> operands;
  std::span<const AttributeRow> attributes;  // print order
  std::span<const Constraint> constraints;
  // Without layout. Why each dimension has its size: `dimensions`, in words dimensionReasons.
  Result<Shape> (*inferShape)(const InferContext&) = nullptr;
  // Layout of the result from the operands' layouts, per array leaf; null: default layout.
  void (*inferLayout)(const InferContext&, Shape& result) = nullptr;
  // What XLA's cost analysis counts; null: no arithmetic, and every operand read and the result written once.
  Cost (*cost)(const CostContext&) = nullptr;
  Result<Literal> (*evaluate)(const EvaluateContext&) = nullptr;
  // kind Element: one scalar per array leaf of the result. Fails with ErrorKind::Unsupported for types it cannot do.
  Status (*element)(ElementContext&) = nullptr;
  // kind Loops.
  Status (*loops)(LoopContext&) = nullptr;
  // Where each dimension's size comes from; read where inference agrees with the instruction, whose shape is `written`.
  // Null: an elementwise op has the relations that all of these share, any other is opaque.
  DimensionRelations (*dimensions)(const InferContext&) = nullptr;
};

// External linkage for the op files' `const OpDef kAdd = …`.
#define TESSERA_OPCODE(enumerator, name, arity) extern const OpDef k##enumerator;
#include "core/hlo/opcodes.inc"
#undef TESSERA_OPCODE

// nullptr for Unknown.
const OpDef* findOp(Opcode opcode);
// All of them, by name.
std::span<const OpDef* const> allOps();
bool hasTrait(Opcode opcode, unsigned any);  // of OpTraits
// Runs the computations that it calls, instruction by instruction: while, conditional, call. A fusion is one kernel,
// and what reduce, sort and map call is a function of scalars.
bool executesCallees(Opcode opcode);
// The op's rows; empty for Unknown. Reader, verifier, protobuf, inspector and completion go by them.
std::span<const AttributeRow> attributeRowsOf(Opcode opcode);
// May the instruction carry the attribute: by one of its rows, or because every instruction may?
bool takesAttribute(Opcode opcode, Attr attr);
// Those of its rows without which the instruction is unfinished.
const std::vector<Attr>& requiredAttributesOf(Opcode opcode);

}  // namespace tessera
