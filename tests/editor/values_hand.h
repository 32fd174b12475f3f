// Graphs, look-ups and numbers that tests of values share.
#pragma once

#include <QTemporaryDir>
#include <memory>
#include <span>
#include <vector>

#include "core/hlo/numbers.h"
#include "tests/editor/hand.h"

namespace tessera::values {

inline constexpr const char* kLoop = R"(HloModule counting
body {
  state = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[2] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[2] add(x, x)
  ROOT out = (s32[], f32[2]) tuple(next, twice)
}
condition {
  state.1 = (s32[], f32[2]) parameter(0)
  i.1 = s32[] get-tuple-element(state.1), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i.1, ten), direction=LT
}
ENTRY main {
  start = f32[2] parameter(0)
  zero = s32[] constant(0)
  begin = (s32[], f32[2]) tuple(zero, start)
  loop = (s32[], f32[2]) while(begin), condition=condition, body=body
  ROOT result = f32[2] get-tuple-element(loop), index=1
})";

inline constexpr const char* kBranches = R"(HloModule branches
left { p = f32[] parameter(0) ROOT minus = f32[] negate(p) }
right { q = f32[] parameter(0) ROOT root = f32[] sqrt(q) }
ENTRY main {
  choice = pred[] constant(false)
  value = f32[] constant(9)
  ROOT out = f32[] conditional(choice, value, value), true_computation=left, false_computation=right
})";

inline Module moduleOf(const char* text) { return *readHloText(text, "test").module; }
inline InstructionId named(const Module& m, const char* name) { return m.findInstruction(name).value(); }
inline double numberIn(const Literal& value, int64_t i = 0) {
  return loadDouble(value.shape().type, value.bytes().data() + i * byteWidth(value.shape().type));
}
inline Literal floats(std::vector<float> values) {
  return *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())}),
                             std::as_bytes(std::span(values)));
}

class ValuesHand : public QObject {
 protected:
  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;

  Hand& hand() {  // its window opens when it is needed
    if (!hand_) hand_ = std::make_unique<Hand>();
    return *hand_;
  }
  void openLoop() { hand().openText(kLoop); }
  double valueOf(const char* name, int64_t i = 0) {
    const Literal* value = hand().document().live().valueOf(hand().named(name));
    return value ? numberIn(*value, i) : -12345;
  }
};

}  // namespace tessera::values
