// What each operation does to cuts: its factors, as Shardy calls them. A factor is a dimension of the operation's work
// that may be cut: along it, block i of the result comes from block i of the operands. Dimensions in no factor have to
// be whole. The functions are in rules/ by family; an operation without a rule is computed whole on every device.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/module.h"

namespace tessera::partition {

// Where along a dimension an operation reads or writes one index: a number in an operand.
struct Place {
  size_t operand;
  int64_t component = 0;  // of the index vector
};

// Along a factor, index i of the work needs indices [i * stride + offset, + extent) of an operand's dimension, whose
// own indices are `dilation` apart.
struct Reach {
  int64_t stride = 1, offset = 0, extent = 1, dilation = 1;
};

struct Factor {
  std::vector<int64_t> operands;  // the dimension in each operand; -1: it does not have it
  std::vector<int64_t> results;   // the same of each array of the result; -1 in all: it is summed up
  std::optional<Place> place;     // the first operand is read or written here
  // By operand; absent: its block is that of the work. Empty: there are none.
  std::vector<std::optional<Reach>> reaches;
  // Of the work: of the results' dimension, or where it is summed up that of the operands without a reach.
  int64_t size = 0;
};

// What an operation takes where it reaches beyond an operand's dimension.
enum class Outside : uint8_t {
  Anything,  // it does not
  Zero,
  Neutral,        // of the rule's combiner, or of the operand's own one
  InitialValues,  // of several arrays: each one's scalar, as many operands behind
  SecondOperand,  // a scalar
  OtherOperands,  // those before it: each holds a part of the result, and the last one all of it
};

struct Rule {
  std::vector<Factor> factors;
  // Of factors that are summed up: what makes one of the parts' results.
  Opcode combiner = Opcode::Add;
  // The operand that counts once, however many parts there are: the initial value of a reduction, what a scatter
  // updates. Each part begins with neutral elements, and the sum is combined with it.
  std::optional<size_t> seed;
  // Parts are put together by the operation itself, over the parts of all devices: no opcode does it.
  bool joinsItself = false;
  Outside outside = Outside::Anything;
  std::vector<Opcode> neutrals;  // whose elements lie outside, by operand; empty: the combiner's
  // Along factors that reach, the result is as long as the first operand's range; the block is what it has of its own.
  bool givesRange = false;
  size_t firstPlace = 0, placeCount = 0;  // the operands that hold places; they have one type

  bool holdsPlaces(size_t operand) const { return operand >= firstPlace && operand - firstPlace < placeCount; }
  static bool isSummed(const Factor& factor);
  static const Reach* reachOf(const Factor& factor, size_t operand);
};

// Makes an instruction's attributes those of its block, whose operands and result have these shapes.
using LocalAttributes = void (*)(AttributeSet& attributes, const Instruction& whole, std::span<const Shape> operands,
                                 const Shape& result);

// All operands and results are arrays with static sizes, or it has no rule.
std::optional<Rule> ruleOf(const Module& module, const Instruction& instruction);
// Of an instruction with a rule.
AttributeSet localAttributesOf(const Instruction& whole, std::span<const Shape> operands, const Shape& result);
// The same along a factor that reaches beyond blocks, whose operands are the ranges that a block of the work needs.
void localizeReach(AttributeSet& attributes, const Factor& factor, int64_t block, int64_t paddingLow,
                   int64_t paddingHigh);

// What rules are written with.
class RuleBuilder {
 public:
  RuleBuilder(const Module& module, const Instruction& instruction);

  const Module& module;
  const Instruction& instruction;
  const AttributeSet& attributes;

  const Shape& operand(size_t i) const { return module.shapeOf(instruction.operands[i]); }
  // Operand i's dimension becomes the result's: all results have it.
  void passes(size_t i, int64_t from, int64_t to);
  // Dimension d of all operands that have the result's rank, and of all results.
  void passesOfAll(int64_t d);
  void onlyResult(int64_t to);
  // The same, where a block of the result needs another range of the operand.
  void reaches(size_t i, int64_t from, int64_t to, const Reach& reach);
  Factor& add();    // without dimensions yet
  void setSizes();  // when all are there
  void placesFrom(size_t operand, size_t count) { rule.firstPlace = operand, rule.placeCount = count; }
  Rule rule;

 private:
  size_t results_;
};

inline int64_t floorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Of a window's result.
Reach reachOf(const WindowDimension& window);

// --- rules/elementwise.cpp
void elementwiseRule(RuleBuilder& r);
void bitcastConvertRule(RuleBuilder& r);
// --- rules/movement.cpp
void broadcastRule(RuleBuilder& r);
void transposeRule(RuleBuilder& r);
void reverseRule(RuleBuilder& r);
void sliceRule(RuleBuilder& r);
void padRule(RuleBuilder& r);
void concatenateRule(RuleBuilder& r);
// --- rules/indexed.cpp
void dynamicSliceRule(RuleBuilder& r);
void dynamicUpdateSliceRule(RuleBuilder& r);
void gatherRule(RuleBuilder& r);
void scatterRule(RuleBuilder& r);
// --- rules/products.cpp
void dotRule(RuleBuilder& r);
void convolutionRule(RuleBuilder& r);
// --- rules/reductions.cpp
void reduceRule(RuleBuilder& r);
void reduceWindowRule(RuleBuilder& r);
void selectAndScatterRule(RuleBuilder& r);
// --- rules/lines.cpp: of lines along one dimension, or of matrices in the last two
void sortRule(RuleBuilder& r);
void topkRule(RuleBuilder& r);
void fftRule(RuleBuilder& r);
void choleskyRule(RuleBuilder& r);
void triangularSolveRule(RuleBuilder& r);

}  // namespace tessera::partition
