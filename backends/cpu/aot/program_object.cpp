// See program_object.h. The structures are runtime/program.h's own, their pointers relocations.
#include "backends/cpu/aot/program_object.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "backends/cpu/aot/object_writer.h"
#include "backends/runtime/program.h"
#include "core/base/checked_math.h"

namespace tessera::aot {

namespace {

using cpu::Program;
using cpu::ProgramArray;
using cpu::ProgramSlot;
using cpu::ProgramSlotKind;

template <class T>
std::string bytesOf(T value) {
  cpu::clearPadding(value);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <class T>
std::string bytesOf(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out += bytesOf(value);
  return out;
}
SectionOffset behind(SectionOffset at, size_t offset) { return {at.section, at.offset + offset}; }

std::unexpected<Diagnostic> unsupported(const cpu::StepName& step) {
  return fail({.kind = ErrorKind::Unsupported,
               .message = fmt::format("{} cannot be compiled ahead of time: its step ({}) needs Tessera itself",
                                      step.name, step.what),
               .instruction = step.instruction,
               .instructionName = step.name});
}

class ObjectMaker {
 public:
  explicit ObjectMaker(ProgramParts& parts) : parts_(parts) {}
  Result<CompiledObject> make();

 private:
  Status placeWorkspace();
  void addKernels();
  void addCode(const cpu::KernelCode& code, SectionOffset& first);
  void addSlots();
  void addPlan(const cpu::FieldWriter& plan);
  SectionOffset addArrays(const std::vector<ArrayForm>& arrays);
  void addFunctions();
  void point(size_t field, SectionOffset target) {
    writer_.refer(behind(program_, field), Reference::Absolute64, target, 0);
  }

  ProgramParts& parts_;
  ObjectWriter writer_;
  Program content_ = {};
  SectionOffset program_;
  std::vector<uint64_t> spares_;  // by result
};

// Behind the arena: room for each result that may be stored over an argument.
Status ObjectMaker::placeWorkspace() {
  auto total = std::optional<int64_t>(parts_.plan.arenaBytes);
  const size_t count = parts_.arrays.results.size() / static_cast<size_t>(parts_.grid.count());  // of one device
  for (size_t i = 0; i < count; ++i) {
    const ArrayForm& result = parts_.arrays.results[i];
    auto begin = total ? checkedAdd(*total, 63) : std::nullopt;
    spares_.push_back(static_cast<uint64_t>(begin.value_or(0) / 64 * 64));
    if (result.argument < 0) continue;
    auto bytes = result.shape->denseBytes();
    total = begin && bytes ? checkedAdd(*begin / 64 * 64, *bytes) : std::nullopt;
  }
  if (total && parts_.grid.count() > 1) {
    total = checkedAdd(*total, 63);
    if (total) total = checkedMul(*total / 64 * 64, parts_.grid.count());
  }
  if (!total || *total >= INT64_MAX - 64) return fail("the program needs more memory than can be addressed");
  content_.workspaceBytes = static_cast<uint64_t>(*total);
  return {};
}

Reference referenceOf(cpu::RelocationKind kind) {
  switch (kind) {
    case cpu::RelocationKind::Relative32: return Reference::Relative32;
    case cpu::RelocationKind::Absolute64: return Reference::Absolute64;
    case cpu::RelocationKind::Call32: return Reference::Call32;
    case cpu::RelocationKind::Cell32: return Reference::Cell32;
  }
  return Reference::Absolute64;
}

// The kernel itself is the first section, tables that it reads the others.
void ObjectMaker::addCode(const cpu::KernelCode& code, SectionOffset& first) {
  std::vector<SectionOffset> places;
  for (const cpu::CodeSection& section : code.sections) {
    const bool hasPointers = std::ranges::any_of(
        section.relocations, [](const auto& r) { return r.kind == cpu::RelocationKind::Absolute64; });
    const Section kind = places.empty() ? Section::Text : hasPointers ? Section::ReadOnlyPointers : Section::ReadOnly;
    places.push_back(writer_.add(kind, section.bytes, section.alignment));
  }
  for (size_t s = 0; s < places.size(); ++s)
    for (const cpu::CodeRelocation& r : code.sections[s].relocations) {
      const SectionOffset at = behind(places[s], r.offset);
      if (r.section >= 0)
        writer_.refer(at, referenceOf(r.kind), places[static_cast<size_t>(r.section)], r.addend);
      else
        writer_.refer(at, referenceOf(r.kind), code.functions[r.function], r.addend);
    }
  first = places[0];
}

void ObjectMaker::addKernels() {
  std::vector<cpu::CompiledKernel> table;
  std::vector<SectionOffset> entries(parts_.codes.size());
  for (size_t k = 0; k < parts_.codes.size(); ++k) {
    addCode(parts_.codes[k], entries[k]);
    table.push_back({nullptr, parts_.kernels[k].parallelCount, parts_.kernels[k].costPerItem});
  }
  const SectionOffset at = writer_.add(Section::ReadOnlyPointers, bytesOf(table), 8);
  for (size_t k = 0; k < entries.size(); ++k)
    writer_.refer(behind(at, k * sizeof table[0] + offsetof(cpu::CompiledKernel, function)), Reference::Absolute64,
                  entries[k], 0);
  point(offsetof(Program, kernels), at);
}

void ObjectMaker::addSlots() {
  const std::vector<cpu::PlanSlot>& slots = parts_.plan.slots;
  std::vector<ProgramSlot> table;
  for (const cpu::PlanSlot& slot : slots) switch (slot.kind) {
      case SlotKind::Parameter:
        table.push_back({ProgramSlotKind::Argument, static_cast<uint64_t>(slot.index), nullptr});
        break;
      case SlotKind::Output:
        table.push_back({ProgramSlotKind::Result, static_cast<uint64_t>(slot.index), nullptr});
        break;
      case SlotKind::Constant: table.push_back({ProgramSlotKind::Constant, 0, nullptr}); break;
      case SlotKind::Temp:
        table.push_back({ProgramSlotKind::Workspace, static_cast<uint64_t>(slot.offset), nullptr});
        break;
    }
  const SectionOffset at = writer_.add(Section::ReadOnlyPointers, bytesOf(table), 8);
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].kind != SlotKind::Constant || !slots[s].literal) continue;
    const auto bytes = slots[s].literal->bytes();
    const SectionOffset value =
        writer_.add(Section::ReadOnly, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 64);
    writer_.refer(behind(at, s * sizeof table[0] + offsetof(ProgramSlot, constant)), Reference::Absolute64, value, 0);
  }
  point(offsetof(Program, slots), at);
  content_.slotCount = table.size();
}

void ObjectMaker::addPlan(const cpu::FieldWriter& plan) {
  point(offsetof(Program, plan), writer_.add(Section::ReadOnly, plan.bytes, 8));
  content_.planBytes = plan.bytes.size();
  const std::vector<cpu::StepLoader> table(plan.loaders.size());
  const SectionOffset at = writer_.add(Section::ReadOnlyPointers, bytesOf(table), 8);
  for (size_t i = 0; i < table.size(); ++i)
    writer_.refer(behind(at, i * sizeof table[0]), Reference::Absolute64, plan.loaders[i], 0);
  point(offsetof(Program, loaders), at);
  content_.loaderCount = table.size();
}

SectionOffset ObjectMaker::addArrays(const std::vector<ArrayForm>& arrays) {
  std::vector<ProgramArray> table;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ElementType type = arrays[i].shape->type;
    const auto alignment = static_cast<uint64_t>(isComplex(type) ? byteWidth(type) / 2 : byteWidth(type));
    const uint64_t spare = arrays[i].argument >= 0 ? spares_[i % spares_.size()] : 0;
    table.push_back(
        {static_cast<uint64_t>(arrays[i].shape->denseBytes().value_or(0)), alignment, arrays[i].argument, spare});
  }
  return writer_.add(Section::ReadOnly, bytesOf(table), 8);
}

// Two functions by hand: the one loads the program's address as a sixth argument and jumps, the other answers a number.
void ObjectMaker::addFunctions() {
  constexpr std::string_view kRun("\xf3\x0f\x1e\xfa\x4c\x8d\x0d\0\0\0\0\xe9\0\0\0\0",
                                  16);  // endbr64; lea program(%rip), %r9; jmp
  const SectionOffset run = writer_.add(Section::Text, kRun, 16);
  writer_.refer(behind(run, 7), Reference::Relative32, program_, -4);
  writer_.refer(behind(run, 12), Reference::Call32, "tessera_program_run", -4);
  writer_.define(parts_.name + "_run", run, kRun.size());
  std::string answer("\xf3\x0f\x1e\xfa\x48\xb8", 6);  // endbr64; movabs $bytes, %rax; ret
  answer += bytesOf(content_.workspaceBytes);
  answer += '\xc3';
  writer_.define(parts_.name + "_workspace_bytes", writer_.add(Section::Text, answer, 16), answer.size());
}

std::vector<std::string> librariesOf(const cpu::FieldWriter& plan, bool severalDevices) {
  const auto has = [&](std::string_view prefix) {
    return std::ranges::any_of(plan.loaders, [&](const std::string& name) { return name.starts_with(prefix); });
  };
  const bool needsCore = has("tessera_core_") || severalDevices;
  std::vector<std::string> out;
  if (needsCore) out.emplace_back("tessera_evaluate");
  out.emplace_back("tessera_runtime");
  if (has("tessera_dnnl_")) {
    out.emplace_back("dnnl");
    out.emplace_back("gomp");
  }
  if (needsCore) out.emplace_back("tessera_core");
  for (const char* system : {"stdc++", "m", "pthread"}) out.emplace_back(system);
  return out;
}

Result<CompiledObject> ObjectMaker::make() {
  cpu::FieldWriter plan;
  plan.module = &parts_.optimized;
  plan(parts_.plan.sequence);
  if (plan.refused >= 0) return unsupported(parts_.plan.names[static_cast<size_t>(plan.refused)]);
  TESSERA_TRY(placeWorkspace());
  // The structure goes in first, empty, so that relocations know its place; its numbers follow when all are known.
  program_ = writer_.add(Section::Data, bytesOf(content_), 16);
  content_.version = cpu::kProgramVersion;
  content_.argumentCount = parts_.arrays.arguments.size();
  content_.resultCount = parts_.arrays.results.size();
  content_.blocks = parts_.plan.blocks;
  content_.threads = static_cast<uint64_t>(parts_.threads);
  content_.replicas = static_cast<uint64_t>(parts_.grid.replicas);
  content_.partitions = static_cast<uint64_t>(parts_.grid.partitions);
  if (parts_.grid.count() > 1)
    writer_.refer(behind(program_, offsetof(Program, onDevices)), Reference::Absolute64, "tessera_core_run_on_devices",
                  0);
  addKernels();
  addSlots();
  addPlan(plan);
  point(offsetof(Program, arguments), addArrays(parts_.arrays.arguments));
  point(offsetof(Program, results), addArrays(parts_.arrays.results));
  point(offsetof(Program, features), writer_.add(Section::ReadOnly, parts_.features + std::string(1, '\0'), 1));
  addFunctions();
  writer_.replace(program_, bytesOf(content_));
  CompiledObject out;
  TESSERA_ASSIGN_OR_RETURN(out.bytes, writer_.finish());
  out.libraries = librariesOf(plan, parts_.grid.count() > 1);
  out.header = headerText(parts_, static_cast<int64_t>(content_.workspaceBytes), out.libraries);
  return out;
}

}  // namespace

Result<CompiledObject> makeObject(ProgramParts& parts) { return ObjectMaker(parts).make(); }

}  // namespace tessera::aot
