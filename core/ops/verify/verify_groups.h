// The part of the verifier that looks past single instructions: devices and channels, started operations and what ends
// them, calls, bodies of fusions, shared buffers, threads, and layouts of a scheduled module.
#pragma once

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"

namespace tessera {

// Labels replica-groups, channel, source-target, sharding, constrain-layout.
void verifyDevices(const Module& module, Diagnostics& out);
// Labels async-pair, thread.
void verifyAsyncPairs(const Module& module, const UserTable& users, Diagnostics& out);
// Labels fusion, output_to_operand_aliasing.
void verifyFusions(const Module& module, const UserTable& users, Diagnostics& out);
// Labels composite, sharding, async-pair, buffer.
void verifyCalls(const Module& module, Diagnostics& out);
// Label send-recv-order.
void verifySendRecv(const Module& module, Diagnostics& out);
// Label attribute: sharding, result_accuracy.
void verifyTexts(const Module& module, Diagnostics& out);
// Label layout.
void verifyLayouts(const Module& module, Diagnostics& out);

}  // namespace tessera
