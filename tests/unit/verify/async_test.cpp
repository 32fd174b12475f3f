// The verifier of operations in two halves: starts and what ends them, and the threads of what they run.
#include "tests/unit/verify/modules.h"

namespace tessera::test {
namespace {

TEST(VerifyAsync, StartsAreEndedOnce) {
  refusedEach("async-pair", {
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
$sum
ENTRY e { x = f32[4] parameter(0)
 s = f32[4] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
 d = f32[4] all-reduce-done(s)
 d2 = f32[4] all-reduce-done(s)
 ROOT r = f32[4] add(d, d2) })",
                                // ar start used
                                R"(HloModule m, replica_count=2
$sum
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

TEST(VerifyAsync, DonesEndAStartOfTheirKind) {
  refusedEach("async-pair", {
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
$sum
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

TEST(VerifyAsync, Threads) {
  refusedEach("thread", {
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

}  // namespace
}  // namespace tessera::test
