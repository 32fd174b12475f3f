// The tests of the fields, one function a group of them.
#include "core/tools/query/query_tests.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/formats/hlo_text.h"
#include "core/hlo/source_frames.h"
#include "core/tools/flow/value_flow.h"
#include "core/tools/query/scope_words.h"

namespace tessera {
namespace {

bool anyTextMatches(const QueryTerm& term, std::string_view text) {
  return std::ranges::any_of(term.values, [&](const QueryValue& value) {
    const auto* pattern = std::get_if<TextPattern>(&value);
    return pattern && pattern->matches(text);
  });
}

// The judgement of each thing that many instructions point to, made once.
template <class Fact>
class JudgedOnce {
 public:
  template <class Judge>
  bool of(const Fact* fact, const Judge& judge) {
    const auto [known, isNew] = known_.try_emplace(fact, false);
    if (isNew) known->second = judge(*fact);
    return known->second;
  }

 private:
  std::unordered_map<const Fact*, bool> known_;
};

std::string placeText(const SourceFrame& frame) { return fmt::format("{}:{}", frame.file, frame.line); }

bool sourceMatches(const QueryTerm& term, const SourceFrame& frame) {
  return !frame.file.empty() && (anyTextMatches(term, frame.file) || anyTextMatches(term, placeText(frame)));
}

bool stackMatches(const QueryTerm& term, const std::vector<SourceFrame>& frames) {
  return std::ranges::any_of(frames, [&](const SourceFrame& frame) {
    return anyTextMatches(term, fmt::format("{} {}", placeText(frame), frame.function));
  });
}

// One scope inside the other, as a path's patterns say.
bool pathMatches(const std::vector<TextPattern>& path, std::span<const std::string_view> scopes) {
  for (size_t from = 0; from + path.size() <= scopes.size(); ++from) {
    size_t k = 0;
    while (k < path.size() && path[k].matches(scopes[from + k])) ++k;
    if (k == path.size()) return true;
  }
  return false;
}

bool scopeMatches(const QueryTerm& term, const std::string& opName) {
  const std::vector<std::string_view> scopes = scopeWordsOfOpName(opName);
  const std::string_view path = std::string_view(opName).substr(0, scopes.empty() ? 0 : opName.rfind('/'));
  return std::ranges::any_of(term.values, [&](const QueryValue& value) {
    if (const auto* words = std::get_if<std::vector<TextPattern>>(&value)) return pathMatches(*words, scopes);
    const auto* regex = std::get_if<TextPattern>(&value);
    return regex && !path.empty() && regex->matches(path);
  });
}

bool shapeMatches(const QueryTerm& term, const Shape& shape) {
  if (shape.isTuple() || shape.type == ElementType::Buffer)
    return std::ranges::any_of(shape.elements, [&](const Shape& element) { return shapeMatches(term, element); });
  return std::ranges::any_of(term.values, [&](const QueryValue& value) {
    if (const auto* pattern = std::get_if<ShapePattern>(&value)) return pattern->matches(shape);
    const auto* type = std::get_if<TextPattern>(&value);
    return type && type->matches(nameOf(shape.type));
  });
}

bool compares(const QueryTerm& term, double number) {
  return std::ranges::any_of(term.values, [&](const QueryValue& value) {
    const double wanted = std::get<double>(value);
    switch (term.comparison) {
      case QueryComparison::Equal: return number == wanted;
      case QueryComparison::Less: return number < wanted;
      case QueryComparison::LessEqual: return number <= wanted;
      case QueryComparison::Greater: return number > wanted;
      case QueryComparison::GreaterEqual: return number >= wanted;
    }
    return false;
  });
}

// An array's, or one of a tuple's.
bool dimensionCompares(const QueryTerm& term, const Shape& shape) {
  if (std::ranges::any_of(shape.elements, [&](const Shape& element) { return dimensionCompares(term, element); }))
    return true;
  return std::ranges::any_of(shape.dimensions, [&](int64_t size) {
    return size != Shape::kUnbounded && compares(term, static_cast<double>(size));
  });
}

std::optional<double> asNumber(const std::optional<int64_t>& number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<double> elementsOf(const Shape& shape) {
  return shape.isArray() ? asNumber(shape.elementCount()) : std::nullopt;
}

}  // namespace

TermTest QueryTests::of(const QueryTerm& term) {
  switch (term.field) {
    case QueryField::Anything: return anything(term);
    case QueryField::Dtype:
    case QueryField::Shape:
    case QueryField::Dimension: return byShape(term);
    case QueryField::Attribute: return byAttribute(term);
    case QueryField::In: return inComputation(holders(term));
    case QueryField::Is: return byRole(term);
    case QueryField::From:
    case QueryField::Feeds: return alongValues(term);
    case QueryField::Near: return around(term);
    case QueryField::Trace: return onRoute(term);
    case QueryField::Under: return ofMetadata([&](const Metadata& m) { return scopeMatches(term, m.opName); });
    case QueryField::OpName:
      return ofMetadata([&](const Metadata& m) { return !m.opName.empty() && anyTextMatches(term, m.opName); });
    case QueryField::File:
      return ofMetadata([&, this](const Metadata& m) { return sourceMatches(term, sourceOf(module_, m)); });
    case QueryField::Function:
      return ofMetadata([&, this](const Metadata& m) { return anyTextMatches(term, sourceOf(module_, m).function); });
    case QueryField::Stack:
      return ofMetadata([&, this](const Metadata& m) { return stackMatches(term, sourceFrames(module_, m)); });
    case QueryField::Line:
      return ofMetadata([&, this](const Metadata& m) {
        const int32_t line = sourceOf(module_, m).line;
        return line > 0 && compares(term, line);
      });
    default: break;
  }
  return takesNumber(rowOf(term.field).kind) ? byNumber(term) : byText(term);
}

TermTest QueryTests::ofMetadata(std::function<bool(const Metadata&)> judge) const {
  return [judge = std::move(judge), known = std::make_shared<JudgedOnce<Metadata>>()](const Instruction& instruction) {
    return instruction.metadata && known->of(instruction.metadata, judge);
  };
}

TermTest QueryTests::anything(const QueryTerm& term) {
  TermTest inMetadata = ofMetadata([&, this](const Metadata& m) {
    return anyTextMatches(term, m.opName) || sourceMatches(term, sourceOf(module_, m));
  });
  return [&term, inMetadata = std::move(inMetadata)](const Instruction& instruction) {
    return anyTextMatches(term, instruction.name) || anyTextMatches(term, instruction.opcodeName()) ||
           inMetadata(instruction);
  };
}

TermTest QueryTests::byText(const QueryTerm& term) {
  const auto named = [&](InstructionId id) {
    return id.valid() &&
           (anyTextMatches(term, module_.at(id).opcodeName()) || anyTextMatches(term, module_.at(id).name));
  };
  switch (term.field) {
    case QueryField::Op: return [&](const Instruction& in) { return anyTextMatches(term, in.opcodeName()); };
    case QueryField::Operand: return [named](const Instruction& in) { return std::ranges::any_of(in.operands, named); };
    case QueryField::User:
      return
          [named, &table = users()](const Instruction& in) { return std::ranges::any_of(table.users(in.id), named); };
    case QueryField::Calls:
      return [&, this](const Instruction& in) {
        return std::ranges::any_of(module_.callees(in), [&](ComputationId id) {
          return module_.contains(id) && anyTextMatches(term, module_.at(id).name);
        });
      };
    default: return [&](const Instruction& in) { return anyTextMatches(term, in.name); };
  }
}

TermTest QueryTests::byShape(const QueryTerm& term) const {
  return [&term, known = std::make_shared<JudgedOnce<Shape>>()](const Instruction& instruction) {
    return known->of(instruction.shape, [&](const Shape& shape) {
      return term.field == QueryField::Dimension ? dimensionCompares(term, shape) : shapeMatches(term, shape);
    });
  };
}

TermTest QueryTests::byNumber(const QueryTerm& term) {
  return [&term, number = numberOf(term.field)](const Instruction& instruction) {
    const std::optional<double> is = number(instruction);
    return is && compares(term, *is);
  };
}

QueryTests::Number QueryTests::numberOf(QueryField field) {
  const auto cost = [this](double Cost::*part) {
    if (!costs_) costs_.emplace(module_);
    return [this, part](const Instruction& in) { return std::optional(costs_->of(in.id).*part); };
  };
  switch (field) {
    case QueryField::Rank:
      return [](const Instruction& in) {
        return in.shape->isArray() ? std::optional<double>(in.shape->rank()) : std::nullopt;
      };
    case QueryField::Elements: return [](const Instruction& in) { return elementsOf(*in.shape); };
    case QueryField::Bytes: return [](const Instruction& in) { return asNumber(in.shape->denseBytes()); };
    case QueryField::Accessed: return cost(&Cost::bytesAccessed);
    case QueryField::Flops: return cost(&Cost::flops);
    case QueryField::Transcendentals: return cost(&Cost::transcendentals);
    case QueryField::Users:
      return [&table = users()](const Instruction& in) {
        return std::optional<double>(static_cast<double>(table.users(in.id).size()));
      };
    default:
      return [](const Instruction& in) { return std::optional<double>(static_cast<double>(in.operands.size())); };
  }
}

// The metadata is an attribute of the text like the others.
TermTest QueryTests::byAttribute(const QueryTerm& term) const {
  const auto has = [this](const Instruction& instruction, const AttributePattern& wanted) {
    const auto matches = [&](std::string_view name, const auto& text) {
      return wanted.name.matches(name) && (wanted.text.empty() || wanted.text.front().matches(text()));
    };
    const AttributeSet& set = *instruction.attributes;
    return (instruction.metadata && wanted.text.empty() && wanted.name.matches("metadata")) ||
           std::ranges::any_of(set.items(),
                               [&](const Attribute& attribute) {
                                 return matches(nameOf(attribute.name), [&] {
                                   return printAttributeValue(module_, attribute.value, kindOf(attribute.name));
                                 });
                               }) ||
           std::ranges::any_of(set.unknown, [&](const UnknownAttribute& attribute) {
             return matches(attribute.name, [&] { return attribute.value.text; });
           });
  };
  return [&term, has](const Instruction& instruction) {
    return std::ranges::any_of(
        term.values, [&](const QueryValue& value) { return has(instruction, std::get<AttributePattern>(value)); });
  };
}

// By opcode or name; "COMPUTATION/NAME" names one of several.
std::vector<InstructionId> QueryTests::named(const std::function<bool(std::string_view)>& matches) const {
  std::vector<InstructionId> out;
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions) {
      const Instruction& in = module_.at(id);
      if (matches(in.opcodeName()) || matches(in.name) ||
          matches(fmt::format("{}/{}", module_.at(computation).name, in.name)))
        out.push_back(id);
    }
  return out;
}

TermTest QueryTests::amongThese(std::span<const InstructionId> these) const {
  std::vector<bool> among(module_.instructionSlots());
  for (InstructionId id : these) among[id.value] = true;
  return [among = std::move(among)](const Instruction& in) { return among[in.id.value]; };
}

// With what is named itself.
TermTest QueryTests::alongValues(const QueryTerm& term) const {
  const auto from = named([&](std::string_view text) { return anyTextMatches(term, text); });
  if (from.empty()) return amongThese({});
  return amongThese(
      ValueFlow(module_).cone(from, term.field == QueryField::From ? FlowDirection::Down : FlowDirection::Up));
}

TermTest QueryTests::around(const QueryTerm& term) const {
  std::vector<InstructionId> out;
  for (const QueryValue& value : term.values) {
    const auto& pattern = std::get<AroundPattern>(value);
    const auto centre = named([&](std::string_view text) { return pattern.centre.matches(text); });
    if (centre.empty()) continue;
    const auto near = ValueFlow(module_).neighbourhood(centre, pattern.steps);
    out.insert(out.end(), near.begin(), near.end());
  }
  return amongThese(out);
}

// Of several of a name or opcode the first one.
TermTest QueryTests::onRoute(const QueryTerm& term) const {
  std::vector<InstructionId> out;
  for (const QueryValue& value : term.values) {
    std::vector<InstructionId> through;
    for (const TextPattern& place : std::get<std::vector<TextPattern>>(value)) {
      const auto found = named([&](std::string_view text) { return place.matches(text); });
      if (found.empty()) break;
      through.push_back(found.front());
    }
    if (through.size() < std::get<std::vector<TextPattern>>(value).size()) continue;
    if (through.size() == 1) out.push_back(through.front());
    for (const FlowStep& step : ValueFlow(module_).path(through)) out.push_back(step.instruction);
  }
  return amongThese(out);
}

// --- computations

TermTest QueryTests::inComputation(std::vector<char> computations) const {
  return [computations = std::move(computations)](const Instruction& instruction) {
    return computations[instruction.computation.value] != 0;
  };
}

std::vector<char> QueryTests::withCallees(std::vector<char> direct) const {
  std::vector<ComputationId> open;
  for (ComputationId id : module_.order())
    if (direct[id.value]) open.push_back(id);
  while (!open.empty()) {
    const ComputationId next = open.back();
    open.pop_back();
    for (InstructionId id : module_.at(next).instructions)
      for (ComputationId callee : module_.callees(module_.at(id)))
        if (module_.contains(callee) && !std::exchange(direct[callee.value], 1)) open.push_back(callee);
  }
  return direct;
}

std::vector<char> QueryTests::calledBy(const std::function<bool(const Instruction&)>& caller) const {
  std::vector<char> direct(module_.computationSlots(), 0);
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions) {
      const Instruction& in = module_.at(id);
      if (in.attributes->items().empty()) continue;
      const std::vector<ComputationId> callees = module_.callees(in);
      if (callees.empty() || !caller(in)) continue;
      for (ComputationId callee : callees)
        if (module_.contains(callee)) direct[callee.value] = 1;
    }
  return withCallees(std::move(direct));
}

// Of the entry itself only what is in it: everything is called from there.
std::vector<char> QueryTests::holders(const QueryTerm& term) const {
  std::vector<char> out = calledBy([&](const Instruction& in) { return anyTextMatches(term, in.name); });
  std::vector<char> named(module_.computationSlots(), 0);
  for (ComputationId id : module_.order()) named[id.value] = anyTextMatches(term, module_.at(id).name);
  const bool entryNamed = module_.contains(module_.entry()) && std::exchange(named[module_.entry().value], 0);
  named = withCallees(std::move(named));
  for (size_t i = 0; i < out.size(); ++i) out[i] |= named[i];
  if (entryNamed) out[module_.entry().value] = 1;
  return out;
}

TermTest QueryTests::byRole(const QueryTerm& term) {
  const auto wants = [&](std::string_view choice) { return anyTextMatches(term, choice); };
  const size_t slots = module_.computationSlots();
  std::vector<char> inside(slots, 0);
  const auto add = [&](const std::vector<char>& more) {
    for (size_t i = 0; i < slots; ++i) inside[i] |= more[i];
  };
  if (wants("entry") && module_.contains(module_.entry())) inside[module_.entry().value] = 1;
  if (wants("fused")) add(calledBy([](const Instruction& in) { return in.opcode == Opcode::Fusion; }));
  if (wants("loop")) add(calledBy([](const Instruction& in) { return in.opcode == Opcode::While; }));
  const bool root = wants("root"), unused = wants("unused");
  const UserTable* table = unused ? &users() : nullptr;
  return [this, inside = std::move(inside), root, table](const Instruction& in) {
    const bool isRoot = module_.at(in.computation).root == in.id;
    return inside[in.computation.value] || (root && isRoot) || (table && !isRoot && table->users(in.id).empty());
  };
}

const UserTable& QueryTests::users() {
  if (!users_) users_.emplace(module_);
  return *users_;
}

}  // namespace tessera
