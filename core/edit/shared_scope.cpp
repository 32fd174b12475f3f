// See shared_scope.h.
#include "core/edit/shared_scope.h"

#include <string_view>

namespace tessera {

const Metadata* sharedScope(const Module& module, std::span<const InstructionId> members, const std::string& name) {
  std::string_view scope;
  bool first = true;
  for (InstructionId id : members) {
    const Metadata* metadata = module.at(id).metadata;
    if (!metadata || metadata->opName.empty()) continue;
    const std::string_view path = metadata->opName;
    const std::string_view own = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/'));
    if (first) scope = own;
    first = false;
    while (!scope.empty() && !(own.starts_with(scope) && (own.size() == scope.size() || own[scope.size()] == '/')))
      scope = scope.substr(0, scope.rfind('/') == std::string_view::npos ? 0 : scope.rfind('/'));
  }
  if (scope.empty()) return nullptr;
  Metadata out;
  out.opName = std::string(scope) + "/" + name;
  return module.tables().intern(out);
}

void standAmong(Edit& edit, const std::vector<InstructionId>& members) {
  for (EditAction& action : edit.actions)
    if (auto* add = std::get_if<AddInstruction>(&action)) add->among = members;
}

}  // namespace tessera
