// The part of the verifier that looks past single instructions: devices and channels, started operations and what ends
// them, bodies of fusions, shared buffers, threads, and the order of a schedule.
#pragma once

#include "core/base/diagnostics.h"
#include "core/hlo/module.h"

namespace tessera {

// Labels replica-groups, channel, source-target, sharding.
void verifyDevices(const Module& module, Diagnostics& out);
// Labels async-pair, thread.
void verifyAsyncPairs(const Module& module, const UserTable& users, Diagnostics& out);
// Labels fusion, output_to_operand_aliasing.
void verifyFusions(const Module& module, const UserTable& users, Diagnostics& out);

}  // namespace tessera
