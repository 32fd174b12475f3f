// OpTree: OpTimes as a tree for people: scope > fusion > instruction, or one level of groups (opcode, category, source
// line, computation) above them, with inclusive and own time, rates and what is wasted. Filtered, sorted, written as
// CSV. Read by the profile panel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile/op_times.h"

namespace tessera {

enum class OpGrouping : uint8_t { Scope, Opcode, Category, Source, Computation, None };
std::string_view nameOf(OpGrouping by);

enum class OpRowKind : uint8_t {
  Group,        // a scope, an opcode …
  Fusion,       // measured as one; its members are its children
  Instruction,  // measured
  Member,       // of a fusion: its time is estimated by counted work
  Lost,         // what landed on no instruction
};

struct OpRow {
  OpRowKind kind = OpRowKind::Group;
  OpFacts facts;  // of a group its name alone
  int32_t parent = -1;
  std::vector<int32_t> children;
  double count = 0;
  // Of a group and a fusion what is below it, of a loop with what it runs. `selfNs` of all rows add up to the
  // tree's total: a fusion's is what its members do not take.
  double totalNs = 0, selfNs = 0;
  double lowNs = 0, medianNs = 0, highNs = 0;  // as OpUnit's
  double flops = 0, bytes = 0;                 // of ratedNs
  double ratedNs = 0;  // the time in which the work was done: without what a loop runs; 0: no rate
  BoundBy bound = BoundBy::Unknown;
  double attainableNs = 0, wastedNs = 0;
  std::vector<double> runNs;  // totalNs of each run, where all of it is known
  std::string reason;         // of what is lost
  bool estimated() const { return kind == OpRowKind::Member; }
};

struct OpTree {
  std::vector<OpRow> rows;
  std::vector<int32_t> roots;
  double totalNs = 0;
  int64_t runs = 0;
  std::string spreadOf;

  // The topmost row of an instruction; -1: it has none.
  int32_t rowOf(InstructionId id) const;
  // Of the row and of all below it.
  std::vector<InstructionId> instructionsOf(int32_t row) const;
};

// Rows with every word of the filter in their name, opcode, scope, source line or computation, with what is above and
// below them; sums are those of what is left.
OpTree opTree(const OpTimes& times, OpGrouping by, std::string_view filter = {});

enum class OpColumn : uint8_t {
  Name,
  Total,
  Share,
  Self,
  Count,
  Spread,
  FlopRate,
  ByteRate,
  Bound,
  Attainable,
  Wasted,
  Flops,
  Bytes,
  Opcode,
  Source,
};
inline constexpr int kOpColumns = 15;
std::string_view titleOf(OpColumn column);
std::string textOf(const OpTree& tree, const OpRow& row, OpColumn column);
// "2.00 µs (1.00 µs – 9.00 µs)"; medianNs 0: the range alone; highNs 0: empty.
std::string spreadText(double lowNs, double medianNs, double highNs);
// Children of each row, in place. Rows without a number come last.
void sortRows(OpTree& tree, OpColumn by, bool descending);

// A line a row, top down, with the depth; numbers in base units.
std::string toCsv(const OpTree& tree);

}  // namespace tessera
