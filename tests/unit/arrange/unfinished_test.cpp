// Views of random unfinished graphs: instructions of every opcode with too few inputs, with inputs that read nothing,
// and with any others, in scopes that take their names from what they hold. Each view is made and arranged.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/arrange/arrangement.h"

namespace tessera {
namespace {

class UnfinishedGraph {
 public:
  explicit UnfinishedGraph(unsigned seed) : random_(seed) {
    module_.setEntry(module_.addComputation("main"));
    const ComputationId body = module_.addComputation("body");
    fill(body, {});
    fill(module_.entry(), body);
  }
  const Module& module() const { return module_; }

 private:
  static constexpr int kInstructions = 30, kMostInputs = 3;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void fill(ComputationId computation, ComputationId callee) {
    std::vector<InstructionId> made;
    for (int n = 0; n < kInstructions; ++n) {
      const std::string name = "i" + std::to_string(module_.instructionSlots());
      Instruction i;
      i.opcode = n < 2 ? Opcode::Parameter : static_cast<Opcode>(below(kOpcodeCount));
      i.name = name;
      std::vector<InstructionId> operands;
      if (i.opcode == Opcode::Parameter)
        i.parameterNumber = static_cast<int32_t>(module_.at(computation).parameters.size());
      else
        for (int k = below(kMostInputs + 1); k > 0; --k)
          operands.push_back(below(3) ? made[static_cast<size_t>(below(n))] : InstructionId());
      i.operands = operands;
      AttributeSet attributes;
      if (i.opcode == Opcode::Call && callee.valid()) attributes.set(Attr::to_apply, callee);
      if (i.opcode == Opcode::Fusion && callee.valid()) attributes.set(Attr::calls, callee);
      i.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
      Metadata metadata;
      metadata.opName = below(2) ? "while/body/op" : "f/layer/op";
      i.metadata = module_.tables().intern(metadata);
      made.push_back(module_.add(computation, std::move(i), Shape::arrayRowMajor(ElementType::F32, {2, 3})));
    }
    module_.setRoot(computation, made.back());
  }

  std::mt19937 random_;
  Module module_;
};

TEST(UnfinishedView, IsMadeAndArrangedWhateverIsOpen) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const UnfinishedGraph graph(seed);
    const ComputationId entry = graph.module().entry();
    const GraphView view = makeView(graph.module(), entry, initialView(graph.module(), entry));
    EXPECT_EQ(arrange(view).boxes.size(), view.nodes.size());
  }
}

}  // namespace
}  // namespace tessera
