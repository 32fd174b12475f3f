// The partitioner: which exchanges a program gets, what is refused, and values of whole programs that jax annotated.
#include "core/passes/partition/partition.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "core/evaluate/compare.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/replicas.h"
#include "core/passes/partition/cut.h"
#include "core/passes/partition/halo.h"
#include "core/passes/partition/reshape.h"
#include "tests/support/source_tree.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using partition::ArraySharding;

constexpr DeviceGrid kEight{1, 8};

ArraySharding shardingFrom(const std::string& text, const std::vector<int64_t>& dims, int64_t devices = 8) {
  return partition::shardingOf(tilingOf(text).value(), Shape::array(ElementType::F32, dims), devices).value();
}

TEST(PartitionCuts, TextIsRead) {
  for (const char* text : {"{replicated}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "{devices=[8,1]<=[8]}",
                           "{devices=[2,2,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}) {
    const ArraySharding sharding = shardingFrom(text, {8, 8});
    EXPECT_EQ(partition::textOf(sharding, 8), text);
    EXPECT_EQ(shardingFrom(partition::textOf(sharding, 8), {8, 8}), sharding);
  }
}

TEST(PartitionCuts, LastBlocksOfUnevenDimensionsHavePadding) {
  const auto blockOf = [](const std::vector<int64_t>& sizes, const std::string& text) {
    return partition::localShape(Shape::array(ElementType::F32, sizes), shardingFrom(text, sizes)).dimensions;
  };
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(blockOf({12, 8}, "{devices=[8,1]<=[8]}"), (Sizes{2, 8}));
  EXPECT_EQ(blockOf({6, 8}, "{devices=[4,2]<=[8]}"), (Sizes{2, 4}));
  EXPECT_EQ(blockOf({7, 8}, "{devices=[8,1]<=[8]}"), (Sizes{7, 8})) << "fewer indices than tiles stay whole";
}

TEST(PartitionCuts, RefinedBlocksLieInTheCoarseOnes) {
  const auto cutInto = [](int64_t parts) {
    std::vector<int64_t> blockOf;
    for (int64_t device = 0; device < 8; ++device) blockOf.push_back(device * parts / 8);
    return *partition::makeCut(parts, blockOf);
  };
  EXPECT_TRUE(partition::refines(cutInto(8), cutInto(2), 16));
  EXPECT_TRUE(partition::refines(cutInto(8), cutInto(2), 15));
  EXPECT_FALSE(partition::refines(cutInto(8), cutInto(2), 10));  // blocks of 2 and of 5
}

// What a device gets, beside its own block of 8 or 9 indices of 64.
TEST(PartitionHalo, RangesCostWhatLiesOutsideTheBlock) {
  const auto cost = [](const partition::Reach& reach, int64_t work, int64_t size = 64) {
    return partition::exchangedIndices(*partition::rangesOf(reach, work, 8), size, 8);
  };
  EXPECT_EQ(cost({.offset = -1, .extent = 3}, 64), 2);                                // a window of 3
  EXPECT_EQ(cost({.stride = 2, .offset = -1, .extent = 3}, 32), 1);                   // every second one
  EXPECT_EQ(cost({.offset = -1, .extent = 3, .dilation = 2}, 128), 1);                // twice as many
  EXPECT_EQ(cost({.offset = 3}, 61), 3);                                              // a slice
  EXPECT_EQ(cost({.stride = -1, .offset = 63}, 64), 8);                               // reversed
  EXPECT_EQ(cost({.offset = -3}, 70), 6);                                             // a pad, to blocks of 9
  EXPECT_EQ(cost({.offset = 63}, 1), 1);                                              // the last index
  EXPECT_EQ(cost({.offset = -63, .extent = 64}, 64), std::nullopt) << "all of them";  // a running sum
  EXPECT_FALSE(partition::rangesOf({.offset = -1, .extent = 3, .dilation = 2}, 72, 8)) << "of 9, two by two";
}

// Each range holds the indices that it is said to, so what lies outside of a block has to come from others.
TEST(PartitionHalo, NoLessIsExchangedThanIsNeededNorMoreThanGathered) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % (high - low + 1)); };
  int cheap = 0;
  for (int i = 0; i < 3000; ++i) {
    const int64_t parts = draw(2, 9), size = draw(parts, 40), work = draw(1, 60);
    const partition::Reach reach{draw(0, 1) ? draw(1, 3) : -1, draw(-20, 40), draw(1, 6), draw(1, 2)};
    const auto ranges = partition::rangesOf(reach, work, parts);
    if (!ranges) continue;
    const int64_t block = partition::blockSize(size, parts);
    int64_t needed = 0;
    for (int64_t b = 0; b < parts; ++b) {
      int64_t ofOthers = 0;
      for (int64_t k = 0; k < ranges->count; ++k)
        if (const int64_t index = ranges->starts[static_cast<size_t>(b)] + k; index >= 0 && index < size)
          ofOthers += index / block != b;
      needed = std::max(needed, ofOthers);
    }
    const auto exchanged = partition::exchangedIndices(*ranges, size, parts);
    if (!exchanged) continue;
    ++cheap;
    EXPECT_GE(*exchanged, needed);
    EXPECT_LT(*exchanged, (parts - 1) * block);
  }
  EXPECT_GT(cheap, 500);
}

TEST(PartitionCuts, OneAxisCutsOneDimension) {
  const auto rows = shardingFrom("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", {8, 8}).cuts[0];
  const auto columns = shardingFrom("{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", {8, 8}).cuts[1];
  const auto others = shardingFrom("{devices=[1,2,4]<=[8] last_tile_dim_replicate}", {8, 8}).cuts[1];
  EXPECT_TRUE(partition::canCombine(std::vector{rows, columns}));
  EXPECT_FALSE(partition::canCombine(std::vector{rows, rows}));
  EXPECT_FALSE(partition::canCombine(std::vector{rows, others}));
}

std::string reshaped(const std::string& text, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  return partition::textOf(partition::reshapeSharding(Shape::array(ElementType::F32, from),
                                                      Shape::array(ElementType::F32, to), shardingFrom(text, from))
                               .to,
                           8);
}

TEST(PartitionCuts, ReshapesKeepMajorCuts) {
  const std::string rows = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}";
  EXPECT_EQ(reshaped(rows, {8, 6}, {48}), "{devices=[4,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(reshaped(rows, {8, 6}, {4, 2, 6}), "{devices=[4,1,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(reshaped(rows, {8, 6}, {2, 4, 6}), "{devices=[2,2,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(reshaped(rows, {8, 6}, {1, 8, 1, 6}), "{devices=[1,4,1,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(reshaped("{devices=[2,4]<=[8]}", {2, 8}, {16}), "{devices=[8]<=[8]}");
  EXPECT_EQ(reshaped("{devices=[2,4]<=[8]}", {4, 8}, {32}), "{replicated}");
}

// Opcodes of exchanges, and of what a device takes from the middle of a whole array.
std::vector<std::string> exchangesOf(const Module& module) {
  std::vector<std::string> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (hasTrait(module.at(id).opcode, kCollective)) out.emplace_back(module.at(id).opcodeName());
  return out;
}

using Words = std::vector<std::string>;

Module cutOf(const std::string& text, DeviceGrid grid = kEight) {
  const Module source = moduleFrom(text);
  auto out = partitionedFor(source, grid);
  EXPECT_TRUE(out) << (out ? "" : out.error().toString()) << "\n" << text;
  if (!out) return Module();
  EXPECT_EQ(messagesOf(verify(*out)), "") << printHloText(*out);
  return std::move(*out);
}

// y = f(x) for two shardings of x and y.
std::string moved(const std::string& from, const std::string& to) {
  return "HloModule m\nENTRY e {\n x = f32[8,16] parameter(0), sharding=" + from +
         "\n ROOT y = f32[8,16] copy(x), sharding=" + to + "\n}\n";
}

TEST(PartitionResharding, ByTheLeastExchange) {
  const std::string whole = "{replicated}", rows = "{devices=[8,1]<=[8]}", columns = "{devices=[1,8]<=[8]}";
  const std::string pairs = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}";
  const std::string turned = "{devices=[8,1]7,6,5,4,3,2,1,0}", both = "{devices=[2,4]<=[8]}";
  EXPECT_EQ(exchangesOf(cutOf(moved(rows, rows))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(moved(whole, rows))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(moved(pairs, rows))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(moved(pairs, both))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(moved(rows, whole))), Words{"all-gather"});
  EXPECT_EQ(exchangesOf(cutOf(moved(rows, pairs))), Words{"all-gather"});
  EXPECT_EQ(exchangesOf(cutOf(moved(rows, columns))), Words{"all-to-all"});
  EXPECT_EQ(exchangesOf(cutOf(moved(rows, turned))), Words{"collective-permute"});
}

TEST(PartitionResharding, OneExchangeMakesRoomForTheNext) {
  const std::string text =
      "HloModule m\nENTRY e {\n x = f32[8,8,8] parameter(0), sharding={devices=[2,4,1]<=[8]}\n"
      " ROOT y = f32[8,8,8] copy(x), sharding={devices=[1,2,4]<=[8]}\n}\n";
  EXPECT_EQ(exchangesOf(cutOf(text)), (Words{"all-to-all", "all-to-all"}));
}

// Sizes of the arrays that the entry's instructions of this opcode give.
std::vector<std::vector<int64_t>> sizesOf(const Module& module, Opcode opcode) {
  std::vector<std::vector<int64_t>> out;
  for (InstructionId id : module.entryComputation().instructions)
    if (module.at(id).opcode == opcode) out.push_back(module.shapeOf(id).dimensions);
  return out;
}

TEST(PartitionPropagation, ACutThatCannotPassMovesToAnotherDimension) {
  using Sizes = std::vector<std::vector<int64_t>>;
  const auto cutFrom = [](const std::string& reducer, const std::string& rest) {
    return cutOf("HloModule m, allow_spmd_sharding_propagation_to_output={true}\n" + reducer +
                 "ENTRY e {\n x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}\n" + rest + "}\n");
  };
  const Module sorted = cutFrom(
      "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT\n}\n",
      " ROOT y = f32[16,32] sort(x), dimensions={1}, to_apply=less\n");
  EXPECT_EQ(exchangesOf(sorted), Words{"all-to-all"});
  EXPECT_EQ(sizesOf(sorted, Opcode::Sort), (Sizes{{2, 32}}));
  const Module doubled =
      cutFrom("", " y = f32[16,64] concatenate(x, x), dimensions={1}\n ROOT z = f32[16,64] exponential(y)\n");
  EXPECT_EQ(exchangesOf(doubled), Words{"all-to-all"});
  EXPECT_EQ(sizesOf(doubled, Opcode::Exponential), (Sizes{{2, 64}}));
  const Module row = cutFrom("", " y = f32[512] reshape(x)\n ROOT z = f32[512] exponential(y)\n");
  EXPECT_EQ(exchangesOf(row), Words{"all-to-all"});
  EXPECT_EQ(sizesOf(row, Opcode::Exponential), (Sizes{{64}}));
}

std::string product(const std::string& x, const std::string& w, const std::string& y) {
  return "HloModule m\nENTRY e {\n x = f32[16,32] parameter(0), sharding=" + x +
         "\n w = f32[32,64] parameter(1), sharding=" + w +
         "\n ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding=" + y +
         "\n}\n";
}

TEST(PartitionProducts, SumsOfPartsAreReduced) {
  const std::string whole = "{replicated}", rows = "{devices=[8,1]<=[8]}", columns = "{devices=[1,8]<=[8]}";
  EXPECT_EQ(exchangesOf(cutOf(product(rows, whole, rows))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(product(whole, columns, columns))), Words{});
  EXPECT_EQ(exchangesOf(cutOf(product(columns, rows, whole))), Words{"all-reduce"});
  EXPECT_EQ(exchangesOf(cutOf(product(columns, rows, columns))), Words{"reduce-scatter"});
  EXPECT_EQ(exchangesOf(cutOf(product(rows, rows, rows))), Words{"all-gather"});  // fully sharded data parallel
}

using Sizes = std::vector<std::vector<int64_t>>;

// y, of f32[64,16] that is cut along the first dimension, cut alike.
Module ofRows(const std::string& shape, const std::string& what) {
  return cutOf(
      "HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n x = f32[64,16] parameter(0), sharding={devices=[8,1]<=[8]}\n zero = f32[] constant(0)\n"
      " ROOT y = f32" +
      shape + " " + what + ", sharding={devices=[8,1]<=[8]}\n}\n");
}

TEST(PartitionHalo, OnlyEdgesAreExchanged) {
  const auto sizes = [](const Module& module) { return sizesOf(module, Opcode::CollectivePermute); };
  const Words one{"collective-permute"}, two{"collective-permute", "collective-permute"};
  const Module window = ofRows("[64,16]", "reduce-window(x, zero), window={size=3x1 pad=1_1x0_0}, to_apply=sum");
  EXPECT_EQ(exchangesOf(window), two);
  EXPECT_EQ(sizes(window), (Sizes{{1, 16}, {1, 16}}));
  const Module product = cutOf(
      "HloModule m\nENTRY e {\n x = f32[2,64,16] parameter(0), sharding={devices=[1,8,1]<=[8]}\n"
      " k = f32[3,16,4] parameter(1)\n ROOT y = f32[2,32,4] convolution(x, k), window={size=3 stride=2 pad=1_0}, "
      "dim_labels=b0f_0io->b0f, sharding={devices=[1,8,1]<=[8]}\n}\n");
  EXPECT_EQ(sizes(product), (Sizes{{2, 1, 16}}));
  EXPECT_EQ(sizes(ofRows("[61,16]", "slice(x), slice={[3:64], [0:16]}")), (Sizes{{3, 16}}));
  EXPECT_EQ(exchangesOf(ofRows("[64,16]", "reverse(x), dimensions={0}")), one);
  EXPECT_EQ(sizes(ofRows("[66,16]", "pad(x, zero), padding=1_1x0_0")), (Sizes{{6, 16}}));  // blocks of 9
}

// The last row alone is sent to whom it is wanted by.
TEST(PartitionHalo, LittleOfAnArrayIsNotReadFromAllOfIt) {
  const Module module = cutOf(
      "HloModule m\nENTRY e {\n x = f32[64,16] parameter(0), sharding={devices=[8,1]<=[8]}\n"
      " ROOT y = f32[1,16] slice(x), slice={[63:64], [0:16]}, sharding={replicated}\n}\n");
  EXPECT_EQ(exchangesOf(module), (Words{"collective-permute", "all-gather"}));
  EXPECT_EQ(sizesOf(module, Opcode::AllGather), (Sizes{{8, 16}}));
}

constexpr const char* kPooling = R"(HloModule m
at_least {
 a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = pred[] compare(a, b), direction=GE
}
sum {
 a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b)
}
larger {
 a = f32[] parameter(0)
 i = s32[] parameter(1)
 b = f32[] parameter(2)
 j = s32[] parameter(3)
 c = pred[] compare(a, b), direction=GE
 v = f32[] select(c, a, b)
 k = s32[] select(c, i, j)
 ROOT t = (f32[], s32[]) tuple(v, k)
}
sums {
 a = f32[] parameter(0)
 i = s32[] parameter(1)
 b = f32[] parameter(2)
 j = s32[] parameter(3)
 v = f32[] add(a, b)
 k = s32[] add(i, j)
 ROOT t = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
 x = f32[64,16] parameter(0), sharding={devices=[8,1]<=[8]}
 zero = f32[] constant(0)
 five = s32[] constant(5)
 lowest = f32[] constant(-inf)
 none = s32[] constant(0)
 )";

TEST(PartitionHalo, WindowsThatScatterExchangeEdges) {
  const auto cutPool = [](const std::string& windows, const std::string& window) {
    return cutOf(
        std::string(kPooling) + "s = f32[" + windows +
        ",16] parameter(1), sharding={devices=[8,1]<=[8]}\n ROOT y = f32[64,16] select-and-scatter(x, s, zero), "
        "window={" +
        window + "}, select=at_least, scatter=sum, sharding={devices=[8,1]<=[8]}\n}\n");
  };
  EXPECT_EQ(exchangesOf(cutPool("32", "size=2x1 stride=2x1")), Words{});
  const Module edges = cutPool("32", "size=3x1 stride=2x1 pad=0_1x0_0");
  EXPECT_EQ(sizesOf(edges, Opcode::CollectivePermute), (Sizes{{2, 16}, {1, 16}, {1, 16}}));
  EXPECT_EQ(exchangesOf(edges), (Words{"collective-permute", "collective-permute", "collective-permute"}));
}

TEST(PartitionHalo, WindowsOfSeveralArraysExchangeEdges) {
  const Module module = cutOf(std::string(kPooling) +
                              "i = s32[64,16] iota(), iota_dimension=0\n ROOT y = (f32[64,16], s32[64,16]) "
                              "reduce-window(x, i, lowest, none), window={size=3x1 pad=1_1x0_0}, to_apply=larger, "
                              "sharding={{devices=[8,1]<=[8]}, {devices=[8,1]<=[8]}}\n}\n");
  for (const std::string& word : exchangesOf(module)) EXPECT_EQ(word, "collective-permute");
}

// The largest element and its place: each device's, and then the largest of these.
TEST(Partition, PartsOfSeveralArraysAreReducedAgain) {
  const auto cutReduction = [](const std::string& initial, const std::string& reducer) {
    return cutOf(std::string(kPooling) + "i = s32[64,16] iota(), iota_dimension=0\n" +
                 " ROOT y = (f32[16], s32[16]) reduce(x, i, " + initial + "), dimensions={0}, to_apply=" + reducer +
                 ", sharding={{replicated}, {replicated}}\n}\n");
  };
  const Module module = cutReduction("lowest, none", "larger");
  EXPECT_EQ(exchangesOf(module), (Words{"all-gather", "all-gather"}));
  EXPECT_EQ(sizesOf(module, Opcode::AllGather), (Sizes{{8, 16}, {8, 16}}));
  // An initial value that counts each time.
  EXPECT_EQ(sizesOf(cutReduction("zero, five", "sums"), Opcode::AllGather), (Sizes{{64, 16}}));
}

TEST(Partition, ColumnsOfATriangularSystemStandAlone) {
  const Module module = cutOf(
      "HloModule m\nENTRY e {\n a = f32[5,5] parameter(0)\n b = f32[5,16] parameter(1), "
      "sharding={devices=[1,8]<=[8]}\n ROOT x = f32[5,16] triangular-solve(a, b), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE, sharding={devices=[1,8]<=[8]}\n}\n");
  EXPECT_EQ(exchangesOf(module), Words{});
}

TEST(PartitionHalo, WhatNeedsAllIsGathered) {
  const Module module = ofRows("[64,16]", "reduce-window(x, zero), window={size=64x1 pad=63_0x0_0}, to_apply=sum");
  EXPECT_EQ(exchangesOf(module), Words{"all-gather"});
}

TEST(Partition, InitialValueCountsOnce) {
  const Module module = cutOf(
      "HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n x = f32[16] parameter(0), sharding={devices=[8]<=[8]}\n one = f32[] constant(1)\n"
      " ROOT y = f32[] reduce(x, one), dimensions={0}, to_apply=sum, sharding={replicated}\n}\n");
  EXPECT_EQ(exchangesOf(module), Words{"all-reduce"});
}

// Of a table that is cut along the dimension where rows are picked.
TEST(PartitionPlaces, EachDeviceReadsAndWritesItsBlock) {
  const std::string header = "HloModule m\n", rows = ", sharding={devices=[8,1]<=[8]}",
                    whole = ", sharding={replicated}";
  const std::string table = "ENTRY e {\n x = f32[64,16] parameter(0)" + rows + "\n";
  EXPECT_EQ(exchangesOf(cutOf(header + table +
                              " i = s32[2,3] parameter(1)\n ROOT y = f32[2,3,16] gather(x, i), "
                              "offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
                              "slice_sizes={1,16}" +
                              whole + "\n}\n")),
            Words{"all-reduce"});
  EXPECT_EQ(exchangesOf(cutOf(header + table +
                              " i = s32[] parameter(1)\n z = s32[] constant(0)\n ROOT y = f32[1,16] "
                              "dynamic-slice(x, i, z), dynamic_slice_sizes={1,16}" +
                              whole + "\n}\n")),
            Words{"all-reduce"});
  EXPECT_EQ(exchangesOf(cutOf(header + table +
                              " u = f32[1,16] parameter(1)\n i = s32[] parameter(2)\n z = s32[] "
                              "constant(0)\n ROOT y = f32[64,16] dynamic-update-slice(x, u, i, z)" +
                              rows + "\n}\n")),
            Words{});
  EXPECT_EQ(exchangesOf(cutOf(header +
                              "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
                              "add(a, b)\n}\n" +
                              table +
                              " i = s32[5] parameter(1)\n u = f32[5,16] parameter(2)\n "
                              "ROOT y = f32[64,16] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                              "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum" +
                              rows + "\n}\n")),
            Words{});
}

// A small table is gathered rather than a large result summed up.
TEST(PartitionPlaces, TheSmallerOnesAreExchanged) {
  const Module module = cutOf(
      "HloModule m\nENTRY e {\n x = f32[8,16] parameter(0), sharding={devices=[8,1]<=[8]}\n i = s32[200] "
      "parameter(1)\n "
      "ROOT y = f32[200,16] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,16}, sharding={replicated}\n}\n");
  EXPECT_EQ(exchangesOf(module), Words{"all-gather"});
}

TEST(Partition, NothingIsExchangedForDeadCode) {
  const Module module = cutOf(
      "HloModule m\nENTRY e {\n x = f32[8,16] parameter(0), sharding={devices=[8,1]<=[8]}\n"
      " dead = f32[8,16] copy(x), sharding={replicated}\n"
      " ROOT y = f32[8,16] negate(x), sharding={devices=[8,1]<=[8]}\n}\n");
  EXPECT_EQ(exchangesOf(module), Words{});
}

TEST(Partition, OnlyAnnotatedProgramsOfSeveralPartitions) {
  const std::string text = moved("{devices=[8,1]<=[8]}", "{replicated}");
  EXPECT_EQ(printHloText(cutOf(text, {1, 1})), printHloText(moduleFrom(text)));
  const Module once = cutOf(text);
  EXPECT_FALSE(isShardedProgram(once));
  EXPECT_FALSE(isShardedProgram(moduleFrom(printHloText(once))));
  const std::string arguments = "\nENTRY e {\n ROOT x = f32[8] parameter(0), sharding={devices=[8]<=[8]}\n}\n";
  EXPECT_FALSE(isShardedProgram(moduleFrom("HloModule m" + arguments)));
  EXPECT_TRUE(
      isShardedProgram(moduleFrom("HloModule m, allow_spmd_sharding_propagation_to_output={true}" + arguments)));
  EXPECT_FALSE(isShardedProgram(moduleFrom("HloModule m\nENTRY e {\n ROOT x = f32[8] parameter(0)\n}\n")));
}

TEST(Partition, EveryReplicaHasItsGroups) {
  const Module module = cutOf(moved("{devices=[2,1]<=[2]}", "{replicated}"), {2, 2});
  EXPECT_NE(printHloText(module).find("replica_groups={{0,1},{2,3}}"), std::string::npos) << printHloText(module);
}

// Of a program that the verifier has not seen.
std::string refusal(const std::string& text) {
  const auto out = partitionedFor(*readHloText(text).module, kEight);
  return out ? "" : out.error().toString();
}

TEST(Partition, RefusesWhatItCannotFollow) {
  const std::string four = refusal(moved("{devices=[4,1]<=[4]}", "{replicated}"));
  EXPECT_NE(four.find("3:2: error: the sharding is not over the program's partitions"), std::string::npos) << four;
  EXPECT_NE(four.find("expected 0 to 7, found 0,1,2,3"), std::string::npos) << four;
  const std::string rank = refusal(moved("{devices=[8]<=[8]}", "{replicated}"));
  EXPECT_NE(rank.find("another number of dimensions than the array"), std::string::npos) << rank;
  EXPECT_NE(rank.find("expected 2, found 1"), std::string::npos) << rank;
  const std::string mesh = refusal(
      "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n ROOT y = f32[8] copy(x), "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@nowhere, [{}]>\"}\n}\n");
  EXPECT_NE(mesh.find("4:7: error: the mesh @nowhere cannot be followed"), std::string::npos) << mesh;
}

Result<DeviceArrays> runOn(const Module& module, DeviceGrid grid) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, argumentsByDevice(module, grid, {}, {.scale = 1}));
  return runOnDevices(grid, [&](Communicator& communicator) {
    EvaluateOptions options;
    options.communicator = &communicator;
    return evaluateModule(module, arguments[static_cast<size_t>(communicator.device())], options);
  });
}

void expectValuesOfTheWhole(const std::string& text, DeviceGrid forWhole = {}) {
  const Module program = cutOf(text);
  ASSERT_FALSE(exchangesOf(program).empty());
  const auto whole = runOn(moduleFrom(text), forWhole);
  ASSERT_TRUE(whole) << whole.error().toString();
  const auto cut = runOn(program, kEight);
  ASSERT_TRUE(cut) << cut.error().toString();
  for (size_t k = 0; k < (*whole)[0].size(); ++k) {
    const Literal& expected = (*whole)[0][k];
    const auto values = comparable(program, *cut, k, expected.shape());
    ASSERT_TRUE(values) << values.error().toString();
    for (const Literal& value : *values) {
      const Comparison same = compareLiterals(expected, value, defaultTolerance(expected.shape().type), "value");
      EXPECT_TRUE(same.equal) << "result " << k << ": " << same.firstMismatch;
    }
  }
}

TEST(Partition, ProductsOfComplexNumbers) {
  expectValuesOfTheWhole(
      "HloModule m\nproduct {\n a = c64[] parameter(0)\n b = c64[] parameter(1)\n ROOT p = c64[] multiply(a, b)\n}\n"
      "ENTRY e {\n x = c64[3,8] parameter(0), sharding={devices=[1,8]<=[8]}\n i = c64[] constant((1,2))\n"
      " ROOT y = c64[3] reduce(x, i), dimensions={1}, to_apply=product, sharding={replicated}\n}\n");
}

// Blocks have padding, the arrays that are given and compared have none.
TEST(Partition, UnevenArgumentsAndResults) {
  const std::string text =
      "HloModule m\nENTRY e {\n x = (f32[13,5], s32[9]) parameter(0), "
      "sharding={{devices=[8,1]<=[8]},{devices=[8]7,6,5,4,3,2,1,0}}, frontend_attributes={name=\"x\"}\n"
      " a = f32[13,5] get-tuple-element(x), index=0\n b = s32[9] get-tuple-element(x), index=1\n"
      " c = f32[5,13] transpose(a), dimensions={1,0}\n d = s32[9] add(b, b)\n"
      " ROOT y = (f32[5,13], s32[9]) tuple(c, d), sharding={{devices=[2,4]<=[8]},{devices=[8]<=[8]}}\n}\n";
  expectValuesOfTheWhole(text);
  const std::string printed = printHloText(cutOf(text));
  EXPECT_NE(printed.find("frontend_attributes={name=\"x\",tessera.whole=\"(f32[13,5], s32[9])\"}"), std::string::npos)
      << printed;
}

// Blocks with and without padding, windows that overlap, touch, and lie apart.
TEST(PartitionHalo, WindowsThatScatterGiveTheValuesOfTheWhole) {
  struct Pooling {
    int64_t size, windows;
    const char* window;
  };
  for (const Pooling& p : {Pooling{32, 32, "size=3x1 pad=1_1x0_0"}, Pooling{32, 16, "size=3x1 stride=2x1 pad=0_1x0_0"},
                           Pooling{30, 28, "size=3x1"}, Pooling{29, 15, "size=3x1 stride=2x1 pad=1_1x0_0"},
                           Pooling{32, 11, "size=2x1 stride=3x1"}, Pooling{48, 22, "size=6x1 stride=2x1"}})
    expectValuesOfTheWhole(std::string(kPooling).substr(0, std::string_view(kPooling).find("ENTRY")) +
                           fmt::format("ENTRY e {{\n x = f32[{0},3] parameter(0), sharding={{devices=[8,1]<=[8]}}\n"
                                       " s = f32[{1},3] parameter(1), sharding={{devices=[8,1]<=[8]}}\n"
                                       " one = f32[] constant(1)\n ROOT y = f32[{0},3] select-and-scatter(x, s, one), "
                                       "window={{{2}}}, select=at_least, scatter=sum, "
                                       "sharding={{devices=[8,1]<=[8]}}\n}}\n",
                                       p.size, p.windows, p.window));
}

TEST(Partition, LargestElementsAndTheirPlacesAreThoseOfTheWhole) {
  for (int64_t size : {64, 61})
    expectValuesOfTheWhole(
        std::string(kPooling).substr(0, std::string_view(kPooling).find("ENTRY")) +
        fmt::format(
            "ENTRY e {{\n x = f32[{0},3] parameter(0), sharding={{devices=[8,1]<=[8]}}\n"
            " i = s32[{0},3] iota(), iota_dimension=0\n lowest = f32[] constant(-inf)\n none = s32[] constant(0)"
            "\n r = (f32[3], s32[3]) reduce(x, i, lowest, none), dimensions={{0}}, to_apply=larger\n"
            " w = (f32[{0},3], s32[{0},3]) reduce-window(x, i, lowest, none), window={{size=3x1 pad=1_1x0_0}}, "
            "to_apply=larger\n a = s32[3] get-tuple-element(r), index=1\n"
            " b = s32[{0},3] get-tuple-element(w), index=1\n ROOT y = (s32[3], s32[{0},3]) tuple(a, b), "
            "sharding={{{{replicated}},{{devices=[8,1]<=[8]}}}}\n}}\n",
            size));
}

// Whose numbers are the instruction's own stream.
TEST(Partition, RandomNumbersAreThoseOfTheWhole) {
  expectValuesOfTheWhole(
      "HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT p = f32[] add(a, b)\n}\n"
      "ENTRY e {\n low = f32[] constant(0)\n high = f32[] constant(1)\n"
      " r = f32[8,4] rng(low, high), distribution=rng_uniform\n q = f32[8,4] rng(low, high), distribution=rng_normal\n"
      " n = f32[8,4] multiply(r, q), sharding={devices=[8,1]<=[8]}\n"
      " ROOT y = f32[4] reduce(n, low), dimensions={0}, to_apply=sum, sharding={replicated}\n}\n");
}

class PartitionedPrograms : public testing::TestWithParam<std::string> {};

// Against the whole program on one device; one with manual regions on as many, which each compute the whole.
TEST_P(PartitionedPrograms, GiveTheValuesOfTheWhole) {
  std::ifstream file(inSourceTree("tests/passes/partition/" + GetParam()));
  std::stringstream text;
  text << file.rdbuf();
  const bool isManual =
      text.str().contains("SPMDFullToShardShape") || text.str().contains("xla.sdy.GlobalToLocalShape");
  expectValuesOfTheWhole(text.str(), isManual ? kEight : DeviceGrid{});
}

std::vector<std::string> programFiles() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(inSourceTree("tests/passes/partition")))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, PartitionedPrograms, testing::ValuesIn(programFiles()),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace tessera::test
