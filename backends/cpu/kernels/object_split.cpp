// See object_split.h.
#include "backends/cpu/kernels/object_split.h"

#include <map>

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace tessera::cpu {

namespace {

using Object = llvm::object::ELF64LEObjectFile;
using llvm::object::SectionRef;

std::unexpected<Diagnostic> objectFailure(llvm::Error error) {
  return fail("code generation: " + llvm::toString(std::move(error)));
}

// Sections are gathered from the kernel's on, in the order in which relocations reach them.
class Splitter {
 public:
  explicit Splitter(const Object& object) : object_(object) {
    for (const SectionRef& section : object.sections())
      if (auto target = section.getRelocatedSection(); target && *target != object.section_end())
        relocationsOf_[(*target)->getIndex()].push_back(section);
  }

  Result<KernelCode> take(const SectionRef& first) {
    code_ = {};
    numbers_.clear();
    waiting_ = {first};
    numbers_[first.getIndex()] = 0;
    for (size_t i = 0; i < waiting_.size(); ++i) TESSERA_TRY(takeSection(SectionRef(waiting_[i])));
    return std::move(code_);
  }

 private:
  Status takeSection(const SectionRef& section);
  Status takeRelocation(const llvm::object::RelocationRef& relocation, CodeSection& out);
  int32_t numberOf(const SectionRef& section);
  uint32_t functionNumber(const std::string& name);

  const Object& object_;
  std::map<uint64_t, std::vector<SectionRef>> relocationsOf_;
  std::map<uint64_t, int32_t> numbers_;
  std::vector<SectionRef> waiting_;
  KernelCode code_;
};

int32_t Splitter::numberOf(const SectionRef& section) {
  auto [at, fresh] = numbers_.emplace(section.getIndex(), static_cast<int32_t>(waiting_.size()));
  if (fresh) waiting_.push_back(section);
  return at->second;
}

uint32_t Splitter::functionNumber(const std::string& name) {
  for (size_t i = 0; i < code_.functions.size(); ++i)
    if (code_.functions[i] == name) return static_cast<uint32_t>(i);
  code_.functions.push_back(name);
  return static_cast<uint32_t>(code_.functions.size()) - 1;
}

std::optional<RelocationKind> kindOf(uint64_t type) {
  switch (type) {
    case llvm::ELF::R_X86_64_PC32: return RelocationKind::Relative32;
    case llvm::ELF::R_X86_64_PLT32: return RelocationKind::Call32;
    case llvm::ELF::R_X86_64_64: return RelocationKind::Absolute64;
    case llvm::ELF::R_X86_64_GOTPCREL:
    case llvm::ELF::R_X86_64_GOTPCRELX:
    case llvm::ELF::R_X86_64_REX_GOTPCRELX: return RelocationKind::Cell32;
    default: return std::nullopt;
  }
}

Status Splitter::takeRelocation(const llvm::object::RelocationRef& relocation, CodeSection& out) {
  auto kind = kindOf(relocation.getType());
  if (!kind) return fail("code generation: a relocation of the unknown type " + std::to_string(relocation.getType()));
  CodeRelocation r{*kind, static_cast<uint32_t>(relocation.getOffset())};
  auto addend = llvm::object::ELFRelocationRef(relocation).getAddend();
  if (!addend) return objectFailure(addend.takeError());
  r.addend = *addend;
  auto symbol = relocation.getSymbol();
  auto section = symbol->getSection();
  if (!section) return objectFailure(section.takeError());
  if (*section == object_.section_end()) {
    auto name = symbol->getName();
    if (!name) return objectFailure(name.takeError());
    r.function = functionNumber(name->str());
  } else {
    auto value = symbol->getValue();
    if (!value) return objectFailure(value.takeError());
    r.addend += static_cast<int64_t>(*value);
    r.section = numberOf(**section);
    // An address inside of the kernel needs no cell, and no instruction that asks for one should be there.
    if (r.kind == RelocationKind::Cell32) return fail("code generation: a cell for an address inside of a kernel");
  }
  out.relocations.push_back(r);
  return {};
}

Status Splitter::takeSection(const SectionRef& section) {
  auto content = section.getContents();
  if (!content) return objectFailure(content.takeError());
  if (section.isBSS() || section.isVirtual()) return fail("code generation: a kernel with writable data");
  CodeSection out;
  out.alignment = static_cast<uint32_t>(section.getAlignment().value());
  out.bytes = content->str();
  if (auto found = relocationsOf_.find(section.getIndex()); found != relocationsOf_.end())
    for (const SectionRef& relocations : found->second)
      for (const auto& relocation : relocations.relocations()) TESSERA_TRY(takeRelocation(relocation, out));
  code_.sections.push_back(std::move(out));
  return {};
}

}  // namespace

Result<std::vector<KernelCode>> splitObject(std::string_view object, std::span<const std::string> symbols) {
  auto file = Object::create(llvm::MemoryBufferRef({object.data(), object.size()}, "kernels"));
  if (!file) return objectFailure(file.takeError());
  std::map<std::string, SectionRef> places;
  for (const auto& symbol : file->symbols()) {
    auto name = symbol.getName();
    auto section = symbol.getSection();
    if (name && section && *section != file->section_end() && symbol.getValue() && *symbol.getValue() == 0)
      places.emplace(name->str(), **section);
    if (!name) llvm::consumeError(name.takeError());
    if (!section) llvm::consumeError(section.takeError());
  }
  std::vector<KernelCode> out;
  Splitter splitter(*file);
  for (const std::string& symbol : symbols) {
    auto place = places.find(symbol);
    if (place == places.end()) return fail("code generation: the object lacks " + symbol);
    TESSERA_ASSIGN_OR_RETURN(KernelCode code, splitter.take(place->second));
    out.push_back(std::move(code));
  }
  return out;
}

}  // namespace tessera::cpu
