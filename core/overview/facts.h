// An overview as text: one row per fact, with the instructions that it refers to. Used by `tessera overview` and the
// studio's overview.
#pragma once

#include <string>
#include <vector>

#include "core/overview/overview.h"

namespace tessera {

struct OverviewFact {
  struct Item {
    std::string text;
    InstructionId instruction;  // invalid: it is nowhere
  };
  std::string label;          // "parameters"
  std::string text;           // the text before the items
  std::vector<Item> items;    // the largest or most frequent ones
  bool more = false;          // there are others
  std::string words() const;  // text and items in one line
};

// "before optimization", "after optimization for CPU (by its …), scheduled".
std::string stageText(const ModuleStage& stage);
// For display: the first 160 bytes and "…" of a longer text.
std::string shownText(std::string_view text);
// "1.20 M values in 16 arrays of p (4.80 MB)".
std::string argumentText(const Overview::Argument& argument);

std::vector<OverviewFact> factsOf(const Overview& overview);

// A scope's name and, for who does not read transforms, which part of a training step it is; trains: there is a
// backward one.
bool holdsBackward(const CostScope& scope);
std::string scopeText(const CostScope& scope, bool trains);
// "jit(step) / transpose(jvp()) (backward) / linear × 13, 20 % of the cost"; "": there is none.
std::string hottestText(const CostScope& root);

}  // namespace tessera
