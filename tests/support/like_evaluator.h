// A module on the CPU backend against the reference evaluator: the way in which unit tests hold generated code to the
// definition. Used by tests/unit and tests/corpus.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "tests/support/values.h"

namespace tessera::test {

// A text that reads; else the test fails and the module is empty.
Module parsedModule(const std::string& hloText);
// Of every argument of the entry, by the rule.
std::vector<Literal> filledArguments(const Module& module, const FillRule& rule);
// null after a failure, which is reported.
std::unique_ptr<Executable> compiled(const Module& module, int threads, const std::string& isa = "native");

// The first step of the entry's root in a program compiled for so many threads, with its code; empty after a failure,
// which is reported.
StepListing rootStep(const std::string& hloText, int threads = 0);

struct LikeEvaluator {
  FillRule fill{3, 1.0, 8};
  std::vector<int> threads{0};  // one executable for each number; all give the same bits
  std::string isa = "native";   // widest vectors, as CompileOptions has them
  int runs = 1;                 // of each executable: a kept arena holds what the run before left there
  Closeness closeness;
  // Sees each executable and the profile of its first run.
  std::function<void(Executable&, const Profile&)> inspect;
};

void expectLikeEvaluator(const Module& module, const LikeEvaluator& how = {});
void expectLikeEvaluator(const std::string& hloText, const LikeEvaluator& how = {});

}  // namespace tessera::test
