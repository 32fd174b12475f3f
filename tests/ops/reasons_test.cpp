// Why a dimension has its size: in every case file each dimension of an array that an operation infers has one
// sentence, it names that dimension and its size, and where it points at a dimension of an operand, that one has the
// same size.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/op.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

struct Source {
  int64_t operand, dimension;
};

// The operand's dimension that a sentence points at; the sentence stands for dimension `d` of the result.
std::optional<Source> sourceOf(const std::string& reason, int64_t d) {
  static const std::regex operand("as in operand (\\d+)$"), first("as in the operands?$"),
      ofFirst("dimension (\\d+) of the (?:operand|input)"), ofStarts("as dimension (\\d+) of start_indices$"),
      product("from .* (\\d+) of (lhs|rhs)$");
  std::smatch found;
  if (std::regex_search(reason, found, operand)) return Source{std::stoll(found[1]), d};
  if (std::regex_search(reason, found, first)) return Source{0, d};
  if (std::regex_search(reason, found, ofFirst)) return Source{0, std::stoll(found[1])};
  if (std::regex_search(reason, found, ofStarts)) return Source{1, std::stoll(found[1])};
  if (std::regex_search(reason, found, product)) return Source{found[2] == "lhs" ? 0 : 1, std::stoll(found[1])};
  return std::nullopt;
}

struct Seen {
  std::set<std::string> explained, pointing;  // opcodes
};

void checkReason(const InferContext& context, const Shape& shape, int64_t d, const std::string& reason, Seen& seen) {
  const int64_t size = shape.dimensions[static_cast<size_t>(d)];
  const std::string name = "dimension " + std::to_string(d), number = size < 0 ? "?" : std::to_string(size);
  // Of a whole shape that stands elsewhere: "as written", "as the parameter says".
  const bool asWhole = reason.starts_with("as "),
             saysSize = reason.starts_with(name + " = " + number) || reason.starts_with(name + " <= " + number);
  EXPECT_TRUE(asWhole || saysSize) << "\"" << reason << "\" of " << toString(shape);
  const auto source = sourceOf(reason, d);
  if (!source) return;
  seen.pointing.insert(std::string(nameOf(context.opcode)));
  ASSERT_LT(source->operand, static_cast<int64_t>(context.operands.size())) << reason;
  const Shape& operand = context.operand(static_cast<size_t>(source->operand));
  ASSERT_LT(source->dimension, operand.rank()) << reason;
  EXPECT_EQ(operand.dimensions[static_cast<size_t>(source->dimension)], size) << reason << "; " << toString(operand);
}

void checkInstruction(const Module& module, const Instruction& instruction, Seen& seen) {
  const OpDef* op = findOp(instruction.opcode);
  if (!op || !op->inferShape) return;
  const InferContext context = inferContextOf(module, instruction);
  const auto inferred = op->inferShape(context);
  if (!inferred || !inferred->shape.isArray() || inferred->reasons.empty()) return;
  SCOPED_TRACE(std::string(instruction.opcodeName()) + " " + std::string(instruction.name));
  seen.explained.insert(std::string(instruction.opcodeName()));
  ASSERT_EQ(static_cast<int64_t>(inferred->reasons.size()), inferred->shape.rank());
  for (int64_t d = 0; d < inferred->shape.rank(); ++d)
    checkReason(context, inferred->shape, d, inferred->reasons[static_cast<size_t>(d)], seen);
}

void checkFile(const std::string& name, Seen& seen) {
  const File file = readFile(name);
  for (const Section& section : file.sections) {
    if (section.wrong) continue;
    for (const Variant& variant : variantsOf(section)) {
      SCOPED_TRACE(name + ".hlo case " + section.name + " " + keyOf(variant));
      const auto read = readHloText(textOf(section, variant));
      if (!read.module) continue;
      for (ComputationId computation : read.module->order())
        for (InstructionId id : read.module->at(computation).instructions)
          checkInstruction(*read.module, read.module->at(id), seen);
    }
  }
}

TEST(Reasons, OfEveryCaseFileNameTheSizeAndWhereItComesFrom) {
  Seen seen;
  for (const std::string& name : fileNames()) checkFile(name, seen);
  // Operations whose result has no dimensions, is a tuple or a token.
  static const std::set<std::string> unexplained{"after-all",
                                                 "all-gather-start",
                                                 "async-start",
                                                 "async-update",
                                                 "batch-norm-grad",
                                                 "batch-norm-training",
                                                 "collective-permute-start",
                                                 "copy-start",
                                                 "get-dimension-size",
                                                 "infeed",
                                                 "outfeed",
                                                 "partition-id",
                                                 "recv",
                                                 "recv-done",
                                                 "replica-id",
                                                 "rng-bit-generator",
                                                 "send",
                                                 "send-done",
                                                 "topk",
                                                 "tuple",
                                                 "while"};
  for (const std::string& name : fileNames())
    EXPECT_EQ(seen.explained.contains(name), !unexplained.contains(name)) << name;
  for (const char* opcode :
       {"add", "all-reduce", "broadcast", "clamp", "dot", "gather", "reduce", "select", "transpose"})
    EXPECT_TRUE(seen.pointing.contains(opcode)) << opcode;
}

}  // namespace
}  // namespace tessera::cases
