// The table of rules, and the order of what they find.
#include "core/overview/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/arrange/scopes.h"
#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/ops/shared/op_cost.h"
#include "core/overview/rules.h"

namespace tessera {
namespace {

constexpr double kWorthTelling = 1e-3;  // of the module's weight
constexpr size_t kMostOfRule = 6;       // told one by one; the rest are one

// The order is kept with the numbers that a finding has: its measured time, else its weight by the rule, else by its
// bytes and flops.
void weigh(const Workload& work, const FindingRule& rule, Finding& finding) {
  if (rule.measurable && work.measured()) {
    for (InstructionId id : finding.instructions) finding.timeNs += work.timeOf(id);
    if (finding.timeNs > 0) finding.weight = finding.timeNs, finding.estimated = false;
  }
  if (finding.weight == 0) finding.weight = Workload::estimatedNs({finding.flops, 0, finding.bytes});
}

// The costliest of a rule by themselves, all others together.
void keepCostliest(std::vector<Finding>& found) {
  sortWith(found, [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  if (found.size() <= kMostOfRule + 1) return;
  Finding rest = std::move(found[kMostOfRule]);
  const size_t kinds = found.size() - kMostOfRule;
  for (size_t k = kMostOfRule + 1; k < found.size(); ++k) {
    rest.instructions.insert(rest.instructions.end(), found[k].instructions.begin(), found[k].instructions.end());
    rest.bytes += found[k].bytes, rest.flops += found[k].flops, rest.timeNs += found[k].timeNs;
    rest.weight += found[k].weight, rest.estimated |= found[k].estimated;
  }
  rest.text = fmt::format("{} more kinds of these at {} places{}", kinds, rest.instructions.size(),
                          rest.bytes > 0 ? ": " + bytesText(rest.bytes) : std::string());
  found.resize(kMostOfRule);
  found.push_back(std::move(rest));
}

}  // namespace

const std::vector<FindingRule>& rulesOfFindings() {
  static const std::vector<FindingRule> kRules{
      {"copies", "copies and transposes that move bytes and compute nothing", findCopies, true},
      {"loop-copies", "copies in the body of a loop", findLoopCopies, true},
      {"broadcasts", "arrays that are materialised although they repeat a smaller one", findBroadcasts, true},
      {"padding", "bytes of buffers that hold no element", findPadding, false},
      {"f64", "arithmetic in double precision", findDoubles, false},
      {"upcasts", "matrix products and convolutions of narrow values in a wider type", findUpcasts, false},
      {"widened", "arrays that are materialised again in a wider type", findWidened, true},
      {"tiny-kernels", "kernels whose launch costs more than their work", findTinyKernels, true},
      {"unfused", "elementwise kernels in a row that could be one", findUnfusedChains, true},
      {"exposed-collectives", "communication that nothing runs beside", findExposedCollectives, true},
  };
  return kRules;
}

std::vector<Finding> findingsOf(const Workload& work) {
  std::vector<Finding> out;
  for (const FindingRule& rule : rulesOfFindings()) {
    std::vector<Finding> found;
    rule.find(work, found);
    for (Finding& finding : found) finding.rule = rule.name, weigh(work, rule, finding);
    std::erase_if(found, [&](const Finding& f) { return f.weight < kWorthTelling * work.totalWeight(); });
    keepCostliest(found);
    std::ranges::move(found, std::back_inserter(out));
  }
  sortWith(out, [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  return out;
}

// --- what rules share

void SiteGroups::add(const Workload& work, InstructionId site, double bytes, const std::string& kind) {
  const Instruction& i = work.module.at(site);
  const std::string scope = i.metadata ? numberPattern(i.metadata->opName) : std::string();
  Group& group = groups_[kind + "\n" + toString(*i.shape) + "\n" + scope];
  group.sites.push_back(site);
  if (bytes > group.worst) group.worst = bytes, std::swap(group.sites.front(), group.sites.back());
  group.times += work.timesOf(site);
  group.bytes += bytes;
}

std::vector<SiteGroups::Group> SiteGroups::sorted() const {
  std::vector<Group> out;
  for (const auto& [key, group] : groups_) out.push_back(group);
  sortWith(out, [](const Group& a, const Group& b) { return a.bytes > b.bytes; });
  return out;
}

std::string counted(size_t number, const std::string& one, const std::string& many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string shapeText(const Shape& shape) {
  return shape.isTuple() ? counted(shape.elements.size(), "array", "arrays") : toString(shape, false);
}

double bytesOfShape(const Shape& shape) { return bytesOf(shape); }

std::vector<InstructionId> readersOf(const Workload& work, InstructionId id) {
  std::vector<InstructionId> out, open{id};
  while (!open.empty()) {
    const InstructionId next = open.back();
    open.pop_back();
    for (InstructionId user : work.users.users(next)) {
      const Instruction& i = work.module.at(user);
      const bool passesOn = i.opcode == Opcode::Bitcast || i.opcode == Opcode::GetTupleElement;
      (passesOn && work.module.at(i.computation).root != user ? open : out).push_back(user);
    }
  }
  return out;
}

}  // namespace tessera
