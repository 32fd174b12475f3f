// What the palette offers: every operation, and common names of combinations (relu, reduce sum), found
// by name, category and synonym. A line may also be a value ("3.5"), a shape ("f32[4,8]": a parameter), or an operation
// with its shape and attributes ("iota s32[10]", "transpose dimensions={1,0}"), with the value of its second input
// ("multiply 2"), with its dimensions or axis ("transpose 1,0", "reduce max 1"), with the shape of a new parameter at
// its first open input ("matmul f32[8,16]"), or with the names of values at its inputs ("divide lhs=exponential").
// Used by the studio's search; the result is an edit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

struct PaletteEntry {
  std::string title, category, summary;
  Opcode opcode = Opcode::Unknown;
  Opcode reducer = Opcode::Unknown;  // reductions: what they apply
  std::string literal;               // the value of a constant, of the scalar second operand, or how often a loop goes
  std::optional<Shape> shape;        // given in the line
  std::vector<NewAttribute> attributes;
  std::string form;  // a builder form or a block, see palette_forms.h
                     // Options of the line that are no attribute: "stride=2", "nchw", "bqd,bkd->bqk",
  // "broadcast_dimensions={0}".
  std::vector<std::string> said = {};
  std::vector<std::string> inputs = {};  // which value an input reads, by names: "lhs=exponential"
};

// Best first; an empty line gives everything, by category. What a line gives beside the operation is in the entries.
inline constexpr size_t kAllEntries = 1000;  // more than there are
std::vector<PaletteEntry> searchPalette(const std::string& line, size_t most = 60);
// Of a line that finds nothing although its words name an entry: what that entry does not take ("negate takes no 3");
// empty: the words name nothing.
std::string notTaken(const std::string& line);

// The entries that can take a value of this shape as their first input, and the shape that they then give; nullopt:
// that depends on inputs that are still open.
struct FittingEntry {
  PaletteEntry entry;
  std::optional<Shape> gives;
};
std::vector<FittingEntry> searchPaletteFor(const std::string& line, const Shape& value, size_t most = 60);

// The other way: the shape that an open input of an elementwise operation needs, from its other inputs; nullopt: not
// known.
std::optional<Shape> shapeWantedAt(const Module& module, InstructionId user, int32_t operand);
// The same of any operation, by trying its own inference: the shapes that the input takes, the likely ones first;
// empty: not known, or nearly all.
inline constexpr size_t kMaxWanted = 4;
std::vector<Shape> shapesWantedAt(const Module& module, InstructionId user, int32_t operand, size_t most = kMaxWanted);
// The entries that can give a value of a shape, or of one of several.
std::vector<FittingEntry> searchPaletteGiving(const std::string& line, const Shape& wanted, size_t most = 60);
std::vector<FittingEntry> searchPaletteGiving(const std::string& line, std::span<const Shape> wanted, size_t most = 60);

// The edit that adds an entry to a computation: sources are its operands in order, further inputs stay open. A
// reduction gets its reducer and initial value; elementwise operands of unlike shapes the broadcast that HLO needs,
// when there is just one. The instruction that was meant is the last one added.
Edit placing(const Module& module, ComputationId computation, const PaletteEntry& entry,
             std::span<const InstructionId> sources);

// "W1", "W2" …: the first that no instruction of the module has.
std::string numberedName(const Module& module, const std::string& stem);

// The value that a name means in a computation: that of the name, else the last one made by an operation of that name;
// invalid: none.
InstructionId valueNamed(const Module& module, ComputationId computation, std::string_view name);

// Whether what is placed on these sources becomes the root: it reads the root, or there is none, or the entry's root is
// but a parameter or a constant, which is no result on purpose.
bool becomesRoot(const Module& module, ComputationId computation, std::span<const InstructionId> sources);

}  // namespace tessera
