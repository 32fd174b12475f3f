// Attribute values of an instruction: a small typed vector keyed by attribute name, from one table
// (attributes.inc). Text reader and printer, verifier, inspector and hash derive from the value kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/hlo/literal.h"
#include "core/hlo/shape.h"

namespace tessera {

enum class AttributeKind : uint8_t {
  Bool,
  Int,
  Float,
  String,  // "quoted"
  Enum,
  Enums,  // bare word; {word, word}
  Ints,
  IntLists,
  IntsOrIntLists,
  Slices,
  Window,
  DimLabels,
  Padding,
  ReplicaGroups,
  Computation,
  Computations,
  Instructions,
  Shape,
  Shapes,
  ShapedLiteral,
  Braced,        // {...} kept as its text after a syntax check
  StringOrJson,  // "quoted" or {json}
  Unknown,       // an attribute that the table lacks: its raw text
};

enum class Attr : uint8_t {
#define TESSERA_ATTRIBUTE(name, kind) name,
#include "core/hlo/attributes.inc"
#undef TESSERA_ATTRIBUTE
};

// Text name ("control-predecessors" for control_predecessors).
std::string_view nameOf(Attr attr);
AttributeKind kindOf(Attr attr);
// Every instruction may carry it: the last rows of attributes.inc.
inline bool isCommon(Attr attr) { return attr >= Attr::sharding; }
std::optional<Attr> attrFromName(std::string_view name);

struct SliceDimension {  // [start:limit:stride]
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceDimension&) const = default;
};

struct PaddingDimension {  // low_high_interior
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};

struct WindowDimension {
  int64_t size = 1, stride = 1, paddingLow = 0, paddingHigh = 0, windowDilation = 1, baseDilation = 1;
  bool reversal = false;
  bool operator==(const WindowDimension&) const = default;
};

struct Window {
  std::vector<WindowDimension> dimensions;
  bool operator==(const Window&) const = default;
};

// dim_labels=b01f_01io->b01f as dimension numbers; -1 for a label that is absent.
struct ConvolutionDimensions {
  int64_t inputBatch = -1, inputFeature = -1, kernelInput = -1, kernelOutput = -1, outputBatch = -1, outputFeature = -1;
  std::vector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  std::string text;  // the labels as written (they may hold '?')
  bool operator==(const ConvolutionDimensions&) const = default;
};

// Replica groups: the text in any of the three forms, and the groups where the form can be expanded.
struct ReplicaGroups {
  std::string text;                          // "{{0,1},{2,3}}", "[2,2]<=[4]", "mesh['x'=2] {'x'}" …
  std::vector<std::vector<int64_t>> groups;  // expanded; empty: all replicas in one group
  bool operator==(const ReplicaGroups&) const = default;
};

// Text that is kept as written. quoted: a "string"; else the braces' text with braces.
struct RawText {
  std::string text;
  bool quoted = false;
  bool operator==(const RawText&) const = default;
};

// A large alternative, shared and immutable, with value equality; keeps AttributeValue at 40 bytes.
template <class T>
struct Boxed {
  std::shared_ptr<const T> value;
  Boxed() = default;
  Boxed(T v) : value(std::make_shared<const T>(std::move(v))) {}  // NOLINT: implicit on purpose
  bool operator==(const Boxed& other) const { return value == other.value || *value == *other.value; }
};

template <class T>
inline constexpr bool kIsBoxed =
    std::is_same_v<T, ConvolutionDimensions> || std::is_same_v<T, ReplicaGroups> || std::is_same_v<T, Shape>;

using AttributeValue =
    std::variant<bool, int64_t, double, std::string, std::vector<std::string>, std::vector<int64_t>,
                 std::vector<std::vector<int64_t>>, std::vector<SliceDimension>, std::vector<PaddingDimension>, Window,
                 Boxed<ConvolutionDimensions>, Boxed<ReplicaGroups>, ComputationId, std::vector<ComputationId>,
                 std::vector<InstructionId>, Boxed<Shape>, std::vector<Shape>, LiteralPtr, RawText>;

// Which alternative a kind uses: Bool bool; Int int64_t; Float double; String and Enum std::string; Enums
// vector<string>; Ints vector<int64_t>; IntLists vector<vector<int64_t>>; IntsOrIntLists either; Slices, Padding,
// Window, DimLabels, ReplicaGroups, Computation(s), Instructions, Shape(s) as named; ShapedLiteral LiteralPtr;
// Braced, StringOrJson, Unknown RawText.
struct Attribute {
  Attr name;
  AttributeValue value;
};

struct UnknownAttribute {
  std::string name;
  RawText value;
};

class AttributeSet {
 public:
  // Not inline: they are long, and a hundred files need them.
  AttributeSet();
  ~AttributeSet();
  AttributeSet(const AttributeSet& other);
  AttributeSet(AttributeSet&& other) noexcept;
  AttributeSet& operator=(const AttributeSet& other);
  AttributeSet& operator=(AttributeSet&& other) noexcept;

  // nullptr when absent or of another type. T is the plain type: get<Shape>, get<Window>, get<std::vector<int64_t>>.
  template <class T>
  const T* get(Attr name) const {
    const AttributeValue* value = find(name);
    if (!value) return nullptr;
    if constexpr (kIsBoxed<T>) {
      const auto* boxed = std::get_if<Boxed<T>>(value);
      return boxed ? boxed->value.get() : nullptr;
    } else {
      return std::get_if<T>(value);
    }
  }
  const AttributeValue* find(Attr name) const;
  bool has(Attr name) const { return find(name) != nullptr; }
  int64_t intOr(Attr name, int64_t otherwise) const;
  bool boolOr(Attr name, bool otherwise) const;
  // Empty when absent.
  const std::vector<int64_t>& ints(Attr name) const;
  std::string_view textOr(Attr name, std::string_view otherwise) const;  // String and Enum

  void set(Attr name, AttributeValue value);  // replaces
  void remove(Attr name);
  const std::vector<Attribute>& items() const { return items_; }  // in the order they were set
  std::vector<UnknownAttribute> unknown;
  bool empty() const { return items_.empty() && unknown.empty(); }

 private:
  std::vector<Attribute> items_;
};

using AttributeSetPtr = std::shared_ptr<const AttributeSet>;

}  // namespace tessera
