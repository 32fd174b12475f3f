// Texts that XLA's parser takes or refuses where the grammar is loose: shardings by a mesh, tables of stack frames,
// names, control predecessors. What would say nothing is refused at its place.
#include <gtest/gtest.h>

#include <string>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

std::string module(std::string_view tables, std::string_view name, std::string_view attributes) {
  return "HloModule m\n\n" + std::string(tables) + "\nENTRY %main {\n  " + std::string(name) +
         " = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} add(" + std::string(name) + ", " + std::string(name) + ")" +
         std::string(attributes) + "\n}\n";
}

std::string errorOf(const std::string& text) {
  ReadResult read = readHloText(text, "f.hlo");
  return read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString();
}

std::string sharded(std::string_view sharding) {
  return errorOf(module("", "%x", ", sharding={" + std::string(sharding) + "}"));
}

TEST(HloRefusals, ShardingsByAMesh) {
  for (const char* good :
       {"mesh['a'=2], [{'a'}]", "mesh['a'=2,'b'=2], [{'a', 'b', ?}]", "mesh['a'=2], [{?}]", "mesh['a'=2], []",
        "mesh['a'=2,'b'=2], [{'a'}], replicated={'b'}", "mesh['a'=4], [{'a':(1)2}]",
        "mesh['a'=4], [{'a':(1)2, 'a':(2)2}]", "mesh['a'=2], replicated", "mesh['a'=2], manual",
        "mesh['a'=2], unreduced", "mesh['a'=2], [{}], unreduced=sum{'a'}", "mesh['a'=2], [{}], manual={'a'}",
        "mesh['a'=2], device_ids=(1,0), [{'a'}]", "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{'a'}]",
        "maximal_mesh[device_id=0]", "mesh[], [{}]", "mesh[]", "mesh['a'=2], [{'a'}], metadata={op_name=\"x\"}"})
    EXPECT_EQ(sharded(good), "") << good;
  for (auto [bad, message] : {std::pair{"mesh['a'=2], [{'b'}]", "the mesh has no axis 'b'"},
                              {"mesh['a'=2], [{?, 'a'}]", "? is the last of a dimension's axes"},
                              {"mesh['a'=2]", "a sharding by a mesh goes on otherwise"},
                              {"mesh['a'=2], foo", "a sharding by a mesh goes on otherwise"},
                              {"mesh['a'=2], [{}], foo={'a'}", "a sharding has no such part"},
                              {"mesh['a'=4], [{'a':(1)3}]", "the sub-axis does not divide its axis"},
                              {"mesh['a'=2], [{'a', 'a'}]", "names the axis 'a' twice"},
                              {"mesh['a'=4], [{'a':(1)4, 'a':(2)2}]", "names the axis 'a' twice"},
                              {"mesh['a'=2,'a'=2], [{'a'}]", "the mesh has two axes of this name"},
                              {"mesh['a'=0], [{}]", "an axis of a mesh has no devices"},
                              {"mesh['a'=2], device_ids=(0), [{'a'}]", "another number of places than device ids"},
                              {"mesh['a'=2], device_ids=(0,0), [{'a'}]", "the device ids name a device twice"},
                              {"maximal_mesh[0]", "in maximal_mesh"},
                              {"mesh['a'=2], [{}], unreduced=foo{'a'}", "no such reduction"},
                              {"foo", "a sharding"},
                              {"shard_as 1", "does not say how the array lies"}})
    EXPECT_NE(sharded(bad).find(message), std::string::npos) << bad << ": " << sharded(bad);
}

TEST(HloRefusals, TablesOfStackFramesAreComplete) {
  const std::string
      files = "FileNames\n1 \"a.py\"\n\n",
      functions = "FunctionNames\n1 \"f\"\n\n",
      places = "FileLocations\n1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=1 end_column=2}\n\n",
      frames = "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n";
  EXPECT_EQ(errorOf(module(files + functions + places + frames, "%x", "")), "");
  EXPECT_EQ(errorOf(module("FileNames\n\nFunctionNames\n\nFileLocations\n\nStackFrames\n\n", "%x", "")), "");
  EXPECT_NE(errorOf(module(files, "%x", "")).find("FunctionNames is missing"), std::string::npos)
      << errorOf(module(files, "%x", ""));
  EXPECT_NE(errorOf(module(files + functions + frames, "%x", "")).find("FileLocations is missing"), std::string::npos);
  EXPECT_NE(errorOf(module(frames, "%x", "")), "");
}

TEST(HloRefusals, ATextThatEndsInANameEndsTooEarly) {
  const std::string text = "HloModule m\nENTRY e {\n  p1 = f32[8] parameter(0)\n  r = f32[8] add(p1, p";
  EXPECT_EQ(errorOf(text).find("f.hlo:4:23: error: the text ends too early"), 0u) << errorOf(text);
  EXPECT_NE(errorOf(text + ")\n}\n").find("undefined name %p"), std::string::npos);
}

TEST(HloRefusals, TypesAreNoNames) {
  EXPECT_NE(errorOf(module("", "f32", "")).find("f32 is a type, no name; expected %f32"), std::string::npos)
      << errorOf(module("", "f32", ""));
  EXPECT_EQ(errorOf(module("", "f32_", "")), "");
  EXPECT_EQ(errorOf(module("", "tuple", "")), "");
  EXPECT_EQ(errorOf(module("", "%f32", "")), "");
}

TEST(HloRefusals, ControlPredecessorsNameSomething) {
  EXPECT_EQ(errorOf(module("", "%x", ", control-predecessors={%x}")), "");
  EXPECT_NE(errorOf(module("", "%x", ", control-predecessors={}")).find("a list of instructions is empty"),
            std::string::npos);
}

TEST(HloRefusals, ALayoutOfNegativeDimensionsSaysSo) {
  EXPECT_NE(errorOf("HloModule m\n\nENTRY %main {\n  ROOT %x = f32[4]{-1} parameter(0)\n}\n")
                .find("not a permutation of the dimensions"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
