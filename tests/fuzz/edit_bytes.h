// Bytes as a program of edits on a small module: each few bytes are one action (sensible or not), undo or redo. Keeps
// the promises of History: undo gives exactly the module before, redo exactly the one after; and every document can be
// printed. Used by the fuzzer and by the property test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {

inline constexpr const char* kEditedPrograms[] = {
    R"(HloModule chain

ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,3] parameter(1)
  c = f32[2,3] add(a, b)
  d = f32[3,2] transpose(c), dimensions={1,0}
  e = f32[6] reshape(d)
  f = f32[4] slice(e), slice={[1:5]}
  ROOT g = (f32[4], f32[2,3]) tuple(f, c)
}
)",
    R"(HloModule calls

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}

condition {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}

body {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[4] get-tuple-element(s), index=1
  w = f32[4] multiply(v, v)
  ROOT t = (s32[], f32[4]) tuple(next, w)
}

ENTRY e {
  a = f32[4,5] parameter(0)
  k = f32[5,4] parameter(1)
  zero = f32[] constant(0)
  r = f32[4] reduce(a, zero), dimensions={1}, to_apply=sum
  start = s32[] constant(0)
  state = (s32[], f32[4]) tuple(start, r)
  looped = (s32[], f32[4]) while(state), condition=condition, body=body
  out = f32[4] get-tuple-element(looped), index=1
  wide = f32[4,5] broadcast(out), dimensions={0}
  ROOT d = f32[4,4] dot(wide, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)"};

inline constexpr int kAttributeCount = 0
#define TESSERA_ATTRIBUTE(name, kind) +1
#include "core/hlo/attributes.inc"
#undef TESSERA_ATTRIBUTE
    ;

class EditBytes {
 public:
  explicit EditBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // The first promise that was broken; empty when all hold.
  std::string run() {
    ReadResult read = readHloText(kEditedPrograms[next() % std::size(kEditedPrograms)]);
    inferModule(*read.module);
    History history(std::move(*read.module));
    std::vector<std::string> texts{printHloText(history.current())};  // one a step of the history
    size_t at = 0;
    while (!bytes_.empty()) {
      const uint8_t what = next() % 8;
      if (what == 0 && history.canUndo())
        history.undo(), --at;
      else if (what == 1 && history.canRedo())
        history.redo(), ++at;
      else if (std::string broken = edit(history, texts, at); !broken.empty())
        return broken;
      if (printHloText(history.current()) != texts[at])
        return "undo and redo give the module back exactly:\n" + texts[at];
      if (history.canUndo() != (at > 0) || history.canRedo() != (at + 1 < texts.size()))
        return "the history knows its ends";
    }
    for (; history.canUndo(); --at) history.undo();
    return printHloText(history.current()) == texts[0] ? "" : "undoing everything gives the first module";
  }

 private:
  uint8_t next() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::string edit(History& history, std::vector<std::string>& texts, size_t& at) {
    Edit made{"edit", {}};
    for (int actions = 1 + next() % 2; actions > 0; --actions) made.actions.push_back(action(history.current()));
    const auto done = history.perform(made);
    if (!done) return done.error().message.empty() ? "a refused edit has a reason: " + texts[at] : "";
    texts.resize(++at);
    texts.push_back(printHloText(history.current()));
    return "";
  }

  InstructionId instruction(const Module& module) {
    return InstructionId(next() % static_cast<uint32_t>(module.instructionSlots() + 1));
  }

  std::string word() {
    static constexpr const char* kWords[] = {"{0}",    "{1,0}", "{}",   "5", "LT",    "sum",  "{[0:2]}",
                                             "body",   "a",     "zz.1", "",  "\"s\"", "{-1}", "9999999999999999999",
                                             "f32[2]", "%"};
    return kWords[next() % std::size(kWords)];
  }

  Shape shape() {
    Shape out = Shape::array(next() % 4 ? ElementType::F32 : ElementType::S32, {});
    for (int rank = next() % 4; rank > 0; --rank) {
      const uint8_t size = next();
      out.dimensions.push_back(size < 8 ? size : size < 250 ? size % 8 : int64_t{1} << (size - 194));
    }
    if (next() % 16 == 0) out = Shape::tuple({out, out});
    fillDefaultLayouts(out);  // as text reads
    return out;
  }

  EditAction action(const Module& module) {
    const InstructionId id = instruction(module);
    switch (next() % 10) {
      case 0: return SetParameterShape{id, shape()};
      case 1: return SetAttribute{id, static_cast<Attr>(next() % kAttributeCount), word()};
      case 2: return Rename{id, word()};
      case 3: {
        const auto operand = static_cast<int32_t>(next() % 4) - 1;
        return SetOperand{id, operand, instruction(module)};
      }
      case 4: return SetShape{id, shape()};
      case 5: return SetRoot{id};
      case 6: return RemoveInstruction{id};
      case 7: return AddReducer{word(), static_cast<Opcode>(next() % kOpcodeCount), ElementType::F32};
      case 8: {
        AddInstruction out{ComputationId(next() % static_cast<uint32_t>(module.computationSlots() + 1)),
                           static_cast<Opcode>(next() % kOpcodeCount),
                           "",
                           {},
                           {},
                           {},
                           word()};
        for (int count = next() % 4; count > 0; --count)
          out.operands.push_back(next() % 8 ? instruction(module) : InstructionId());
        if (next() % 2) out.shape = shape();
        if (next() % 4 == 0) out.attributes.push_back({static_cast<Attr>(next() % kAttributeCount), word()});
        return out;
      }
      default: return SetNote{id, word()};
    }
  }

  std::span<const uint8_t> bytes_;
};

}  // namespace tessera
