// See gemm_chain.h.
#include "core/passes/fusion/gemm_chain.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/ops/op.h"
#include "core/passes/dead_code.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

bool isF32(const Shape& shape) { return shape.isArray() && shape.type == ElementType::F32; }

// [batch …, free …, contracted …] or [batch …, contracted …, free …]: how matrix routines want an operand.
bool isMatrix(const Shape& shape, const std::vector<int64_t>& batch, const std::vector<int64_t>& contracted) {
  if (!isF32(shape) || !isIota(batch) || contracted.empty()) return false;
  const auto first = static_cast<int64_t>(batch.size()), count = static_cast<int64_t>(contracted.size());
  if (first + count >= shape.rank()) return false;
  for (int64_t i = 0; i < count; ++i)
    if (contracted[static_cast<size_t>(i)] != contracted[0] + i) return false;
  return contracted[0] == first || contracted[0] + count == shape.rank();
}

// A dot of f32 matrices, as many as there are batches, with rows and columns.
bool isMatrixProduct(const Module& module, const Instruction& dot) {
  if (dot.opcode != Opcode::Dot || dot.operands.size() != 2 || !isF32(*dot.shape)) return false;
  const AttributeSet& a = *dot.attributes;
  return isMatrix(module.shapeOf(dot.operands[0]), a.ints(Attr::lhs_batch_dims), a.ints(Attr::lhs_contracting_dims)) &&
         isMatrix(module.shapeOf(dot.operands[1]), a.ints(Attr::rhs_batch_dims), a.ints(Attr::rhs_contracting_dims));
}

int64_t sizeOf(const Shape& shape, int64_t begin, int64_t end) {
  int64_t size = 1;
  for (int64_t d = begin; d < end; ++d) size *= shape.dimensions[static_cast<size_t>(d)];
  return size;
}

struct Matrices {
  int64_t batches = 1, rows = 1, columns = 1;
  bool operator==(const Matrices&) const = default;
};

Matrices resultOf(const Module& module, const Instruction& dot) {
  const auto batch = static_cast<int64_t>(dot.attributes->ints(Attr::lhs_batch_dims).size());
  const Shape& lhs = module.shapeOf(dot.operands[0]);
  const int64_t rowEnd = lhs.rank() - static_cast<int64_t>(dot.attributes->ints(Attr::lhs_contracting_dims).size());
  return {sizeOf(*dot.shape, 0, batch), sizeOf(*dot.shape, batch, rowEnd),
          sizeOf(*dot.shape, rowEnd, dot.shape->rank())};
}

// Operand `side` of a dot as [batches, rows, columns] whose columns are contracted; nullopt: they are not its last
// dimensions.
std::optional<Matrices> rowsOfOperand(const Module& module, const Instruction& dot, size_t side) {
  const AttributeSet& a = *dot.attributes;
  const Shape& shape = module.shapeOf(dot.operands[side]);
  const auto& contracted = a.ints(side == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims);
  const auto batch = static_cast<int64_t>(a.ints(Attr::lhs_batch_dims).size());
  if (contracted.back() + 1 != shape.rank()) return std::nullopt;
  return Matrices{sizeOf(shape, 0, batch), sizeOf(shape, batch, contracted[0]),
                  sizeOf(shape, contracted[0], shape.rank())};
}

bool isFreeBitcast(const Module& module, const Instruction& in) {
  return in.opcode == Opcode::Bitcast && keepsBytes(module.shapeOf(in.operands[0]), *in.shape);
}

// Of any type where nothing follows it: the end of a dot may convert.
bool mayBeKernel(const Module& module, const Instruction& in) { return in.shape->isArray() && isOneKernel(module, in); }

// The chain around `kernel`: products among its operands, consumer as given (or invalid).
std::optional<GemmChain> chainAround(const Module& module, InstructionId kernel, InstructionId consumer) {
  const Instruction& in = module.at(kernel);
  if (!mayBeKernel(module, in)) return std::nullopt;
  GemmChain chain{{}, kernel, consumer, false};
  std::optional<Matrices> form;
  for (InstructionId operand : in.operands) {
    const InstructionId from = behindBitcasts(module, operand);
    chain.products.push_back(InstructionId());
    if (!isMatrixProduct(module, module.at(from))) continue;
    const Matrices result = resultOf(module, module.at(from));
    if (module.at(from).shape->elementCount() != in.shape->elementCount() || (form && *form != result)) continue;
    form = result;
    chain.products.back() = from;
  }
  if (!form) return std::nullopt;
  if (!consumer.valid()) return chain;
  if (!isF32(*in.shape)) return std::nullopt;
  const Instruction& dot = module.at(consumer);
  if (!isMatrixProduct(module, dot)) return std::nullopt;
  const bool left = behindBitcasts(module, dot.operands[0]) == kernel,
             right = behindBitcasts(module, dot.operands[1]) == kernel;
  if (left == right || rowsOfOperand(module, dot, left ? 0 : 1) != form) return std::nullopt;
  chain.consumedOnRight = right;
  return chain;
}

class ChainFuser {
 public:
  ChainFuser(Rewriter& rewriter, const UserTable& users, std::vector<bool>& taken, ComputationId computation)
      : rewriter_(rewriter), module_(rewriter.module()), users_(users), taken_(taken), computation_(computation) {}

  bool run() {
    bool changed = false;
    for (InstructionId id : std::vector<InstructionId>(module_.at(computation_).instructions)) {
      if (isTaken(id)) continue;
      if (auto chain = chainOf(id)) fuse(*chain), changed = true;
    }
    return changed;
  }

 private:
  InstructionId onlyReader(InstructionId id) const { return onlyReaderOf(module_, users_, computation_, id); }

  bool isWorthIt(const GemmChain& chain) const {
    for (InstructionId product : chain.products) {
      if (!product.valid()) continue;
      const Matrices m = resultOf(module_, module_.at(product));
      return m.rows >= tuning().epilogues.fewestRows && m.columns <= tuning().epilogues.maxColumns &&
             m.batches * m.rows * m.columns >= tuning().epilogues.chainElements;
    }
    return false;
  }

  std::optional<GemmChain> chainOf(InstructionId kernel) const {
    if (!mayBeKernel(module_, module_.at(kernel))) return std::nullopt;
    const InstructionId reader = onlyReader(kernel);
    std::optional<GemmChain> chain;
    if (reader.valid() && !isTaken(reader)) chain = chainAround(module_, kernel, reader);
    if (!chain) chain = chainAround(module_, kernel, InstructionId());
    if (!chain) return std::nullopt;
    bool any = false;
    for (InstructionId& product : chain->products) {
      if (product.valid() && (onlyReader(product) != kernel || isTaken(product))) product = InstructionId();
      any = any || product.valid();
    }
    return any && isWorthIt(*chain) ? chain : std::nullopt;
  }

  bool isTaken(InstructionId id) const { return taken_[id.value]; }

  void fuse(const GemmChain& chain) {
    std::vector<InstructionId> members;
    const Instruction& kernel = module_.at(chain.kernel);
    for (size_t k = 0; k < chain.products.size(); ++k)
      if (chain.products[k].valid()) addPathFrom(module_, kernel.operands[k], members);
    if (chain.consumer.valid()) {
      addPathFrom(module_, module_.at(chain.consumer).operands[chain.consumedOnRight ? 1 : 0], members);
      members.push_back(chain.consumer);
    } else {
      members.push_back(chain.kernel);
    }
    for (InstructionId member : members) taken_[member.value] = true;
    rewriter_.fuse(members, "kOutput");
  }

  Rewriter& rewriter_;
  Module& module_;
  const UserTable& users_;
  std::vector<bool>& taken_;  // by instruction: member of a chain
  ComputationId computation_;
};

}  // namespace

bool isOneKernel(const Module& module, const Instruction& in) {
  if (!in.shape->isArray()) return false;
  if (in.opcode != Opcode::Fusion) return isElementwise(in.opcode);
  std::vector<ComputationId> callees = module.callees(in);
  if (callees.size() != 1) return false;
  const OpDef* op = findOp(module.at(module.at(callees[0]).root).opcode);
  const std::string_view kind = in.attributes->textOr(Attr::kind, "");
  return op && op->kind == ExecutionKind::Element && op->element && !op->loops && (kind == "kLoop" || kind == "kInput");
}

InstructionId behindBitcasts(const Module& module, InstructionId id) {
  while (isFreeBitcast(module, module.at(id))) id = module.at(id).operands[0];
  return id;
}

InstructionId onlyReaderOf(const Module& module, const UserTable& users, ComputationId computation, InstructionId id) {
  for (;;) {
    if (module.at(computation).root == id || users.users(id).size() != 1) return InstructionId();
    const InstructionId user = users.users(id)[0];
    if (!isFreeBitcast(module, module.at(user))) return user;
    id = user;
  }
}

void addPathFrom(const Module& module, InstructionId operand, std::vector<InstructionId>& members) {
  std::vector<InstructionId> path;
  for (; isFreeBitcast(module, module.at(operand)); operand = module.at(operand).operands[0]) path.push_back(operand);
  path.push_back(operand);
  members.insert(members.end(), path.rbegin(), path.rend());
}

std::optional<GemmChain> gemmChainOf(const Module& module, ComputationId computation) {
  const InstructionId root = module.at(computation).root;
  std::optional<GemmChain> chain;
  if (isMatrixProduct(module, module.at(root))) {
    for (InstructionId operand : module.at(root).operands)
      if (!chain) chain = chainAround(module, behindBitcasts(module, operand), root);
  } else {
    chain = chainAround(module, root, InstructionId());
  }
  if (!chain) return std::nullopt;
  auto isMember = [&](InstructionId id) {
    const Instruction& in = module.at(id);
    return in.opcode == Opcode::Parameter || isFreeBitcast(module, in) || id == chain->kernel ||
           id == chain->consumer || std::ranges::find(chain->products, id) != chain->products.end();
  };
  return std::ranges::all_of(module.at(computation).instructions, isMember) ? chain : std::nullopt;
}

Result<bool> fuseGemmChains(Module& module) {
  bool changed = false;
  Rewriter rewriter(module, "fuse-gemm-chains");
  const UserTable users(module);
  std::vector<bool> taken(module.instructionSlots());
  for (ComputationId computation : controlComputations(module))
    changed |= ChainFuser(rewriter, users, taken, computation).run();
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
