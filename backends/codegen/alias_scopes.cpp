// See alias_scopes.h.
#include "backends/codegen/alias_scopes.h"

#include <algorithm>
#include <functional>

#include <llvm/IR/Instruction.h>
#include <llvm/IR/MDBuilder.h>

namespace tessera::codegen {

namespace {

// Scopes of one domain. LLVM takes two accesses for apart when all scopes of one are in the other's list.
class Domain {
 public:
  Domain(llvm::LLVMContext& context, size_t scopes) : context_(context) {
    llvm::MDBuilder builder(context);
    llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain();
    for (size_t i = 0; i < scopes; ++i) scopes_.push_back(builder.createAnonymousAliasScope(domain));
  }
  llvm::MDNode* listOf(const std::function<bool(size_t)>& isIn) const {
    std::vector<llvm::Metadata*> list;
    for (size_t i = 0; i < scopes_.size(); ++i)
      if (isIn(i)) list.push_back(scopes_[i]);
    return list.empty() ? nullptr : llvm::MDNode::get(context_, list);
  }

 private:
  llvm::LLVMContext& context_;
  std::vector<llvm::MDNode*> scopes_;
};

}  // namespace

// In place is what keeps its index and the width of its elements, and what a program begins with.
bool outputMayAliasOperand(const LoopProgram& program, size_t output, size_t operand) {
  const Shape &from = program.body.operands[operand], &to = program.outputs[output];
  if (program.initialOperand[output] == static_cast<int64_t>(operand)) return true;
  return byteWidth(from.type) == byteWidth(to.type) && from.elementCount() == to.elementCount();
}

void MemoryScope::mark(llvm::Instruction* access) const {
  if (own) access->setMetadata(llvm::LLVMContext::MD_alias_scope, own);
  if (apart) access->setMetadata(llvm::LLVMContext::MD_noalias, apart);
}

// A scope for each output, and one for all operands that alias none: what is only read needs no scope of its own.
std::vector<MemoryScope> scopesOf(llvm::LLVMContext& context, const LoopProgram& program) {
  const size_t operands = program.body.operands.size(), outputs = program.outputs.size(), readOnly = outputs;
  std::vector<std::vector<bool>> lies;  // by array, then by scope
  bool anyReadOnly = false;
  for (size_t i = 0; i < operands; ++i) {
    std::vector<bool>& over = lies.emplace_back(outputs + 1, false);
    for (size_t k = 0; k < outputs; ++k) over[k] = outputMayAliasOperand(program, k, i);
    over[readOnly] = std::ranges::find(over, true) == over.end();
    anyReadOnly = anyReadOnly || over[readOnly];
  }
  for (size_t k = 0; k < outputs; ++k) lies.emplace_back(outputs + 1, false)[k] = true;
  if (outputs == 1 && !anyReadOnly) return std::vector<MemoryScope>(lies.size());
  const Domain domain(context, outputs + 1);
  std::vector<MemoryScope> out;
  for (size_t i = 0; i < lies.size(); ++i)
    out.push_back({domain.listOf([&](size_t s) { return lies[i][s]; }), domain.listOf([&](size_t s) {
                     return !lies[i][s] && (s != readOnly || (i >= operands && anyReadOnly));
                   })});
  return out;
}

std::vector<MemoryScope> scopesOf(llvm::LLVMContext& context, const RegionProgram& region) {
  const size_t count = region.buffers.size();
  const Domain domain(context, count);
  auto isArray = [&](size_t buffer) { return !region.buffers[buffer].inRegister; };
  auto meet = [&](size_t a, size_t b) {
    const std::pair pair(static_cast<uint32_t>(std::min(a, b)), static_cast<uint32_t>(std::max(a, b)));
    return a == b || std::ranges::binary_search(region.mayAlias, pair);
  };
  std::vector<MemoryScope> out(count);
  for (size_t i = 0; i < count; ++i)
    if (isArray(i))
      out[i] = {domain.listOf([&](size_t s) { return s == i; }),
                domain.listOf([&](size_t s) { return isArray(s) && !meet(i, s); })};
  return out;
}

}  // namespace tessera::codegen
