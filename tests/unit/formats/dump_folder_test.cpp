// Dump folders by the names of their files alone, and what a file that holds no module says it is.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/formats/dump_folder.h"
#include "core/formats/foreign_file.h"
#include "core/formats/module_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class DumpFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-dump-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void touch(const std::string& name, const std::string& content = "x") const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  DumpFolder read() const {
    auto out = readDumpFolder(folder_);
    EXPECT_TRUE(out) << out.error().toString();
    return out ? *std::move(out) : DumpFolder();
  }
  fs::path folder_;
};

size_t countOf(const DumpModule& module, DumpRole role) {
  return static_cast<size_t>(std::ranges::count(module.files, role, &DumpFile::role));
}

TEST_F(DumpFolderTest, PassesInOrderAndFilesByWhatTheyAre) {
  for (const char* ending : {"txt", "hlo.pb"}) {
    touch(std::string("module_0003.jit_f.0001.simplify.after_algsimp.before_dce.") + ending);
    touch(std::string("module_0003.jit_f.0000.simplify.after_pipeline-start.before_algsimp.") + ending);
    touch(std::string("module_0003.jit_f.0002.copy-insertion.after_removing_unnecessary_copies.") + ending);
    touch(std::string("module_0003.jit_f.before_optimizations.") + ending);
    touch(std::string("module_0003.jit_f.sm_8.0_gpu_after_optimizations.") + ending);
  }
  touch("module_0003.jit_f.sm_8.0_gpu_after_optimizations-buffer-assignment.txt");
  touch("module_0003.jit_f.sm_8.0_gpu_after_optimizations-live-range.txt");
  touch("module_0003.jit_f.sm_8.0_gpu_after_optimizations-memory-usage-report.txt");
  touch("module_0003.jit_f.loop_fusion.1.ir-no-opt.ll");
  touch("module_0003.jit_f.loop_fusion.1.ir-with-opt.ll");
  touch("module_0003.jit_f.ptx");
  touch("module_0003.jit_f.thunk_sequence.txt");
  touch("module_0003.jit_f.debug_options");
  touch("notes.md");
  const DumpFolder folder = read();
  EXPECT_EQ(folder.files, 19u);
  EXPECT_EQ(folder.others, std::vector<std::string>{"notes.md"});
  EXPECT_TRUE(folder.warnings.empty()) << folder.warnings[0];
  ASSERT_EQ(folder.modules.size(), 1u);
  const DumpModule& module = folder.modules[0];
  EXPECT_EQ(module.id, 3);
  EXPECT_EQ(module.name, "jit_f");
  ASSERT_EQ(module.passes.size(), 3u);
  EXPECT_EQ(module.passes[0].after, "pipeline-start");
  EXPECT_EQ(module.passes[1].pipeline, "simplify");
  EXPECT_EQ(module.passes[1].before, "dce");
  EXPECT_EQ(module.passes[1].files.size(), 2u);
  EXPECT_EQ(module.passes[2].after, "removing_unnecessary_copies");
  EXPECT_EQ(module.passes[2].before, "");
  EXPECT_EQ(countOf(module, DumpRole::Stage), 4u);
  EXPECT_EQ(countOf(module, DumpRole::BufferAssignment), 1u);
  EXPECT_EQ(countOf(module, DumpRole::LiveRange), 1u);
  EXPECT_EQ(countOf(module, DumpRole::MemoryReport), 1u);
  EXPECT_EQ(countOf(module, DumpRole::LlvmIr), 2u);
  EXPECT_EQ(countOf(module, DumpRole::Ptx), 1u);
  EXPECT_EQ(countOf(module, DumpRole::Thunks), 1u);
  EXPECT_EQ(countOf(module, DumpRole::DebugOptions), 1u);
  EXPECT_EQ(countOf(module, DumpRole::Other), 0u);
  for (const DumpFile& file : module.files)
    if (file.role == DumpRole::LlvmIr) {
      EXPECT_EQ(file.subject, "loop_fusion.1");
    }
}

TEST_F(DumpFolderTest, NamesWithDotsTimesAndTwoProgramsOfOneNumber) {
  touch("1700000000.module_0000.SyncTensorsGraph.123.before_optimizations.txt");
  touch("1700000000.module_0000.SyncTensorsGraph.123.cpu_after_optimizations.txt");
  touch("1700000000.module_0000.SyncTensorsGraph.123.kernel.ir-no-opt.ll");
  touch("module_0000.jit_a.before_optimizations.txt");
  touch("module_0000.jit_a.cpu_after_optimizations.txt");
  touch("module_0000.jit_a.b.before_optimizations.txt");
  touch("module_0000.jit_a.b.cpu_after_optimizations.txt");
  const DumpFolder folder = read();
  ASSERT_EQ(folder.modules.size(), 3u);
  EXPECT_EQ(folder.modules[0].name, "jit_a");
  EXPECT_EQ(folder.modules[0].files.size(), 2u);
  EXPECT_EQ(folder.modules[1].name, "jit_a.b");
  EXPECT_EQ(folder.modules[2].name, "SyncTensorsGraph.123");
  EXPECT_EQ(folder.modules[2].prefix, "1700000000");
  EXPECT_EQ(folder.modules[2].files.size(), 3u);
}

TEST_F(DumpFolderTest, MissingFilesAreSaid) {
  touch("module_0001.m.0000.p.after_pipeline-start.before_a.txt");
  touch("module_0001.m.0003.p.after_c.before_d.txt");
  touch("module_0001.m.0003.q.after_c.before_e.txt");
  const DumpFolder folder = read();
  std::string all;
  for (const std::string& warning : folder.warnings) all += warning + "\n";
  for (const char* part : {"passes 0001 to 0002 are missing", "0003 is there twice", "before optimizations is missing",
                           "after optimizations is missing"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  EXPECT_EQ(folder.modules.at(0).passes.size(), 3u);
}

TEST_F(DumpFolderTest, SixHundredFilesAreQuick) {
  for (int i = 0; i < 600; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, 4 - number.size(), '0');
    touch("module_0000.m." + number + ".p.after_a.before_b.txt");
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read().modules.at(0).passes.size(), 600u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(DumpFolderTest, AFolderThatIsNoneAndReadersOfModules) {
  EXPECT_FALSE(readDumpFolder(folder_ / "missing"));
  touch("readme.txt");
  EXPECT_TRUE(read().modules.empty());
  touch("module_0000.m.before_optimizations.txt");
  const auto word = [](const fs::path& path) { return readModule(path).diagnostics.items().at(0).toString(); };
  EXPECT_NE(word(folder_).find("tessera dump"), std::string::npos) << word(folder_);
}

TEST_F(DumpFolderTest, FilesThatHoldNoModuleSayWhatTheyAre) {
  const std::pair<std::string, const char*> kFiles[] = {
      {std::string("\x0a\x0d\x12\x09/host:CPU\x1a\x00", 15), "xplane.pb"},
      {R"({"traceEvents":[]})", "Chrome trace"},
      {R"({"tessera":{"version":1},"traceEvents":[]})", "tessera run --profile"},
      {"{ \"tessera\" :\n  { \"version\": 1 }, \"traceEvents\": [] }", "tessera run --profile"},
      {R"({"traceEvents":[{"name":"tessera","ph":"X"}]})", "Chrome trace"},
      {std::string("SQLite format 3\0\1\2", 18), "SQLite"},
      {"ML\xefR\x0d\x01", "MLIR bytecode"},
      {"; ModuleID = 'x'\n", "LLVM IR"},
      {"//\n// Generated by LLVM NVPTX Back-End\n", "PTX"},
      {std::string("\x7f"
                   "ELF\2\1\1",
                   7),
       "ELF"},
  };
  for (const auto& [content, word] : kFiles) {
    touch("file", content);
    const ReadResult read = readModule(folder_ / "file");
    ASSERT_FALSE(read.module) << word;
    EXPECT_NE(read.diagnostics.items().at(0).message.find(word), std::string::npos)
        << word << ": " << read.diagnostics.items()[0].message;
    EXPECT_NE(read.diagnostics.items()[0].message.find('`'), std::string::npos) << "what to do with it";
  }
}

}  // namespace
}  // namespace tessera
