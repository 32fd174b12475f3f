// See object_writer.h. The sections of content, their relocations, then symbols and names; <elf.h> has the structures.
#include "backends/cpu/aot/object_writer.h"

#include <elf.h>

#include <algorithm>
#include <limits>

namespace tessera::aot {

namespace {

struct SectionForm {
  const char *name, *relocations;
  uint64_t flags;
};
constexpr SectionForm kForms[] = {{".text", ".rela.text", SHF_ALLOC | SHF_EXECINSTR},
                                  {".rodata", ".rela.rodata", SHF_ALLOC},
                                  {".data.rel.ro", ".rela.data.rel.ro", SHF_ALLOC | SHF_WRITE},
                                  {".data", ".rela.data", SHF_ALLOC | SHF_WRITE}};

uint32_t typeOf(Reference kind) {
  switch (kind) {
    case Reference::Absolute64: return R_X86_64_64;
    case Reference::Relative32: return R_X86_64_PC32;
    case Reference::Call32: return R_X86_64_PLT32;
    case Reference::Cell32: return R_X86_64_GOTPCREL;
  }
  return R_X86_64_NONE;
}

// Names one after the other, each ended by a zero.
class Names {
 public:
  uint32_t add(std::string_view name) {
    const auto at = static_cast<uint32_t>(bytes_.size());
    bytes_.append(name);
    bytes_ += '\0';
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Sections in the order of their numbers; the first is the empty one that ELF requires.
class File {
 public:
  File() { headers_.emplace_back(); }

  void add(std::string_view name, Elf64_Shdr header, std::string_view bytes) {
    header.sh_name = names_.add(name);
    place(header, bytes);
  }

  std::string finish() {
    const uint32_t name = names_.add(".shstrtab");
    place({.sh_name = name, .sh_type = SHT_STRTAB, .sh_addralign = 1}, names_.bytes());
    content_.append((8 - content_.size() % 8) % 8, '\0');
    Elf64_Ehdr file = {};
    std::copy_n(ELFMAG, SELFMAG, file.e_ident);
    file.e_ident[EI_CLASS] = ELFCLASS64;
    file.e_ident[EI_DATA] = ELFDATA2LSB;
    file.e_ident[EI_VERSION] = EV_CURRENT;
    file.e_type = ET_REL;
    file.e_machine = EM_X86_64;
    file.e_version = EV_CURRENT;
    file.e_shoff = sizeof file + content_.size();
    file.e_ehsize = sizeof file;
    file.e_shentsize = sizeof(Elf64_Shdr);
    file.e_shnum = static_cast<uint16_t>(headers_.size());
    file.e_shstrndx = static_cast<uint16_t>(headers_.size() - 1);
    std::string out;
    append(out, file);
    out += content_;
    for (const Elf64_Shdr& header : headers_) append(out, header);
    return out;
  }

 private:
  void place(Elf64_Shdr header, std::string_view bytes) {
    const uint64_t alignment = std::max<uint64_t>(header.sh_addralign, 1);
    content_.append((alignment - (sizeof(Elf64_Ehdr) + content_.size()) % alignment) % alignment, '\0');
    header.sh_offset = sizeof(Elf64_Ehdr) + content_.size();
    header.sh_size = bytes.size();
    content_.append(bytes);
    headers_.push_back(header);
  }

  std::vector<Elf64_Shdr> headers_;
  std::string content_;
  Names names_;
};

}  // namespace

SectionOffset ObjectWriter::add(Section section, std::string_view bytes, uint64_t alignment) {
  Content& content = sections_[static_cast<size_t>(section)];
  content.alignment = std::max(content.alignment, alignment);
  content.bytes.append((alignment - content.bytes.size() % alignment) % alignment, '\0');
  const uint64_t offset = content.bytes.size();
  content.bytes.append(bytes);
  return {section, offset};
}

void ObjectWriter::replace(SectionOffset at, std::string_view bytes) {
  sections_[static_cast<size_t>(at.section)].bytes.replace(at.offset, bytes.size(), bytes);
}

uint32_t ObjectWriter::numberOf(const std::string& function) {
  auto [at, fresh] = numbers_.emplace(function, static_cast<uint32_t>(functions_.size()));
  if (fresh) functions_.push_back({function, {}, 0, false});
  return at->second;
}

void ObjectWriter::refer(SectionOffset at, Reference kind, SectionOffset target, int64_t addend) {
  sections_[static_cast<size_t>(at.section)].relocations.push_back(
      {at.offset, kind, static_cast<uint32_t>(target.section) + 1, 0, static_cast<int64_t>(target.offset) + addend});
}

void ObjectWriter::refer(SectionOffset at, Reference kind, const std::string& function, int64_t addend) {
  sections_[static_cast<size_t>(at.section)].relocations.push_back({at.offset, kind, 0, numberOf(function), addend});
}

void ObjectWriter::define(const std::string& name, SectionOffset at, uint64_t size) {
  functions_[numberOf(name)] = {name, at, size, true};
}

std::string ObjectWriter::relocationBytes(size_t section) const {
  std::string out;
  for (const Relocation& r : sections_[section].relocations) {
    const uint64_t symbol = r.section != 0 ? r.section : kLocals + r.function;
    append(out, Elf64_Rela{r.offset, ELF64_R_INFO(symbol, typeOf(r.kind)), r.addend});
  }
  return out;
}

ObjectWriter::SymbolTable ObjectWriter::symbolTable() const {
  SymbolTable out;
  Names names;
  append(out.symbols, Elf64_Sym{});
  for (uint16_t s = 1; s <= kSections; ++s)
    append(out.symbols, Elf64_Sym{.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = s});
  for (const Function& f : functions_) {
    const auto section = static_cast<uint16_t>(static_cast<uint16_t>(f.at.section) + 1);
    Elf64_Sym symbol = {};
    symbol.st_name = names.add(f.name);
    symbol.st_info = f.isDefined ? ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) : ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    symbol.st_shndx = f.isDefined ? section : static_cast<uint16_t>(SHN_UNDEF);
    symbol.st_value = f.at.offset;
    symbol.st_size = f.size;
    append(out.symbols, symbol);
  }
  out.names = names.bytes();
  return out;
}

Result<std::string> ObjectWriter::finish() const {
  File file;
  uint64_t total = 0;
  for (const Content& content : sections_) total += content.bytes.size();
  if (total > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    return fail("code and constants of an object are limited to 2 GiB");
  for (size_t s = 0; s < kSections; ++s)
    file.add(kForms[s].name,
             {.sh_type = SHT_PROGBITS, .sh_flags = kForms[s].flags, .sh_addralign = sections_[s].alignment},
             sections_[s].bytes);
  constexpr uint32_t kSymbols = 1 + 2 * kSections;  // section number, after the sections and their relocations
  for (size_t s = 0; s < kSections; ++s)
    file.add(kForms[s].relocations,
             {.sh_type = SHT_RELA,
              .sh_flags = SHF_INFO_LINK,
              .sh_link = kSymbols,
              .sh_info = static_cast<uint32_t>(s) + 1,
              .sh_addralign = 8,
              .sh_entsize = sizeof(Elf64_Rela)},
             relocationBytes(s));
  const SymbolTable table = symbolTable();
  file.add(".symtab",
           {.sh_type = SHT_SYMTAB,
            .sh_link = kSymbols + 1,
            .sh_info = kLocals,
            .sh_addralign = 8,
            .sh_entsize = sizeof(Elf64_Sym)},
           table.symbols);
  file.add(".strtab", {.sh_type = SHT_STRTAB, .sh_addralign = 1}, table.names);
  file.add(".note.GNU-stack", {.sh_type = SHT_PROGBITS, .sh_addralign = 1}, {});
  return file.finish();
}

}  // namespace tessera::aot
