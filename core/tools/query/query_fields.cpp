// The table.
#include "core/tools/query/query_fields.h"

#include <algorithm>

namespace tessera {
namespace {

using QueryKind = QueryValueKind;

constexpr QueryFieldRow kQueryFields[] = {
    {QueryField::Op, "op", QueryKind::Whole, "opcode", "op:transpose|copy"},
    {QueryField::Name, "name", QueryKind::Part, "name of the instruction", "name:dot_general*"},
    {QueryField::OpName, "op_name", QueryKind::Part, "op_name of the metadata: the program's scopes and primitive",
     "op_name:softmax"},
    {QueryField::Under, "under", QueryKind::Path, "scope of op_name that it lies in, with transformations",
     "under:jvp"},
    {QueryField::File, "file", QueryKind::Part, "source file, or FILE:LINE", "file:model.py:42"},
    {QueryField::Line, "line", QueryKind::Count, "line of the source file", "line>=100"},
    {QueryField::Function, "function", QueryKind::Part, "function of the source", "function:attention"},
    {QueryField::Stack, "stack", QueryKind::Part, "any frame of the source's stack, as FILE:LINE FUNCTION",
     "stack:train_step"},
    {QueryField::Dtype, "dtype", QueryKind::Type, "element type of the result; of a tuple, any", "dtype:f64"},
    {QueryField::Shape, "shape", QueryKind::Shape, "shape: * one dimension, ... any number", "shape:f32[*,128]"},
    {QueryField::Dimension, "dim", QueryKind::Count, "size of a dimension, any of them", "dim>=4096"},
    {QueryField::Rank, "rank", QueryKind::Count, "number of dimensions", "rank>3"},
    {QueryField::Elements, "elements", QueryKind::Count, "elements of the result", "elements>1M"},
    {QueryField::Bytes, "bytes", QueryKind::Bytes, "bytes of the result", "bytes>1MB"},
    {QueryField::Accessed, "accessed", QueryKind::Bytes, "bytes that it reads and writes", "accessed>1GiB"},
    {QueryField::Flops, "flops", QueryKind::Count, "floating-point operations of one execution", "flops>1G"},
    {QueryField::Transcendentals, "transcendentals", QueryKind::Count, "exponentials, sines … of one execution",
     "transcendentals>0"},
    {QueryField::Attribute, "attr", QueryKind::Attribute, "an attribute that is set, or NAME=TEXT", "attr:window"},
    {QueryField::In, "in", QueryKind::Part, "computation that holds it, or the fusion, call or loop that runs it",
     "in:transpose"},
    {QueryField::Is, "is", QueryKind::Choice, "what part it plays", "is:loop"},
    {QueryField::Calls, "calls", QueryKind::Part, "computation that it calls", "calls:region_0*"},
    {QueryField::Operand, "operand", QueryKind::Whole, "opcode or name of one of its operands", "operand:constant"},
    {QueryField::User, "user", QueryKind::Whole, "opcode or name of one that uses it", "user:dot"},
    {QueryField::From, "from", QueryKind::Whole, "computed from the one of this opcode or name, across calls",
     "from:parameter"},
    {QueryField::Feeds, "feeds", QueryKind::Whole, "its value reaches the one of this opcode or name, across calls",
     "feeds:main.1/loss"},
    {QueryField::Near, "near", QueryKind::Around,
     "at most two steps, or N of near:N:NAME, up or down, from the one of this opcode or name", "near:3:main.1/loss"},
    {QueryField::Trace, "trace", QueryKind::Route,
     "on a shortest path from the first of these names to the last, through the others in their order",
     "trace:main.1/x,main.1/h,main.1/loss"},
    {QueryField::Operands, "operands", QueryKind::Count, "number of operands", "operands>8"},
    {QueryField::Users, "users", QueryKind::Count, "number of instructions that use it", "users>10"},
};

constexpr QueryChoice kQueryChoices[] = {
    {"entry", "in the entry computation"},
    {"fused", "inside a fusion"},
    {"loop", "inside the body or the condition of a loop"},
    {"root", "the result of its computation"},
    {"unused", "nothing uses it, and it is no result"},
};

constexpr QueryUnit kCountUnits[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr QueryUnit kByteUnits[] = {
    {"B", 1},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"k", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"KiB", 1 << 10},
    {"MiB", 1 << 20},
    {"GiB", 1 << 30},
    {"TiB", 1024.0 * (1 << 30)},
};

}  // namespace

std::span<const QueryFieldRow> queryFields() { return kQueryFields; }
std::span<const QueryChoice> queryChoices() { return kQueryChoices; }

const QueryFieldRow* findQueryField(std::string_view name) {
  const auto* found = std::ranges::find(kQueryFields, name, &QueryFieldRow::name);
  return found == std::end(kQueryFields) ? nullptr : found;
}

const QueryFieldRow& rowOf(QueryField field) { return *std::ranges::find(kQueryFields, field, &QueryFieldRow::field); }

std::span<const QueryUnit> queryUnits(QueryValueKind kind) {
  if (kind == QueryValueKind::Bytes) return kByteUnits;
  return kCountUnits;
}

}  // namespace tessera
