// See own_symbol.h. The loader's map of the object that holds the address is compared with the handle's own.
#include "core/base/own_symbol.h"

#include <dlfcn.h>
#include <link.h>

namespace tessera {

void* ownSymbol(void* handle, const std::string& name) {
  // A name with a NUL would be looked up by its beginning.
  if (!handle || name.empty() || name.find('\0') != std::string::npos) return nullptr;
  void* symbol = ::dlsym(handle, name.c_str());
  Dl_info info;
  link_map *own = nullptr, *definer = nullptr;
  if (!symbol || ::dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0 ||
      ::dladdr1(symbol, &info, reinterpret_cast<void**>(&definer), RTLD_DL_LINKMAP) == 0)
    return nullptr;
  return own == definer ? symbol : nullptr;
}

}  // namespace tessera
