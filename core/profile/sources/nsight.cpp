// See nsight.h. A kernel knows by its correlation id the call that launched it; the NVTX ranges around that call, on
// its thread, say "Thunk:#name=…,hlo_op=fusion.3#" and "XlaModule:#…,hlo_module=jit_step,program_id=7#".
#include "core/profile/sources/nsight.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>

#include "core/base/hash.h"
#include "core/base/sorting.h"
#include "core/profile/sources/nsight_devices.h"

namespace tessera {
namespace {

constexpr int64_t kNsightPsPerNs = 1000;

int64_t toPs(int64_t ns) {
  int64_t out = 0;
  return __builtin_mul_overflow(ns, kNsightPsPerNs, &out) ? INT64_MAX : out;
}

int64_t psBetween(int64_t beginNs, int64_t endNs) {
  int64_t ns = 0;
  return __builtin_sub_overflow(endNs, beginNs, &ns) ? INT64_MAX : toPs(ns);
}

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

// A query: rows one by one, columns by number. `failure` becomes the code of the first query that failed.
class Query {
 public:
  Query(sqlite3* database, const std::string& text, int& failure) : failure_(failure) {
    note(sqlite3_prepare_v2(database, text.c_str(), -1, &statement_, nullptr));
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next() {
    const int code = statement_ ? sqlite3_step(statement_) : SQLITE_DONE;
    note(code);
    return code == SQLITE_ROW;
  }
  bool isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* out = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return out ? std::string(out, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
  }

 private:
  void note(int code) {
    const bool fine = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    if (failure_ == SQLITE_OK && !fine) failure_ = code;
  }

  sqlite3_stmt* statement_ = nullptr;
  int& failure_;
};

struct Launch {
  uint32_t op = 0, module = 0;
  std::optional<uint64_t> program;
  std::optional<int64_t> run;  // when the range of the module's run began
};

// A range opens, a range ends, or a call is made, on one thread.
struct ThreadEvent {
  int64_t atNs = 0;
  int64_t endNs = 0;
  std::string text;  // of a range, or the call's name
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
  int failure() const { return failure_; }  // of a query; SQLITE_OK: none

 private:
  bool hasTable(const std::string& name);
  bool hasColumn(const std::string& table, const std::string& column);
  std::string columnOr(const std::string& table, const std::string& column, const std::string& otherwise);
  std::map<int64_t, std::string> textsOf(const std::string& table, const std::string& key, const std::string& value);
  void readRanges();
  void readCalls();
  void findLaunches();
  void keepThreads();
  void takeRange(const ThreadEvent& range, Launch& launch);
  void readKernels();
  void readCopies(const std::string& table, const std::string& name);
  void readGraphs();
  Query workIn(const std::string& table, const std::string& more);
  void addWork(const Query& row, std::string_view name, bool isGraphNode = false);
  void numberRuns();
  std::map<ProcessDevice, std::string> namesOfDevices();
  void addStreams();

  sqlite3* database_;
  int failure_ = SQLITE_OK;
  Recorder recorder_;
  std::map<int64_t, std::vector<ThreadEvent>> threads_;
  std::map<std::pair<int64_t, int64_t>, Launch> launches_;                       // by process and correlation id
  std::map<std::pair<ProcessDevice, int64_t>, std::vector<SeenEvent>> streams_;  // by device and number
};

// A table that holds what it gives: no view, no virtual table and no computed column, whose reading could cost any
// work.
bool NsightReader::hasTable(const std::string& name) {
  Query table(database_,
              "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name = '" + name + "'",
              failure_);
  Query computed(database_, "SELECT 1 FROM pragma_table_xinfo('" + name + "') WHERE hidden > 1", failure_);
  return table.next() && !computed.next();
}

bool NsightReader::hasColumn(const std::string& table, const std::string& column) {
  Query query(database_, "SELECT 1 FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'", failure_);
  return query.next();
}

std::string NsightReader::columnOr(const std::string& table, const std::string& column, const std::string& otherwise) {
  return hasColumn(table, column) ? column : otherwise;
}

// A small table of numbers and their texts, or of numbers of StringIds; empty where there is none.
std::map<int64_t, std::string> NsightReader::textsOf(const std::string& table, const std::string& key,
                                                     const std::string& value) {
  std::map<int64_t, std::string> out;
  if (!hasTable(table) || !hasColumn(table, key) || !hasColumn(table, value)) return out;
  const bool ids = value == "nameId";
  if (ids && !hasTable("StringIds")) return out;
  Query rows(database_,
             ids ? "SELECT t." + key + ", s.value FROM " + table + " t JOIN StringIds s ON s.id = t." + value
                 : "SELECT " + key + ", " + value + " FROM " + table,
             failure_);
  while (rows.next()) out[rows.integer(0)] = rows.text(1);
  return out;
}

void NsightReader::readRanges() {
  if (!hasTable("NVTX_EVENTS")) return;
  const bool ids = hasColumn("NVTX_EVENTS", "textId") && hasTable("StringIds");
  const std::string text = ids ? "COALESCE(e.text, s.value)" : "e.text";
  Query rows(database_,
             "SELECT e.start, e.\"end\", e.globalTid, " + text + " FROM NVTX_EVENTS e" +
                 (ids ? " LEFT JOIN StringIds s ON s.id = e.textId" : "") + " WHERE e.\"end\" IS NOT NULL",
             failure_);
  while (rows.next()) threads_[rows.integer(2)].push_back({rows.integer(0), rows.integer(1), rows.text(3)});
}

void NsightReader::readCalls() {
  const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!hasTable(table)) return;
  const bool named = hasColumn(table, "nameId") && hasTable("StringIds");
  Query rows(database_,
             "SELECT c.start, c.\"end\", c.globalTid, c.correlationId, " + std::string(named ? "s.value" : "NULL") +
                 " FROM " + table + " c" + (named ? " LEFT JOIN StringIds s ON s.id = c.nameId" : ""),
             failure_);
  while (rows.next()) {
    const int64_t thread = rows.integer(2);
    threads_[thread].push_back({rows.integer(0), rows.integer(1), rows.text(4), rows.integer(3), processOf(thread)});
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
    if (key == "hlo_module") launch.module = recorder_.text(value), launch.run = range.atNs;
    uint64_t program = 0;
    if (key == "program_id" && std::from_chars(value.data(), value.data() + value.size(), program).ec == std::errc())
      launch.program = program;
  }
}

// Ranges open around each call, outermost first: an inner one says what the outer ones leave open.
void NsightReader::findLaunches() {
  for (auto& [thread, events] : threads_) {
    sortWith(events, [](const ThreadEvent& a, const ThreadEvent& b) {
      return a.atNs != b.atNs ? a.atNs < b.atNs : a.endNs > b.endNs;
    });
    std::vector<const ThreadEvent*> open;
    for (const ThreadEvent& event : events) {
      while (!open.empty() && open.back()->endNs <= event.atNs) open.pop_back();
      if (event.correlation < 0) {
        open.push_back(&event);
        continue;
      }
      Launch& launch = launches_[{event.process, event.correlation}];
      for (const ThreadEvent* range : open)
        if (range->endNs >= event.endNs) takeRange(*range, launch);
    }
  }
}

// Columns: begin, end, device, stream, correlation id, process, then `more`.
Query NsightReader::workIn(const std::string& table, const std::string& more) {
  return {database_,
          "SELECT w.start, w.\"end\", w.deviceId, w.streamId, w.correlationId, " + columnOr(table, "globalPid", "0") +
              ", " + more,
          failure_};
}

// A node of a CUDA graph was launched with all others of its graph: the range around that says nothing about it.
void NsightReader::addWork(const Query& row, std::string_view name, bool isGraphNode) {
  const auto found = launches_.find({row.integer(5), row.integer(4)});
  Launch launch = found == launches_.end() ? Launch{} : found->second;
  if (isGraphNode) launch.op = 0;
  streams_[{{row.integer(5), row.integer(2)}, row.integer(3)}].push_back(
      {.kind = launch.op != 0 ? TimeKind::Instruction : TimeKind::Device,
       .name = recorder_.text(name),
       .op = launch.op,
       .module = launch.module,
       .program = launch.program,
       .run = launch.run,
       .beginPs = toPs(row.integer(0)),
       .durationPs = psBetween(row.integer(0), row.integer(1)),
       .flow = flowOf(row.integer(5), row.integer(4))});
}

void NsightReader::readKernels() {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!hasTable(table)) return;
  const std::string name = columnOr(table, "shortName", columnOr(table, "demangledName", "0"));
  Query rows = workIn(table, "s.value, " + columnOr(table, "graphNodeId", "NULL") + " FROM " + table +
                                 " w LEFT JOIN StringIds s ON s.id = w." + name);
  while (rows.next()) addWork(rows, rows.text(6), !rows.isNull(7));
}

void NsightReader::readCopies(const std::string& table, const std::string& name) {
  if (!hasTable(table)) return;
  const auto kinds = textsOf("ENUM_CUDA_MEMCPY_OPER", "id", "label");
  Query rows = workIn(table, columnOr(table, "copyKind", "NULL") + ", " + columnOr(table, "graphNodeId", "NULL") +
                                 " FROM " + table + " w");
  while (rows.next()) {
    const auto kind = rows.isNull(6) ? kinds.end() : kinds.find(rows.integer(6));
    addWork(rows, kind == kinds.end() ? name : name + " " + kind->second, !rows.isNull(7));
  }
}

// Graphs that were recorded as one piece of work each.
void NsightReader::readGraphs() {
  const std::string table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  if (!hasTable(table)) return;
  Query rows = workIn(table, columnOr(table, "graphId", "0") + " FROM " + table + " w");
  bool any = false;
  while (rows.next()) {
    addWork(rows, fmt::format("CUDA graph {}", rows.integer(6)), true);
    any = true;
  }
  if (any)
    recorder_.warn(
        "the kernels of CUDA graphs were not recorded, only each graph as a whole: "
        "nsys profile --cuda-graph-trace=node records them");
}

// Each device has threads of its own that launch: its k-th run of a program is the k-th run of all.
void NsightReader::numberRuns() {
  using Program = std::tuple<ProcessDevice, uint32_t, std::optional<uint64_t>>;  // on a device
  std::map<Program, std::map<int64_t, int64_t>> runs;                            // their numbers, by begin
  const auto eachRun = [&](const auto& visit) {
    for (auto& [key, events] : streams_)
      for (SeenEvent& event : events)
        if (event.run) visit(runs[{key.first, event.module, event.program}], event);
  };
  eachRun([](auto& begins, SeenEvent& event) { begins[*event.run] = 0; });
  for (auto& [program, begins] : runs)
    for (int64_t number = 0; auto& [begin, run] : begins) run = number++;
  eachRun([](auto& begins, SeenEvent& event) { event.run = begins.at(*event.run); });
}

// The ranges and calls of the host's threads, for the timeline.
void NsightReader::keepThreads() {
  const auto names = textsOf("ThreadNames", "globalTid", "nameId");
  const bool isOneProcess =
      threads_.empty() || processOf(threads_.begin()->first) == processOf(threads_.rbegin()->first);
  for (const auto& [thread, events] : threads_) {
    std::vector<SeenEvent> seen;
    for (const ThreadEvent& event : events) {
      const bool call = event.correlation >= 0;
      seen.push_back({.name = recorder_.text(call && event.text.empty() ? "CUDA call" : std::string_view(event.text)),
                      .beginPs = toPs(event.atNs),
                      .durationPs = psBetween(event.atNs, event.endNs),
                      .flow = call ? flowOf(event.process, event.correlation) : 0});
    }
    const auto name = names.find(thread);
    recorder_.keepLine(isOneProcess ? "host" : fmt::format("host process {}", pidOf(thread)),
                       fmt::format("thread {}{}", tidOf(thread), name == names.end() ? "" : " " + name->second),
                       std::move(seen));
  }
}

std::map<ProcessDevice, std::string> NsightReader::namesOfDevices() {
  std::set<ProcessDevice> used;
  for (const auto& [key, events] : streams_) used.insert(key.first);
  std::vector<KnownDevice> known;
  const std::string table = "TARGET_INFO_CUDA_DEVICE";
  if (hasTable(table) && hasColumn(table, "pid") && hasColumn(table, "cudaId") && hasColumn(table, "gpuId")) {
    Query rows(database_, "SELECT pid, cudaId, gpuId, " + columnOr(table, "uuid", "NULL") + " FROM " + table, failure_);
    while (rows.next()) known.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.text(3)});
  }
  return deviceNames(used, known);
}

void NsightReader::addStreams() {
  const std::map<ProcessDevice, std::string> names = namesOfDevices();
  std::map<std::string, std::set<int64_t>> processes;  // by device
  for (const auto& [device, name] : names) processes[name].insert(device.first);
  for (auto& [key, events] : streams_) {
    const auto& [device, stream] = key;
    const std::string& name = names.at(device);
    const bool isOfOneProcess = processes.at(name).size() == 1;
    recorder_.addLine(
        name,
        fmt::format("stream {}{}", stream, isOfOneProcess ? "" : fmt::format(" of process {}", pidOf(device.first))),
        std::move(events));
  }
}

Result<Recorded> NsightReader::read(const std::string& fileName) {
  if (!hasTable("CUPTI_ACTIVITY_KIND_KERNEL") && !hasTable("CUPTI_ACTIVITY_KIND_MEMCPY") &&
      !hasTable("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"))
    return fail({.message = "the SQLite database has no GPU kernels",
                 .expected = "an export of Nsight Systems with the table CUPTI_ACTIVITY_KIND_KERNEL",
                 .file = fileName});
  readRanges();
  readCalls();
  findLaunches();
  readKernels();
  readCopies("CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy");
  readCopies("CUPTI_ACTIVITY_KIND_MEMSET", "memset");
  readGraphs();
  numberRuns();
  addStreams();
  keepThreads();
  recorder_.out().format = "Nsight Systems' SQLite export";
  return recorder_.finish();
}

using Deadline = std::chrono::steady_clock::time_point;

int isLate(void* deadline) { return std::chrono::steady_clock::now() > *static_cast<const Deadline*>(deadline); }

// The content may be hostile: it is read only, without functions and settings of its own, texts have a limit, and
// queries end at the deadline.
Database openBytes(const std::string& content, Deadline& deadline) {
  constexpr int kMostTextBytes = 1 << 24, kStepsBetweenLooks = 10'000;
  sqlite3* raw = nullptr;
  sqlite3_open(":memory:", &raw);
  Database out(raw, sqlite3_close);
  if (!raw) return out;
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
  const auto size = static_cast<sqlite3_int64>(content.size());
  if (sqlite3_deserialize(raw, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) out.reset();
  if (!out) return out;
  sqlite3_exec(raw, "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kMostTextBytes);
  sqlite3_progress_handler(raw, kStepsBetweenLooks, isLate, &deadline);
  return out;
}

}  // namespace

Result<Recorded> readNsight(const std::string& content, const std::string& fileName, bool keepsLines) {
  constexpr auto kLongest = std::chrono::minutes(1);
  Deadline deadline = std::chrono::steady_clock::now() + kLongest;
  const Database database = openBytes(content, deadline);
  if (!database) return fail({.message = "the SQLite database does not open", .file = fileName});
  NsightReader reader(database.get(), keepsLines);
  auto out = reader.read(fileName);
  if (reader.failure() == SQLITE_OK) return out;
  const std::string problem = reader.failure() == SQLITE_INTERRUPT
                                  ? "reading the SQLite database takes more than a minute"
                                  : "the SQLite database is cut or damaged";
  if (!out) return fail({.message = problem, .file = fileName});
  out->warnings.push_back(problem + ": what was read is shown");
  return out;
}

}  // namespace tessera
