// npy and npz as the corpus uses them: keys arg0 …, out0 …; types that NumPy lacks carry a suffix on the key
// (arg0__bfloat16 as uint16 bits, __float8_e5m2 … as uint8 bits, __int4 as int8 values).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

using NamedArrays = std::map<std::string, Literal>;  // key without suffix
Result<NamedArrays> readNpz(const std::filesystem::path& path);
// The same of a file that is open; the path is for messages.
Result<NamedArrays> readNpz(Descriptor file, const std::filesystem::path& path);
// An array as an npy file; of types that NumPy lacks the bits, as an npz has them.
Result<std::string> npyBytes(const Literal& literal);
// One npy array in memory.
Result<Literal> readNpyBytes(std::string_view bytes);
// The same of an archive in memory; errors name no file.
Result<NamedArrays> readNpzBytes(std::string_view bytes);
Result<std::string> npzBytes(const NamedArrays& arrays);
// Whole or not at all: see writeFileAtomically.
Status writeNpz(const std::filesystem::path& path, const NamedArrays& arrays);

}  // namespace tessera
