// A convolution's kernel is as large as its window. Used by the inspector.
#pragma once

#include "core/edit/edit.h"

namespace tessera {

// An edit of a convolution's window changes its kernel along, where nothing else reads that and it is an argument of
// the entry, or made for any size: a broadcast, an iota, a constant that says how it goes on. Any other edit is as it
// was.
Edit withKernelOfWindow(const Module& module, Edit edit);

}  // namespace tessera
