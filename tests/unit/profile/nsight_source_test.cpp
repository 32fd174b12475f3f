// Nsight Systems' export.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "core/profile/sources/nsight.h"
#include "tests/unit/profile/source_hand.h"

namespace tessera {
namespace {

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

}  // namespace
}  // namespace tessera
