// See nsight.h. A kernel knows by its correlation id the call that launched it; the NVTX ranges around that call, on
// its thread, say "Thunk:#name=…,hlo_op=fusion.3#" and "XlaModule:#…,hlo_module=jit_step,program_id=7#".
#include "core/profile/sources/nsight.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "core/base/hash.h"

namespace tessera {
namespace {

constexpr int64_t kNsightPsPerNs = 1000;

int64_t toPs(int64_t ns) {
  int64_t out = 0;
  return __builtin_mul_overflow(ns, kNsightPsPerNs, &out) ? INT64_MAX : out;
}

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

// A query over tables that somebody else made: rows one by one, columns by number.
class Query {
 public:
  Query(sqlite3* database, const std::string& text) {
    sqlite3_prepare_v2(database, text.c_str(), -1, &statement_, nullptr);
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next() { return statement_ && sqlite3_step(statement_) == SQLITE_ROW; }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* out = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return out ? std::string(out, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

struct Launch {
  uint32_t op = 0, module = 0;
  std::optional<uint64_t> program;
};

// A range opens, a range ends, or a call is made, on one thread.
struct ThreadEvent {
  int64_t atNs = 0;
  int64_t endNs = 0;
  std::string text;  // of a range
  int64_t correlation = -1;
  int64_t process = 0;
};

uint64_t flowOf(int64_t process, int64_t correlation) {
  return mixedHash(mixedHash(0, static_cast<uint64_t>(process)), static_cast<uint64_t>(correlation)) | 1;
}

class NsightReader {
 public:
  NsightReader(sqlite3* database, bool keepsLines) : database_(database), recorder_(keepsLines) {}
  Result<Recorded> read(const std::string& fileName);

 private:
  bool hasTable(const std::string& name);
  bool hasColumn(const std::string& table, const std::string& column);
  std::string columnOr(const std::string& table, const std::string& column, const std::string& otherwise);
  void readRanges();
  void readCalls();
  void findLaunches();
  void keepThreads();
  void takeRange(const ThreadEvent& range, Launch& launch);
  void readKernels();
  void readCopies(const std::string& table, const std::string& name);
  void addWork(const Query& row, uint32_t name);

  sqlite3* database_;
  Recorder recorder_;
  std::map<int64_t, std::vector<ThreadEvent>> threads_;
  std::map<std::pair<int64_t, int64_t>, Launch> launches_;                 // by process and correlation id
  std::map<std::pair<int64_t, int64_t>, std::vector<SeenEvent>> streams_;  // by device and stream
};

// A view could hide any computation behind the name.
bool NsightReader::hasTable(const std::string& name) {
  Query query(database_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + name + "'");
  return query.next();
}

bool NsightReader::hasColumn(const std::string& table, const std::string& column) {
  Query query(database_, "SELECT 1 FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'");
  return query.next();
}

std::string NsightReader::columnOr(const std::string& table, const std::string& column, const std::string& otherwise) {
  return hasColumn(table, column) ? column : otherwise;
}

void NsightReader::readRanges() {
  if (!hasTable("NVTX_EVENTS")) return;
  const bool ids = hasColumn("NVTX_EVENTS", "textId") && hasTable("StringIds");
  const std::string text =
      ids ? "COALESCE(text, (SELECT value FROM StringIds WHERE StringIds.id = NVTX_EVENTS.textId))" : "text";
  Query rows(database_, "SELECT start, \"end\", globalTid, " + text + " FROM NVTX_EVENTS WHERE \"end\" IS NOT NULL");
  while (rows.next()) threads_[rows.integer(2)].push_back({rows.integer(0), rows.integer(1), rows.text(3)});
}

void NsightReader::readCalls() {
  if (!hasTable("CUPTI_ACTIVITY_KIND_RUNTIME")) return;
  Query rows(database_, "SELECT start, \"end\", globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  while (rows.next()) {
    const int64_t thread = rows.integer(2);
    // The upper bits of a thread's global id are its process's.
    threads_[thread].push_back({rows.integer(0), rows.integer(1), {}, rows.integer(3), thread & ~int64_t{0xffffff}});
  }
}

// The values between the signs '#', as "key=value,key=value".
void NsightReader::takeRange(const ThreadEvent& range, Launch& launch) {
  const size_t open = range.text.find('#'), close = range.text.rfind('#');
  if (open == std::string::npos || close <= open) return;
  std::string_view rest = std::string_view(range.text).substr(open + 1, close - open - 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const size_t equals = part.find('=');
    if (equals == part.npos) continue;
    const std::string_view key = part.substr(0, equals), value = part.substr(equals + 1);
    if (key == "hlo_op") launch.op = recorder_.text(value);
    if (key == "hlo_module") launch.module = recorder_.text(value);
    uint64_t program = 0;
    if (key == "program_id" && std::from_chars(value.data(), value.data() + value.size(), program).ec == std::errc())
      launch.program = program;
  }
}

// Ranges open around each call, outermost first: an inner one says what the outer ones leave open.
void NsightReader::findLaunches() {
  for (auto& [thread, events] : threads_) {
    std::ranges::stable_sort(events, [](const ThreadEvent& a, const ThreadEvent& b) {
      return a.atNs != b.atNs ? a.atNs < b.atNs : a.endNs > b.endNs;
    });
    std::vector<const ThreadEvent*> open;
    for (const ThreadEvent& event : events) {
      while (!open.empty() && open.back()->endNs < event.atNs) open.pop_back();
      if (event.correlation < 0) {
        open.push_back(&event);
        continue;
      }
      Launch& launch = launches_[{event.process, event.correlation}];
      for (const ThreadEvent* range : open) takeRange(*range, launch);
    }
  }
}

// Columns: begin, end, device, stream, correlation id, process.
void NsightReader::addWork(const Query& row, uint32_t name) {
  const auto found = launches_.find({row.integer(5), row.integer(4)});
  const Launch launch = found == launches_.end() ? Launch{} : found->second;
  const int64_t begin = row.integer(0), end = row.integer(1);
  int64_t ns = 0;
  if (__builtin_sub_overflow(end, begin, &ns)) ns = INT64_MAX;
  streams_[{row.integer(2), row.integer(3)}].push_back(
      {.kind = launch.op != 0 ? TimeKind::Instruction : TimeKind::Device,
       .name = name,
       .op = launch.op,
       .module = launch.module,
       .program = launch.program,
       .beginPs = toPs(begin),
       .durationPs = toPs(ns),
       .flow = flowOf(row.integer(5), row.integer(4))});
}

void NsightReader::readKernels() {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!hasTable(table)) return;
  const std::string process = columnOr(table, "globalPid", "0");
  const std::string name = columnOr(table, "shortName", columnOr(table, "demangledName", "0"));
  Query rows(database_, "SELECT k.start, k.\"end\", k.deviceId, k.streamId, k.correlationId, " + process +
                            ", s.value FROM " + table + " k LEFT JOIN StringIds s ON s.id = " + name);
  while (rows.next()) addWork(rows, recorder_.text(rows.text(6)));
}

void NsightReader::readCopies(const std::string& table, const std::string& name) {
  if (!hasTable(table)) return;
  const std::string process = columnOr(table, "globalPid", "0");
  Query rows(database_, "SELECT start, \"end\", deviceId, streamId, correlationId, " + process + " FROM " + table);
  while (rows.next()) addWork(rows, recorder_.text(name));
}

// The ranges and calls of the host's threads, for the timeline.
void NsightReader::keepThreads() {
  for (const auto& [thread, events] : threads_) {
    std::vector<SeenEvent> seen;
    for (const ThreadEvent& event : events) {
      const bool call = event.correlation >= 0;
      seen.push_back({.name = recorder_.text(call ? "CUDA call" : std::string_view(event.text)),
                      .beginPs = toPs(event.atNs),
                      .durationPs = toPs(std::max<int64_t>(0, event.endNs - event.atNs)),
                      .flow = call ? flowOf(event.process, event.correlation) : 0});
    }
    recorder_.keepLine("host", fmt::format("thread {}", thread & 0xffffff), seen);
  }
}

Result<Recorded> NsightReader::read(const std::string& fileName) {
  if (!hasTable("CUPTI_ACTIVITY_KIND_KERNEL") && !hasTable("CUPTI_ACTIVITY_KIND_MEMCPY"))
    return fail({.message = "the SQLite database has no GPU kernels",
                 .expected = "an export of Nsight Systems with the table CUPTI_ACTIVITY_KIND_KERNEL",
                 .file = fileName});
  readRanges();
  readCalls();
  findLaunches();
  readKernels();
  readCopies("CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy");
  readCopies("CUPTI_ACTIVITY_KIND_MEMSET", "memset");
  for (auto& [key, events] : streams_)
    recorder_.addLine(fmt::format("/device:GPU:{}", key.first), fmt::format("stream {}", key.second),
                      std::move(events));
  keepThreads();
  recorder_.out().format = "Nsight Systems' SQLite export";
  return recorder_.finish();
}

// Read as it is, without the file's own settings, and not for longer than a minute's worth of steps.
Database openBytes(const std::string& content) {
  sqlite3* raw = nullptr;
  sqlite3_open(":memory:", &raw);
  Database out(raw, sqlite3_close);
  if (!raw) return out;
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
  const auto size = static_cast<sqlite3_int64>(content.size());
  if (sqlite3_deserialize(raw, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) out.reset();
  sqlite3_exec(raw, "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  return out;
}

}  // namespace

Result<Recorded> readNsight(const std::string& content, const std::string& fileName, bool keepsLines) {
  const Database database = openBytes(content);
  if (!database) return fail({.message = "the SQLite database does not open", .file = fileName});
  auto out = NsightReader(database.get(), keepsLines).read(fileName);
  const int code = sqlite3_errcode(database.get());
  const bool odd = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR;
  if (odd && !out) return fail({.message = "the SQLite database is cut or damaged", .file = fileName});
  if (odd) out->warnings.push_back("the SQLite database is cut or damaged: what reads of it is shown");
  return out;
}

}  // namespace tessera
