// The verifier of devices: groups, pairs, shardings and channels. Each refusal that XLA's verifier or parser has is
// named with its label; what XLA takes passes.
#include "tests/unit/verify/modules.h"

namespace tessera::test {
namespace {

TEST(VerifyGroups, GroupsNameAllReplicas) {
  refusedEach("replica-groups", {
                                    // groups short
                                    R"(HloModule m, replica_count=4
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=sum })",
                                    // groups long
                                    R"(HloModule m, replica_count=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum })",
                                    // groups partition
                                    R"(HloModule m, num_partitions=4
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                    // groups flat
                                    R"(HloModule m, replica_count=2, num_partitions=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                });
}

TEST(VerifyGroups, GlobalIdsWantAChannelAndGroups) {
  refusedEach("replica-groups", {
                                    // groups global nochannel
                                    R"(HloModule m, replica_count=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                    // groups global empty
                                    R"(HloModule m, replica_count=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={}, to_apply=sum })",
                                });
}

TEST(VerifyGroups, GroupsOfOneShapeAreEquallyLarge) {
  refusedEach("replica-groups", {
                                    // groups uneven ag
                                    R"(HloModule m, replica_count=3
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[8] all-gather(x), replica_groups={{0,1},{2}}, dimensions={0} })",
                                    // groups uneven a2a
                                    R"(HloModule m, replica_count=3
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-to-all(x), replica_groups={{0,1},{2}}, dimensions={0} })",
                                    // groups uneven rs
                                    R"(HloModule m, replica_count=3
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[2] reduce-scatter(x), replica_groups={{0,1},{2}}, dimensions={0}, to_apply=sum })",
                                });
}

TEST(VerifyGroups, AChannelJoinsThePartitionsOfAllReplicas) {
  const auto gather = [](int parts) {
    return "HloModule m, replica_count=2, num_partitions=4\nENTRY e {\n  x = f32[1] parameter(0)\n  ROOT r = f32[" +
           std::to_string(parts) + "] all-gather(x), channel_id=1, replica_groups={}, dimensions={0}\n}\n";
  };
  const auto isRefused = [](const std::string& text) { return verify(*readHloText(text).module).hasErrors(); };
  EXPECT_FALSE(isRefused(gather(8)));
  EXPECT_TRUE(isRefused(gather(2)));
}

TEST(VerifyGroups, PairsNameDevicesThatAreThere) {
  refusedEach("source-target", {
                                   // permute range
                                   R"(HloModule m, replica_count=2
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] collective-permute(x), source_target_pairs={{0,5}} })",
                                   // permute range partition
                                   R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] collective-permute(x), channel_id=1, source_target_pairs={{0,5}} })",
                               });
}

TEST(VerifyGroups, Shardings) {
  refusedEach("sharding", {
                              // sharding device
                              R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0), sharding={maximal device=7}
 ROOT d = f32[4] negate(x) })",
                              // sharding rank
                              R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0), sharding={devices=[1,2]<=[2]}
 ROOT d = f32[4] negate(x) })",
                              // sharding twice
                              R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0), sharding={devices=[2]0,0}
 ROOT d = f32[4] negate(x) })",
                              // sharding range
                              R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0), sharding={devices=[4]<=[4]}
 ROOT d = f32[4] negate(x) })",
                          });
}

TEST(VerifyGroups, Channels) {
  refusedEach("channel", {
                             // channel zero
                             R"(HloModule m, num_partitions=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT y = f32[4] all-reduce(x), channel_id=0, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum })",
                             // channel negative
                             R"(HloModule m, num_partitions=2
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT y = f32[4] all-reduce(x), channel_id=-3, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum })",
                             // send channel differs
                             R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 ROOT d = token[] send-done(s), channel_id=2 })",
                             // send host differs
                             R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true
 ROOT d = token[] send-done(s), channel_id=1 })",
                             // send host differs2
                             R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 ROOT d = token[] send-done(s), channel_id=1, is_host_transfer=true })",
                             // channel send and other
                             R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 d = token[] send-done(s), channel_id=1
 ROOT r = f32[4] all-to-all(x), channel_id=1, dimensions={0} })",
                             // channel two hosts
                             R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true
 d = token[] send-done(s), channel_id=1, is_host_transfer=true
 w2 = (f32[4], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true
 d2 = token[] send-done(w2), channel_id=1, is_host_transfer=true
 ROOT o = token[] after-all(d, d2) })",
                         });
}

TEST(VerifyGroups, WhatXlaTakesPasses) {
  for (const char* module : {
           R"(HloModule m, replica_count=4
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum })",
           R"(HloModule m, replica_count=3
$sum
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2}}, to_apply=sum })",
           R"(HloModule m, num_partitions=2
$sum
ENTRY e { x = f32[4] parameter(0)
 y = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
 ROOT r = f32[4] all-reduce(y), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum })",
           R"(HloModule m, num_partitions=2
$sum
ENTRY e { x = f32[4] parameter(0)
 y = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
 ROOT r = f32[8] all-gather(y), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0} })",
           R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = f32[4] parameter(0)
 s = ((f32[4]), f32[4], s32[]) async-start(x), async_execution_thread="t", calls=ac
 u = ((f32[4]), f32[4], s32[]) async-update(s), async_execution_thread="t", calls=ac
 ROOT d = f32[4] async-done(u), async_execution_thread="t", calls=ac })",
           R"(HloModule m
fu { p = f32[4] parameter(0)
 
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x), kind=kLoop, calls=fu })",
           R"(HloModule m
cond { p = (s32[], f32[4]) parameter(0)
 c = s32[] get-tuple-element(p), index=0
 k = s32[] constant(3)
 ROOT l = pred[] compare(c, k), direction=LT }
body { p = (s32[], f32[4]) parameter(0)
 c = s32[] get-tuple-element(p), index=0
 k = s32[] constant(1)
 n = s32[] add(c, k)
 v = f32[4] get-tuple-element(p), index=1
 ROOT t = (s32[], f32[4]) tuple(n, v) }
ENTRY e { x = (s32[], f32[4]) parameter(0)
 a = (s32[], f32[4]) while(x), condition=cond, body=body
 ROOT b = (s32[], f32[4]) while(a), condition=cond, body=body })",
           R"(HloModule m
ENTRY e { x = f32[4,3]{0,1} parameter(0)
 y = f32[4,3]{1,0} parameter(1)
 ROOT d = f32[4,3]{1,0} add(x, y) })",
           R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = s32[4] convert(x) })",
           R"(HloModule m
ENTRY e { x = token[] parameter(0)
 ROOT d = token[] after-all(x) })",
           R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 d = token[] send-done(s), channel_id=1
 r = (f32[4], u32[], token[]) recv(t), channel_id=1
 e = (f32[4], token[]) recv-done(r), channel_id=1
 ROOT v = f32[4] get-tuple-element(e), index=0 })",
           R"(HloModule m, num_partitions=2
ENTRY e { x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
 y = f32[4] negate(x), sharding={maximal device=1}
 ROOT d = f32[4] negate(y), sharding={replicated} })",
           R"(HloModule m
ENTRY e { x = f32[4,3] parameter(0)
 ROOT d = (f32[4,3], s32[]) custom-call(x), custom_call_target="f", output_to_operand_aliasing={{0}: (0, {})} })"}) {
    taken(module);
  }
}

}  // namespace
}  // namespace tessera::test
