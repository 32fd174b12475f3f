// Functions that scalar code calls where the CPU's run time has them, for a device: defined in LLVM IR beside the
// kernels and inlined. What has no definition here has no code on a device.
#pragma once

namespace llvm {
class Module;
}

namespace tessera::cuda {

// Gives a body to each declared function that is known.
void defineDeviceFunctions(llvm::Module& module);

}  // namespace tessera::cuda
