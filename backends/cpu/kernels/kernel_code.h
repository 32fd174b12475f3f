// KernelCode: the machine code of one kernel as it is kept in memory and in the cache: sections with relocations and
// the names of our functions that it calls. CodeRegion puts the kernels of an executable into one region of executable
// memory. Made by KernelCompiler and KernelCache, called by plans; knows nothing of LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::cpu {

enum class RelocationKind : uint8_t {
  Relative32,  // S + A - P in 4 bytes
  Absolute64,  // S + A in 8 bytes
  Call32,      // as Relative32; a function outside is reached through a stub
  Cell32,      // as Relative32, of an 8-byte cell that holds S
};

struct CodeRelocation {
  RelocationKind kind = RelocationKind::Relative32;
  uint32_t offset = 0;
  int32_t section = -1;   // S: start of this section, or
  uint32_t function = 0;  // the function outside with this number in KernelCode::functions
  int64_t addend = 0;
};

struct CodeSection {
  uint32_t alignment = 1;
  std::string bytes;
  std::vector<CodeRelocation> relocations;
};

struct KernelCode {
  std::vector<CodeSection> sections;  // the kernel begins with the first
  std::vector<std::string> functions;
  size_t bytes() const;
};

// Plain bytes of this processor's byte order; `decoded` refuses whatever is not whole and consistent.
std::string encoded(const KernelCode& code);
std::optional<KernelCode> decoded(std::string_view bytes);

class CodeRegion {
 public:
  using Resolve = std::function<const void*(std::string_view function)>;  // null: unknown

  CodeRegion() = default;
  ~CodeRegion();
  CodeRegion(const CodeRegion&) = delete;
  CodeRegion& operator=(const CodeRegion&) = delete;

  // Once. Afterwards entry(i) is the first instruction of kernel i, and the memory is executable and read only.
  Status load(std::span<const KernelCode> kernels, const Resolve& resolve);
  void* entry(size_t kernel) const { return base_ + entries_[kernel]; }

 private:
  std::byte* base_ = nullptr;
  size_t size_ = 0;
  std::vector<size_t> entries_;
};

}  // namespace tessera::cpu
