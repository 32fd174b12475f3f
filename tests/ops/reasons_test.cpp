// Why a dimension has its size: in every case file each dimension of an array that an operation infers has one
// sentence, it names that dimension and its size, and where it points at a dimension of an operand, that one has the
// same size.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_reasons.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

struct Source {
  int64_t operand, dimension;
};

// The operand's dimension that a sentence points at; the sentence stands for dimension `d` of the result.
std::optional<Source> sourceOf(const std::string& reason, int64_t d) {
  static const std::regex same("as in operand (\\d+)$"), other("as dimension (\\d+) of operand (\\d+)$");
  std::smatch found;
  if (std::regex_search(reason, found, same)) return Source{std::stoll(found[1]), d};
  if (std::regex_search(reason, found, other)) return Source{std::stoll(found[2]), std::stoll(found[1])};
  return std::nullopt;
}

void checkReason(const InferContext& context, int64_t d, const std::string& reason, std::set<std::string>& pointing) {
  const Shape& shape = *context.written;
  const int64_t size = shape.dimensions[static_cast<size_t>(d)];
  const std::string name = "dimension " + std::to_string(d), number = size < 0 ? "?" : std::to_string(size);
  EXPECT_TRUE(reason.starts_with(name + " = " + number) || reason.starts_with(name + " <= " + number))
      << "\"" << reason << "\" of " << toString(shape);
  const auto source = sourceOf(reason, d);
  if (!source) return;
  pointing.insert(std::string(nameOf(context.opcode)));
  ASSERT_LT(source->operand, static_cast<int64_t>(context.operands.size())) << reason;
  const Shape& operand = context.operand(static_cast<size_t>(source->operand));
  ASSERT_LT(source->dimension, operand.rank()) << reason;
  EXPECT_EQ(operand.dimensions[static_cast<size_t>(source->dimension)], size) << reason << "; " << toString(operand);
}

// pointing: the opcodes of which a sentence points at an operand.
void checkInstruction(const Module& module, const Instruction& instruction, std::set<std::string>& pointing) {
  const auto inferred = inferInstruction(module, instruction.id);
  const std::vector<std::string> reasons = dimensionReasons(module, instruction.id);
  SCOPED_TRACE(std::string(instruction.opcodeName()) + " " + std::string(instruction.name));
  const bool has = inferred && instruction.shape->isArray() && compatible(*inferred, *instruction.shape);
  ASSERT_EQ(static_cast<int64_t>(reasons.size()), has ? instruction.shape->rank() : 0);
  const InferContext context = inferContextOf(module, instruction);
  for (size_t d = 0; d < reasons.size(); ++d) checkReason(context, static_cast<int64_t>(d), reasons[d], pointing);
}

void checkModule(const Module& module, std::set<std::string>& pointing) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) checkInstruction(module, module.at(id), pointing);
}

TEST(Reasons, OfEveryCaseFileNameTheSizeAndWhereItComesFrom) {
  std::set<std::string> pointing;
  for (const std::string& name : fileNames())
    forEachModule(readFile(name), [&](const Module& module) { checkModule(module, pointing); });
  for (const char* opcode :
       {"add", "all-reduce", "broadcast", "clamp", "dot", "gather", "reduce", "select", "transpose"})
    EXPECT_TRUE(pointing.contains(opcode)) << opcode;
}

}  // namespace
}  // namespace tessera::cases
