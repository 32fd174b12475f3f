// Whether ptxas is here, and what it says of a program's kernels by wgmma. Used by tests of kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {

inline bool hasPtxas() { return std::system("ptxas --version > /dev/null 2>&1") == 0; }

// For sm_90a its code has products by wgmma, and ptxas spills nothing and serializes none of them. name: of a file.
inline void expectGoodAssembly(const std::string& hloText, const std::string& name) {
  ReadResult read = readHloText(hloText);
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  CompileOptions options;
  options.device = "sm_90a";
  const auto executable = (*makeBackend("cuda"))->compile(*read.module, options);
  ASSERT_TRUE(executable) << executable.error().toString();
  const auto ptx = (*executable)->ptx(name);
  ASSERT_TRUE(ptx) << ptx.error().toString();
  ASSERT_NE(ptx->find("wgmma.mma_async"), std::string::npos);
  const std::string file = (std::filesystem::path(testing::TempDir()) / (name + ".ptx")).string();
  std::ofstream(file, std::ios::binary) << *ptx;
  const auto says = [&](const char* words) {
    return std::system(fmt::format("grep -q '{}' '{}.log'", words, file).c_str()) == 0;
  };
  EXPECT_EQ(std::system(fmt::format("ptxas -v -arch=sm_90a -o /dev/null '{0}' > '{0}.log' 2>&1", file).c_str()), 0);
  EXPECT_TRUE(says("registers"));
  EXPECT_FALSE(says("[1-9][0-9]* bytes spill"));
  EXPECT_FALSE(says("serialized"));
}

}  // namespace tessera
