// See llvm_failures.h.
#include "backends/codegen/llvm_failures.h"

#include <mutex>
#include <new>
#include <stdexcept>

#include <llvm/Support/ErrorHandling.h>

namespace tessera::codegen {

namespace {

void throwNoMemory(void*, const char*, bool) { throw std::bad_alloc(); }
void throwRefusal(void*, const char* reason, bool) { throw std::runtime_error(reason); }

}  // namespace

void throwLlvmFailures() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler(throwNoMemory);
    llvm::install_fatal_error_handler(throwRefusal);
  });
}

}  // namespace tessera::codegen
