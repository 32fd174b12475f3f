#include "backends/cuda/simulated/machine/report_list.h"

#include <fmt/format.h>

namespace tessera::cuda::simulated {

namespace {

constexpr const char* kKinds[] = {
    "out of bounds",     "misaligned access", "race on shared memory", "uninitialised shared memory",
    "race on registers", "divergent barrier", "uncoalesced access",    "bank conflict"};

bool isError(Complaint kind) { return kind != Complaint::UncoalescedAccess && kind != Complaint::BankConflict; }

}  // namespace

std::string placeOf(const Kernel& kernel, uint32_t site) {
  const Site& place = kernel.sites[site];
  std::string text;
  for (const char c : place.text) {  // an instruction may be written on several lines
    const bool isBlank = static_cast<unsigned char>(c) <= ' ';
    if (!isBlank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return fmt::format("line {}: {}", place.line, text);
}

bool ReportList::wantsText(Complaint kind, uint32_t site, uint64_t block) const {
  const auto found = entries_.find({kind, site});
  return found == entries_.end() || block < found->second.block;
}

void ReportList::count(Complaint kind, uint32_t site) { ++entries_[{kind, site}].count; }

void ReportList::add(Complaint kind, uint32_t site, uint64_t block, std::string text, int64_t count) {
  Entry& entry = entries_[{kind, site}];
  if (entry.count == 0 || block < entry.block) {
    entry.block = block;
    entry.text = std::move(text);
  }
  entry.count += count;
}

void ReportList::merge(const ReportList& other) {
  for (const auto& [key, entry] : other.entries_) add(key.first, key.second, entry.block, entry.text, entry.count);
}

bool ReportList::has(Complaint kind) const {
  const auto first = entries_.lower_bound({kind, 0});
  return first != entries_.end() && first->first.first == kind;
}

std::vector<Report> ReportList::reports(const Kernel& kernel) const {
  std::vector<Report> reports;
  for (const auto& [key, entry] : entries_)
    reports.push_back({.kind = kKinds[static_cast<size_t>(key.first)],
                       .kernel = kernel.name,
                       .place = placeOf(kernel, key.second),
                       .text = entry.text,
                       .isError = isError(key.first),
                       .count = entry.count});
  return reports;
}

}  // namespace tessera::cuda::simulated
