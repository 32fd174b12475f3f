// A query becomes a tree of tests, which one sweep over the module asks instruction by instruction.
#include "core/tools/query/search.h"

#include <algorithm>

#include "core/tools/query/query_tests.h"

namespace tessera {
namespace {

constexpr size_t kBetweenQuestions = 4096;  // instructions

bool holds(const InstructionTest& test, const Instruction& instruction) {
  const auto each = [&](const InstructionTest& part) { return holds(part, instruction); };
  switch (test.kind) {
    case QueryNode::Kind::Term: return test.term(instruction);
    case QueryNode::Kind::All: return std::ranges::all_of(test.parts, each);
    case QueryNode::Kind::Any: return std::ranges::any_of(test.parts, each);
    case QueryNode::Kind::Not: return !each(test.parts.front());
  }
  return false;
}

InstructionTest testOf(QueryTests& tests, const QueryNode& node) {
  InstructionTest out{node.kind, {}, {}};
  if (node.kind == QueryNode::Kind::Term) out.term = tests.of(node.term);
  for (const QueryNode& part : node.parts) out.parts.push_back(testOf(tests, part));
  return out;
}

}  // namespace

std::vector<InstructionId> search(const Module& module, const Query& query, const std::function<bool()>& cancelled) {
  QueryTests tests(module);
  const InstructionTest test = testOf(tests, query.root());
  std::vector<InstructionId> out;
  size_t seen = 0;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      if (++seen % kBetweenQuestions == 0 && cancelled && cancelled()) return out;
      if (holds(test, module.at(id))) out.push_back(id);
    }
  return out;
}

}  // namespace tessera
