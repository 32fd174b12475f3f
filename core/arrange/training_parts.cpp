// One sweep against the program's order finds the update, one for every 64 gradients what they all depend on.
#include "core/arrange/training_parts.h"

#include <algorithm>
#include <span>

#include "core/arrange/arrangement.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr size_t kBits = 64;
constexpr int kStepsBack = 8;  // from a product back to the parameter that it reads

class PartFinder {
 public:
  PartFinder(const Module& module, const Computation& computation, const UserTable& users,
             const std::vector<int32_t>& positions, const OperandPlaces& operands, const std::vector<bool>& content)
      : module_(module),
        computation_(computation),
        users_(users),
        positions_(positions),
        operands_(operands),
        content_(content) {}

  std::vector<TrainingPart> run() {
    findOutputs();
    if (gradients_.empty()) return {};
    parts_.assign(content_.size(), TrainingPart::None);
    markUpdate();
    markForward();
    for (size_t i = 0; i < parts_.size(); ++i)
      if (content_[i] && parts_[i] == TrainingPart::None) parts_[i] = TrainingPart::Backward;
    return hasBackwardProduct() ? std::move(parts_) : std::vector<TrainingPart>();
  }

 private:
  const Instruction& instruction(size_t i) const { return module_.at(computation_.instructions[i]); }
  std::span<const int32_t> operandsOf(size_t i) const {
    return std::span(operands_.items).subspan(operands_.begin[i], operands_.begin[i + 1] - operands_.begin[i]);
  }
  bool isParameter(size_t i) const { return instruction(i).opcode == Opcode::Parameter; }

  // --- outputs
  // New values of parameters, and among them those of matrices: a gradient is on the way to each of these.
  void findOutputs() {
    isNewValue_.assign(content_.size(), false);
    const Instruction& root = module_.at(computation_.root);
    if (root.opcode != Opcode::Tuple) return;
    for (int32_t output : operandsOf(at(positions_[root.id.value]))) {
      if (!content_[at(output)] || !hasShapeOfParameter(instruction(at(output)))) continue;
      isNewValue_[at(output)] = true;
      if (instruction(at(output)).shape->rank() >= 2) gradients_.push_back(output);
    }
  }
  bool hasShapeOfParameter(const Instruction& i) const {
    return i.shape->isArray() && i.shape->rank() > 0 && isFloat(i.shape->type) &&
           std::ranges::any_of(computation_.parameters,
                               [&](InstructionId p) { return sameIgnoringLayout(*module_.at(p).shape, *i.shape); });
  }

  // --- update
  void markUpdate() {
    for (size_t i = content_.size(); i-- > 0;)
      if (content_[i] && isElementwiseStep(instruction(i)) && onlyUpdatesRead(i)) parts_[i] = TrainingPart::Update;
    for (size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i] == TrainingPart::Update && readsOwnParameter(i)) return;
    std::ranges::fill(parts_, TrainingPart::None);  // gradients themselves are the outputs
  }
  static bool isElementwiseStep(const Instruction& i) {
    const OpDef* op = findOp(i.opcode);
    return i.opcode == Opcode::Broadcast || i.opcode == Opcode::Convert || (op && op->category.has(kElementwise));
  }
  bool onlyUpdatesRead(size_t i) const {
    const auto users = users_.users(computation_.instructions[i]);
    return !users.empty() && std::ranges::all_of(users, [&](InstructionId user) {
      if (user == computation_.root) return isNewValue_[i] || instruction(i).shape->isScalar();
      return module_.at(user).computation == computation_.id &&
             parts_[at(positions_[user.value])] == TrainingPart::Update;
    });
  }
  bool readsOwnParameter(size_t i) const {
    return std::ranges::any_of(operandsOf(i), [&](int32_t operand) {
      return isParameter(at(operand)) && instruction(i).shape->rank() > 0 &&
             sameIgnoringLayout(*instruction(at(operand)).shape, *instruction(i).shape);
    });
  }

  // --- forward
  void markForward() {
    std::vector<bool> common(content_.size(), true), any(content_.size(), false);
    for (size_t first = 0; first < gradients_.size(); first += kBits)
      gatherAncestors(std::span(gradients_).subspan(first, std::min(kBits, gradients_.size() - first)), common, any);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!content_[i] || parts_[i] == TrainingPart::Update) continue;
      const bool aside = !any[i] && std::ranges::all_of(operandsOf(i), [&](int32_t operand) {
        return !content_[at(operand)] || parts_[at(operand)] == TrainingPart::Forward;
      });
      if (common[i] || aside) parts_[i] = TrainingPart::Forward;
    }
  }
  // common: what all outputs depend on; any: what one does. Not by way of single numbers: where gradients are clipped
  // by their norm, each depends on all.
  void gatherAncestors(std::span<const int32_t> outputs, std::vector<bool>& common, std::vector<bool>& any) const {
    std::vector<uint64_t> reaches(content_.size());
    for (size_t k = 0; k < outputs.size(); ++k) reaches[at(outputs[k])] |= uint64_t{1} << k;
    const uint64_t all = outputs.size() == kBits ? ~uint64_t{0} : (uint64_t{1} << outputs.size()) - 1;
    for (size_t i = reaches.size(); i-- > 0;) {
      for (int32_t operand : operandsOf(i))
        if (!instruction(at(operand)).shape->isScalar()) reaches[at(operand)] |= reaches[i];
      common[i] = common[i] && reaches[i] == all;
      any[i] = any[i] || reaches[i] != 0;
    }
  }

  // --- a parameter is multiplied forward along one of its dimensions, backward along another
  // The dimensions of one operand of a product that are summed over, as bits; 0: it is no product.
  static uint64_t summedOver(const Instruction& i, size_t operand) {
    const auto bits = [](const std::vector<int64_t>& dimensions) {
      uint64_t out = 0;
      for (int64_t d : dimensions) out |= uint64_t{1} << (d & 63);
      return out;
    };
    if (i.opcode == Opcode::Dot)
      return bits(i.attributes->ints(operand == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims));
    const auto* labels =
        i.opcode == Opcode::Convolution ? i.attributes->get<ConvolutionDimensions>(Attr::dim_labels) : nullptr;
    return labels && operand == 1 ? bits({labels->kernelInput}) : 0;
  }
  bool hasBackwardProduct() const {
    std::vector<uint64_t> forward(content_.size()), backward(content_.size());  // by parameter
    for (size_t i = 0; i < content_.size(); ++i) {
      const auto operands = operandsOf(i);
      for (size_t o = 0; content_[i] && o < operands.size(); ++o) {
        const bool loop = instruction(i).opcode == Opcode::While;  // what it does with what it reads is not looked into
        auto& reads = parts_[i] == TrainingPart::Backward ? backward : forward;
        if (loop) markLoop(at(operands[o]), reads, parts_[i] == TrainingPart::Backward ? 2 : 1);
        if (const uint64_t dimensions = summedOver(instruction(i), o)) markRead(operands[o], dimensions, reads);
      }
    }
    for (size_t i = 0; i < content_.size(); ++i)
      if (forward[i] != 0 && backward[i] != 0 && forward[i] != backward[i]) return true;
    return false;
  }
  // Follows what keeps the dimensions, or transposes them, back to the parameter.
  void markRead(int32_t place, uint64_t dimensions, std::vector<uint64_t>& reads) const {
    for (int step = 0; step < kStepsBack; ++step) {
      const Instruction& from = instruction(at(place));
      if (from.opcode == Opcode::Parameter) reads[at(place)] |= dimensions;
      if (!keepsDimensions(from.opcode) || operandsOf(at(place)).empty()) return;
      if (from.opcode == Opcode::Transpose) dimensions = beforeTranspose(from, dimensions);
      place = operandsOf(at(place))[0];
    }
  }
  static bool keepsDimensions(Opcode opcode) {
    return opcode == Opcode::Transpose || opcode == Opcode::Convert || opcode == Opcode::Copy ||
           opcode == Opcode::Reverse;
  }
  static uint64_t beforeTranspose(const Instruction& transpose, uint64_t dimensions) {
    uint64_t out = 0;
    const auto& from = transpose.attributes->ints(Attr::dimensions);
    for (size_t d = 0; d < from.size() && d < kBits; ++d)
      if (dimensions >> d & 1) out |= uint64_t{1} << (from[d] & 63);
    return out;
  }
  void markLoop(size_t state, std::vector<uint64_t>& reads, uint64_t mark) const {
    for (int32_t element : operandsOf(state))
      if (isParameter(at(element)) && instruction(at(element)).shape->isArray() &&
          instruction(at(element)).shape->rank() >= 2)
        reads[at(element)] |= mark;
  }

  const Module& module_;
  const Computation& computation_;
  const UserTable& users_;
  const std::vector<int32_t>& positions_;  // by InstructionId value
  const OperandPlaces& operands_;
  const std::vector<bool>& content_;
  std::vector<bool> isNewValue_;
  std::vector<int32_t> gradients_;
  std::vector<TrainingPart> parts_;
};

}  // namespace

std::vector<TrainingPart> trainingParts(const Module& module, const Computation& computation, const UserTable& users,
                                        const std::vector<int32_t>& positions, const OperandPlaces& operands,
                                        const std::vector<bool>& content) {
  return PartFinder(module, computation, users, positions, operands, content).run();
}

}  // namespace tessera
