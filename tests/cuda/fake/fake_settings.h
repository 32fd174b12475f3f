// What a test wants of the fake libraries: $TESSERA_FAKE_CUDA is a list such as "version=11020,memory=1048576".
//   version   of the driver (12080)            devices  how many cards (1)
//   memory    bytes of each (1 GiB)            init     what cuInit answers (0)
//   sm        architecture of the cards (80)   refuse   what cuModuleLoadData answers to an ELF file (0)
//   capture   what cuStreamBeginCapture answers (0)
//   cuptirefuses  what cuptiActivityEnable answers (0)
#pragma once

#include <cstdlib>
#include <string>

namespace tessera::fake {

inline long setting(const std::string& name, long otherwise) {
  const char* all = std::getenv("TESSERA_FAKE_CUDA");
  const std::string text = std::string(",") + (all ? all : "");
  const size_t at = text.find("," + name + "=");
  return at == std::string::npos ? otherwise : std::atol(text.c_str() + at + name.size() + 2);
}

}  // namespace tessera::fake
