// See kernel_code.h. One mapping an executable: sections, then a cell and a stub for every function outside.
#include "backends/cpu/kernels/kernel_code.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <type_traits>

namespace tessera::cpu {

namespace {

constexpr size_t kMaxAlignment = 4096;
constexpr size_t kStubBytes = 8;  // jmp *cell(%rip) and two bytes of nothing

size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

size_t widthOf(RelocationKind kind) { return kind == RelocationKind::Absolute64 ? 8 : 4; }

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    out += value;
  }
  std::string out;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) {
      good_ = false;
      rest_ = {};
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view text() {
    auto size = number<uint32_t>();
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  bool good() const { return good_; }
  bool ended() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void write(Writer& out, const CodeSection& section) {
  out.number(section.alignment);
  out.text(section.bytes);
  out.number(static_cast<uint32_t>(section.relocations.size()));
  for (const CodeRelocation& r : section.relocations) {
    out.number(static_cast<uint8_t>(r.kind));
    out.number(r.offset);
    out.number(r.section);
    out.number(r.function);
    out.number(r.addend);
  }
}

CodeSection readSection(Reader& in) {
  CodeSection section;
  section.alignment = in.number<uint32_t>();
  section.bytes = in.text();
  for (auto left = in.number<uint32_t>(); left > 0 && in.good(); --left) {
    CodeRelocation r;
    r.kind = static_cast<RelocationKind>(in.number<uint8_t>());
    r.offset = in.number<uint32_t>();
    r.section = in.number<int32_t>();
    r.function = in.number<uint32_t>();
    r.addend = in.number<int64_t>();
    section.relocations.push_back(r);
  }
  return section;
}

bool isConsistent(const KernelCode& code, const CodeSection& section) {
  const size_t a = section.alignment;
  if (a == 0 || a > kMaxAlignment || (a & (a - 1)) != 0) return false;
  for (const CodeRelocation& r : section.relocations) {
    if (r.kind > RelocationKind::Cell32 || r.offset + widthOf(r.kind) > section.bytes.size()) return false;
    if (r.section < 0 ? r.function >= code.functions.size() : static_cast<size_t>(r.section) >= code.sections.size())
      return false;
  }
  return true;
}

bool isConsistent(const KernelCode& code) {
  if (code.sections.empty() || code.sections[0].bytes.empty()) return false;
  for (const CodeSection& section : code.sections)
    if (!isConsistent(code, section)) return false;
  return true;
}

// Where everything is in the region.
struct Places {
  std::vector<std::vector<size_t>> sections;  // by kernel
  std::map<std::string_view, size_t> cells;   // by function; its stub follows
  size_t size = 0;
};

Places placesOf(std::span<const KernelCode> kernels) {
  Places places;
  for (const KernelCode& code : kernels) {
    auto& offsets = places.sections.emplace_back();
    for (const CodeSection& section : code.sections) {
      places.size = rounded(places.size, section.alignment);
      offsets.push_back(places.size);
      places.size += section.bytes.size();
    }
    for (const std::string& function : code.functions) places.cells.emplace(function, 0);
  }
  places.size = rounded(places.size, 16);
  for (auto& [function, offset] : places.cells) {
    offset = places.size;
    places.size += 8 + kStubBytes;
  }
  return places;
}

Status writeStubs(std::byte* base, const Places& places, const CodeRegion::Resolve& resolve) {
  for (const auto& [function, offset] : places.cells) {
    const void* target = resolve(function);
    if (!target) return fail("code generation: a kernel calls the unknown function " + std::string(function));
    std::memcpy(base + offset, &target, 8);
    const int32_t back = -14;  // from the end of the jump to the cell
    const unsigned char jump[2] = {0xff, 0x25};
    std::memcpy(base + offset + 8, jump, 2);
    std::memcpy(base + offset + 10, &back, 4);
  }
  return {};
}

Status relocate(std::byte* base, const KernelCode& code, const std::vector<size_t>& offsets, size_t section,
                const Places& places) {
  for (const CodeRelocation& r : code.sections[section].relocations) {
    std::byte* at = base + offsets[section] + r.offset;
    int64_t target = 0;
    if (r.section >= 0) {
      if (r.kind == RelocationKind::Cell32) return fail("code generation: a cell for an address inside of a kernel");
      target = reinterpret_cast<int64_t>(base + offsets[static_cast<size_t>(r.section)]);
    } else {
      const std::byte* cell = base + places.cells.at(code.functions[r.function]);
      if (r.kind == RelocationKind::Absolute64)
        std::memcpy(&target, cell, 8);
      else
        target = reinterpret_cast<int64_t>(r.kind == RelocationKind::Cell32 ? cell : cell + 8);
    }
    target += r.addend;
    if (r.kind == RelocationKind::Absolute64) {
      std::memcpy(at, &target, 8);
      continue;
    }
    const int64_t distance = target - reinterpret_cast<int64_t>(at);
    const auto narrow = static_cast<int32_t>(distance);
    if (narrow != distance) return fail("code generation: the kernels' code is larger than 2 GiB");
    std::memcpy(at, &narrow, 4);
  }
  return {};
}

}  // namespace

size_t KernelCode::bytes() const {
  size_t total = 0;
  for (const CodeSection& section : sections) total += section.bytes.size();
  return total;
}

std::string encoded(const KernelCode& code) {
  Writer out;
  out.number(static_cast<uint32_t>(code.functions.size()));
  for (const std::string& function : code.functions) out.text(function);
  out.number(static_cast<uint32_t>(code.sections.size()));
  for (const CodeSection& section : code.sections) write(out, section);
  return std::move(out.out);
}

std::optional<KernelCode> decoded(std::string_view bytes) {
  Reader in(bytes);
  KernelCode code;
  for (auto left = in.number<uint32_t>(); left > 0 && in.good(); --left) code.functions.emplace_back(in.text());
  for (auto left = in.number<uint32_t>(); left > 0 && in.good(); --left) code.sections.push_back(readSection(in));
  if (!in.ended() || !isConsistent(code)) return std::nullopt;
  return code;
}

CodeRegion::~CodeRegion() {
  if (base_) ::munmap(base_, size_);
}

Status CodeRegion::load(std::span<const KernelCode> kernels, const Resolve& resolve) {
  const Places places = placesOf(kernels);
  if (kernels.empty()) return {};
  void* memory = ::mmap(nullptr, places.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(ErrorKind::Runtime, "not enough memory for the kernels' code");
  base_ = static_cast<std::byte*>(memory);
  size_ = places.size;
  TESSERA_TRY(writeStubs(base_, places, resolve));
  for (size_t k = 0; k < kernels.size(); ++k) {
    const KernelCode& code = kernels[k];
    for (size_t s = 0; s < code.sections.size(); ++s)
      std::memcpy(base_ + places.sections[k][s], code.sections[s].bytes.data(), code.sections[s].bytes.size());
    for (size_t s = 0; s < code.sections.size(); ++s) TESSERA_TRY(relocate(base_, code, places.sections[k], s, places));
    entries_.push_back(places.sections[k][0]);
  }
  if (::mprotect(base_, size_, PROT_READ | PROT_EXEC) != 0)
    return fail(ErrorKind::Unsupported, "this system does not let memory become executable");
  return {};
}

}  // namespace tessera::cpu
