// A graph from text with its history, for tests of edits: its instructions by name, and the values that it computes.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/edit/edit.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/values.h"

namespace tessera::test {

struct EditedGraph {
  explicit EditedGraph(const char* text) : history(*readHloText(text).module) {}
  History history;

  const Module& module() const { return history.current(); }
  InstructionId at(const char* name) const { return module().findInstruction(name).value_or(InstructionId()); }
  // Of arguments made by rule; empty after a failure, which is reported.
  std::vector<Literal> values() const {
    std::vector<Literal> arguments;
    const auto shapes = entryArgumentShapes(module());
    for (size_t i = 0; i < shapes.size(); ++i) arguments.push_back(fillParameter(shapes[i], i, {}).value());
    auto out = evaluateModule(module(), arguments);
    EXPECT_TRUE(out) << out.error().toString();
    return out ? *std::move(out) : std::vector<Literal>();
  }
  void expectValues(const std::vector<Literal>& before) const {
    EXPECT_TRUE(sameValues(before, values(), {Tolerance{}})) << printHloText(module());
  }
};

}  // namespace tessera::test
