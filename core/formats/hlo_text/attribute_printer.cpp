// Printing attribute values by kind, exactly as XLA writes them.
#include <algorithm>
#include <charconv>

#include "core/formats/hlo_text.h"
#include "core/formats/hlo_text/attribute_text.h"
#include "core/formats/hlo_text/literal_text.h"

namespace tessera::text {
namespace {

void appendInt(std::string& out, int64_t value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <class Items, class Each>
void appendList(std::string& out, const Items& items, std::string_view separator, Each&& each) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    each(item);
  }
}

void appendInts(std::string& out, const std::vector<int64_t>& values) {
  out += '{';
  appendList(out, values, ",", [&](int64_t v) { appendInt(out, v); });
  out += '}';
}

// Strides are written for all dimensions or for none.
void appendSlices(std::string& out, const std::vector<SliceDimension>& slices) {
  const bool strided = std::ranges::any_of(slices, [](const SliceDimension& s) { return s.stride != 1; });
  out += '{';
  appendList(out, slices, ", ", [&](const SliceDimension& s) {
    out += '[';
    appendInt(out, s.start);
    out += ':';
    appendInt(out, s.limit);
    if (strided) out += ':', appendInt(out, s.stride);
    out += ']';
  });
  out += '}';
}

void appendPadding(std::string& out, const std::vector<PaddingDimension>& padding) {
  bool interior = false;
  for (const PaddingDimension& d : padding) interior |= d.interior != 0;
  appendList(out, padding, "x", [&](const PaddingDimension& d) {
    appendInt(out, d.low);
    out += '_';
    appendInt(out, d.high);
    if (interior) out += '_', appendInt(out, d.interior);
  });
}

// One field of a window; printed when any dimension differs from the default.
template <class Value, class Differs>
void appendWindowField(std::string& out, const Window& window, std::string_view name, Differs&& differs,
                       Value&& value) {
  bool any = false;
  for (const WindowDimension& d : window.dimensions) any |= differs(d);
  if (!any) return;
  out += name;
  appendList(out, window.dimensions, "x", value);
}

void appendWindow(std::string& out, const Window& window) {
  using D = WindowDimension;
  out += '{';
  appendWindowField(
      out, window, "size=", [](const D&) { return true; }, [&](const D& d) { appendInt(out, d.size); });
  appendWindowField(
      out, window, " stride=", [](const D& d) { return d.stride != 1; }, [&](const D& d) { appendInt(out, d.stride); });
  appendWindowField(
      out, window, " pad=", [](const D& d) { return d.paddingLow != 0 || d.paddingHigh != 0; },
      [&](const D& d) {
        appendInt(out, d.paddingLow);
        out += '_';
        appendInt(out, d.paddingHigh);
      });
  appendWindowField(
      out, window, " lhs_dilate=", [](const D& d) { return d.baseDilation != 1; },
      [&](const D& d) { appendInt(out, d.baseDilation); });
  appendWindowField(
      out, window, " rhs_dilate=", [](const D& d) { return d.windowDilation != 1; },
      [&](const D& d) { appendInt(out, d.windowDilation); });
  appendWindowField(
      out, window, " rhs_reversal=", [](const D& d) { return d.reversal; },
      [&](const D& d) { out += d.reversal ? '1' : '0'; });
  out += '}';
}

// Floats of attributes are f32 in XLA: %.6g when that reads back, else %.9g, else what the double needs.
void appendFloat(std::string& out, double value) {
  char buffer[40];
  for (int digits : {6, 9, 17}) {
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (digits != 17 && back != value && static_cast<float>(back) != value) continue;
    out.append(buffer, end);
    return;
  }
}

void appendRaw(std::string& out, const RawText& raw) {
  if (!raw.quoted) {
    out += raw.text;
    return;
  }
  out += '"';
  appendEscaped(out, raw.text);
  out += '"';
}

void appendText(std::string& out, const std::string& text, AttributeKind kind) {
  if (kind != AttributeKind::String) {
    out += text;
    return;
  }
  out += '"';
  appendEscaped(out, text);
  out += '"';
}

struct Printer {
  std::string& out;
  const Module& module;
  AttributeKind kind;

  void name(ComputationId id) const { out += module.contains(id) ? '%' + module.at(id).name : std::string("?"); }
  void name(InstructionId id) const {
    out += '%';
    out += id.value < module.instructionSlots() ? module.at(id).name : std::string_view("?");
  }
  template <class Id>
  void names(const std::vector<Id>& ids) const {
    out += '{';
    appendList(out, ids, ", ", [&](Id id) { name(id); });
    out += '}';
  }

  void operator()(bool v) const { out += v ? "true" : "false"; }
  void operator()(int64_t v) const { appendInt(out, v); }
  void operator()(double v) const { appendFloat(out, v); }
  void operator()(const std::string& v) const { appendText(out, v, kind); }
  void operator()(const std::vector<std::string>& v) const {
    out += '{';
    appendList(out, v, ",", [&](const std::string& word) { out += word; });
    out += '}';
  }
  void operator()(const std::vector<int64_t>& v) const { appendInts(out, v); }
  void operator()(const std::vector<std::vector<int64_t>>& v) const {
    out += '{';
    appendList(out, v, ",", [&](const std::vector<int64_t>& ints) { appendInts(out, ints); });
    out += '}';
  }
  void operator()(const std::vector<SliceDimension>& v) const { appendSlices(out, v); }
  void operator()(const std::vector<PaddingDimension>& v) const { appendPadding(out, v); }
  void operator()(const Window& v) const { appendWindow(out, v); }
  void operator()(const Boxed<ConvolutionDimensions>& v) const { out += v.value->text; }
  void operator()(const Boxed<ReplicaGroups>& v) const { out += v.value->text; }
  void operator()(ComputationId v) const { name(v); }
  void operator()(const std::vector<ComputationId>& v) const { names(v); }
  void operator()(const std::vector<InstructionId>& v) const { names(v); }
  void operator()(const Boxed<Shape>& v) const { out += toString(*v.value); }
  void operator()(const std::vector<Shape>& v) const {
    out += '{';
    appendList(out, v, ", ", [&](const Shape& shape) { out += toString(shape); });
    out += '}';
  }
  void operator()(const LiteralPtr& v) const {
    if (v) appendShapedLiteral(out, *v);
  }
  void operator()(const RawText& v) const { appendRaw(out, v); }
};

}  // namespace

void appendAttributeValue(std::string& out, const Module& module, const AttributeValue& value, AttributeKind kind) {
  std::visit(Printer{out, module, kind}, value);
}

}  // namespace tessera::text

namespace tessera {

std::string printAttributeValue(const Module& module, const AttributeValue& value, AttributeKind kind) {
  std::string out;
  text::appendAttributeValue(out, module, value, kind);
  return out;
}

}  // namespace tessera
