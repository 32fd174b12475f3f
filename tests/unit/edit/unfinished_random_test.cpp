// Random unfinished graphs: what a careless hand leaves open, refuses, groups and takes apart. At every step the text
// reads back as the same text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/edit/edit.h"
#include "core/edit/palette/palette.h"
#include "core/edit/structure/duplicate.h"
#include "core/edit/structure/fragment.h"
#include "core/edit/text_edit.h"
#include "core/edit/wiring/splicing.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kTooMany = 60;  // instructions; then all goes

class CarelessHand {
 public:
  explicit CarelessHand(unsigned seed) : random_(seed) {}

  const Module& module() const { return history_.current(); }

  // One edit or step of the history; what it was, empty: it was refused.
  std::string step() {
    if (module().instructionCount() > kTooMany) return perform({"clear", clearing()});
    switch (below(23)) {
      case 0:
      case 1:
      case 2:
      case 3: return place();
      case 4:
      case 5: return perform({"wire", {SetOperand{anyone(), below(3), below(3) ? neighbour() : InstructionId()}}});
      case 6: return perform({"remove", {RemoveInstruction{anyone()}}});
      case 7: return perform({"root", {SetRoot{anyone()}}});
      case 8: return perform({"shape", {SetParameterShape{anyone(), shape()}}});
      case 9: return perform({"set shape", {SetShape{anyone(), shape()}}});
      case 10:
      case 11:
        return perform({"group",
                        {GroupInstructions{members(), below(2) ? "part" : "", below(2) ? Opcode::Call : Opcode::Fusion,
                                           below(2) ? "kLoop" : ""}}});
      case 12: return perform({"inline", {InlineCall{anyone()}}});
      case 13: return perform({"promote", {PromoteConstant{anyone()}}});
      case 14:
        return perform({"attribute",
                        {SetAttribute{anyone(), attribute(),
                                      one({"{0}", "{1}", "{1,0}", "{}", "?", "maximum.f32", "add.f32", "1", "LT"})}}});
      case 15:
        return perform({"rename", {Rename{anyone(), one({"x", "y.1", "maximum.f32", "part", "a-b", "add", ""})}}});
      case 16: {
        const auto chosen = members();
        return perform(duplicating(module(), chosen));
      }
      case 17: {
        const auto chosen = members();
        auto edit = pasting(module(), below(2) ? module().entry() : last_, fragmentText(module(), chosen), below(2));
        return edit ? perform(*edit) : std::string();
      }
      case 18: {
        auto edit = pullingOut(module(), anyone());
        return edit ? perform(*edit) : std::string();
      }
      case 19:
      case 20: return typeInText();
      case 21: return perform({"gradient", {AddGradient{{}, members()}}});
      default:
        if (below(2)) return history_.canUndo() ? history_.undo(), "undo" : "";
        return history_.canRedo() ? history_.redo(), "redo" : "";
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(std::max(1, n))); }
  template <class T>
  T one(std::initializer_list<T> of) {
    return of.begin()[below(static_cast<int>(of.size()))];
  }
  std::string one(std::initializer_list<const char*> of) { return of.begin()[below(static_cast<int>(of.size()))]; }

  InstructionId anyone() {
    last_ = ComputationId();
    const auto& order = module().order();
    if (order.empty()) return {};
    last_ = order[static_cast<size_t>(below(static_cast<int>(order.size())))];
    return neighbour();
  }
  InstructionId neighbour() {
    if (!module().contains(last_)) return {};
    const auto& all = module().at(last_).instructions;
    return all.empty() ? InstructionId() : all[static_cast<size_t>(below(static_cast<int>(all.size())))];
  }
  std::vector<InstructionId> members() {
    std::vector<InstructionId> out{anyone()};
    for (int more = below(4); more > 0; --more)
      if (const InstructionId id = neighbour(); std::ranges::find(out, id) == out.end()) out.push_back(id);
    return out;
  }
  Attr attribute() {
    return one({Attr::dimensions, Attr::to_apply, Attr::calls, Attr::direction, Attr::index, Attr::offset_dims,
                Attr::lhs_contracting_dims});
  }
  Shape shape() {
    Shape out = Shape::array(one({ElementType::F32, ElementType::F32, ElementType::S32, ElementType::Pred}), {});
    for (int rank = below(3); rank > 0; --rank) out.dimensions.push_back(2 + below(2));
    fillDefaultLayouts(out);
    return out;
  }
  std::vector<EditAction> clearing() {
    std::vector<EditAction> out;
    for (InstructionId id : module().entryComputation().instructions) out.push_back(RemoveInstruction{id});
    return out;
  }
  std::string place() {
    const std::string line = one({"f32[2,3]",
                                  "f32[2]",
                                  "add",
                                  "exp",
                                  "reduce max",
                                  "reduce sum",
                                  "multiply 2",
                                  "counting loop",
                                  "matmul f32[3,4]",
                                  "transpose",
                                  "tuple",
                                  "s32[3]",
                                  "iota s32[4]",
                                  "select",
                                  "dot",
                                  "concatenate",
                                  "while",
                                  "pad",
                                  "gather",
                                  "scatter",
                                  "sort",
                                  "call",
                                  "softmax",
                                  "conditional",
                                  "convolution",
                                  "map",
                                  "reduce window",
                                  "get tuple element",
                                  "fusion",
                                  "select and scatter",
                                  "all reduce",
                                  "async start",
                                  "custom call",
                                  "compare",
                                  "dynamic slice"});
    const auto found = searchPalette(line, 1);
    if (found.empty()) return {};
    std::vector<InstructionId> sources;
    anyone();
    const ComputationId home = below(3) || !module().contains(last_) ? module().entry() : last_;
    last_ = home;
    for (int more = below(3); more > 0; --more)
      if (const InstructionId id = neighbour(); module().contains(id)) sources.push_back(id);
    return perform(placing(module(), home, found[0], sources));
  }
  // A word of a computation's text gives way to another.
  std::string typeInText() {
    anyone();
    if (!module().contains(last_)) return {};
    std::string text = computationText(module(), last_);
    std::vector<size_t> starts;
    for (size_t i = 1; i < text.size(); ++i)
      if (text[i] == '%' || (text[i] == '?' && text[i - 1] != '=') || text.compare(i, 4, "f32[") == 0)
        starts.push_back(i);
    if (starts.empty()) return {};
    const size_t at = starts[static_cast<size_t>(below(static_cast<int>(starts.size())))];
    const size_t end = text.find_first_of(" ,){\n", at + 1);
    text.replace(at, (end == std::string::npos ? text.size() : end) - at,
                 one({"?", "?", "%x", "%y.1", "f32[2]", "?f32[]", "pred[]", ""}));
    auto edit = editFromText(module(), last_, text);
    return edit ? perform(*edit) : std::string();
  }
  std::string perform(const Edit& edit) { return history_.perform(edit) ? edit.title : std::string(); }

  std::mt19937 random_;
  History history_{emptyModule()};
  ComputationId last_;
};

TEST(UnfinishedRandom, WhatACarelessHandLeavesReadsBackAsItIs) {
  const char* said = std::getenv("TESSERA_UNFINISHED_ROUNDS");
  const int rounds = said ? std::atoi(said) : 40;
  constexpr int kSteps = 80;
  int done = 0;
  for (int round = 0; round < rounds; ++round) {
    CarelessHand hand(static_cast<unsigned>(round));
    for (int k = 0; k < kSteps; ++k) {
      const std::string before = printHloText(hand.module()), what = hand.step();
      if (what.empty()) continue;
      ++done;
      const std::string text = printHloText(hand.module());
      const ReadResult read = readHloText(text);
      ASSERT_TRUE(read.module) << "round " << round << " step " << k << " " << what << "\n"
                               << text << (read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString());
      ASSERT_EQ(printHloText(*read.module), text) << "round " << round << " step " << k << " " << what << "\nbefore\n"
                                                  << before;
    }
  }
  EXPECT_GT(done, rounds * kSteps / 3);  // most steps do something
}

}  // namespace
}  // namespace tessera
