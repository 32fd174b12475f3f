// An export of Nsight Systems: any bytes as the database, or SQL whose statements make one. Reading and matching end
// without a crash, and the promises of profiles hold.
#include <sqlite3.h>

#include "core/profile/sources/nsight.h"
#include "tests/fuzz/profile_promises.h"

using namespace tessera;

// What a schema and its rows need; no files, settings or loops.
static int allows(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
    case SQLITE_RECURSIVE: return SQLITE_DENY;
    default: return SQLITE_OK;
  }
}

static int isLate(void* looks) { return ++*static_cast<int*>(looks) > 100; }

// The bytes of the database; statements after the first wrong one are left out.
static std::string databaseOf(const std::string& statements) {
  constexpr int kMostTextBytes = 1 << 16, kStepsBetweenLooks = 1000;
  sqlite3* database = nullptr;
  expect(sqlite3_open(":memory:", &database) == SQLITE_OK, "a database in memory opens");
  int looks = 0;
  sqlite3_set_authorizer(database, allows, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostTextBytes);
  sqlite3_progress_handler(database, kStepsBetweenLooks, isLate, &looks);
  sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out;
  if (bytes) out.assign(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string content(reinterpret_cast<const char*>(data), size);
  if (!content.starts_with("SQLite format 3")) content = databaseOf(content);
  auto recorded = readNsight(content, {}, true);
  if (!recorded) return expect(!recorded.error().message.empty(), "what is no export says why"), 0;
  expectPromises(*std::move(recorded));
  return 0;
}
