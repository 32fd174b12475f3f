// The verifier past single instructions: devices and channels, operations in two halves, threads, fusions, shared
// buffers. Each refusal that XLA's verifier or parser has is named with its label; what XLA takes passes.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

std::vector<std::string> labelsOf(std::string_view text) {
  ReadResult read = readHloText(text);
  if (!read.module) return {"does not parse: " + std::string(text)};
  inferModule(*read.module);
  std::vector<std::string> out;
  const Diagnostics found = verify(*read.module);
  for (const Diagnostic& d : found.items()) out.push_back(d.label);
  return out;
}

void expectLabel(std::string_view label, std::initializer_list<const char*> modules) {
  for (const char* module : modules) {
    const std::vector<std::string> found = labelsOf(module);
    EXPECT_TRUE(std::ranges::find(found, label) != found.end())
        << module << "\nfirst label: " << (found.empty() ? "none" : found[0]);
  }
}

TEST(VerifyGroups, GroupsNameAllReplicas) {
  expectLabel("replica-groups", {
                                    // groups short
                                    R"(HloModule m, replica_count=4
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=sum })",
                                    // groups long
                                    R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum })",
                                    // groups partition
                                    R"(HloModule m, num_partitions=4
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                    // groups flat
                                    R"(HloModule m, replica_count=2, num_partitions=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                });
}

TEST(VerifyGroups, GlobalIdsWantAChannelAndGroups) {
  expectLabel("replica-groups", {
                                    // groups global nochannel
                                    R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), use_global_device_ids=true, replica_groups={{0,1}}, to_apply=sum })",
                                    // groups global empty
                                    R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={}, to_apply=sum })",
                                });
}

TEST(VerifyGroups, GroupsOfOneShapeAreEquallyLarge) {
  expectLabel("replica-groups", {
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
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
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
  expectLabel("source-target", {
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
  expectLabel("sharding", {
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
  expectLabel("channel", {
                             // channel zero
                             R"(HloModule m, num_partitions=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT y = f32[4] all-reduce(x), channel_id=0, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum })",
                             // channel negative
                             R"(HloModule m, num_partitions=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
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

TEST(VerifyGroups, StartsAreEndedOnce) {
  expectLabel("async-pair", {
                                // send two dones
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 d = token[] send-done(s), channel_id=1
 d2 = token[] send-done(s), channel_id=1
 ROOT o = token[] after-all(d, d2) })",
                                // send no done
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 ROOT r = f32[4] negate(x) })",
                                // recv two dones
                                R"(HloModule m
ENTRY e { t = token[] after-all()
 s = (f32[4], u32[], token[]) recv(t), channel_id=1
 d = (f32[4], token[]) recv-done(s), channel_id=1
 d2 = (f32[4], token[]) recv-done(s), channel_id=1
 ROOT o = ((f32[4], token[]), (f32[4], token[])) tuple(d, d2) })",
                                // recv no done
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) recv(t), channel_id=1
 ROOT r = f32[4] negate(x) })",
                                // copy start two
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 s = (f32[4], f32[4], u32[]) copy-start(x)
 d = f32[4] copy-done(s)
 d2 = f32[4] copy-done(s)
 ROOT r = f32[4] add(d, d2) })",
                                // copy start none
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 s = (f32[4], f32[4], u32[]) copy-start(x)
 ROOT r = f32[4] negate(x) })",
                                // ar start two
                                R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 s = f32[4] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
 d = f32[4] all-reduce-done(s)
 d2 = f32[4] all-reduce-done(s)
 ROOT r = f32[4] add(d, d2) })",
                                // ar start used
                                R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 s = f32[4] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
 ROOT r = f32[4] add(s, s) })",
                                // cp start two
                                R"(HloModule m, replica_count=2
ENTRY e { x = f32[4] parameter(0)
 s = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1}}
 a = f32[4] collective-permute-done(s)
 b = f32[4] collective-permute-done(s)
 ROOT r = f32[4] add(a, b) })",
                                // ag start two
                                R"(HloModule m, replica_count=2
ENTRY e { x = f32[4] parameter(0)
 s = (f32[4], f32[8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
 a = f32[8] all-gather-done(s)
 b = f32[8] all-gather-done(s)
 ROOT r = f32[8] add(a, b) })",
                                // async two
                                R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = f32[4] parameter(0)
 s = ((f32[4]), f32[4], s32[]) async-start(x), async_execution_thread="t", calls=ac
 d = f32[4] async-done(s), async_execution_thread="t", calls=ac
 d2 = f32[4] async-done(s), async_execution_thread="t", calls=ac
 ROOT r = f32[4] add(d, d2) })",
                                // async none
                                R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = f32[4] parameter(0)
 s = ((f32[4]), f32[4], s32[]) async-start(x), async_execution_thread="t", calls=ac
 ROOT d = f32[4] negate(x) })",
                            });
}

TEST(VerifyGroups, DonesEndAStartOfTheirKind) {
  expectLabel("async-pair", {
                                // recv done of send
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 t = token[] after-all()
 s = (f32[4], u32[], token[]) send(x, t), channel_id=1
 ROOT d = (f32[4], token[]) recv-done(s), channel_id=1 })",
                                // copy done of tuple
                                R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 c = u32[] constant(0)
 s = (f32[4], f32[4], u32[]) tuple(x, x, c)
 ROOT d = f32[4] copy-done(s) })",
                                // ar done alone
                                R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce-done(x) })",
                                // cp done alone
                                R"(HloModule m, replica_count=2
ENTRY e { x = f32[4] parameter(0)
 s = (f32[4], f32[4]) tuple(x, x)
 ROOT r = f32[4] collective-permute-done(s) })",
                                // ag done alone
                                R"(HloModule m, replica_count=2
ENTRY e { x = f32[4] parameter(0)
 y = f32[8] parameter(1)
 s = (f32[4], f32[8]) tuple(x, y)
 ROOT r = f32[8] all-gather-done(s) })",
                                // async alone
                                R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = ((f32[4]), f32[4], s32[]) parameter(0)
 ROOT d = f32[4] async-done(x), async_execution_thread="t", calls=ac })",
                            });
}

TEST(VerifyGroups, Threads) {
  expectLabel("thread", {
                            // async thread
                            R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = f32[4] parameter(0)
 s = ((f32[4]), f32[4], s32[]) async-start(x), async_execution_thread="q", calls=ac
 ROOT d = f32[4] async-done(s), async_execution_thread="q", calls=ac })",
                            // trip call async
                            R"(HloModule m
ac { p = f32[4] parameter(0)
 ROOT n = f32[4] custom-call(p), custom_call_target="f" }, execution_thread="t"
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] call(x), to_apply=ac })",
                        });
}

TEST(VerifyGroups, FusionBodies) {
  expectLabel("fusion", {
                            // fusion dead
                            R"(HloModule m
fu { p = f32[4] parameter(0)
 dead = f32[4] exponential(p)
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x), kind=kLoop, calls=fu })",
                            // fusion unused parameter
                            R"(HloModule m
fu { p = f32[4] parameter(0)
 q = f32[4] parameter(1)
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x, x), kind=kLoop, calls=fu })",
                        });
}

TEST(VerifyGroups, SharedBuffers) {
  expectLabel("output_to_operand_aliasing", {
                                                // customcall alias shape
                                                R"(HloModule m
ENTRY e { x = f32[4,3]{1,0} parameter(0)
 ROOT d = f32[4,2]{1,0} custom-call(x), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})} })",
                                                // customcall alias index
                                                R"(HloModule m
ENTRY e { x = f32[4,3]{1,0} parameter(0)
 ROOT d = f32[4,3]{1,0} custom-call(x), custom_call_target="f", output_to_operand_aliasing={{}: (1, {})} })",
                                                // fusion alias index
                                                R"(HloModule m
fu { p = f32[4] parameter(0)
 
 ROOT n = f32[4] negate(p) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f32[4] fusion(x), kind=kLoop, calls=fu, output_to_operand_aliasing={{1}: (0, {})} })",
                                            });
}

// Text that ends too soon, as an edit or another format may give it.
TEST(VerifyGroups, SharedBuffersThatCannotBeRead) {
  ReadResult read = readHloText(R"(HloModule m
ENTRY e { x = f32[4] parameter(0)
 ROOT d = (f32[4], f32[4]) custom-call(x), custom_call_target="f" })");
  Module& module = read.module.value();
  inferModule(module);
  const InstructionId call = module.entryComputation().root;
  const auto isRefused = [&](std::string_view text) {
    AttributeSet attributes = *module.at(call).attributes;
    attributes.set(Attr::output_to_operand_aliasing, RawText{std::string(text)});
    module.setAttributes(call, std::move(attributes));
    const Diagnostics found = verify(module);
    return std::ranges::find(found.items(), "output_to_operand_aliasing", &Diagnostic::label) != found.items().end();
  };
  EXPECT_FALSE(isRefused("{{0}: (0, {})}"));
  for (const char* text : {"{{0", "{{0,", "{{0, ", "{{0}", "{{0}:", "{{0}: (", "{{0}: (0", "{{0}: (0,", "{{0}: (0, {",
                           "{{0}: (0, {}", "{{0}: (0, {0", "{{x}: (0, {})}", "{{0}: (x, {})}"})
    EXPECT_TRUE(isRefused(text)) << text;
}

TEST(VerifyGroups, AliasesAreArrays) {
  expectLabel("alias", {
                           // alias tuple
                           R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = (f32[4], f32[4]) parameter(0)
 ROOT d = (f32[4], f32[4]) copy(x) })",
                           // alias size
                           R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0)
 ROOT d = f64[4] convert(x) })",
                       });
}

TEST(VerifyGroups, WhatXlaTakesPasses) {
  for (const char* module : {
           R"(HloModule m, replica_count=4
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum })",
           R"(HloModule m, replica_count=3
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 ROOT r = f32[4] all-reduce(x), replica_groups={{0,1},{2}}, to_apply=sum })",
           R"(HloModule m, num_partitions=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
ENTRY e { x = f32[4] parameter(0)
 y = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
 ROOT r = f32[4] all-reduce(y), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum })",
           R"(HloModule m, num_partitions=2
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b)
}
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
    const std::vector<std::string> found = labelsOf(module);
    EXPECT_TRUE(found.empty()) << module << "\nlabel: " << found[0];
  }
}

// A protobuf or an edit may hold an order that the text reader would refuse.
TEST(VerifyGroups, ControlPredecessorsInASchedule) {
  ReadResult read = readHloText(R"(HloModule m, is_scheduled=true
ENTRY e { x = f32[4] parameter(0)
 a = f32[4] negate(x)
 b = f32[4] exponential(x), control-predecessors={a}
 ROOT d = f32[4] add(a, b) })");
  ASSERT_TRUE(read.module);
  Module& module = *read.module;
  EXPECT_TRUE(verify(module).empty());
  auto& order = module.edit(module.entry()).instructions;
  std::swap(order[1], order[2]);
  const Diagnostics found = verify(module);
  EXPECT_TRUE(std::ranges::any_of(found.items(), [](const Diagnostic& d) { return d.label == "schedule"; }));
}

}  // namespace
}  // namespace tessera
