// The IR: snapshots share chunks, ids survive, tombstones, users, topological order.
#include <gtest/gtest.h>

#include "core/hlo/module.h"

namespace tessera {
namespace {

struct ModuleChain {
  Module module{"m"};
  ComputationId main = module.addComputation("main");
  std::vector<InstructionId> ids;

  explicit ModuleChain(int n) {
    Shape shape = Shape::arrayRowMajor(ElementType::F32, {2, 3});
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = 0;
    parameter.name = "p";
    ids.push_back(module.add(main, parameter, shape));
    for (int i = 1; i < n; ++i) ids.push_back(module.add(main, Opcode::Negate, shape, {{ids.back()}}));
    module.setRoot(main, ids.back());
    module.setEntry(main);
  }
};

TEST(Module, SnapshotKeepsItsContent) {
  ModuleChain chain(1000);
  Module snapshot = chain.module;
  chain.module.setName(chain.ids[500], "renamed");
  chain.module.setOperands(chain.ids[999], {{chain.ids[0]}});
  EXPECT_NE(snapshot.at(chain.ids[500]).name, "renamed");
  EXPECT_EQ(snapshot.at(chain.ids[999]).operands[0], chain.ids[998]);
  EXPECT_EQ(chain.module.at(chain.ids[999]).operands[0], chain.ids[0]);
}

TEST(Module, RemoveAndRestore) {
  ModuleChain chain(3);
  chain.module.remove(chain.ids[2]);
  EXPECT_EQ(chain.module.instructionCount(), 2u);
  EXPECT_FALSE(chain.module.contains(chain.ids[2]));
  chain.module.restore(chain.ids[2], 2);
  EXPECT_EQ(chain.module.entryComputation().instructions, chain.ids);
}

TEST(Module, UsersAreListedOncePerUser) {
  ModuleChain chain(2);
  const Shape shape = chain.module.shapeOf(chain.ids[0]);
  InstructionId sum = chain.module.add(chain.main, Opcode::Add, shape, {{chain.ids[0], chain.ids[0]}});
  UserTable users(chain.module);
  ASSERT_EQ(users.users(chain.ids[0]).size(), 2u);
  EXPECT_EQ(users.users(chain.ids[0])[1], sum);
  EXPECT_TRUE(users.users(sum).empty());
}

TEST(Module, CycleIsNamed) {
  ModuleChain chain(3);
  chain.module.setOperands(chain.ids[1], {{chain.ids[2]}});
  auto order = topologicalOrder(chain.module, chain.main);
  ASSERT_FALSE(order);
  EXPECT_NE(order.error().message.find("cycle"), std::string::npos);
}

TEST(Shape, TextOfLayouts) {
  Shape shape = Shape::arrayRowMajor(ElementType::BF16, {3, 130});
  shape.layout->tiles = {Tile{{8, 128}}, Tile{{2, 1}}};
  shape.layout->memorySpace = 1;
  EXPECT_EQ(toString(shape), "bf16[3,130]{1,0:T(8,128)(2,1)S(1)}");
  EXPECT_EQ(toString(Shape::arrayRowMajor(ElementType::F32, {})), "f32[]");
}

TEST(Shape, CountsAreChecked) {
  EXPECT_EQ(Shape::array(ElementType::F32, {1ll << 40, 1ll << 40}).elementCount(), std::nullopt);
  EXPECT_EQ(Shape::array(ElementType::F32, {1ll << 40, 0, 1ll << 40}).elementCount(), 0);
  EXPECT_EQ(Shape::array(ElementType::F32, {1ll << 62}).denseBytes(), std::nullopt);
}

}  // namespace
}  // namespace tessera
