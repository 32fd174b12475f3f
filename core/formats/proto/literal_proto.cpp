// LiteralProto: one value field an element type (a table), tuples nested. Values are in the order of the literal's
// own layout there and row-major here; sub-byte types are a byte an element, the upper bits cleared there and
// sign-extended here.
#include <cstring>
#include <numeric>

#include "core/formats/proto/hlo_data.pb.h"
#include "core/formats/proto/shape_proto.h"
#include "core/hlo/index_math.h"
#include "core/hlo/numbers.h"

namespace tessera::proto {
namespace {

using google::protobuf::RepeatedField;

// A value field that is raw bytes.
struct BytesField {
  ElementType type;
  const std::string& (pb::LiteralProto::*get)() const;
  std::string* (pb::LiteralProto::*change)();
};
constexpr BytesField kBytesFields[] = {
    {ElementType::U8, &pb::LiteralProto::u8s, &pb::LiteralProto::mutable_u8s},
    {ElementType::S8, &pb::LiteralProto::s8s, &pb::LiteralProto::mutable_s8s},
    {ElementType::U16, &pb::LiteralProto::u16s, &pb::LiteralProto::mutable_u16s},
    {ElementType::S16, &pb::LiteralProto::s16s, &pb::LiteralProto::mutable_s16s},
    {ElementType::F16, &pb::LiteralProto::f16s, &pb::LiteralProto::mutable_f16s},
    {ElementType::BF16, &pb::LiteralProto::bf16s, &pb::LiteralProto::mutable_bf16s},
    {ElementType::S1, &pb::LiteralProto::s1s, &pb::LiteralProto::mutable_s1s},
    {ElementType::S2, &pb::LiteralProto::s2s, &pb::LiteralProto::mutable_s2s},
    {ElementType::S4, &pb::LiteralProto::s4s, &pb::LiteralProto::mutable_s4s},
    {ElementType::U1, &pb::LiteralProto::u1s, &pb::LiteralProto::mutable_u1s},
    {ElementType::U2, &pb::LiteralProto::u2s, &pb::LiteralProto::mutable_u2s},
    {ElementType::U4, &pb::LiteralProto::u4s, &pb::LiteralProto::mutable_u4s},
    {ElementType::F8E5M2, &pb::LiteralProto::f8e5m2s, &pb::LiteralProto::mutable_f8e5m2s},
    {ElementType::F8E4M3, &pb::LiteralProto::f8e4m3s, &pb::LiteralProto::mutable_f8e4m3s},
    {ElementType::F8E4M3FN, &pb::LiteralProto::f8e4m3fns, &pb::LiteralProto::mutable_f8e4m3fns},
    {ElementType::F8E4M3B11FNUZ, &pb::LiteralProto::f8e4m3b11fnuzs, &pb::LiteralProto::mutable_f8e4m3b11fnuzs},
    {ElementType::F8E3M4, &pb::LiteralProto::f8e3m4s, &pb::LiteralProto::mutable_f8e3m4s},
    {ElementType::F8E5M2FNUZ, &pb::LiteralProto::f8e5m2fnuzs, &pb::LiteralProto::mutable_f8e5m2fnuzs},
    {ElementType::F8E4M3FNUZ, &pb::LiteralProto::f8e4m3fnuzs, &pb::LiteralProto::mutable_f8e4m3fnuzs},
    {ElementType::F8E8M0FNU, &pb::LiteralProto::f8e8m0fnus, &pb::LiteralProto::mutable_f8e8m0fnus},
    {ElementType::F6E3M2FN, &pb::LiteralProto::f6e3m2fns, &pb::LiteralProto::mutable_f6e3m2fns},
    {ElementType::F6E2M3FN, &pb::LiteralProto::f6e2m3fns, &pb::LiteralProto::mutable_f6e2m3fns},
    {ElementType::F4E2M1FN, &pb::LiteralProto::f4e2m1fns, &pb::LiteralProto::mutable_f4e2m1fns},
};

const BytesField* bytesFieldOf(ElementType type) {
  for (const BytesField& field : kBytesFields)
    if (field.type == type) return &field;
  return nullptr;
}

// Calls fn with the repeated field of the type; complex numbers are two values an element.
template <class Message, class Fn>
bool withRepeated(ElementType type, Message& message, Fn&& fn) {
  constexpr bool kConst = std::is_const_v<Message>;
  auto pick = [&](const auto& get, auto change) {
    if constexpr (kConst)
      fn(get);
    else
      fn(*change());
    return true;
  };
  switch (type) {
#define TESSERA_REPEATED(enumerator, field)                    \
  case ElementType::enumerator:                                \
    return pick(message.field(), [&] {                         \
      if constexpr (!kConst) return message.mutable_##field(); \
    });
    TESSERA_REPEATED(Pred, preds)
    TESSERA_REPEATED(S32, s32s)
    TESSERA_REPEATED(S64, s64s)
    TESSERA_REPEATED(U32, u32s)
    TESSERA_REPEATED(U64, u64s)
    TESSERA_REPEATED(F32, f32s)
    TESSERA_REPEATED(F64, f64s)
    TESSERA_REPEATED(C64, c64s)
    TESSERA_REPEATED(C128, c128s)
#undef TESSERA_REPEATED
    default: return false;
  }
}

// Bytes of the values in the message's order; empty when the field is.
Result<std::string_view> valuesOf(const pb::LiteralProto& message, ElementType type) {
  if (const BytesField* field = bytesFieldOf(type)) return std::string_view((message.*field->get)());
  std::string_view out;
  const bool found = withRepeated(type, message, [&](const auto& values) {
    out = {reinterpret_cast<const char*>(values.data()), static_cast<size_t>(values.size()) * sizeof(*values.data())};
  });
  if (!found) return fail("a literal has the element type " + std::string(nameOf(type)) + ", which has no values");
  return out;
}

// Copies elements between row-major order and the layout's.
void permute(const Shape& shape, size_t width, const char* from, char* to, bool toRowMajor) {
  const std::vector<int64_t> strides = stridesOf(shape.dimensions, shape.layout->minorToMajor);
  std::vector<int64_t> index(shape.dimensions.size(), 0);
  const int64_t count = *shape.elementCount();
  int64_t place = 0;
  for (int64_t n = 0; n < count; ++n) {
    const auto row = static_cast<size_t>(n) * width, other = static_cast<size_t>(place) * width;
    std::memcpy(to + (toRowMajor ? row : other), from + (toRowMajor ? other : row), width);
    for (size_t d = index.size(); d-- > 0;) {
      place += strides[d];
      if (++index[d] < shape.dimensions[d]) break;
      place -= strides[d] * shape.dimensions[d];
      index[d] = 0;
    }
  }
}

bool isDescending(const Shape& shape) {
  return !shape.layout || shape.layout->minorToMajor == Layout::rowMajor(shape.rank()).minorToMajor;
}

// Sub-byte values: sign-extended here, upper bits cleared there; pred is 0 or 1.
void normalise(ElementType type, std::span<std::byte> bytes) {
  if (type == ElementType::Pred)
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  if (!isSubByte(type)) return;
  const auto mask = static_cast<uint8_t>((1u << info(type).bits) - 1);
  for (std::byte& b : bytes) {
    const auto low = static_cast<uint8_t>(static_cast<uint8_t>(b) & mask);
    if (isSigned(type))
      storeInt(type, &b, low);
    else
      b = static_cast<std::byte>(low);
  }
}

Result<Literal> readArray(const pb::LiteralProto& message, Shape shape) {
  TESSERA_ASSIGN_OR_RETURN(std::string_view values, valuesOf(message, shape.type));
  auto bytes = shape.denseBytes();
  if (!bytes || static_cast<size_t>(*bytes) != values.size())
    return fail("a literal of shape " + toString(shape, false) + " has values for " +
                std::to_string(values.size() / static_cast<size_t>(byteWidth(shape.type))) + " elements");
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  if (values.empty()) return out;
  char* to = reinterpret_cast<char*>(out.mutableBytes().data());
  if (isDescending(shape))
    std::memcpy(to, values.data(), values.size());
  else
    permute(shape, static_cast<size_t>(byteWidth(shape.type)), values.data(), to, true);
  normalise(shape.type, out.mutableBytes());
  return out;
}

void writeArray(const Literal& literal, pb::LiteralProto& out) {
  const Shape& shape = literal.shape();
  auto source = reinterpret_cast<const char*>(literal.bytes().data());
  std::string reordered;
  if (!isDescending(shape) && !literal.bytes().empty()) {
    reordered.resize(literal.bytes().size());
    permute(shape, static_cast<size_t>(byteWidth(shape.type)), source, reordered.data(), false);
    source = reordered.data();
  }
  if (const BytesField* field = bytesFieldOf(shape.type)) {
    std::string& bytes = *(out.*field->change)();
    bytes.assign(source, literal.bytes().size());
    if (!isSubByte(shape.type)) return;
    const auto mask = static_cast<uint8_t>((1u << info(shape.type).bits) - 1);
    for (char& c : bytes) c = static_cast<char>(static_cast<uint8_t>(c) & mask);
    return;
  }
  withRepeated(shape.type, out, [&]<class T>(RepeatedField<T>& values) {
    values.Resize(static_cast<int>(literal.bytes().size() / sizeof(T)), T{});
    if (!literal.bytes().empty()) std::memcpy(values.mutable_data(), source, literal.bytes().size());
  });
}

Result<Literal> readAs(const pb::LiteralProto& message, const Shape& shape) {
  if (shape.isTuple()) {
    if (static_cast<size_t>(message.tuple_literals_size()) != shape.elements.size())
      return fail("a tuple literal has " + std::to_string(message.tuple_literals_size()) + " elements and its shape " +
                  std::to_string(shape.elements.size()));
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.elements.size(); ++i) {
      const pb::LiteralProto& element = message.tuple_literals(static_cast<int>(i));
      TESSERA_ASSIGN_OR_RETURN(Literal one, readAs(element, shape.elements[i]));
      elements.push_back(std::move(one));
    }
    return Literal::tuple(std::move(elements));
  }
  if (shape.isToken()) return Literal::token();
  if (!shape.isArray()) return fail("a literal has the shape " + toString(shape));
  return readArray(message, shape);
}

}  // namespace

Result<Literal> readLiteral(const pb::LiteralProto& message) {
  if (!message.has_shape()) return fail("a literal has no shape");
  TESSERA_ASSIGN_OR_RETURN(Shape shape, readShape(message.shape()));
  return readAs(message, shape);
}

void writeLiteral(const Literal& literal, pb::LiteralProto& out) {
  writeShape(literal.shape(), *out.mutable_shape());
  for (const Literal& element : literal.elements()) writeLiteral(element, *out.add_tuple_literals());
  if (literal.shape().isArray()) writeArray(literal, out);
}

}  // namespace tessera::proto
