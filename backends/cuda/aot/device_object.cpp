// See device_object.h. The file is written as for processors (cpu/aot/object_writer).
#include "backends/cuda/aot/device_object.h"

#include <cstddef>

#include <fmt/format.h>

#include "backends/cpu/aot/array_forms.h"
#include "backends/cpu/aot/object_writer.h"
#include "backends/cuda/program/c_entry.h"
#include "backends/runtime/fields.h"
#include "core/ops/op.h"

namespace tessera::cuda {

namespace {

using aot::Reference;
using aot::Section;
using aot::SectionOffset;

const std::vector<std::string> kLibraries = {"tessera_cuda_runtime", "stdc++", "m", "pthread", "dl"};

template <class T>
std::string rawBytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
SectionOffset behind(SectionOffset at, size_t offset) { return {at.section, at.offset + offset}; }

class ObjectMaker {
 public:
  explicit ObjectMaker(const DeviceObjectParts& parts)
      : parts_(parts), forms_(aot::arrayForms(parts.source, DeviceGrid{})) {}

  Result<CompiledObject> make() {
    TESSERA_TRY(checkSteps());
    table_ = writer_.add(Section::Data, rawBytesOf(content_), 16);
    content_.version = kDeviceTableVersion;
    addConstants();
    addProgram();
    content_.argumentCount = addSizes(forms_.arguments, offsetof(DeviceTable, argumentBytes));
    content_.resultCount = addSizes(forms_.results, offsetof(DeviceTable, resultBytes));
    addFunctions();
    writer_.replace(table_, rawBytesOf(content_));
    CompiledObject out;
    TESSERA_ASSIGN_OR_RETURN(out.bytes, writer_.finish());
    out.libraries = kLibraries;
    out.header = header();
    return out;
  }

 private:
  Status checkSteps() const {
    Status status;
    forEachStep(parts_.program.plan.steps, [&](const DeviceStep& step) {
      if (!status || step.kind != DeviceStep::Kind::Host) return;
      const Instruction& instruction = parts_.optimized.at(step.instruction);
      status = fail(placedAt(instruction, {.kind = ErrorKind::Unsupported,
                                           .message = fmt::format("{} cannot be compiled ahead of time: it runs {}",
                                                                  instruction.name, step.what)}));
    });
    return status;
  }

  // Slots hold where their value begins.
  void addConstants() {
    std::string bytes;
    constexpr size_t kAlignment = 64;
    program_ = parts_.program;
    for (DeviceSlot& slot : program_.plan.slots) {
      if (slot.valueAt < 0) continue;
      const auto value = parts_.constants[static_cast<size_t>(slot.valueAt)]->bytes();
      bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
      slot.valueAt = static_cast<int64_t>(bytes.size());
      slot.bytes = static_cast<int64_t>(value.size());
      bytes.append(reinterpret_cast<const char*>(value.data()), value.size());
    }
    point(offsetof(DeviceTable, constants), writer_.add(Section::ReadOnly, bytes, kAlignment));
  }

  void addProgram() {
    cpu::FieldWriter fields;
    fields(program_);
    content_.programBytes = fields.bytes.size();
    point(offsetof(DeviceTable, program), writer_.add(Section::ReadOnly, fields.bytes, 8));
  }

  uint64_t addSizes(const std::vector<aot::ArrayForm>& forms, size_t field) {
    std::string bytes;
    for (const aot::ArrayForm& form : forms)
      bytes += rawBytesOf(static_cast<uint64_t>(form.shape->denseBytes().value_or(0)));
    point(field, writer_.add(Section::ReadOnly, bytes, 8));
    return forms.size();
  }

  void point(size_t field, SectionOffset target) {
    writer_.refer(behind(table_, field), Reference::Absolute64, target, 0);
  }

  // endbr64; lea table(%rip), %REGISTER; jmp. The table is the last argument of the function that is jumped to.
  void addJump(const std::string& name, std::string_view lea, const char* to) {
    std::string code("\xf3\x0f\x1e\xfa", 4);
    code += lea;
    code += std::string("\0\0\0\0\xe9\0\0\0\0", 9);
    const SectionOffset at = writer_.add(Section::Text, code, 16);
    writer_.refer(behind(at, 7), Reference::Relative32, table_, -4);
    writer_.refer(behind(at, 12), Reference::Call32, to, -4);
    writer_.define(name, at, code.size());
  }
  void addFunctions() {
    addJump(parts_.name + "_run", "\x4c\x8d\x0d", "tessera_cuda_program_run");        // %r9
    addJump(parts_.name + "_device", "\x48\x8d\x35", "tessera_cuda_program_device");  // %rsi
    const std::string_view none("\xf3\x0f\x1e\xfa\x31\xc0\xc3", 7);                   // endbr64; xor %eax, %eax; ret
    writer_.define(parts_.name + "_workspace_bytes", writer_.add(Section::Text, none, 16), none.size());
  }

  std::string header() const;

  const DeviceObjectParts& parts_;
  aot::ArrayForms forms_;
  DeviceProgram program_;
  aot::ObjectWriter writer_;
  DeviceTable content_ = {};
  SectionOffset table_;
};

std::string ObjectMaker::header() const {
  const std::string &name = parts_.name, big = aot::upper(name);
  std::string out = fmt::format("/* {}: the program {} for CUDA devices, compiled ahead of time by tessera.\n", name,
                                aot::readable(parts_.source.name));
  std::string link;
  for (const std::string& library : kLibraries) link += " -l" + library;
  out += fmt::format(
      " * Link the object with{}.\n * It needs a card of {} or later and its driver, libcuda.so.1, which is opened at "
      "the first run.\n *\n",
      link, parts_.program.architecture);
  out += " * Arrays are dense and row-major: the last dimension is contiguous; they lie in the host's memory.\n";
  out += " * Arguments:\n" + aot::listOf(forms_.arguments) + " * Results:\n" + aot::listOf(forms_.results) + " */\n";
  out += fmt::format(
      "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", big);
  out += aot::macrosOf(big, forms_);
  out += fmt::format(
      "\n/* What {0}_run answers. */\n"
      "#define {1}_FINE {2}\n"
      "#define {1}_ARGUMENT {3} /* a pointer is null, or the device's name means nothing */\n"
      "#define {1}_DEVICE {4}   /* no driver, no card, or one that is too old */\n"
      "#define {1}_MEMORY {5}\n"
      "#define {1}_FAILED {6}\n\n"
      "/* Later runs use the device of this name: \"0\" or another card's number; \"simulated\" interprets the kernels "
      "on the\n"
      " * processor. Null: $TESSERA_CUDA_DEVICE, else the first card. Answers {1}_FINE or {1}_ARGUMENT. */\n"
      "int {0}_device(const char* name);\n\n"
      "/* Always 0: the device has its own memory. */\n"
      "size_t {0}_workspace_bytes(void);\n\n"
      "/* Runs the program: reads the arguments, writes the results. Runs at the same time wait for each other.\n"
      " * workspace: may be null. error: where a message goes if it fails, cut to error_bytes; may be null. The first "
      "run opens\n"
      " * the device and takes memory there that is kept. */\n"
      "int {0}_run(const void* const* arguments, void* const* results, void* workspace, char* error, size_t "
      "error_bytes);\n\n",
      name, big, static_cast<int>(kDeviceFine), static_cast<int>(kDeviceArgument), static_cast<int>(kDeviceMissing),
      static_cast<int>(kDeviceMemory), static_cast<int>(kDeviceFailed));
  return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

Result<CompiledObject> makeDeviceObject(const DeviceObjectParts& parts) { return ObjectMaker(parts).make(); }

}  // namespace tessera::cuda
