// The columns of an OpTree: titles, texts, order, CSV. See op_tree.h.
#include <fmt/format.h>

#include <cmath>

#include "core/base/sorting.h"
#include "core/base/units.h"
#include "core/profile/op_tree.h"

namespace tessera {
namespace {

double flopRate(const OpRow& row) { return row.ratedNs > 0 && row.flops > 0 ? row.flops / row.ratedNs : 0; }
double byteRate(const OpRow& row) { return row.ratedNs > 0 && row.bytes > 0 ? row.bytes / row.ratedNs : 0; }
bool isSum(const OpRow& row) { return row.kind == OpRowKind::Group; }

// What is sorted by; columns of text have none.
double numberOf(const OpRow& row, OpColumn column) {
  switch (column) {
    case OpColumn::Total:
    case OpColumn::Share: return row.totalNs;
    case OpColumn::Self: return row.selfNs;
    case OpColumn::Count: return row.count;
    case OpColumn::Spread: return row.highNs - row.lowNs;
    case OpColumn::FlopRate: return flopRate(row);
    case OpColumn::ByteRate: return byteRate(row);
    case OpColumn::Bound: return static_cast<double>(row.bound);
    case OpColumn::Attainable: return row.attainableNs;
    case OpColumn::Wasted: return row.wastedNs;
    case OpColumn::Flops: return row.flops;
    case OpColumn::Bytes: return row.bytes;
    default: return 0;
  }
}

const std::string& wordsOf(const OpRow& row, OpColumn column) {
  return column == OpColumn::Opcode ? row.facts.opcode : column == OpColumn::Source ? row.facts.source : row.facts.name;
}

bool isText(OpColumn column) {
  return column == OpColumn::Name || column == OpColumn::Opcode || column == OpColumn::Source;
}

std::string duration(double ns) { return ns > 0 ? durationText(ns) : std::string(); }

// The numbers of rates have few digits: they are compared with a machine's.
std::string rate(double value) { return value > 0 ? fmt::format("{:.3g}", value) : std::string(); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string_view kindText(OpRowKind kind) {
  constexpr std::string_view kNames[] = {"group", "fusion", "instruction", "member (estimated)", "not placed"};
  return kNames[static_cast<size_t>(kind)];
}

void addLines(const OpTree& tree, const std::vector<int32_t>& places, int depth, std::string& out) {
  for (int32_t place : places) {
    const OpRow& row = tree.rows[static_cast<size_t>(place)];
    out += fmt::format("{},{},{},{:.0f},{:.0f},{:g},{:.0f},{:.0f},{:.6g},{:.6g},{},{:.0f},{:.0f},{:.0f},{:.0f},{},{}\n",
                       depth, quoted(row.facts.name), kindText(row.kind), row.totalNs, row.selfNs, row.count, row.lowNs,
                       row.highNs, flopRate(row), byteRate(row), nameOf(row.bound), row.attainableNs, row.wastedNs,
                       row.flops, row.bytes, quoted(row.facts.opcode), quoted(row.facts.source));
    addLines(tree, row.children, depth + 1, out);
  }
}

}  // namespace

std::string_view titleOf(OpColumn column) {
  constexpr std::string_view kTitles[kOpColumns] = {"Name",   "Total",   "Share", "Self",     "Count",
                                                    "Spread", "GFLOP/s", "GB/s",  "Bound by", "Attainable",
                                                    "Wasted", "Flops",   "Bytes", "Opcode",   "Source"};
  return kTitles[static_cast<size_t>(column)];
}

std::string spreadText(double lowNs, double medianNs, double highNs) {
  if (highNs <= 0) return {};
  const std::string low = durationText(lowNs);
  if (lowNs == highNs) return low;
  const std::string range = low + " – " + durationText(highNs);
  return medianNs > 0 ? fmt::format("{} ({})", durationText(medianNs), range) : range;
}

std::string textOf(const OpTree& tree, const OpRow& row, OpColumn column) {
  switch (column) {
    case OpColumn::Name:
    case OpColumn::Opcode:
    case OpColumn::Source: return wordsOf(row, column);
    case OpColumn::Total: return (row.estimated() ? "≈ " : "") + durationText(row.totalNs);
    case OpColumn::Share:
      return tree.totalNs > 0 ? fmt::format("{:.1f} %", 100 * row.totalNs / tree.totalNs) : std::string();
    case OpColumn::Self: return isSum(row) ? std::string() : (row.estimated() ? "≈ " : "") + durationText(row.selfNs);
    case OpColumn::Count:
      return row.count > 0 ? fmt::format("{:.{}f}", row.count, row.count == std::floor(row.count) ? 0 : 1)
                           : std::string();
    case OpColumn::Spread: return row.estimated() ? std::string() : spreadText(row.lowNs, row.medianNs, row.highNs);
    case OpColumn::FlopRate: return rate(flopRate(row));
    case OpColumn::ByteRate: return rate(byteRate(row));
    case OpColumn::Bound: return std::string(nameOf(row.bound));
    case OpColumn::Attainable: return duration(row.attainableNs);
    case OpColumn::Wasted: return duration(row.wastedNs);
    case OpColumn::Flops: return row.flops > 0 ? amountText(row.flops) : std::string();
    case OpColumn::Bytes: return row.bytes > 0 ? bytesText(row.bytes) : std::string();
  }
  return {};
}

void sortRows(OpTree& tree, OpColumn by, bool descending) {
  const auto before = [&](int32_t a, int32_t b) {
    const OpRow &left = tree.rows[static_cast<size_t>(a)], &right = tree.rows[static_cast<size_t>(b)];
    if (isText(by)) return descending ? wordsOf(right, by) < wordsOf(left, by) : wordsOf(left, by) < wordsOf(right, by);
    const double x = numberOf(left, by), y = numberOf(right, by);
    if ((x > 0) != (y > 0)) return x > 0;
    return descending ? x > y : x < y;
  };
  sortWith(tree.roots, before);
  for (OpRow& row : tree.rows) sortWith(row.children, before);
}

std::string toCsv(const OpTree& tree) {
  std::string out =
      "depth,name,kind,total_ns,self_ns,count,low_ns,high_ns,gflops,gb_per_s,bound_by,attainable_ns,wasted_ns,flops,"
      "bytes,opcode,source\n";
  addLines(tree, tree.roots, 0, out);
  return out;
}

}  // namespace tessera
