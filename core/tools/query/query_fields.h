// The fields of a query, as one table: what each is called, what it takes and what it means. Read by the parser of
// queries, by completion, by the help page of `tessera grep` and by the search itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera {

enum class QueryField : uint8_t {
  Anything,  // a word without a field: name, opcode, op_name, source
  Op,
  Name,
  OpName,
  Under,
  File,
  Line,
  Function,
  Stack,
  Dtype,
  Shape,
  Dimension,
  Rank,
  Elements,
  Bytes,
  Accessed,
  Flops,
  Transcendentals,
  Attribute,
  In,
  Is,
  Calls,
  Operand,
  User,
  From,
  Feeds,
  Near,
  Trace,
  Operands,
  Users,
};

// The values of the field.
enum class QueryValueKind : uint8_t {
  Part,       // a text: a part of the searched one, or with * and ? the whole of it
  Whole,      // a text: the whole of the searched one, with * and ?
  Path,       // scopes, one inside the other: a/b
  Type,       // an element type
  Shape,      // a pattern of shapes
  Count,      // a number; k, M, G, T
  Bytes,      // a number; kB, MB, GB, TB, KiB, MiB, GiB, TiB
  Attribute,  // the name of an attribute, or NAME=TEXT
  Choice,     // one of the words of `choices`
  Around,     // a text like Whole, or STEPS:TEXT
  Route,      // two texts like Whole or more, with commas between them
};

struct QueryFieldRow {
  QueryField field;
  std::string_view name;
  QueryValueKind kind;
  std::string_view meaning;
  std::string_view example;
};

// All that have a name, in the order of help.
std::span<const QueryFieldRow> queryFields();
const QueryFieldRow* findQueryField(std::string_view name);  // null: there is none
const QueryFieldRow& rowOf(QueryField field);                // of one that has a name

inline bool takesNumber(QueryValueKind kind) { return kind == QueryValueKind::Count || kind == QueryValueKind::Bytes; }

// The words that `is:` knows.
struct QueryChoice {
  std::string_view name, meaning;
};
std::span<const QueryChoice> queryChoices();

// What a number may end in, for a field of numbers: the letters and what they multiply by.
struct QueryUnit {
  std::string_view name;
  double factor;
};
std::span<const QueryUnit> queryUnits(QueryValueKind kind);

}  // namespace tessera
