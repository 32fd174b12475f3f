// A scatter's updates are walked once to know where each goes; only those that go to the wanted place are applied.
#include "core/evaluate/element_applications.h"

#include <algorithm>

#include "core/evaluate/evaluate.h"
#include "core/ops/shared/scatter_targets.h"

namespace tessera {
namespace {

constexpr int64_t kMaxUpdates = 1 << 20;

Result<Literal> elementAt(const Literal& array, int64_t place) {
  const auto width = static_cast<size_t>(byteWidth(array.shape().type));
  return Literal::fromBytes(Shape::arrayRowMajor(array.shape().type, {}),
                            array.bytes().subspan(static_cast<size_t>(place) * width, width));
}

struct Update {
  int64_t from = 0, to = 0;  // places in the updates and in the operand
};

// Updates whose windows are inside, in the order in which they are applied.
std::vector<Update> updatesInside(const Instruction& scatter, std::span<const Literal> operands) {
  const size_t n = operands.size() / 2;
  const Shape &operand = operands[0].shape(), &updates = operands[n + 1].shape();
  const ScatterFacts facts = scatterFactsOf(*scatter.attributes, operand.rank(), updates.rank());
  const IndexVector window = scatterWindow(facts, operand, updates), strides = rowMajorStrides(operand.dimensions);
  std::vector<Update> out;
  int64_t at = 0;
  forEachIndex(updates.dimensions, [&](const IndexVector& update) {
    const int64_t from = at++;
    if (const auto target = scatterTargetOf(facts, operands[n], window, operand, update))
      out.push_back({from, linearIndexOf(*target, strides)});
  });
  return out;
}

}  // namespace

Status findMapApplication(std::span<const Literal> operands, Application& out) {
  out.count = operands[0].elementCount();
  if (out.count == 0) return {};
  out.taken = std::min(out.wanted, out.count - 1);
  for (const Literal& operand : operands) {
    TESSERA_ASSIGN_OR_RETURN(Literal value, elementAt(operand, out.taken));
    out.arguments.push_back(std::move(value));
  }
  return {};
}

Status findScatterApplication(const Module& module, const Instruction& scatter, std::span<const Literal> operands,
                              Application& out, const std::atomic<bool>* cancel) {
  const size_t n = operands.size() / 2;
  if (n == 0 || operands.size() != 2 * n + 1 || operands[0].elementCount() == 0) return {};
  if (operands[n + 1].elementCount() > kMaxUpdates)
    return fail("this array is too large for its applications to be looked at");
  const std::vector<Update> updates = updatesInside(scatter, operands);
  out.count = static_cast<int64_t>(updates.size());
  if (updates.empty()) return {};
  out.taken = std::min(out.wanted, out.count - 1);
  const Update& wanted = updates[static_cast<size_t>(out.taken)];
  std::vector<Literal> old;
  for (size_t i = 0; i < n; ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal value, elementAt(operands[i], wanted.to));
    old.push_back(std::move(value));
  }
  for (const Update& update : updates) {
    if (update.to != wanted.to) continue;
    if (cancel && *cancel) return failCancelled();
    std::vector<Literal> arguments = old;
    for (size_t i = 0; i < n; ++i) {
      TESSERA_ASSIGN_OR_RETURN(Literal value, elementAt(operands[n + 1 + i], update.from));
      arguments.push_back(std::move(value));
    }
    if (update.from == wanted.from) {
      out.arguments = std::move(arguments);
      return {};
    }
    TESSERA_ASSIGN_OR_RETURN(Literal next, evaluateComputation(module, out.computation, arguments, cancel));
    old = next.shape().isTuple() ? next.elements() : std::vector<Literal>{next};
  }
  return {};
}

}  // namespace tessera
