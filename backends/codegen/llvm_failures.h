// What LLVM would end the process for becomes an exception: std::bad_alloc where memory ends, else one whose text is
// the reason. Called before LLVM is first used by each module that holds code generation; whichever is first, all catch
// it.
#pragma once

namespace tessera::codegen {

void throwLlvmFailures();

}  // namespace tessera::codegen
