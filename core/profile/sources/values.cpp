// See values.h.
#include "core/profile/sources/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/sorting.h"
#include "core/profile/sources/instruction_index.h"
#include "core/profile/sources/time_stats.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

struct NamedValue {
  std::string name;
  double value = 0;
};
struct ValueTable {
  std::string measure = "value";
  std::vector<NamedValue> rows;
  std::string warning;  // "": it is whole
};

// Nanoseconds in one of the column's unit; nullopt: it is no time.
std::optional<double> nsPerUnit(std::string_view column) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, ns] : kUnits)
    if (column == unit || column.ends_with("_" + std::string(unit)) || column.ends_with("(" + std::string(unit) + ")"))
      return ns;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last + 1 - first);
}

// Where semicolons part columns, the decimal point may be a comma.
std::optional<double> numberOf(std::string text, char comma) {
  if (comma == ';') std::ranges::replace(text, ',', '.');
  std::string_view digits = trimmed(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(out)) return std::nullopt;
  return out;
}

// One line of a CSV, as RFC 4180 quotes; advances over it.
std::vector<std::string> nextRecord(std::string_view& text, char comma) {
  std::vector<std::string> out(1);
  bool quoted = false;
  size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    const char c = text[at];
    if (c == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"')
      out.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (c == comma && !quoted)
      out.emplace_back();
    else if (c != '\r' || quoted)
      out.back() += c;
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return out;
}

char commaOf(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  for (char comma : {'\t', ';'})
    if (line.find(comma) != line.npos && line.find(',') == line.npos) return comma;
  return ',';
}

std::optional<size_t> columnNamed(const std::vector<std::string>& header,
                                  std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    if (const auto at = std::ranges::find(header, name); at != header.end())
      return static_cast<size_t>(at - header.begin());
  return std::nullopt;
}

struct Columns {
  size_t name = 0, value = 1;
};

Result<ValueTable> parseCsv(std::string_view text, const std::string& fileName) {
  const char comma = commaOf(text);
  ValueTable out;
  Columns columns;
  uint32_t line = 0;
  while (!text.empty()) {
    ++line;
    const bool isCut = text.find('\n') == text.npos;
    const std::vector<std::string> fields = nextRecord(text, comma);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (line == 1 && fields.size() > 1 && !numberOf(fields[1], comma)) {
      columns.name = columnNamed(fields, {"name", "instruction", "hlo_op", "op"}).value_or(0);
      columns.value = columnNamed(fields, {"value", "total_ns", "time_ns"}).value_or(columns.name == 1 ? 0 : 1);
      out.measure = trimmed(fields[columns.value]);
      continue;
    }
    const auto value = columns.value < fields.size() ? numberOf(fields[columns.value], comma) : std::nullopt;
    if ((!value || columns.name >= fields.size()) && isCut && !out.rows.empty()) {
      out.warning = fmt::format("the table is cut in line {}: the lines before it are shown", line);
      break;
    }
    if (!value || columns.name >= fields.size())
      return fail({.message = "a line of the table does not read",
                   .expected = "NAME,VALUE with a number for VALUE",
                   .found = fields.size() < 2 ? fields[0] : fields[0] + comma + fields[1],
                   .file = fileName,
                   .position = {line, 1}});
    out.rows.push_back({fields[columns.name], *value});
  }
  if (out.rows.empty())
    return fail({.message = "the table is empty", .expected = "lines NAME,VALUE", .file = fileName});
  return out;
}

// The key that holds the measure in the rows of a list: one of a value or time, else the first number.
std::string measureIn(const Json& row) {
  for (const char* key : {"value", "total_ns", "time_ns", "ns", "us", "ms", "s"})
    if (const auto at = row.find(key); at != row.end() && at->is_number()) return key;
  for (const auto& [key, value] : row.items())
    if (value.is_number()) return key;
  return {};
}

bool isNamedRow(const Json& row) { return row.is_object() && row.contains("name") && row["name"].is_string(); }

// nullopt: it is no table of values.
std::optional<Result<ValueTable>> tableOfRows(const Json& rows) {
  if (rows.empty() || !std::ranges::all_of(rows, isNamedRow)) return std::nullopt;
  ValueTable out{measureIn(rows[0]), {}};
  if (out.measure.empty()) return std::nullopt;
  for (const Json& row : rows) {
    const auto value = row.find(out.measure);
    if (value == row.end() || !value->is_number())
      return fail({.message = "a row of the table does not read",
                   .expected = fmt::format("a number \"{}\", as in the first row", out.measure),
                   .found = row.dump(-1, ' ', false, Json::error_handler_t::replace)});
    out.rows.push_back({row["name"].get<std::string>(), value->get<double>()});
  }
  return out;
}

// {"name": number, …}, or a list of objects with a name and a value, alone or under one key; nullopt: neither.
std::optional<Result<ValueTable>> tableIn(const Json& json) {
  if (json.is_array()) return tableOfRows(json);
  if (!json.is_object()) return std::nullopt;
  ValueTable out;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) out.rows.push_back({name, value.get<double>()});
    if (value.is_array())
      if (auto inner = tableOfRows(value)) return inner;
  }
  if (out.rows.empty()) return std::nullopt;
  return out;
}

int64_t psOfNs(double ns) {
  constexpr double kMost = 9e15;
  return static_cast<int64_t>(std::llround(std::clamp(ns, -kMost, kMost) * 1000));
}

struct GatheredValue {
  TimeSamples times;
  double value = 0;
};

std::map<std::string, GatheredValue> gathered(const ValueTable& table, double unit) {
  std::map<std::string, GatheredValue> out;
  for (const NamedValue& row : table.rows) {
    GatheredValue& to = out[row.name];
    const int64_t ps = psOfNs(row.value * unit);
    to.times.add(ps, ps);
    to.value += row.value;
  }
  return out;
}

class TablePlacer {
 public:
  TablePlacer(const ValueTable& table, std::shared_ptr<const Module> given)
      : unit_(nsPerUnit(table.measure)), given_(std::move(given)) {
    out_.format = "table of names and values";
    if (!unit_) out_.measure = table.measure;
    if (!table.warning.empty()) out_.warnings.push_back(table.warning);
    if (given_) index_.emplace(given_);
    for (auto& [name, row] : gathered(table, unit_.value_or(1))) place(name, row);
  }

  OpProfile finish() {
    out_.totalNs = out_.selfNs = saturatingAdd(out_.placedNs, out_.unmatchedNs);
    if (given_) out_.modules.push_back({given_->name, std::nullopt, given_});
    if (given_ && out_.instructions.empty())
      out_.warnings.push_back(fmt::format("nothing of the table lands on the module {}", given_->name));
    sortDescending(out_.instructions, &InstructionTime::value);
    sortDescending(out_.unmatched, &LostTime::value);
    return std::move(out_);
  }

 private:
  void place(const std::string& name, GatheredValue row) {
    const TimeStats stats = statsOf(std::move(row.times));
    const auto found = index_ ? index_->find(name) : InstructionIndex::Found{};
    if (!found.reason.empty()) {
      out_.unmatched.push_back({name, found.reason, {}, stats, row.value});
      out_.unmatchedNs = saturatingAdd(out_.unmatchedNs, stats.totalNs);
      return;
    }
    InstructionTime to = index_ ? index_->describe(found.id) : InstructionTime{.name = name};
    const Cost cost = index_ && unit_ ? index_->costOf(found.id, {}) : Cost{};
    to.flops = (cost.flops + cost.transcendentals) * static_cast<double>(stats.count);
    to.bytes = cost.bytesAccessed * static_cast<double>(stats.count);
    to.times = stats;
    to.value = row.value;
    out_.placedNs = saturatingAdd(out_.placedNs, stats.totalNs);
    out_.instructions.push_back(std::move(to));
  }

  std::optional<double> unit_;
  std::shared_ptr<const Module> given_;
  std::optional<InstructionIndex> index_;
  OpProfile out_;
};

}  // namespace

Result<OpProfile> readCsvValues(std::string_view content, std::shared_ptr<const Module> given,
                                const std::string& fileName) {
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  TESSERA_ASSIGN_OR_RETURN(const ValueTable table, parseCsv(content, fileName));
  return TablePlacer(table, std::move(given)).finish();
}

Result<OpProfile> readJsonValues(const std::string& content, std::shared_ptr<const Module> given,
                                 const std::string& fileName) {
  const Json json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) return fail({.message = "the JSON does not read: it is cut or damaged", .file = fileName});
  auto table = tableIn(json);
  if (!table)
    return fail({.message = "the JSON is no profile and no table of values",
                 .expected = R"({"NAME": VALUE, …} or [{"name": NAME, "value": VALUE}, …])",
                 .file = fileName});
  if (!*table) {
    table->error().file = fileName;
    return fail(std::move(table->error()));
  }
  return TablePlacer(**table, std::move(given)).finish();
}

}  // namespace tessera
