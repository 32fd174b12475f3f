// ObjectWriter: a relocatable ELF file for x86-64, written without LLVM: pieces of code and data, the relocations
// between them, and the symbols that linkers see. Used by program_object.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::aot {

enum class Section : uint8_t { Text, ReadOnly, ReadOnlyPointers, Data };  // .text, .rodata, .data.rel.ro, .data

struct SectionOffset {
  Section section = Section::Text;
  uint64_t offset = 0;
};

enum class Reference : uint8_t {
  Absolute64,  // the address, in 8 bytes
  Relative32,  // its distance, in 4 bytes
  Call32,      // likewise, of a function that may be in another file
  Cell32,      // the distance of an 8-byte cell that holds the address
};

class ObjectWriter {
 public:
  SectionOffset add(Section section, std::string_view bytes, uint64_t alignment);
  // Writes over what was added there.
  void replace(SectionOffset at, std::string_view bytes);
  void refer(SectionOffset at, Reference kind, SectionOffset target, int64_t addend);
  void refer(SectionOffset at, Reference kind, const std::string& function, int64_t addend);  // one of another file
  // A function that other files may call.
  void define(const std::string& name, SectionOffset at, uint64_t size);
  // The whole file. Fails where a section is too large for 32-bit distances.
  Result<std::string> finish() const;

 private:
  static constexpr size_t kSections = 4;
  static constexpr uint32_t kLocals = 1 + kSections;  // symbols: none, one a section, then the functions
  struct Relocation {
    uint64_t offset = 0;
    Reference kind = Reference::Absolute64;
    uint32_t section = 0;  // 1 …: of a section; 0: symbol
    uint32_t function = 0;
    int64_t addend = 0;
  };
  struct Function {
    std::string name;
    SectionOffset at;
    uint64_t size = 0;
    bool isDefined = false;
  };
  struct Content {
    std::string bytes;
    uint64_t alignment = 1;
    std::vector<Relocation> relocations;
  };
  struct SymbolTable {
    std::string symbols, names;
  };
  uint32_t numberOf(const std::string& function);
  std::string relocationBytes(size_t section) const;
  SymbolTable symbolTable() const;

  std::array<Content, kSections> sections_;
  std::vector<Function> functions_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace tessera::aot
