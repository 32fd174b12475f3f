// See array_forms.h.
#include "backends/cpu/aot/array_forms.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace tessera::aot {

// Names come from a file: nothing of them may end the comment or its line.
std::string readable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '*' || c == '/' || c == '\\' || c == 127) c = '_';
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

namespace {

// How C spells an element.
std::string cType(ElementType type) {
  switch (type) {
    case ElementType::Pred: return "unsigned char (0 or 1)";
    case ElementType::F32: return "float";
    case ElementType::F64: return "double";
    case ElementType::C64: return "float _Complex";
    case ElementType::C128: return "double _Complex";
    default: break;
  }
  if (isInteger(type)) {
    const std::string width = std::to_string(8 * byteWidth(type));
    return (isSigned(type) ? "int" : "uint") + width + "_t" + (isSubByte(type) ? ", one element a byte" : "");
  }
  return "uint" + std::to_string(8 * byteWidth(type)) + "_t, the bits of " + std::string(nameOf(type));
}

std::string lineOf(size_t number, const ArrayForm& form) {
  const ElementType type = form.shape->type;
  const int alignment = isComplex(type) ? byteWidth(type) / 2 : byteWidth(type);
  std::string line = fmt::format(" *   {:>3}  {}: {}, {}, {} bytes, aligned to {}", number, readable(form.name),
                                 toString(withoutLayout(*form.shape), false), cType(type),
                                 form.shape->denseBytes().value_or(0), alignment);
  if (!form.note.empty()) line += "; " + form.note;
  if (form.argument >= 0) line += fmt::format("; may be stored over argument {}", form.argument);
  return line + "\n";
}

std::string sizesOf(const std::string& prefix, const std::vector<ArrayForm>& forms) {
  std::string out;
  for (size_t i = 0; i < forms.size(); ++i)
    out += fmt::format("#define {}_{}_BYTES {}\n", prefix, i, forms[i].shape->denseBytes().value_or(0));
  return out;
}

// The number of an array among those of a shape, tokens left out; -1: it is none.
int64_t arrayNumber(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t number = 0;
  for (const ShapeLeaf& leaf : leavesOf(shape)) {
    if (!leaf.shape->isArray()) continue;
    if (leaf.index == index) return number;
    ++number;
  }
  return -1;
}

std::string nameOfLeaf(std::string_view owner, const std::vector<int64_t>& index) {
  std::string out(owner);
  for (int64_t i : index) out += "." + std::to_string(i);
  return out;
}

// The arrays of one device, and of which parameter's leaf each dynamic size is.
void describeDevice(const Module& module, ArrayForms& forms) {
  std::vector<int64_t> firstOf;  // by parameter
  for (InstructionId id : module.entryComputation().parameters) {
    firstOf.push_back(static_cast<int64_t>(forms.arguments.size()));
    for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(id)))
      if (leaf.shape->isArray())
        forms.arguments.push_back({nameOfLeaf(module.at(id).name, leaf.index), leaf.shape, -1});
  }
  const Shape& root = module.shapeOf(module.entryComputation().root);
  for (const ShapeLeaf& leaf : leavesOf(root))
    if (leaf.shape->isArray()) forms.results.push_back({nameOfLeaf("result", leaf.index), leaf.shape, -1});
  for (const AliasEntry& alias : module.config().inputOutputAlias) {
    if (alias.parameter < 0 || alias.parameter >= static_cast<int64_t>(firstOf.size())) continue;
    const InstructionId parameter = module.entryComputation().parameters[static_cast<size_t>(alias.parameter)];
    const int64_t result = arrayNumber(root, alias.outputIndex),
                  leaf = arrayNumber(module.shapeOf(parameter), alias.parameterIndex);
    if (result < 0 || leaf < 0) continue;
    const int64_t argument = firstOf[static_cast<size_t>(alias.parameter)] + leaf;
    ArrayForm& form = forms.results[static_cast<size_t>(result)];
    if (form.shape->denseBytes() == forms.arguments[static_cast<size_t>(argument)].shape->denseBytes())
      form.argument = argument;
  }
}

// Behind the arrays stand their sizes, one for each dynamic dimension in order (core/passes/dynamic/dynamic_padding).
void describeSizes(std::vector<ArrayForm>& forms, const char* what) {
  std::vector<std::string> sizes;
  for (size_t i = 0; i < forms.size(); ++i)
    for (int64_t d = 0; d < forms[i].shape->rank(); ++d)
      if (forms[i].shape->isDynamicDimension(d))
        sizes.push_back(fmt::format("the size of dimension {} of {} {}", d, what, i));
  for (ArrayForm& form : forms)
    if (form.shape->hasDynamicDimensions()) form.note = "memory for the bounds, elements within the sizes";
  static const Shape kSize = Shape::arrayRowMajor(ElementType::S32, {});
  for (std::string& size : sizes) forms.push_back({"size", &kSize, -1, std::move(size)});
}

// The same arrays for each further device.
void repeat(std::vector<ArrayForm>& forms, int64_t devices, size_t argumentsOfOne) {
  const size_t count = forms.size();
  for (int64_t d = 1; d < devices; ++d)
    for (size_t i = 0; i < count; ++i) {
      ArrayForm form = forms[i];
      form.name += fmt::format(" on device {}", d);
      if (form.argument >= 0) form.argument += d * static_cast<int64_t>(argumentsOfOne);
      forms.push_back(std::move(form));
    }
}

}  // namespace

std::string listOf(const std::vector<ArrayForm>& forms) {
  std::string out;
  for (size_t i = 0; i < forms.size(); ++i) out += lineOf(i, forms[i]);
  return forms.empty() ? " *   none\n" : out;
}

std::string macrosOf(const std::string& prefix, const ArrayForms& forms) {
  return fmt::format("#define {}_ARGUMENTS {}\n#define {}_RESULTS {}\n", prefix, forms.arguments.size(), prefix,
                     forms.results.size()) +
         sizesOf(prefix + "_ARGUMENT", forms.arguments) + sizesOf(prefix + "_RESULT", forms.results);
}

ArrayForms arrayForms(const Module& source, DeviceGrid grid) {
  ArrayForms out;
  describeDevice(source, out);
  describeSizes(out.arguments, "argument");
  describeSizes(out.results, "result");
  const size_t ofOne = out.arguments.size();
  repeat(out.arguments, grid.count(), ofOne);
  repeat(out.results, grid.count(), ofOne);
  return out;
}

}  // namespace tessera::aot
