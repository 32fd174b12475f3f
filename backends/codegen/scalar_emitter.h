// ScalarEmitter: HLO's scalar arithmetic as LLVM IR, for one value or for a vector of lanes alike.
// In registers: pred is i1; integers iN (sub-byte ones i8, wrapped after each node); f16, bf16 and the f8, f6, f4 types
// are f32 that holds an exactly representable value, rounded after each node; complex is a pair. In memory pred and
// sub-byte values take one byte.
#pragma once

#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/element/element_program.h"

namespace tessera::codegen {

// One scalar or one vector of lanes. im only for complex types; re null: none.
struct Val {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
  explicit operator bool() const { return re != nullptr; }
  bool isVector() const { return re->getType()->isVectorTy(); }
};

class ScalarEmitter {
 public:
  ScalarEmitter(llvm::Module& module, llvm::IRBuilder<>& builder) : module_(module), b(builder) {}

  // Types of a register's part and of memory (complex: of one part).
  llvm::Type* registerType(ElementType type);
  llvm::Type* memoryType(ElementType type);
  Val constant(ElementType type, uint64_t bits0, uint64_t bits1);
  // Neutral element of a commutative op.
  Val neutral(NodeOp op, ElementType type);
  Val fromMemory(ElementType type, Val raw);
  Val toMemory(ElementType type, Val value);

  // Null Val when the op is not defined for the type.
  Val unary(NodeOp op, ElementType resultType, ElementType type, Val a);
  // What a node of one or two inputs makes of values of type `from`.
  Val arithmetic(const Node& node, ElementType from, Val a, Val c);
  // All lanes by a commutative operation, as one.
  Val joinLanes(NodeOp op, ElementType type, Val lanes, unsigned count);
  Val binary(NodeOp op, ElementType type, Val a, Val b);
  Val compare(CompareDirection direction, bool totalOrder, ElementType type, Val a, Val b);
  Val convert(ElementType to, ElementType from, Val a);
  Val bitcast(ElementType to, ElementType from, Val a);
  Val reducePrecision(ElementType type, int exponentBits, int mantissaBits, Val a);
  Val select(Val condition, Val whenTrue, Val whenFalse);
  Val fma(ElementType type, Val a, Val b, Val c);

  llvm::Value* splat(llvm::Value* value, unsigned lanes);
  Val splat(Val value, unsigned lanes) { return {splat(value.re, lanes), value.im ? splat(value.im, lanes) : nullptr}; }

 private:
  llvm::Type* like(llvm::Value* value, llvm::Type* scalar);
  llvm::Value* number(llvm::Value* like, double value);
  llvm::Value* integer(llvm::Value* like, uint64_t value);
  llvm::Value* callEach(const std::string& name, llvm::Type* result, std::initializer_list<llvm::Value*> arguments);
  llvm::Value* roundTo(ElementType type, llvm::Value* value);  // f32 or f64 register -> f32 holding the type's value
  llvm::Value* toBits(ElementType type, llvm::Value* value);
  llvm::Value* toCode(ElementType type, llvm::Value* f);
  llvm::Value* fromBits(ElementType type, llvm::Value* bits);
  llvm::Value* roundToOdd(llvm::Value* wide);
  llvm::Value* saturated(llvm::Type* type, unsigned bits, bool isSignedType, llvm::Value* v);
  llvm::Value* wrap(ElementType type, llvm::Value* value);
  llvm::Value* callFunction(NodeOp op, ElementType type, std::initializer_list<llvm::Value*> arguments);
  llvm::Value* floatUnary(NodeOp op, ElementType type, llvm::Value* a);
  llvm::Value* integerUnary(NodeOp op, ElementType type, llvm::Value* a);
  llvm::Value* floatRemainder(ElementType type, llvm::Value* a, llvm::Value* c);
  llvm::Value* floatBinary(NodeOp op, ElementType type, llvm::Value* a, llvm::Value* c);
  llvm::Value* integerBinary(NodeOp op, ElementType type, llvm::Value* a, llvm::Value* c);
  llvm::Value* integerDivide(NodeOp op, bool isSignedType, llvm::Value* a, llvm::Value* c);
  llvm::Value* shift(NodeOp op, ElementType type, llvm::Value* a, llvm::Value* c);
  Val callPairs(const std::string& name, Val a, Val c);
  Val complexQuotient(Val a, Val c);
  Val complexBinary(NodeOp op, ElementType type, Val a, Val c);
  llvm::Value* absolute(llvm::Value* a);
  llvm::Value* magnitude(ElementType type, Val a);

  llvm::Module& module_;
  llvm::IRBuilder<>& b;
};

// f16, bf16, f8 …: floats that are f32 in registers.
inline bool isNarrowFloat(ElementType type) { return isFloat(type) && info(type).bits < 32; }
inline ElementType partOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

}  // namespace tessera::codegen
