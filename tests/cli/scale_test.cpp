// `tessera scale`: the prediction for many devices, what it refuses, and real ranks beside it.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

TEST(Scale, PredictsTheStepOfMoreDevices) {
  const Scratch scratch;
  const Ran ran = scratch.tessera("scale " TESSERA_SHARDED
                                  "/tensor_parallel_4.hlo --links=dgx-h100 --devices=8,64,512,4096 --ranks=0 --json");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const auto said = nlohmann::json::parse(ran.out);
  EXPECT_EQ(said["grow"], "partitions");
  EXPECT_EQ(said["links"]["name"], "dgx-h100");
  EXPECT_FALSE(said["links"]["source"].get<std::string>().empty());
  EXPECT_GT(said["profile"]["compute_ms"].get<double>(), 0);
  EXPECT_FALSE(said["collectives"].empty());
  ASSERT_EQ(said["predictions"].size(), 4u);
  double before = 0;
  for (const auto& step : said["predictions"]) {
    EXPECT_EQ(step["partitions"], step["devices"]);
    EXPECT_DOUBLE_EQ(step["step_ms"].get<double>(),
                     step["compute_ms"].get<double>() + step["exposed_ms"].get<double>());
    EXPECT_GT(step["step_ms"].get<double>(), before);  // more steps over slower links
    before = step["step_ms"];
  }
  EXPECT_TRUE(said["ranks"].empty());
}

TEST(Scale, RefusesWhatCannotBe) {
  const Scratch scratch;
  const std::string file = "scale " TESSERA_SHARDED "/ring_4.hlo --ranks=0 ";
  const Ran none = scratch.tessera(file);
  EXPECT_EQ(none.exit, 64);
  EXPECT_NE(none.err.find("--links is required: What connects the devices: "), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("tpu-v5p"), std::string::npos) << none.err;
  const Ran links = scratch.tessera(file + "--links=string");
  EXPECT_EQ(links.exit, 64);
  EXPECT_NE(links.err.find("tpu-v5p"), std::string::npos) << links.err;
  const Ran devices = scratch.tessera(file + "--links=tpu-v4 --grow=replicas --devices=10");
  EXPECT_EQ(devices.exit, 64);
  EXPECT_NE(devices.err.find("10 devices are no multiple of 4 partitions"), std::string::npos) << devices.err;
}

TEST(Scale, RealRanksStandBesideThePrediction) {
  const auto library = std::filesystem::path(TESSERA_PROGRAM).parent_path().parent_path() / "lib/libtessera_mpi.so";
  const bool mpi = std::filesystem::exists(library) && std::system("command -v mpirun >/dev/null 2>&1") == 0;
  if (!mpi) TESSERA_SKIP("no-mpi");
  const Scratch scratch;
  const Ran ran = scratch.tessera("scale " TESSERA_SHARDED "/exchange_2.hlo --links=tpu-v4 --ranks=2,4 --json", {},
                                  "ASAN_OPTIONS=detect_leaks=0");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const auto said = nlohmann::json::parse(ran.out);
  ASSERT_EQ(said["ranks"].size(), 2u);
  EXPECT_GT(said["ranks"][0]["measured_ms"].get<double>(), 0) << said["ranks"];
  EXPECT_GT(said["ranks"][0]["predicted_ms"].get<double>(), 0);
  EXPECT_GT(said["here"]["outer"]["bytes_per_second"].get<double>(), 1e6);
  EXPECT_EQ(said["ranks"][1]["error"], "the program is written for 2 partitions");
}

}  // namespace
}  // namespace tessera
