// What the files of the fake cuDNN share.
#pragma once

namespace tessera::fake {

struct Handle {
  void* stream = nullptr;
};

}  // namespace tessera::fake
