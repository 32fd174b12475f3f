// See reductions.h.
#include "backends/mpi/reductions.h"

#include <cstring>

namespace tessera::mpi {
namespace {

struct KnownType {
  ElementType type;
  MPI_Datatype mpi;
};
struct KnownOperation {
  Opcode operation;
  MPI_Op mpi;
};

MPI_Datatype mpiTypeOf(ElementType type) {
  const KnownType known[] = {
      {ElementType::Pred, MPI_UINT8_T},
      {ElementType::S8, MPI_INT8_T},
      {ElementType::S16, MPI_INT16_T},
      {ElementType::S32, MPI_INT32_T},
      {ElementType::S64, MPI_INT64_T},
      {ElementType::U8, MPI_UINT8_T},
      {ElementType::U16, MPI_UINT16_T},
      {ElementType::U32, MPI_UINT32_T},
      {ElementType::U64, MPI_UINT64_T},
      {ElementType::F32, MPI_FLOAT},
      {ElementType::F64, MPI_DOUBLE},
      {ElementType::C64, MPI_C_FLOAT_COMPLEX},
      {ElementType::C128, MPI_C_DOUBLE_COMPLEX},
  };
  for (const KnownType& row : known)
    if (row.type == type) return row.mpi;
  return MPI_DATATYPE_NULL;
}

bool isBitwise(Opcode operation) {
  return operation == Opcode::And || operation == Opcode::Or || operation == Opcode::Xor;
}

// Only where MPI means the same: its maximum of floats knows no NaN, its product of complex numbers is the C
// compiler's.
MPI_Op mpiOperationOf(ElementType type, std::optional<Opcode> operation) {
  if (!operation || mpiTypeOf(type) == MPI_DATATYPE_NULL) return MPI_OP_NULL;
  const KnownOperation known[] = {
      {Opcode::Add, MPI_SUM},  {Opcode::Multiply, MPI_PROD}, {Opcode::Maximum, MPI_MAX}, {Opcode::Minimum, MPI_MIN},
      {Opcode::And, MPI_BAND}, {Opcode::Or, MPI_BOR},        {Opcode::Xor, MPI_BXOR},
  };
  const bool whole = isInteger(type);
  const bool same = isBitwise(*operation)            ? whole || type == ElementType::Pred
                    : *operation == Opcode::Add      ? type != ElementType::Pred
                    : *operation == Opcode::Multiply ? whole || isFloat(type)
                                                     : whole;
  for (const KnownOperation& row : known)
    if (same && row.operation == *operation) return row.mpi;
  return MPI_OP_NULL;
}

// The reduction that a type of ours belongs to; MPI hands no more to an operation.
int ownerKey() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &made, nullptr);
    return made;
  }();
  return key;
}

}  // namespace

ElementBytes::ElementBytes(int64_t width) {
  MPI_Type_contiguous(static_cast<int>(width), MPI_BYTE, &type_);
  MPI_Type_commit(&type_);
}

BlockType::BlockType(const ElementBytes& element, int64_t width, int64_t lines, int64_t block, int64_t line) {
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(static_cast<int>(lines), static_cast<int>(block), line * width, element.get(), &strided);
  MPI_Type_create_resized(strided, 0, block * width, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&strided);
}

ArrayReduction::ArrayReduction(const DeviceReduction& reduction, ElementType type)
    : reduction_(reduction), element_(type), type_(mpiTypeOf(type)), op_(mpiOperationOf(type, reduction.operation)) {
  isMpis_ = op_ != MPI_OP_NULL;
  if (isMpis_) return;
  MPI_Type_contiguous(static_cast<int>(byteWidth(type)), MPI_BYTE, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_set_attr(type_, ownerKey(), this);
  MPI_Op_create(apply, 0, &op_);  // not commutative: MPI keeps the order of the ranks
}

ArrayReduction::~ArrayReduction() {
  if (isMpis_) return;
  MPI_Op_free(&op_);
  MPI_Type_free(&type_);
}

bool ArrayReduction::keepsOrder(size_t members) const {
  if (members <= 2) return true;
  if (!reduction_.operation) return false;
  const bool chooses = *reduction_.operation == Opcode::Maximum || *reduction_.operation == Opcode::Minimum;
  return chooses || isInteger(element_) || element_ == ElementType::Pred;
}

void ArrayReduction::apply(void* in, void* inout, int* count, MPI_Datatype* type) {
  void* owner = nullptr;
  int found = 0;
  MPI_Type_get_attr(*type, ownerKey(), &owner, &found);
  if (!found) return;
  auto* self = static_cast<ArrayReduction*>(owner);
  const Status folded = self->fold(in, inout, *count);
  if (!folded && !self->failure_) self->failure_ = folded.error();
}

Status ArrayReduction::fold(const void* in, void* inout, int64_t count) {
  const Shape shape = Shape::arrayRowMajor(element_, {count});
  const auto size = static_cast<size_t>(count * byteWidth(element_));
  TESSERA_ASSIGN_OR_RETURN(Literal first,
                           Literal::fromBytes(shape, std::span(static_cast<const std::byte*>(in), size)));
  TESSERA_ASSIGN_OR_RETURN(Literal second,
                           Literal::fromBytes(shape, std::span(static_cast<const std::byte*>(inout), size)));
  const Literal values[] = {std::move(first), std::move(second)};
  TESSERA_ASSIGN_OR_RETURN(const Literal folded, reduction_.fold(values));
  std::memcpy(inout, folded.bytes().data(), size);
  return {};
}

}  // namespace tessera::mpi
