// The verifier's rules of calls, started computations, channels and shared buffers: each has a module that breaks it
// and one that does not.
#include "tests/unit/verify/modules.h"

namespace tessera::test {
namespace {

TEST(VerifyModule, BuffersThatMustBeSharedHaveOneShape) {
  const auto module = [](const char* kind, const char* result) {
    return "HloModule m, input_output_alias={ {}: (0, {}, " + std::string(kind) +
           ") }, entry_computation_layout={(f32[2,3]{1,0})->f32[3,2]" + result +
           "}\nENTRY e {\n p = f32[2,3]{1,0} parameter(0)\n ROOT n = f32[3,2]{1,0} reshape(p)\n}";
  };
  refused("alias", module("must-alias", "{1,0}"));
  taken(module("may-alias", "{1,0}"));
  const auto square = [](const char* layout) {
    return "HloModule m, input_output_alias={ {}: (0, {}, must-alias) }, "
           "entry_computation_layout={(f32[2,2]{1,0})->f32[2,2]" +
           std::string(layout) + "}\nENTRY e {\n p = f32[2,2]{1,0} parameter(0)\n ROOT n = f32[2,2]{1,0} negate(p)\n}";
  };
  refused("alias", square("{0,1}"));
  refused("alias", square("{1,0:S(1)}"));
  taken(square("{1,0}"));
}

TEST(VerifyCalls, ACompositeHasANameAndAVersion) {
  const auto call = [](const std::string& facts) {
    return kPlain +
           "b {\n p = f32[2] parameter(0)\n ROOT n = f32[2] negate(p)\n}\nENTRY e {\n p = f32[2] parameter(0)\n ROOT t "
           "= f32[2] call(p), to_apply=b, is_composite=true" +
           facts + "\n}";
  };
  refused("composite", call(""));
  refused("composite", call(", frontend_attributes={composite.version=\"1\"}"));
  refused("composite", call(", frontend_attributes={composite.name=\"\",composite.version=\"1\"}"));
  refused("composite", call(", frontend_attributes={composite.name=\"a.b\",composite.version=\"-1\"}"));
  refused("composite", call(", frontend_attributes={composite.name=\"a.b\",composite.version=\"two\"}"));
  refused("composite", call(", frontend_attributes={composite.attributes=\"\",composite.name=\"a.b\"}"));
  taken(call(
      ", frontend_attributes={composite.attributes={n = 1 : i32},composite.name=\"a.b\",composite.version=\"1\"}"));
  taken(call(", frontend_attributes={composite.name=\"a.b\"}"));
}

TEST(VerifyCalls, LoopsAndBranchesLieLikeTheirBodies) {
  const auto loop = [](const char* root) {
    return "HloModule m, num_partitions=2\nb {\n p = f32[2] parameter(0), sharding={replicated}\n ROOT n = f32[2] "
           "negate(p), sharding=" +
           std::string(root) +
           "\n}\nc {\n p = f32[2] parameter(0)\n ROOT k = pred[] constant(false)\n}\nENTRY e {\n p = f32[2] "
           "parameter(0)\n ROOT t = f32[2] while(p), condition=c, body=b, sharding={replicated}\n}";
  };
  refused("sharding", loop("{devices=[2]0,1}"));
  taken(loop("{replicated}"));
  const auto branches = [](const char* one, const char* other) {
    return "HloModule m, num_partitions=2\nb {\n p = f32[2] parameter(0)\n ROOT n = f32[2] negate(p), sharding=" +
           std::string(one) + "\n}\nc {\n p = f32[2] parameter(0)\n ROOT n = f32[2] abs(p), sharding=" + other +
           "\n}\nENTRY e {\n p = f32[2] parameter(0)\n q = pred[] parameter(1)\n ROOT t = f32[2] conditional(q, p, p), "
           "true_computation=b, false_computation=c\n}";
  };
  refused("sharding", branches("{devices=[2]0,1}", "{devices=[2]1,0}"));
  taken(branches("{devices=[2]0,1}", "{devices=[2]<=[2]}"));
  const auto tuple = [](const char* sharding) {
    return "HloModule m, num_partitions=2\nENTRY e {\n p = f32[2] parameter(0)\n ROOT t = (f32[2], f32[2]) tuple(p, "
           "p), sharding=" +
           std::string(sharding) + "\n}";
  };
  refused("sharding", tuple("{{replicated}}"));
  taken(tuple("{{replicated}, {devices=[2]0,1}}"));
  taken(tuple("{replicated}"));
}

TEST(VerifyCalls, AStartedComputationIsOneOperation) {
  const auto module = [](const std::string& body) {
    return kPlain + "w {\n p = f32[2] parameter(0)\n" + body +
           "}\nENTRY e {\n p = f32[2] parameter(0)\n st = ((f32[2]), f32[2], s32[]) async-start(p), calls=w\n ROOT d = "
           "f32[2] async-done(st)\n}";
  };
  refused("async-pair", module(" q = f32[2] negate(p)\n ROOT s = f32[2] abs(q)\n"));
  taken(module(" ROOT s = f32[2] abs(p)\n"));
  // A send alone: its context is the result.
  taken(kPlain +
        "w {\n p = f32[2] parameter(0)\n t = token[] parameter(1)\n ROOT s = (f32[2], u32[], token[]) send(p, t), "
        "channel_id=1\n}\n"
        "ENTRY e {\n p = f32[2] parameter(0)\n t = token[] after-all()\n st = ((f32[2], token[]), (f32[2], u32[], "
        "token[]), s32[]) async-start(p, t), calls=w\n"
        " ROOT d = (f32[2], u32[], token[]) async-done(st)\n}");
}

TEST(VerifyCalls, OneStartOneComputationOneThread) {
  const std::string body = "(p: f32[2]) -> f32[2] {\n p = f32[2] parameter(0)\n ROOT s = f32[2] abs(p)\n}\n",
                    type = " = ((f32[2]), f32[2], s32[]) ";
  const std::string head = kPlain + "w " + body + "v " + body + "ENTRY e {\n p = f32[2] parameter(0)\n st" + type +
                           "async-start(p), calls=w\n";
  taken(head + " up" + type + "async-update(st), calls=w\n ROOT d = f32[2] async-done(up), calls=w\n}");
  refused("async-pair", head + " up" + type + "async-update(st), calls=v\n ROOT d = f32[2] async-done(up)\n}");
  refused("async-pair", head + " ROOT d = f32[2] async-done(st), calls=v\n}");
  refused("thread", head + " ROOT d = f32[2] async-done(st), async_execution_thread=\"other\"\n}");
  refused("async-pair", head + " d = f32[2] async-done(st)\n tt" + type +
                            "async-start(p), calls=w\n ROOT f = f32[2] async-done(tt)\n}");
}

TEST(VerifyCalls, BranchesOfAFlagAndReplicationOfArrays) {
  const std::string bodies = kPlain +
                             "b {\n p = f32[2] parameter(0)\n ROOT n = f32[2] negate(p)\n}\nc {\n p = f32[2] "
                             "parameter(0)\n ROOT n = f32[2] abs(p)\n}\n";
  const auto module = [&](const char* index) {
    return bodies + "ENTRY e {\n p = f32[2] parameter(0)\n q = " + index +
           " parameter(1)\n ROOT t = f32[2] conditional(q, p, p), branch_computations={b, c}\n}";
  };
  taken(module("s32[]"));
  refused("attribute", module("pred[]"));
  const auto parameter = [](const char* flags) {
    return kPlain +
           "ENTRY e {\n ROOT p = (f32[2], (f32[2])) parameter(0), parameter_replication=" + std::string(flags) + "\n}";
  };
  taken(parameter("{true,false}"));
  refused("attribute", parameter("{true}"));
}

TEST(VerifyCalls, WordsInBracesAreKnown) {
  const auto exponential = [](const char* accuracy) {
    return kPlain + "ENTRY e {\n p = f32[] parameter(0)\n ROOT x = f32[] exponential(p), result_accuracy=" +
           std::string(accuracy) + "\n}";
  };
  for (const char* good : {"{mode=highest}", "{mode=default}", "{tolerance={rtol=0.5, atol=1e-3, ulps=2}}",
                           "{tolerance={atol=1.e+2,rtol=0,ulps=1}}"})
    taken(exponential(good));
  for (const char* bad : {"{mode=high}", "{foo=10.0}", "{0.5}", "{tolerance={ltol=1}}"})
    refused("attribute", exponential(bad));
  taken(exponential("{mode=HIGHEST}"));
  for (char c : std::string("azAZ_09"))
    refused("attribute", exponential(("{mode=highest" + std::string(1, c) + "}").c_str()));
  for (char c : std::string("azAZ_"))
    refused("attribute", exponential(("{" + std::string(1, c) + "mode=highest}").c_str()));
  const auto sharded = [](const char* sharding) {
    return kPlain + "ENTRY e {\n p = f32[2,2] parameter(0), sharding=" + std::string(sharding) +
           "\n ROOT x = (f32[2,2], f32[2,2]) tuple(p, p), sharding={{replicated}, " + sharding + "}\n}";
  };
  for (const char* good :
       {"{replicated}", "{maximal device=0}", "{devices=[2,1]0,1}", "{devices=[1,1,2]<=[2] last_tile_dims={manual}}",
        "{manual shard_as 1}", "{unknown}", "{unreduced}", "{mesh['a'=2], [{'a'}, {}]}", "{maximal_mesh[device_id=1]}"})
    taken(sharded(good));
  for (const char* bad : {"{foo}", "{device=0}", "{replicate}"}) refused("attribute", sharded(bad));
}

TEST(VerifyCalls, BuffersAreMadeAndTaken) {
  const auto call = [](const std::string& parameter, const std::string& call) {
    return kPlain + "ENTRY e {\n p = " + parameter + " parameter(0)\n ROOT c = " + call + "\n}";
  };
  taken(call("f32[2]", "b(f32[2]) custom-call(p), custom_call_target=\"Pin\""));
  taken(call("b(f32[2])", "f32[2] custom-call(p), custom_call_target=\"Unpin\""));
  taken(call("f32[2]", "b(f32[2]) custom-call(), custom_call_target=\"CreateBuffer\""));
  refused("buffer", call("f32[2]", "f32[2] custom-call(p), custom_call_target=\"Pin\""));
  refused("buffer", call("f32[2]", "b(f32[3]) custom-call(p), custom_call_target=\"Pin\""));
  refused("buffer", call("f32[2]", "f32[2] custom-call(p), custom_call_target=\"Unpin\""));
  refused("buffer", call("f32[2]", "b(f32[2]) custom-call(p), custom_call_target=\"CreateBuffer\""));
}

TEST(VerifyDevices, AllReducesAgreeOnLayoutsAndChannels) {
  const auto two = [](const char* one, const char* other) {
    return kPlain + kSum +
           "ENTRY e {\n p = f32[2] parameter(0)\n x = f32[2] all-reduce(p), replica_groups={}, to_apply=sum" +
           std::string(one) + "\n ROOT y = f32[2] all-reduce(x), replica_groups={}, to_apply=sum" + other + "\n}";
  };
  refused("constrain-layout", two(", constrain_layout=true", ""));
  taken(two(", constrain_layout=true", ", constrain_layout=true"));
  refused("channel", two(", channel_id=0", ""));
  taken(two(", channel_id=1", ", channel_id=1"));
}

TEST(VerifyDevices, WithoutGroupsThereIsAPartForEachDevice) {
  const auto gather = [](const char* size) {
    return "HloModule m, replica_count=2\nENTRY e {\n p = f32[2] parameter(0)\n ROOT x = f32[" + std::string(size) +
           "] all-gather(p), replica_groups={}, dimensions={0}\n}";
  };
  refused("replica-groups", gather("6"));
  taken(gather("4"));
  const auto exchange = [](const char* operands, const char* shape) {
    return "HloModule m, replica_count=2\nENTRY e {\n p = f32[2] parameter(0)\n ROOT x = " + std::string(shape) +
           " all-to-all(" + operands + "), replica_groups={}\n}";
  };
  refused("replica-groups", exchange("p, p, p", "(f32[2], f32[2], f32[2])"));
  taken(exchange("p, p", "(f32[2], f32[2])"));
  const auto scatter = [](const char* size) {
    return "HloModule m, replica_count=2\n" + kSum + "ENTRY e {\n p = f32[8] parameter(0)\n ROOT x = f32[" +
           std::string(size) + "] reduce-scatter(p), replica_groups={}, dimensions={0}, to_apply=sum\n}";
  };
  refused("replica-groups", scatter("2"));
  taken(scatter("4"));
}

// In place a device is a source and a target as often as there are slices.
TEST(VerifyDevices, SlicesInPlaceHaveAPairEach) {
  const auto module = [](const char* starts, const char* pairs) {
    return "HloModule m, replica_count=4\nENTRY e {\n p = f32[8]{0} parameter(0)\n q = f32[8]{0} parameter(1)\n z = "
           "s32[] constant(0)\n a = (s32[]) tuple(z)\n two = ((s32[]), (s32[])) tuple(a, a)\n"
           " ROOT r = f32[8]{0} collective-permute(p, q, " +
           std::string(starts) + ", " + starts + "), source_target_pairs=" + pairs + ", slice_sizes={{1},{1}}\n}";
  };
  taken(module("two", "{{0,1},{1,2},{2,3},{0,3},{2,1},{3,2}}"));
  refused("collective-permute.C1", module("two", "{{0,1},{0,2},{0,3}}"));
  refused("collective-permute.C1", module("a", "{{0,1},{0,2}}"));
}

TEST(VerifyDevices, TheRootOfABroadcastIsNoValue) {
  const auto module = [](const char* operands, const char* shape) {
    return "HloModule m, replica_count=4\nENTRY e {\n p = f32[8]{0} parameter(0)\n i = s32[1]{0} parameter(1)\n ROOT r "
           "= " +
           std::string(shape) + " collective-broadcast(" + operands +
           "), replica_groups={{1,0},{2,3}}, has_dynamic_root=true\n}";
  };
  taken(module("p, i", "f32[8]{0}"));
  refused("shape", module("p, i", "(f32[8]{0}, s32[1]{0})"));
  refused("collective-broadcast.C2", module("p", "f32[8]{0}"));
}

// Parts of a tuple that a started computation takes apart are no work.
TEST(VerifyCalls, AStartedComputationMayTakeItsTupleApart) {
  taken(kPlain +
        "w {\n p = (f32[2], u32[]) parameter(0)\n g = f32[2] get-tuple-element(p), index=0\n ROOT s = f32[2] "
        "abs(g)\n}\nENTRY e {\n p = (f32[2], u32[]) parameter(0)\n st = (((f32[2], u32[])), f32[2], s32[]) "
        "async-start(p), calls=w\n ROOT d = f32[2] async-done(st)\n}");
}

// One channel a letter: its recv, recv-done, value, send and send-done, with these pairs.
std::string channel(const std::string& n, const std::string& value, const std::string& pairs,
                    const std::string& after = "") {
  const std::string facts =
      ", channel_id=" + n +
      (pairs.empty() ? "" : ", frontend_attributes={_xla_send_recv_source_target_pairs={" + pairs + "}}");
  return " r" + n + " = (f32[2], u32[], token[]) recv(t)" + facts + "\n w" + n + " = (f32[2], u32[], token[]) send(" +
         value + ", t)" + facts + after + "\n d" + n + " = (f32[2], token[]) recv-done(r" + n + ")" + facts + "\n v" +
         n + " = f32[2] get-tuple-element(d" + n + "), index=0\n e" + n + " = token[] send-done(w" + n + ")" + facts +
         "\n";
}
std::string program(const std::string& body, const std::string& header = kPlain) {
  return header + "ENTRY e {\n p = f32[2] parameter(0)\n t = token[] after-all()\n" + body +
         " ROOT x = f32[2] negate(p)\n}";
}

TEST(VerifySendRecv, AWaitThatLeadsBackToItselfIsADeadlock) {
  const std::string self =
      " r1 = (f32[2], u32[], token[]) recv(t), channel_id=1\n d1 = (f32[2], token[]) recv-done(r1), channel_id=1\n v1 "
      "= f32[2] get-tuple-element(d1), index=0\n"
      " w1 = (f32[2], u32[], token[]) send(v1, t), channel_id=1\n e1 = token[] send-done(w1), channel_id=1\n";
  refused("send-recv-order", program(self));
  taken(program(channel("1", "p", "")));
  // Needed by nothing but the schedule.
  const std::string scheduled =
      " r1 = (f32[2], u32[], token[]) recv(t), channel_id=1\n d1 = (f32[2], token[]) recv-done(r1), channel_id=1\n"
      " w1 = (f32[2], u32[], token[]) send(p, t), channel_id=1\n e1 = token[] send-done(w1), channel_id=1\n";
  refused("send-recv-order", program(scheduled, kScheduled));
  taken(program(scheduled));
}

TEST(VerifySendRecv, PairsOfDevicesDecide) {
  const auto passedOn = [](const std::string& pairs) {
    const std::string facts =
        ", channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={" + pairs + "}}\n";
    return program(" r1 = (f32[2], u32[], token[]) recv(t)" + facts + " d1 = (f32[2], token[]) recv-done(r1)" + facts +
                       " v1 = f32[2] get-tuple-element(d1), index=0\n w1 = (f32[2], u32[], token[]) send(v1, t)" +
                       facts + " e1 = token[] send-done(w1)" + facts,
                   "HloModule m, num_partitions=3\n");
  };
  taken(passedOn("{0,1},{1,2}"));                             // a chain ends at device 0, which waits for nobody
  refused("send-recv-order", passedOn("{0,1},{1,2},{2,0}"));  // a ring does not
}

TEST(VerifySendRecv, TwoChannelsMayWaitForEachOther) {
  const std::string heads =
      " r1 = (f32[2], u32[], token[]) recv(t), channel_id=1\n r2 = (f32[2], u32[], token[]) recv(t), channel_id=2\n d1 "
      "= (f32[2], token[]) recv-done(r1), channel_id=1\n";
  const std::string tails =
      " v1 = f32[2] get-tuple-element(d1), index=0\n v2 = f32[2] get-tuple-element(d2), index=0\n w2 = (f32[2], u32[], "
      "token[]) send(v1, t), channel_id=2\n e2 = token[] send-done(w2), channel_id=2\n";
  const std::string crossed =
      " d2 = (f32[2], token[]) recv-done(r2), channel_id=2\n" + tails +
      " w1 = (f32[2], u32[], token[]) send(v2, t), channel_id=1\n e1 = token[] send-done(w1), channel_id=1\n";
  refused("send-recv-order", program(heads + crossed));
  const std::string straight =
      " d2 = (f32[2], token[]) recv-done(r2), channel_id=2\n" + tails +
      " w1 = (f32[2], u32[], token[]) send(p, t), channel_id=1\n e1 = token[] send-done(w1), channel_id=1\n";
  taken(program(heads + straight));
}

// To the host, or from a send that is elsewhere: not ours to judge.
TEST(VerifySendRecv, OtherEndsAreNotJudged) {
  taken(
      program(" r1 = (f32[2], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true\n d1 = (f32[2], token[]) "
              "recv-done(r1), channel_id=1, is_host_transfer=true\n v1 = f32[2] get-tuple-element(d1), index=0\n"
              " w1 = (f32[2], u32[], token[]) send(v1, t), channel_id=1, is_host_transfer=true\n e1 = token[] "
              "send-done(w1), channel_id=1, is_host_transfer=true\n"));
  taken(
      program(" r1 = (f32[2], u32[], token[]) recv(t), channel_id=1\n d1 = (f32[2], token[]) recv-done(r1), "
              "channel_id=1\n v1 = f32[2] get-tuple-element(d1), index=0\n"
              " w1 = (f32[2], u32[], token[]) send(v1, t), channel_id=2\n e1 = token[] send-done(w1), channel_id=2\n"));
}

}  // namespace
}  // namespace tessera::test
