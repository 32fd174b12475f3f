// Traces of other programs, Nsight Systems' export, runs of ours, tables; groups, comparison, and the forms written.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/profile/op_profile_json.h"
#include "core/profile/sources/nsight.h"
#include "core/profile/sources/profile_source.h"
#include "core/profile/sources/run_source.h"
#include "core/profile/sources/trace_events.h"
#include "core/profile/sources/values.h"
#include "core/profile/timeline.h"

namespace tessera {
namespace {

std::shared_ptr<const Module> smallModule() {
  return std::make_shared<const Module>(*readHloText(R"(HloModule jit_f

ENTRY main {
  p = f32[8] parameter(0)
  fusion.3 = f32[8] negate(p), metadata={op_name="jit(f)/layer/neg" source_file="a.py" source_line=7}
  ROOT exp.2 = f32[8] exponential(fusion.3), metadata={op_name="jit(f)/layer/exp" source_file="a.py" source_line=9}
}
)")
                                             .module);
}

const InstructionTime* rowNamed(const OpProfile& profile, const std::string& name) {
  const auto at = std::ranges::find(profile.instructions, name, &InstructionTime::name);
  return at == profile.instructions.end() ? nullptr : &*at;
}

OpProfile sourceOf(const std::string& content, std::shared_ptr<const Module> module = nullptr) {
  const auto path = std::filesystem::temp_directory_path() / ("tessera-source-" + std::to_string(::getpid()));
  EXPECT_TRUE(writeFileAtomically(path, content));
  auto out = readProfileSource(path, std::move(module));
  std::filesystem::remove(path);
  EXPECT_TRUE(out) << out.error().toString();
  return out ? *std::move(out) : OpProfile();
}

TEST(ProfileSources, ATraceOfAnotherProgramIsMatchedByNames) {
  const OpProfile profile = sourceOf(R"({"traceEvents":[
    {"ph":"X","name":"fusion_3","cat":"kernel","pid":0,"tid":7,"ts":10,"dur":2.5},
    {"ph":"X","name":"exp.2","cat":"kernel","pid":0,"tid":7,"ts":20,"dur":1},
    {"ph":"X","name":"other","cat":"kernel","pid":0,"tid":7,"ts":30,"dur":4},
    {"ph":"X","name":"aten::add","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":100}]})",
                                     smallModule());
  EXPECT_EQ(profile.placedNs, 3500);
  EXPECT_EQ(profile.unmatchedNs, 4000);
  ASSERT_EQ(profile.host.size(), 1u);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 2500);
}

TEST(ProfileSources, BeginAndEndArePairedAndNested) {
  const OpProfile profile = sourceOf(R"([
    {"ph":"B","name":"fusion.3","pid":1,"tid":1,"ts":0},
    {"ph":"B","name":"exp.2","pid":1,"tid":1,"ts":1},
    {"ph":"E","pid":1,"tid":1,"ts":3},
    {"ph":"E","pid":1,"tid":1,"ts":10},
    {"ph":"B","name":"never","pid":1,"tid":1,"ts":11}])",
                                     smallModule());
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 10'000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.selfNs, 8'000);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 2'000);
  EXPECT_TRUE(
      std::ranges::any_of(profile.warnings, [](const auto& text) { return text.starts_with("1 event with a begin"); }));
}

// What else stands in the file, or in an event, is stepped over.
TEST(ProfileSources, EventsAreTakenOutOfWhateverIsRoundThem) {
  const OpProfile profile = sourceOf(R"({"otherData":{"traceEvents":[{"ph":"X","name":"no"}],"list":[{"ph":"X"}]},
    "traceEvents":[
      {"args":{"name":"python"},"cat":"__metadata","name":"thread_name","ph":"M","pid":1,"tid":1},
      {"ph":"X","name":"exp.2","pid":"1","tid":1,"ts":"5","dur":"2","stack":[1,{"ts":9,"dur":9}],
       "args":{"deep":{"hlo_op":"no"},"list":["hlo_op",{"hlo_op":"no"}],"hlo_op":"exp.2","hlo_module":"jit_f",
               "bytes_accessed":"64","run_id":"3"},"tts":[7]},
      {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":10,"dur":1,"args":{"hlo_op":"fusion.3","hlo_module":"jit_f"}}],
    "stackFrames":[{"ph":"X","name":"no","dur":100}]})",
                                     smallModule());
  EXPECT_EQ(profile.totalNs, 3000);
  EXPECT_EQ(profile.unmatchedNs, 0);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 2000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 1000);
  EXPECT_TRUE(profile.warnings.empty()) << profile.warnings[0];
}

TEST(ProfileSources, ClocksThatJumpAndNegativeTimesAreSaid) {
  const OpProfile profile = sourceOf(R"([
    {"ph":"X","name":"exp.2","pid":1,"tid":1,"ts":100,"dur":2},
    {"ph":"X","name":"exp.2","pid":1,"tid":1,"ts":50,"dur":2},
    {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":200,"dur":-7},
    {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":-1e30,"dur":1e30}])",
                                     smallModule());
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 4000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 0);
  const auto isSaid = [&](std::string_view words) {
    return std::ranges::any_of(profile.warnings, [&](const auto& text) { return text.find(words) != text.npos; });
  };
  EXPECT_TRUE(isSaid("1 event with a negative duration"));
  EXPECT_TRUE(isSaid("1 event longer than"));
}

// "exp.2" a hundred times in a tenth of a second from `ts` on, and the events that are given.
std::string hundredAnd(const std::string& events, const std::string& thousandsOfSeconds = "") {
  std::string out = "[" + events;
  for (int i = 100; i < 200; ++i)
    out +=
        (i == 100 && events.empty() ? "" : ",") +
        fmt::format(R"({{"ph":"X","name":"exp.2","pid":1,"tid":"main","ts":{}{}000,"dur":2}})", thousandsOfSeconds, i);
  return out + "]";
}

bool warns(const OpProfile& profile, std::string_view words) {
  return std::ranges::any_of(profile.warnings, [&](const auto& text) { return text.find(words) != text.npos; });
}

// The line, the event and how far it is from the others; three hours are 10,800 s.
TEST(ProfileSources, AnEventHoursAwayIsSaid) {
  const OpProfile late = sourceOf(
      hundredAnd(R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":10800000000,"dur":2})"), smallModule());
  EXPECT_EQ(rowNamed(late, "fusion.3")->times.totalNs, 2000);
  EXPECT_EQ(late.totalNs, 202'000);
  ASSERT_EQ(late.warnings.size(), 2u);  // and that nothing says which events are instructions
  EXPECT_EQ(late.warnings[1],
            "1 event (fusion.3 on the line thread main of process 1) is 3.00 h after all others: the clock jumped, or "
            "nothing was recorded in between");
  const OpProfile early =
      sourceOf(hundredAnd(R"({"ph":"X","name":"fusion.3","pid":1,"tid":9,"ts":-10800000000,"dur":2},)"
                          R"({"ph":"X","name":"exp.2","pid":1,"tid":9,"ts":-10800000005,"dur":2})"),
               smallModule());
  EXPECT_TRUE(
      warns(early, "2 events (exp.2 on the line thread 9 of process 1 among them) are 3.00 h before all others"));
  EXPECT_EQ(early.totalNs, 204'000);
}

// As writers leave it where they know no time.
TEST(ProfileSources, AnEventOf1970AmongThoseOfTodayIsSaid) {
  const std::string events = R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":0,"dur":3})";
  const OpProfile profile = sourceOf(hundredAnd(events, "1700000000"), smallModule());
  EXPECT_TRUE(
      warns(profile, "1 event (fusion.3 on the line thread main of process 1) is more than 26 days before all"));
  EXPECT_EQ(profile.totalNs, 203'000);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 200'000);
}

TEST(ProfileSources, APauseThatAnotherThreadFillsIsNone) {
  std::string busy;
  for (int minute = 0; minute < 180; ++minute)
    busy +=
        (minute == 0 ? "" : ",") +
        fmt::format(R"({{"ph":"X","name":"fusion.3","pid":1,"tid":2,"ts":{},"dur":59000000}})", minute * 60'000'000LL);
  const OpProfile profile = sourceOf(
      hundredAnd(busy + R"(,{"ph":"X","name":"exp.2","pid":1,"tid":"main","ts":10700000000,"dur":2})"), smallModule());
  EXPECT_FALSE(warns(profile, "clock jumped"));
}

// Of a hundred jumps not all are told.
TEST(ProfileSources, ManyJumpsAreCounted) {
  std::string jumps;
  for (int day = 1; day <= 20; ++day)
    jumps += (day == 1 ? "" : ",") +
             fmt::format(R"({{"ph":"X","name":"fusion.3","pid":1,"tid":2,"ts":{},"dur":1}})", day * 86'400'000'000LL);
  const OpProfile profile = sourceOf(hundredAnd(jumps), smallModule());
  EXPECT_EQ(std::ranges::count_if(profile.warnings, [](const auto& text) { return text.ends_with("in between"); }), 8);
  EXPECT_TRUE(warns(profile, "12 more such pauses"));
}

// PyTorch's clock counts from 1970, others from the start of the machine.
TEST(ProfileSources, ClocksThatCountFromLongAgoKeepTheirDifferences) {
  const std::string events = R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":1700000000099999.75,"dur":3})";
  const OpProfile profile = sourceOf(hundredAnd(events, "1700000000"), smallModule());
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.selfNs, 1000);  // the first exp.2 is in it
  EXPECT_EQ(profile.warnings.size(), 1u);                        // that nothing says which events are instructions
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 200'000);
}

TEST(ProfileSources, ACutTraceShowsTheEventsBefore) {
  const std::string whole = R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,
    "args":{"hlo_op":"fusion.3","hlo_module":"jit_f"}},{"ph":"X","name":"b","pid")";
  const auto cut = readTraceEvents(whole);
  ASSERT_TRUE(cut) << cut.error().toString();
  ASSERT_EQ(cut->times.size(), 1u);
  EXPECT_EQ(cut->times[0].name, "fusion.3");
  EXPECT_FALSE(cut->warnings.empty());
  EXPECT_FALSE(readTraceEvents("{\"traceEvents\":[]}"));
}

// The bytes of a database that the statements make.
std::string databaseOf(const std::string& statements) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

// The tables that Nsight Systems writes, with two kernels: one inside XLA's ranges, one without.
std::string nsightExport() {
  return databaseOf(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1, 'fusion_3'), (2, 'ampere_sgemm'),
      (3, 'Thunk:#name=jit(f)/layer/exp,hlo_op=exp.2#'),
      (4, 'exp_2');
    CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
    INSERT INTO NVTX_EVENTS VALUES (100, 900, 'XlaModule:#prefix=jit(f),hlo_module=jit_f,program_id=7#', NULL,
      16777217),
      (200, 400, NULL, 3, 16777217), (0, 5000, 'other thread', NULL, 16777300);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, globalTid INT, correlationId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (300, 310, 16777217, 11), (450, 460, 16777217, 12);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
      globalPid INT, shortName INT, demangledName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1500, 0, 7, 11, 16777216, 4, 4),
      (2000, 2300, 0, 7, 99, 16777216, 1, 1), (3000, 3050, 0, 7, 98, 16777216, 2, 2);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
      globalPid INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4000, 4020, 0, 8, 97, 16777216);)");
}

TEST(ProfileSources, NsightNamesInstructionsByItsRangesAndKernels) {
  const OpProfile profile = sourceOf(nsightExport(), smallModule());
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 500);     // by the range around its launch
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 300);  // by the kernel's name
  EXPECT_EQ(profile.unmatchedNs, 70);
  EXPECT_EQ(profile.totalNs, 870);
}

// Two devices that run one program twice, each from a thread of its own; graphs, with and without their nodes.
std::string nsightExportOfGraphs() {
  return databaseOf(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1, 'fusion_3'), (2, 'XlaModule:#hlo_module=jit_f,program_id=7#'),
      (3, 'Thunk:#hlo_op=exp.2#'), (4, 'Thunk:#hlo_op=command_buffer#'), (5, 'cuGraphLaunch'), (6, 'launcher');
    CREATE TABLE ThreadNames (nameId INT, priority INT, globalTid INT);
    INSERT INTO ThreadNames VALUES (6, 0, 16777217);
    CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
    INSERT INTO NVTX_EVENTS VALUES (100, 200, NULL, 2, 16777217), (300, 400, NULL, 2, 16777217),
      (100, 200, NULL, 2, 16777218), (300, 400, NULL, 2, 16777218),
      (110, 120, NULL, 3, 16777217), (310, 320, NULL, 3, 16777217), (110, 120, NULL, 3, 16777218),
      (310, 320, NULL, 3, 16777218), (330, 360, NULL, 4, 16777217);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, globalTid INT, correlationId INT, nameId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (112, 118, 16777217, 1, 5), (312, 318, 16777217, 2, 5),
      (112, 118, 16777218, 3, 5), (312, 318, 16777218, 4, 5), (120, 130, 16777217, 5, 5), (340, 350, 16777217, 6, 5);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
      globalPid INT, shortName INT, graphNodeId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1100, 0, 7, 1, 16777216, 9, NULL),
      (2000, 2100, 0, 7, 2, 16777216, 9, NULL), (1000, 1100, 1, 7, 3, 16777216, 9, NULL),
      (2000, 2100, 1, 7, 4, 16777216, 9, NULL), (3000, 3010, 0, 7, 5, 16777216, 9, NULL),
      (4000, 4500, 0, 7, 6, 16777216, 1, 77);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
      globalPid INT, copyKind INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5000, 5020, 0, 8, 97, 16777216, 1);
    CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
    INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, "end" INT, deviceId INT, graphId INT, streamId INT,
      correlationId INT, globalPid INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (6000, 6700, 0, 12, 7, 98, 16777216);)");
}

const LostTime* lostNamed(const OpProfile& profile, const std::string& name) {
  const auto at = std::ranges::find(profile.unmatched, name, &LostTime::name);
  return at == profile.unmatched.end() ? nullptr : &*at;
}

TEST(ProfileSources, NsightGraphsAreTimeAndTheirNodesHaveTheirOwnNames) {
  const OpProfile profile = sourceOf(nsightExportOfGraphs(), smallModule());
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 400);     // not the call that begins where its range ends
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 500);  // by its name, not the range round the graph's launch
  ASSERT_TRUE(lostNamed(profile, "CUDA graph 12"));
  EXPECT_EQ(lostNamed(profile, "CUDA graph 12")->times.totalNs, 700);
  EXPECT_TRUE(lostNamed(profile, "memcpy Host-to-Device"));
  EXPECT_EQ(profile.totalNs, 400 + 10 + 500 + 20 + 700);
  EXPECT_EQ(profile.steps, 2);
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_NE(profile.warnings[0].find("--cuda-graph-trace=node"), std::string::npos);
}

TEST(ProfileSources, NsightThreadsAndCallsHaveTheirNames) {
  const auto read = readNsight(nsightExportOfGraphs(), "f.sqlite", true);
  ASSERT_TRUE(read);
  const auto line = std::ranges::find(read->lines, "thread 1 launcher", &RecordedLine::name);
  ASSERT_NE(line, read->lines.end());
  EXPECT_TRUE(std::ranges::any_of(line->events,
                                  [&](const SeenEvent& event) { return read->texts[event.name] == "cuGraphLaunch"; }));
}

// Processes 1, 2 and 3 call their device 0. `devices`: rows of TARGET_INFO_CUDA_DEVICE.
std::string nsightExportOfProcesses(const std::string& devices) {
  return databaseOf(R"(
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1, 'fusion_3'), (2, 'XlaModule:#hlo_module=jit_f#');
    CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
    INSERT INTO NVTX_EVENTS VALUES (100, 200, NULL, 2, 16777217), (100, 200, NULL, 2, 33554433),
      (400, 500, NULL, 2, 33554433);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
      globalPid INT, shortName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1100, 0, 7, 1, 16777216, 1),
      (1050, 1200, 0, 7, 1, 33554432, 1), (1050, 1250, 0, 7, 1, 50331648, 1);
    CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT, uuid TEXT, numMultiprocessors INT);)" +
                    devices);
}

// "device: line, line; device: …"
std::string devicesOf(const std::string& content) {
  const auto read = readNsight(content, "f.sqlite", true);
  if (!read) return read.error().toString();
  std::map<std::string, std::string> lines;
  for (const RecordedLine& line : read->lines) {
    std::string& of = lines[line.process];
    of += (of.empty() ? "" : ", ") + line.name;
  }
  std::string out;
  for (const auto& [process, names] : lines) out += process + ": " + names + "; ";
  return out;
}

TEST(ProfileSources, NsightProcessesHaveTheirOwnDevicesUnlessTheyAreTheSame) {
  const std::string threads = "host process 1: thread 1; host process 2: thread 1; ";
  EXPECT_EQ(devicesOf(nsightExportOfProcesses("")),
            "/device:GPU:0 of process 1: stream 7; /device:GPU:0 of process 2: stream 7; "
            "/device:GPU:0 of process 3: stream 7; " +
                threads);
  EXPECT_EQ(devicesOf(nsightExportOfProcesses(
                "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1, 'a', 8), (1, 0, 2, 'b', 8), (0, 0, 3, 'a', 8)")),
            "/device:GPU:0 of process 1: stream 7 of process 1, stream 7 of process 3; "
            "/device:GPU:0 of process 2: stream 7; " +
                threads);
  EXPECT_EQ(devicesOf(nsightExportOfProcesses(
                "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (4, 0, 1, '', 8), (4, 0, 2, '', 8), (4, 0, 3, '', 8)")),
            "/device:GPU:0: stream 7 of process 1, stream 7 of process 2, stream 7 of process 3; " + threads);
}

TEST(ProfileSources, NsightRangesOfAnotherTimeAreTold) {
  const std::string rows = "INSERT INTO NVTX_EVENTS VALUES (90000000000000, 90000000000010, 'late', NULL, 16777217);";
  const auto read = readNsight(nsightExportOfProcesses(rows), "f.sqlite", true);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_EQ(read->warnings[0],
            "1 event (late on the line thread 1 of host process 1) is 25.0 h after all others: the clock jumped, or "
            "nothing was recorded in between");
}

TEST(ProfileSources, DamagedDatabasesEndInWords) {
  const std::string whole = nsightExport();
  for (size_t size = 16; size < whole.size(); size += 509) {
    const auto read = readNsight(whole.substr(0, size));
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
    }
  }
  std::string odd = whole;
  for (size_t at = 100; at < odd.size(); at += 97) odd[at] = static_cast<char>(odd[at] ^ 0x5a);
  readNsight(odd);
}

// What untrusted database computes while it is read could take any time and memory.
TEST(ProfileSources, DatabasesThatComputeAreRefused) {
  const std::string columns = "(start INT, \"end\" INT, deviceId INT, streamId INT, correlationId INT";
  const std::string row = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 7, 11);";
  ASSERT_TRUE(readNsight(databaseOf("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY " + columns + ");" + row)));
  for (const std::string& schema :
       {"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY " + columns + ", x AS (hex(zeroblob(400000000))));" + row,
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY " + columns + ", x AS (start + 1) STORED);" + row,
        std::string("CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING fts5(start);"),
        std::string("CREATE TABLE t (a); PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', "
                    "'CUPTI_ACTIVITY_KIND_MEMCPY', 'CUPTI_ACTIVITY_KIND_MEMCPY', 0, 'CREATE/**/VIRTUAL TABLE "
                    "CUPTI_ACTIVITY_KIND_MEMCPY USING fts5(start)');"),
        "CREATE TABLE t " + columns + "); CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT * FROM t;"}) {
    const auto read = readNsight(databaseOf(schema), "f.sqlite");
    ASSERT_FALSE(read) << schema;
    EXPECT_NE(read.error().message.find("no GPU kernels"), std::string::npos) << read.error().message;
  }
}

TEST(ProfileSources, ALongTextOfADatabaseIsDamage) {
  const auto read = readNsight(
      databaseOf("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                 "INSERT INTO StringIds VALUES (1, hex(zeroblob(20000000)));"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, \"end\" INT, deviceId INT, streamId INT,"
                 "correlationId INT, shortName INT);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7, 11, 0), (3, 4, 0, 7, 12, 1);"),
      "f.sqlite");
  ASSERT_TRUE(read) << read.error().toString();
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_NE(read->warnings[0].find("what was read is shown"), std::string::npos) << read->warnings[0];
}

TEST(ProfileSources, ARunOfOursWithAndWithoutItsModule) {
  const auto module = smallModule();
  Profile run;
  run.module = "jit_f";
  run.runs = 2;
  run.totalNs = 1000;
  run.steps = {{InstructionId(0), "fused", "kernel", 2, 800, 390, 64, 128}};
  run.timeline = {{0, 0, 0, 390}, {0, 0, 500, 910}};
  const InstructionId negate = *module->findInstruction("fusion.3"), exponential = *module->findInstruction("exp.2");
  run.sources = {{negate, 300, 16, 64, false}, {exponential, 500, 48, 64, true}};
  const OpProfile steps = sourceOf(toChromeTrace(run));
  EXPECT_EQ(steps.totalNs, 1000);
  EXPECT_EQ(steps.placedNs, 800);
  EXPECT_EQ(steps.unmatchedNs, 200);  // between the steps
  EXPECT_EQ(steps.steps, 2);
  EXPECT_EQ(steps.instructions.at(0).times.maxNs, 410);
  const OpProfile sources = sourceOf(toChromeTrace(run), module);
  EXPECT_EQ(rowNamed(sources, "exp.2")->times.totalNs, 500);
  EXPECT_EQ(rowNamed(sources, "exp.2")->computation, "main");
  EXPECT_FALSE(rowNamed(sources, "fusion.3")->measured);
  EXPECT_EQ(sources.totalNs, 1000);
}

// A step that computes one instruction has its name; one of several names none.
TEST(ProfileSources, TheTraceOfOurTimelineLandsAgain) {
  const auto module = smallModule();
  const InstructionId negate = *module->findInstruction("fusion.3"), exponential = *module->findInstruction("exp.2");
  Profile run;
  run.module = module->name;
  run.steps = {{InstructionId(0), "exponential.t7", "kernel"}, {InstructionId(1), "fused.t9", "kernel"}};
  run.shares = {{0, exponential}, {1, negate}, {1, exponential}};
  run.timeline = {{0, 0, 0, 300}, {0, 1, 300, 1000}};
  const OpProfile back = sourceOf(toChromeTrace(*timelineOf(run, module)), module);
  ASSERT_TRUE(rowNamed(back, "exp.2"));
  EXPECT_EQ(rowNamed(back, "exp.2")->times.totalNs, 300);
  EXPECT_EQ(back.placedNs, 300);
}

TEST(ProfileSources, TablesOfAnyMeasure) {
  const OpProfile csv = sourceOf("name,heat\r\n\"fusion.3\",0.25\r\nfusion.3,0.5\r\nnope,3\r\n", smallModule());
  EXPECT_EQ(csv.measure, "heat");
  EXPECT_DOUBLE_EQ(rowNamed(csv, "fusion.3")->value, 0.75);
  EXPECT_EQ(rowNamed(csv, "fusion.3")->times.count, 2);
  ASSERT_EQ(csv.unmatched.size(), 1u);
  EXPECT_EQ(csv.unmatched[0].value, 3);
  const OpProfile times = sourceOf("instruction;time_ms\nexp.2;1.5\n", smallModule());
  EXPECT_EQ(times.measure, "");
  EXPECT_EQ(times.totalNs, 1'500'000);
  const OpProfile json = sourceOf(R"({"exp.2": 3, "fusion.3": 4})");
  EXPECT_EQ(rowNamed(json, "fusion.3")->value, 4);
  EXPECT_EQ(sourceOf(R"({"rows":[{"name":"exp.2","us":2}]})").totalNs, 2000);
  const auto bad = readCsvValues("name,value\nx,1\ny,abc\n", nullptr, "t.csv");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().position.line, 3u);
}

TEST(ProfileSources, ACutTableShowsTheLinesBefore) {
  const auto cut = readCsvValues("name,time_us\nx,1\ny,2\nz", nullptr, "t.csv");
  ASSERT_TRUE(cut) << cut.error().toString();
  EXPECT_EQ(cut->totalNs, 3000);
  ASSERT_EQ(cut->warnings.size(), 1u);
  EXPECT_EQ(cut->warnings[0], "the table is cut in line 4: the lines before it are shown");
  EXPECT_TRUE(readCsvValues("name,time_us\nx,1\ny,2", nullptr, "t.csv")->warnings.empty());
  EXPECT_FALSE(readCsvValues("name,time_us\nx", nullptr, "t.csv")) << "nothing stands before it";
}

TEST(ProfileSources, TablesAsSpreadsheetsWriteThem) {
  const OpProfile comma = sourceOf("name;energy (mJ)\n\"exp.2\"; 1,5 \nfusion.3;2\n", smallModule());
  EXPECT_EQ(comma.measure, "energy (mJ)");
  EXPECT_DOUBLE_EQ(rowNamed(comma, "exp.2")->value, 1.5);
  const OpProfile blanks = sourceOf("name, watts\nexp.2,\t3.5 \n", smallModule());
  EXPECT_EQ(blanks.measure, "watts");
  EXPECT_DOUBLE_EQ(rowNamed(blanks, "exp.2")->value, 3.5);
  const auto bad = readCsvValues("name;heat\nx;1,5,2\n", nullptr, "t.csv");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().found, "x;1,5,2");
}

TEST(ProfileSources, JsonTablesOfAnyMeasure) {
  const OpProfile energy = sourceOf(R"([{"name":"exp.2","device":"a","energy":3},{"name":"fusion.3","energy":4}])");
  EXPECT_EQ(energy.measure, "energy");
  EXPECT_EQ(rowNamed(energy, "fusion.3")->value, 4);
  const auto bad = readJsonValues(R"([{"name":"exp.2","us":2},{"name":"fusion.3","energy":4}])", nullptr, "t.json");
  ASSERT_FALSE(bad);  // no row is dropped without a word
  EXPECT_EQ(bad.error().found, R"({"energy":4,"name":"fusion.3"})");
  EXPECT_EQ(bad.error().expected, R"(a number "us", as in the first row)");
}

TEST(ProfileSources, WrittenFormsReadBack) {
  const OpProfile profile = sourceOf("name,total_ns\nfusion.3,40\nexp.2,60\nnope,5\n", smallModule());
  const std::string json = toJson(profile).dump();
  const OpProfile again = sourceOf(json);
  EXPECT_EQ(again.totalNs, 105);
  EXPECT_EQ(toJson(again)["instructions"], toJson(profile)["instructions"]);
  EXPECT_EQ(toJson(again)["unmatched"], toJson(profile)["unmatched"]);
  const OpProfile table = sourceOf(toCsv(profile), smallModule());
  EXPECT_EQ(table.placedNs, 100);
}

TEST(ProfileSources, ATableWhoseSumsAreNotThoseOfItsRowsIsSummedAgain) {
  const auto read = readOpProfileJson(
      R"({"total_ns": 90, "placed_ns": 90,
          "instructions": [{"name": "a", "total_ns": 30}, {"name": "b", "total_ns": 5}],
          "unmatched": [{"name": "c", "total_ns": 7}]})");
  ASSERT_TRUE(read) << read.error().toString();
  EXPECT_EQ(read->placedNs, 35);
  EXPECT_EQ(read->unmatchedNs, 7);
  EXPECT_EQ(read->totalNs, 42);
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_NE(read->warnings[0].find("90 ns are placed"), std::string::npos) << read->warnings[0];
}

TEST(ProfileSources, ATableWithAWholeNumberOutOfRangeIsRefusedByName) {
  for (const char* number : {"1e300", "-1e300", "18446744073709551615"}) {
    const auto read = readOpProfileJson(
        fmt::format(R"({{"total_ns": 9, "placed_ns": 9, "instructions": [{{"name": "a", "min_ns": {}}}]}})", number));
    ASSERT_FALSE(read) << number;
    EXPECT_NE(read.error().message.find("\"min_ns\""), std::string::npos) << read.error().message;
  }
}

TEST(ProfileSources, ATableWhoseStepTimesAreNoObjectIsRefused) {
  EXPECT_FALSE(readOpProfileJson(R"({"total_ns": 9, "placed_ns": 9, "step_times": 5, "instructions": []})"));
}

TEST(ProfileSources, ASourceOfARunThatTookAbsurdlyLongHasTimesInRange) {
  const auto module = smallModule();
  Profile run;
  run.module = module->name;
  run.runs = 1;
  run.sources.push_back({.instruction = module->entryComputation().root, .timeNs = 1e300});
  const OpProfile profile = fromRun(run, module);
  ASSERT_EQ(profile.instructions.size(), 1u);
  EXPECT_EQ(profile.instructions[0].times.totalNs, INT64_MAX);
}

TEST(ProfileSources, ARunOfAbsurdTimesHasSumsInRange) {
  Profile run;
  run.module = "m";
  run.totalNs = 10;
  for (const char* name : {"a", "b"}) run.steps.push_back({.name = name, .count = 1, .totalNs = INT64_MAX});
  const OpProfile profile = fromRun(run, nullptr);
  EXPECT_EQ(profile.placedNs, INT64_MAX);
  EXPECT_EQ(profile.totalNs, INT64_MAX);
}

TEST(ProfileSources, GroupsAndComparison) {
  const OpProfile profile = sourceOf("name,total_ns\nfusion.3,40\nexp.2,60\n", smallModule());
  const auto byScope = groupedBy(profile, ProfileGroup::Scope);
  ASSERT_EQ(byScope.size(), 1u);
  EXPECT_EQ(byScope[0].name, "jit(f)/layer");
  EXPECT_EQ(byScope[0].selfNs, 100);
  EXPECT_EQ(groupedBy(profile, ProfileGroup::Source)[0].name, "a.py:9");
  const OpProfile slower = sourceOf("name,total_ns\nfusion.3,40\nexp.2,70\n", smallModule());
  const ProfileComparison found = compareProfiles(profile, slower);
  EXPECT_NEAR(found.change(), 0.10, 1e-9);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].name, "exp.2");
  const Profile overlay = toProfile(profile, *smallModule());
  EXPECT_EQ(overlay.sources.size(), 2u);
}

TEST(ProfileSources, APreemptedRunOfOursIsNoSlowerProgram) {
  Profile before;
  before.module = "m";
  before.runs = 3;
  before.runNs = {100, 110, 120};
  before.totalNs = 330;
  before.steps.push_back({.name = "a", .count = 6, .totalNs = 300, .minNs = 40, .runNs = {90, 100, 110}});
  Profile after = before;
  after.runNs[2] = after.totalNs = 90'120;
  after.steps[0].runNs[2] = after.steps[0].totalNs = 90'110;
  const OpProfile one = fromRun(before, nullptr), other = fromRun(after, nullptr);
  EXPECT_EQ(one.stepTimes.medianNs, 110);
  EXPECT_EQ(other.instructions.at(0).times.medianNs, 50) << "it is executed twice a run";
  EXPECT_EQ(compareProfiles(one, other).change(), 0);
  EXPECT_TRUE(compareProfiles(one, other).rows.empty());
}

// What two kernels compute together has its part of each of them, run by run.
TEST(ProfileSources, APreemptedRunOfASourceInTwoKernelsIsNoSlowerProgram) {
  const auto module = smallModule();
  Profile before;
  before.module = module->name;
  before.runs = 3;
  before.runNs = {200, 220, 240};
  before.totalNs = 660;
  const InstructionId of = module->findInstruction("exp.2").value();
  for (int32_t step = 0; step < 2; ++step) {
    before.steps.push_back({.name = "k", .count = 3, .totalNs = 300, .minNs = 90, .runNs = {90, 100, 110}});
    before.shares.push_back({.step = step, .instruction = of, .timeNs = 150});
  }
  before.sources.push_back({.instruction = of, .timeNs = 300});
  Profile after = before;
  after.steps[1].runNs[2] = 90'110;
  after.steps[1].totalNs = 90'300;
  after.shares[1].timeNs = 45'150;
  after.sources[0].timeNs = 45'300;
  const OpProfile one = fromRun(before, module), other = fromRun(after, module);
  EXPECT_EQ(one.instructions.at(0).times.medianNs, 100);
  EXPECT_EQ(one.instructions.at(0).times.minNs, 90);
  EXPECT_EQ(one.instructions.at(0).times.totalNs, 300);
  EXPECT_TRUE(compareProfiles(one, other).rows.empty());
}

// What a preempted run met is not the hottest.
TEST(ProfileSources, TheMedianRunOfOursHasItsOwnOrder) {
  Profile run;
  run.module = "m";
  run.runs = 3;
  run.runNs = {110, 111, 9110};
  run.totalNs = 9331;
  run.steps.push_back({.name = "hot", .count = 3, .totalNs = 300, .minNs = 99, .runNs = {99, 101, 100}});
  run.steps.push_back({.name = "met", .count = 3, .totalNs = 9030, .minNs = 10, .runNs = {10, 10, 9010}});
  const OpProfile all = fromRun(run, nullptr);
  EXPECT_EQ(all.instructions.at(0).name, "met");
  const auto median = medianRunOf(all);
  ASSERT_TRUE(median);
  ASSERT_EQ(median->instructions.at(0).name, "hot");
  EXPECT_EQ(median->instructions[0].times.selfNs, 100);
  EXPECT_EQ(median->instructions[0].times.count, 1);
  EXPECT_EQ(median->instructions[0].times.minNs, 99);
  EXPECT_EQ(median->instructions[1].times.selfNs, 10);
  EXPECT_EQ(median->instructions[1].times.p99Ns, 9010);
  run.runs = 1;
  EXPECT_FALSE(medianRunOf(fromRun(run, nullptr)));
  EXPECT_FALSE(medianRunOf(sourceOf("name,ns\nexp.2,60\n", smallModule())));
}

// One preempted step of fifty is no slower program.
TEST(ProfileSources, ComparisonIsByMedians) {
  OpProfile before = sourceOf("name,total_ns\nexp.2,60\n", smallModule());
  before.steps = 50;
  before.stepTimes = {.count = 50, .totalNs = 5000, .selfNs = 5000, .minNs = 100, .medianNs = 100, .p99Ns = 100};
  before.instructions[0].times = {.count = 100, .totalNs = 5000, .selfNs = 5000, .medianNs = 50};
  OpProfile after = before;
  after.selfNs += 5000;
  after.stepTimes.totalNs = after.stepTimes.selfNs = after.instructions[0].times.totalNs =
      after.instructions[0].times.selfNs = 10000;
  EXPECT_EQ(compareProfiles(before, after).change(), 0);
  EXPECT_TRUE(compareProfiles(before, after).rows.empty());
  after.stepTimes.medianNs = 110;
  after.instructions[0].times.medianNs = 55;
  const ProfileComparison found = compareProfiles(before, after);
  EXPECT_NEAR(found.change(), 0.1, 1e-9);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].afterNs, 110);
}

}  // namespace
}  // namespace tessera
