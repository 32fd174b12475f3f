// Programs for the tests of passes over loops, branches and single operations: a module after some passes, with the
// values of its source, and the text of a small loop.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "core/passes/dead_code.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {

using Run = Result<bool> (*)(Module&);

struct Changed {
  Module source, result;
  bool changed = false;
};
inline Changed after(const std::string& text, std::initializer_list<Run> passes, double tolerance = 0) {
  Changed out{moduleFrom("HloModule m\n" + text), Module()};
  out.result = derive(out.source);
  for (Run pass : passes) {
    const auto changed = pass(out.result);
    EXPECT_TRUE(changed.has_value()) << (changed ? "" : changed.error().toString());
    out.changed |= changed.value_or(false);
  }
  EXPECT_TRUE(removeDeadCode(out.result).has_value());
  expectSameValues(out.source, out.result, tolerance);
  return out;
}

// A loop over (counter, x, y) that counts from `start` to below `bound`; `step` gives the new x from i, x, y.
inline std::string loopText(int start, int bound, const std::string& step,
                            const std::string& read = "r = f32[4] get-tuple-element(l), index=1") {
  return "c { s = (s32[], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] "
         "constant(" +
         std::to_string(bound) +
         ")\n ROOT p = pred[] compare(i, n), direction=LT }\n"
         "b { s = (s32[], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n x = f32[4] "
         "get-tuple-element(s), index=1\n"
         " y = f32[4] get-tuple-element(s), index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
         step +
         "\n ROOT t = (s32[], f32[4], f32[4]) tuple(j, z, y) }\n"
         "ENTRY e { a = f32[4] parameter(0)\n d = f32[4] parameter(1)\n i = s32[] constant(" +
         std::to_string(start) +
         ")\n t = (s32[], f32[4], f32[4]) tuple(i, a, d)\n l = (s32[], f32[4], f32[4]) while(t), condition=c, body=b\n "
         "ROOT " +
         read + " }\n";
}

// How often an opcode occurs in the entry itself.
inline int inEntry(const Module& m, Opcode opcode) {
  return static_cast<int>(std::ranges::count_if(m.entryComputation().instructions,
                                                [&](InstructionId id) { return m.at(id).opcode == opcode; }));
}

}  // namespace tessera::test
