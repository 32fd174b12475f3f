// See unknown_names.h.
#include "core/tools/query/unknown_names.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/tools/find_instruction.h"
#include "core/tools/query/scope_words.h"

namespace tessera {
namespace {

// What a field names: all that the module has of it, in words and one by one. Without words it names nothing.
struct NamedThings {
  std::string_view what;
  std::vector<std::string_view> names;
};

// Those of HLO and those that this program does not know but the module has: that a module lacks one is no mistake.
NamedThings opcodes(const Module& module) {
  NamedThings out{"opcode", {}};
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) out.names.push_back(nameOf(static_cast<Opcode>(opcode)));
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) out.names.push_back(module.at(id).opcodeName());
  return out;
}

NamedThings instructions(const Module& module) {
  NamedThings out{"instruction or opcode of this module", {}};
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      out.names.push_back(module.at(id).opcodeName());
      out.names.push_back(module.at(id).name);
    }
  return out;
}

NamedThings computations(const Module& module, bool withCallers) {
  NamedThings out{withCallers ? "computation or instruction of this module" : "computation of this module", {}};
  for (ComputationId computation : module.order()) {
    out.names.push_back(module.at(computation).name);
    if (!withCallers) continue;
    for (InstructionId id : module.at(computation).instructions) out.names.push_back(module.at(id).name);
  }
  return out;
}

NamedThings scopes(const Module& module) {
  NamedThings out{"scope of this module", {}};
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (const Metadata* metadata = module.at(id).metadata) {
        const auto words = scopeWordsOfOpName(metadata->opName);
        out.names.insert(out.names.end(), words.begin(), words.end());
      }
  return out;
}

NamedThings thingsOf(const Module& module, QueryField field) {
  switch (field) {
    case QueryField::Op: return opcodes(module);
    case QueryField::Operand:
    case QueryField::User:
    case QueryField::From:
    case QueryField::Feeds:
    case QueryField::Near:
    case QueryField::Trace: return instructions(module);
    case QueryField::In: return computations(module, true);
    case QueryField::Calls: return computations(module, false);
    case QueryField::Under: return scopes(module);
    default: return {};
  }
}

// A regular expression of scopes is of a whole path, and names none.
std::span<const TextPattern> namesIn(const QueryValue& value, QueryField field) {
  if (const auto* text = std::get_if<TextPattern>(&value); text && field != QueryField::Under) return {text, 1};
  if (const auto* around = std::get_if<AroundPattern>(&value)) return {&around->centre, 1};
  if (const auto* several = std::get_if<std::vector<TextPattern>>(&value)) return *several;
  return {};
}

class UnknownNames {
 public:
  explicit UnknownNames(const Module& module) : module_(module) {}

  void add(const QueryNode& node) {
    if (node.kind == QueryNode::Kind::Term) add(node.term);
    if (node.kind == QueryNode::Kind::Not) return;  // what is not there is left out already
    for (const QueryNode& part : node.parts) add(part);
  }
  std::vector<std::string> take() { return std::move(out_); }

 private:
  void add(const QueryTerm& term) {
    NamedThings things = thingsOf(module_, term.field);
    if (things.what.empty()) return;
    std::ranges::sort(things.names);
    things.names.erase(std::ranges::unique(things.names).begin(), things.names.end());
    for (const QueryValue& value : term.values)
      for (const TextPattern& pattern : namesIn(value, term.field))
        if (!isKnown(pattern, things))
          out_.push_back(fmt::format("{}:{} names no {}{}", rowOf(term.field).name, pattern.text(), things.what,
                                     nearMisses(pattern.text(), things.names)));
  }

  // "COMPUTATION/NAME" is one of several instructions of a name.
  bool isKnown(const TextPattern& pattern, const NamedThings& things) const {
    return std::ranges::any_of(things.names, [&](std::string_view name) { return pattern.matches(name); }) ||
           (pattern.text().find('/') != std::string::npos && instructionNamed(module_, pattern.text()));
  }

  const Module& module_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> unknownNames(const Module& module, const Query& query) {
  UnknownNames unknown(module);
  unknown.add(query.root());
  return unknown.take();
}

}  // namespace tessera
