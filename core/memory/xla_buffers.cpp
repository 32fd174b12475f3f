// See xla_buffers.h. Reads up to the totals at the end, which follow from what precedes.
#include "core/memory/xla_buffers.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/ops/op.h"
#include "core/passes/buffers/alias_analysis.h"

namespace tessera {
namespace {

// One line, eaten from the front.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}
  bool eat(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<int64_t> number() {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), out);
    if (error != std::errc() || out < 0) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return out;
  }
  std::optional<std::string_view> until(std::string_view mark) {
    const size_t at = text_.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view out = text_.substr(0, at);
    text_.remove_prefix(at + mark.size());
    return out;
  }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

// "allocation 2: size 65536, parameter 0, shape |f32[2]| at ShapeIndex {}:"
std::optional<XlaAllocation> allocationIn(std::string_view text) {
  Line line(text);
  XlaAllocation out;
  const auto number = line.eat("allocation ") ? line.number() : std::nullopt;
  const auto bytes = number && line.eat(": size ") ? line.number() : std::nullopt;
  if (!bytes || !text.ends_with(':')) return std::nullopt;
  out.number = *number;
  out.bytes = *bytes;
  std::string fact;
  int depth = 0;  // commas within a shape separate nothing
  for (const char c : line.rest().substr(0, line.rest().size() - 1)) {
    depth += c == '[' || c == '{' || c == '(';
    depth -= c == ']' || c == '}' || c == ')';
    if (c != ',' || depth > 0) {
      if (!fact.empty() || c != ' ') fact += c;
      continue;
    }
    if (!fact.empty()) out.facts.push_back(std::move(fact));
    fact.clear();
  }
  if (!fact.empty()) out.facts.push_back(std::move(fact));
  return out;
}

// "{1,0}" of a name's end; the name without it.
std::vector<int64_t> takeIndex(std::string& name) {
  std::vector<int64_t> out;
  const size_t open = name.rfind('{');
  if (!name.ends_with('}') || open == std::string::npos) return out;
  Line line(std::string_view(name).substr(open + 1));
  while (const auto number = line.number()) {
    out.push_back(*number);
    if (!line.eat(",")) break;
  }
  name.resize(open);
  return out;
}

// " value: <53 fusion.3{0} (phi) @0> (size=65536,offset=0): f32[2,4]{1,0}"
std::optional<XlaValue> valueIn(std::string_view text) {
  Line line(text);
  XlaValue out;
  if (!line.eat(" value: <") || !line.number() || !line.eat(" ")) return std::nullopt;
  const auto name = line.until(" @");
  if (!name || !line.number() || !line.eat("> (size=")) return std::nullopt;
  const auto bytes = line.number();
  const auto offset = bytes && line.eat(",offset=") ? line.number() : std::nullopt;
  if (!offset || !line.eat("): ")) return std::nullopt;
  out.instruction = *name;
  if (constexpr std::string_view kPhi = " (phi)"; out.instruction.ends_with(kPhi))  // a loop's or branch's own value
    out.instruction.resize(out.instruction.size() - kPhi.size());
  out.index = takeIndex(out.instruction);
  out.bytes = *bytes;
  out.offset = *offset;
  out.shape = line.rest();
  return out;
}

bool hasFact(const XlaAllocation& allocation, std::string_view start) {
  return std::ranges::any_of(allocation.facts, [&](const std::string& fact) { return fact.starts_with(start); });
}
MemoryKind kindOf(const XlaAllocation& allocation) {
  if (hasFact(allocation, "parameter ")) return MemoryKind::Parameter;
  if (hasFact(allocation, "constant")) return MemoryKind::Constant;
  if (hasFact(allocation, "thread-local")) return MemoryKind::ThreadLocal;
  if (hasFact(allocation, "maybe-live-out") || hasFact(allocation, "output")) return MemoryKind::Output;
  return MemoryKind::Temporary;
}

class XlaReporter {
 public:
  XlaReporter(const Module& module, const std::vector<XlaAllocation>& allocations)
      : out_(module), allocations_(allocations) {
    out_.mayOverlap = true;
  }

  MemoryReport run() {
    walk(out_.module.entry());
    last_ = out_.moments.empty() ? 0 : out_.moments.size() - 1;
    for (size_t i = 0; i < out_.moments.size(); ++i)
      byName_.emplace(out_.module.at(out_.moments[i]).name, out_.moments[i]);
    for (ComputationId id : out_.module.order())
      for (InstructionId in : out_.module.at(id).instructions) names_.insert(out_.module.at(in).name);
    for (const XlaAllocation& one : allocations_) take(one);
    sumLiveBytes(out_);
    return std::move(out_);
  }

 private:
  // What a loop or a branch runs is between its caller and what follows.
  void walk(ComputationId entry) {
    struct Frame {
      ComputationId computation;
      size_t next = 0;
      std::vector<ComputationId> callees;  // of the instruction before `next`, those that are not walked yet
    };
    std::vector<Frame> open{{entry, 0, {}}};
    walked_.insert(entry);
    while (!open.empty()) {
      Frame& frame = open.back();
      const auto& instructions = out_.module.at(frame.computation).instructions;
      if (!frame.callees.empty()) {
        const ComputationId callee = frame.callees.back();
        frame.callees.pop_back();
        if (out_.module.contains(callee) && walked_.insert(callee).second) open.push_back({callee, 0, {}});
        continue;
      }
      if (frame.next > 0) end_[instructions[frame.next - 1]] = out_.moments.size() - 1;
      if (frame.next == instructions.size()) {
        findLastUses(frame.computation);
        open.pop_back();
        continue;
      }
      const InstructionId in = instructions[frame.next++];
      begin_[in] = out_.moments.size();
      out_.moments.push_back(in);
      frame.callees = calledInTurn(in);
      std::ranges::reverse(frame.callees);
    }
  }
  std::vector<ComputationId> calledInTurn(InstructionId id) const {
    const Instruction& in = out_.module.at(id);
    return executesCallees(in.opcode) ? out_.module.callees(in) : std::vector<ComputationId>();
  }

  // Users follow what they use.
  void findLastUses(ComputationId id) {
    const Computation& computation = out_.module.at(id);
    for (size_t i = computation.instructions.size(); i-- > 0;) {
      const InstructionId in = computation.instructions[i];
      size_t last = in == computation.root ? out_.moments.size() - 1 : end_.at(in);
      for (InstructionId user : users_.users(in))
        if (const auto end = end_.find(user); end != end_.end())
          last = std::max(last, isAliasOnly(out_.module.at(user).opcode) ? lastUses_[user] : end->second);
      lastUses_[in] = last;
    }
  }

  void take(const XlaAllocation& one) {
    const size_t number = out_.allocations.size();
    std::string name = fmt::format("allocation {}", one.number);
    for (const std::string& fact : one.facts)
      if (!fact.starts_with("shape ") && !fact.starts_with("output shape")) name += ", " + fact;
    out_.allocations.push_back({kindOf(one), std::move(name), one.bytes, {}});
    for (const XlaValue& value : one.values) {
      const auto found = byName_.find(value.instruction);
      if (found == byName_.end()) {
        out_.unplaced += !names_.contains(value.instruction);  // values inside fusions and comparators have no moment
        continue;
      }
      out_.allocations[number].buffers.push_back(out_.buffers.size());
      out_.buffers.push_back(bufferOf(one, value, found->second, number));
    }
  }

  MemoryBuffer bufferOf(const XlaAllocation& one, const XlaValue& value, InstructionId id, size_t allocation) {
    MemoryBuffer out;
    out.kind = kindOf(one);
    out.instruction = id;
    const auto leaves = leavesOf(out_.module.shapeOf(id));
    const auto leaf = std::ranges::find(leaves, value.index, &ShapeLeaf::index);
    out.leaf = leaf == leaves.end() ? 0 : static_cast<uint32_t>(leaf - leaves.begin());
    out.bytes = value.bytes;
    if (leaf != leaves.end() && leaf->shape->isArray())
      out.padding = std::max<int64_t>(0, value.bytes - leaf->shape->denseBytes().value_or(value.bytes));
    const bool always = out.kind == MemoryKind::Parameter || out.kind == MemoryKind::Constant;
    out.begin = always ? 0 : begin_.at(id);
    out.end = always ? last_ : lastUses_.at(id);
    out.allocation = allocation;
    out.offset = value.offset;
    return out;
  }

  MemoryReport out_;
  const std::vector<XlaAllocation>& allocations_;
  UserTable users_{out_.module};
  std::unordered_set<ComputationId> walked_;
  std::unordered_map<InstructionId, size_t> begin_, end_, lastUses_;
  std::unordered_map<std::string_view, InstructionId> byName_;
  std::unordered_set<std::string_view> names_;  // of all computations
  size_t last_ = 0;
};

}  // namespace

Result<std::vector<XlaAllocation>> readXlaBuffers(std::string_view text, const std::string& fileName) {
  std::vector<XlaAllocation> out;
  uint32_t number = 0;
  const auto refuse = [&](std::string expected, std::string_view found) {
    return fail({.kind = ErrorKind::Invalid,
                 .message = "not a buffer assignment as XLA dumps it",
                 .expected = std::move(expected),
                 .found = std::string(found.substr(0, 80)),
                 .file = fileName,
                 .position = {number, 1}});
  };
  int64_t sum = 0;  // of allocations and values: whoever adds up some of them stays in range
  const auto inRange = [&](int64_t bytes) { return !__builtin_add_overflow(sum, bytes, &sum); };
  constexpr const char* kSum = "sizes with a sum below 2^63";
  bool begun = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (!begun) {
      begun = line == "BufferAssignment:";
      if (!begun) return refuse("BufferAssignment:", line);
    } else if (line.starts_with("allocation ")) {
      auto allocation = allocationIn(line);
      if (!allocation) return refuse("allocation N: size BYTES, …:", line);
      if (!inRange(allocation->bytes)) return refuse(kSum, line);
      out.push_back(std::move(*allocation));
    } else if (line.starts_with(" value: ")) {
      auto value = valueIn(line);
      if (!value || out.empty()) return refuse(" value: <N NAME @0> (size=BYTES,offset=BYTES): SHAPE", line);
      if (value->bytes > out.back().bytes || value->offset > out.back().bytes - value->bytes)
        return refuse(fmt::format("a value within the {} bytes of its allocation", out.back().bytes), line);
      if (!inRange(value->bytes)) return refuse(kSum, line);
      out.back().values.push_back(std::move(*value));
    } else {
      break;
    }
  }
  if (out.empty()) return refuse("an allocation", "the end");
  return out;
}

Result<MemoryReport> memoryReport(const Module& module, const std::vector<XlaAllocation>& allocations) {
  if (!module.contains(module.entry())) return fail("the module has no entry computation");
  return XlaReporter(module, allocations).run();
}

}  // namespace tessera
