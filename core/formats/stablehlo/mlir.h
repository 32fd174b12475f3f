// What the MLIR subset of StableHLO files is parsed into: operations with operands by name, attributes, regions and
// types. Views point into the text. The pretty and the generic form of an operation give the same record, but for
// attribute names, which the lowering looks up under both. Stands between mlir_parser and the lowering.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hlo/shape.h"

namespace tessera::mlir {

struct Attribute {
  enum class Kind : uint8_t {
    Unit,  // a name alone
    Bool,
    Int,
    Float,
    String,
    Word,        // DEFAULT, e5m10
    Symbol,      // @name
    Array,       // [a, b] and array<i64: 1, 2>
    Dictionary,  // {a = b} and #dialect.name<a = b>
    Dense,       // dense<…>: text is the part between < and >
    Type,
    Raw,  // #dialect.name<…>, <…>: the text between < and >
  };
  Kind kind = Kind::Unit;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::string dialect;  // "stablehlo.gather" of #stablehlo.gather<…>; "dense_resource"
  std::vector<Attribute> items;
  std::vector<std::pair<std::string, Attribute>> entries;
  std::optional<Shape> type;
  size_t offset = 0;

  // Not implicit: clang requires the type of the entries to be complete.
  Attribute();
  Attribute(const Attribute&);
  Attribute(Attribute&&) noexcept;
  Attribute& operator=(const Attribute&);
  Attribute& operator=(Attribute&&) noexcept;
  ~Attribute();

  const Attribute* find(std::string_view name) const;
};

inline Attribute::Attribute() = default;
inline Attribute::Attribute(const Attribute&) = default;
inline Attribute::Attribute(Attribute&&) noexcept = default;
inline Attribute& Attribute::operator=(const Attribute&) = default;
inline Attribute& Attribute::operator=(Attribute&&) noexcept = default;
inline Attribute::~Attribute() = default;

inline const Attribute* Attribute::find(std::string_view name) const {
  for (const auto& [key, value] : entries)
    if (key == name) return &value;
  return nullptr;
}

using Dictionary = std::vector<std::pair<std::string, Attribute>>;

struct Region;

struct Operation {
  struct Result {
    std::string_view name;  // "%0"
    int64_t count = 1;      // of "%0:2"
  };
  std::string_view name;  // "stablehlo.add"
  size_t offset = 0;
  std::vector<Result> results;
  std::vector<std::string_view> operands;  // "%0", "%0#1"
  std::vector<size_t> operandOffsets;
  Dictionary attributes;
  std::vector<Dictionary> resultAttributes;  // of a function
  std::vector<std::string_view> words;       // bare words of the pretty form: EQ, FLOAT
  std::string_view symbol;                   // @name without '@'
  std::vector<Region> regions;
  std::vector<Shape> types;   // of the results
  bool functional = false;    // the types were written as (…) -> …
  std::string_view location;  // between the parentheses of loc(…)

  const Attribute* find(std::string_view key) const {
    for (const auto& [name, value] : attributes)
      if (name == key) return &value;
    return nullptr;
  }
};

struct BlockArgument {
  std::string_view name;
  Shape type;
  Dictionary attributes;
  std::string_view location;  // between the parentheses of loc(…)
};

// Regions of StableHLO have one block.
struct Region {
  std::vector<BlockArgument> arguments;
  std::vector<Operation> operations;
};

struct File {
  Operation module;                                           // builtin.module; its region holds the functions
  std::map<std::string, std::string, std::less<>> locations;  // #loc1 to the text of its loc(…)
  std::map<std::string, std::string, std::less<>> resources;  // dense_resource blobs, as hexadecimal text
};

}  // namespace tessera::mlir
