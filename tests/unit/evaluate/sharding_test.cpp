// Which block of an array a device holds, in HLO's words and in Shardy's, and blocks joined again.
#include <gtest/gtest.h>

#include <numeric>

#include "core/devices/shardy.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/join_blocks.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

const std::string kMeshes =
    R"({xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=4]>, turned = #sdy.mesh<["a"=2], device_ids=[1, 0]>}})";

Meshes meshes() {
  Module module("m");
  ModuleConfig config = module.config();
  config.frontendAttributes = kMeshes;
  module.setConfig(std::move(config));
  return meshesOf(module).value();
}

Literal counted(std::vector<int64_t> dims) {
  Literal out = Literal::allocate(Shape::arrayRowMajor(ElementType::S32, std::move(dims))).value();
  std::iota(out.mutableData<int32_t>().begin(), out.mutableData<int32_t>().end(), 0);
  return out;
}

std::vector<Literal> blocksOf(const Literal& whole, const std::vector<int64_t>& block, const Tiling& tiling,
                              int64_t devices) {
  std::vector<Literal> out;
  for (int64_t device = 0; device < devices; ++device)
    out.push_back(blockOf(whole, Shape::arrayRowMajor(ElementType::S32, block), tiling, device).value());
  return out;
}

TEST(Shardy, FrontendAttributes) {
  const std::string text = R"({num_batch_dims="0",xla.sdy.sharding="#sdy.sharding<@mesh, )"
                           R"([{\"a\"}]>",other={x={1,2}}})";
  EXPECT_EQ(frontendAttribute(text, "xla.sdy.sharding"), "#sdy.sharding<@mesh, [{\"a\"}]>");
  EXPECT_EQ(frontendAttribute(text, "other"), "{x={1,2}}");
  EXPECT_EQ(frontendAttribute(text, "sharding"), "");
}

TEST(Shardy, Meshes) {
  const Meshes found = meshes();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("mesh").devices.size(), 8u);
  EXPECT_EQ(found.at("turned").devices, (std::vector<int64_t>{1, 0}));
}

TEST(Shardy, TilingsByAxes) {
  const auto tilings =
      shardyTilings(R"(#sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{}, {"a"}], )"
                    R"(replicated={"b"}>]>)",
                    meshes(), {"a", "b"});
  ASSERT_TRUE(tilings) << tilings.error().toString();
  ASSERT_EQ(tilings->size(), 3u);
  EXPECT_EQ((*tilings)[0].tiles, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ((*tilings)[0].devices, (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ((*tilings)[0].copies, 2);
  EXPECT_EQ((*tilings)[1].tiles, (std::vector<int64_t>{8}));
  EXPECT_EQ((*tilings)[2].tiles, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ((*tilings)[2].devices, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Shardy, PartsOfAnAxisAndOtherAxes) {
  const auto parts = shardyTilings(R"(#sdy.sharding<@mesh, [{"b":(1)2}, {"b":(2)2, ?}p1]>)", meshes(), {"b"});
  ASSERT_TRUE(parts) << parts.error().toString();
  EXPECT_EQ((*parts)[0].tiles, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ((*parts)[0].devices, (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  const auto other = shardyTilings(R"(#sdy.sharding<@mesh, [{"a"}]>)", meshes(), {"b"});
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)[0].tiles, (std::vector<int64_t>{1}));
  EXPECT_EQ((*other)[0].copies, 8);
}

TEST(Shardy, WhatItDoesNotKnowIsRefused) {
  for (const char* text :
       {"#sdy.sharding<@none, [{}]>", "#sdy.sharding<@mesh, [{\"c\"}]>", "#sdy.sharding<@mesh, [{\"a\"}", "nonsense",
        "", "#sdy.sharding<@mesh, [{\"a\"}, {\"a\"}]>", "#sdy.sharding<@mesh, [{\"b\":(3)4}]>"})
    EXPECT_FALSE(shardyTilings(text, meshes(), {"a", "b", "c"})) << text;
  EXPECT_FALSE(manualAxesOf("#sdy<manual_axes{\"a\""));
  EXPECT_EQ(manualAxesOf("#sdy<manual_axes{\"a\", \"b\"}>").value(), (std::vector<std::string>{"a", "b"}));
}

TEST(Sharding, BlocksJoinToTheWhole) {
  const Literal whole = counted({4, 8});
  const Tiling tiling = tilingOf("{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}").value();
  const std::vector<Literal> blocks = blocksOf(whole, {2, 4}, tiling, 8);
  std::vector<Literal> first;
  for (size_t at = 0; at < 8; at += 2) first.push_back(blocks[static_cast<size_t>(tiling.devices[at])]);
  EXPECT_TRUE(joinTiles(first, tiling)->identical(whole));
  EXPECT_TRUE(joinBlocks(blocks, whole.shape(), std::span(&tiling, 1))->identical(whole));
}

// Copies are found by their values: next to each other, or in turns.
TEST(Sharding, CopiesAreFoundWithoutASharding) {
  const Literal whole = counted({8, 2});
  for (const char* text : {"{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
                           "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{devices=[8,1]<=[8]}"}) {
    const Tiling tiling = tilingOf(text).value();
    const std::vector<Literal> blocks = blocksOf(whole, {8 / tiling.tiles[0], 2}, tiling, 8);
    const auto joined = joinBlocks(blocks, whole.shape());
    ASSERT_TRUE(joined) << text << joined.error().toString();
    EXPECT_TRUE(joined->identical(whole)) << text;
  }
}

TEST(Sharding, BlocksThatDoNotFitAreRefused) {
  const std::vector<Literal> blocks(3, counted({2}));
  EXPECT_FALSE(joinBlocks(blocks, counted({4}).shape()));
  std::vector<Literal> different;
  for (int32_t i = 0; i < 4; ++i) {
    different.push_back(counted({2}));
    different.back().mutableData<int32_t>()[0] = i;
  }
  EXPECT_FALSE(joinBlocks(different, counted({4}).shape()));
}

TEST(Sharding, OfTuples) {
  EXPECT_EQ(shardingsOf("{{devices=[2]<=[2]}, {replicated}}"),
            (std::vector<std::string_view>{"{devices=[2]<=[2]}", "{replicated}"}));
  EXPECT_EQ(shardingsOf("{replicated}").size(), 1u);
}

// Two nested manual regions: the outer one cuts rows, the inner one columns, and devices leave them in turn.
constexpr const char* kNested =
    R"(HloModule nested, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}
ENTRY main {
  x = s32[4,4]{1,0} parameter(0)
  rows = s32[2,4]{1,0} custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", )"
    R"(frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}, )"
    R"({\"b\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
  block = s32[2,2]{1,0} custom-call(rows), custom_call_target="xla.sdy.GlobalToLocalShape", )"
    R"(frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{}, )"
    R"({\"b\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"b\"}>"}
  id = u32[] partition-id()
  number = s32[] convert(id)
  hundred = s32[] constant(100)
  many = s32[] multiply(number, hundred)
  marks = s32[2,2]{1,0} broadcast(many), dimensions={}
  marked = s32[2,2]{1,0} add(block, marks)
  out = s32[2,4]{1,0} custom-call(marked), custom_call_target="xla.sdy.LocalToGlobalShape", )"
    R"(frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{}, )"
    R"({\"b\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"b\"}>"}
  ROOT whole = s32[4,4]{1,0} custom-call(out), custom_call_target="xla.sdy.LocalToGlobalShape", )"
    R"(frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}, )"
    R"({}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
}
)";

TEST(DeviceValues, MoreDevicesThanThreadsAreRefused) {
  const ReadResult read = readHloText("HloModule m\n\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n");
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(gridOf(*read.module, DeviceGrid::kMaxDevices, 1));
  for (const auto& [replicas, partitions] :
       {std::pair<int64_t, int64_t>{DeviceGrid::kMaxDevices, 2}, {INT64_MAX, INT64_MAX}, {1, 99999999}}) {
    const auto grid = gridOf(*read.module, replicas, partitions);
    ASSERT_FALSE(grid);
    EXPECT_EQ(grid.error().kind, ErrorKind::Usage);
    EXPECT_NE(grid.error().toString().find("at most 1024 devices"), std::string::npos);
  }
}

TEST(DeviceValues, NestedManualRegions) {
  ReadResult read = readHloText(kNested);
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  EXPECT_TRUE(isGlobalProgram(*read.module));
  const auto grid = gridOf(*read.module, 0, 0);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->partitions, 4);
  const auto arguments = argumentsByDevice(*read.module, *grid, {{"arg0", counted({4, 4})}}, FillRule{});
  ASSERT_TRUE(arguments) << arguments.error().toString();
  const auto outputs = runOnDevices(*grid, [&](Communicator& communicator) {
    EvaluateOptions options;
    options.communicator = &communicator;
    return evaluateModule(*read.module, (*arguments)[static_cast<size_t>(communicator.device())], options);
  });
  ASSERT_TRUE(outputs) << outputs.error().toString();
  for (const auto& device : *outputs)
    for (int32_t i = 0; i < 16; ++i)
      EXPECT_EQ(device[0].data<int32_t>()[static_cast<size_t>(i)], i + 100 * ((i / 8) * 2 + (i % 4) / 2)) << i;
}

TEST(DeviceValues, AGlobalProgramAloneSaysWhoIsMissing) {
  ReadResult read = readHloText(kNested);
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const auto result = evaluateModule(*read.module, std::vector<Literal>{counted({4, 4})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(result.error().message.find("joins 2 devices, and there is one"), std::string::npos)
      << result.error().message;
}

TEST(DeviceValues, WithoutAShardingBlocksFollowTheDevices) {
  ReadResult read = readHloText(
      "HloModule m, num_partitions=4\nENTRY e {\n  x = s32[2,2] parameter(0)\n  ROOT r = s32[2,2] negate(x)\n}\n");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const DeviceGrid grid{1, 4};
  const auto cut = argumentsByDevice(*read.module, grid, {{"arg0", counted({8, 2})}}, FillRule{});
  ASSERT_TRUE(cut) << cut.error().toString();
  for (size_t device = 0; device < 4; ++device)
    EXPECT_EQ((*cut)[device][0].data<int32_t>()[0], static_cast<int32_t>(4 * device));
  const auto same = argumentsByDevice(*read.module, grid, {{"arg0", counted({2, 2})}}, FillRule{});
  ASSERT_TRUE(same);
  EXPECT_EQ((*same)[3][0].data<int32_t>()[0], 0);
  const auto unknown = argumentsByDevice(*read.module, grid, {{"arg0", counted({4, 2})}}, FillRule{});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Input);
  EXPECT_NE(unknown.error().message.find("no sharding"), std::string::npos);
}

}  // namespace
}  // namespace tessera
