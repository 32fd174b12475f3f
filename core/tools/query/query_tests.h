// QueryTests: each term of a query as a predicate on instructions. Facts that many instructions share
// (shapes, metadata, computations) are judged once. Used by search.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cost/cost.h"
#include "core/hlo/module.h"
#include "core/tools/query/query.h"

namespace tessera {

using TermTest = std::function<bool(const Instruction&)>;

struct InstructionTest {
  QueryNode::Kind kind;
  TermTest term;  // Kind::Term
  std::vector<InstructionTest> parts;
};

class QueryTests {
 public:
  // The module must stay as it is while the tests are used, and the query must live as long.
  explicit QueryTests(const Module& module) : module_(module) {}

  TermTest of(const QueryTerm& term);

 private:
  using Number = std::function<std::optional<double>(const Instruction&)>;

  TermTest anything(const QueryTerm& term);
  TermTest byText(const QueryTerm& term);
  TermTest byShape(const QueryTerm& term) const;
  TermTest byNumber(const QueryTerm& term);
  TermTest ofMetadata(std::function<bool(const Metadata&)> judge) const;
  TermTest byAttribute(const QueryTerm& term) const;
  TermTest byRole(const QueryTerm& term);
  TermTest inComputation(std::vector<char> computations) const;
  Number numberOf(QueryField field);
  const UserTable& users();
  // Those that `direct` accepts and all that they call, by id.
  std::vector<char> withCallees(std::vector<char> direct) const;
  std::vector<char> calledBy(const std::function<bool(const Instruction&)>& caller) const;
  std::vector<InstructionId> named(const std::function<bool(std::string_view)>& matches) const;
  TermTest amongThese(std::span<const InstructionId> these) const;
  TermTest alongValues(const QueryTerm& term) const;
  TermTest around(const QueryTerm& term) const;
  TermTest onRoute(const QueryTerm& term) const;
  std::vector<char> holders(const QueryTerm& term) const;

  const Module& module_;
  std::optional<UserTable> users_;
  std::optional<CostCounter> costs_;
};

}  // namespace tessera
