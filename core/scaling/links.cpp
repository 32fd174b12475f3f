// See links.h.
#include "core/scaling/links.h"

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6;

}  // namespace

std::string_view nameOf(Topology topology) {
  switch (topology) {
    case Topology::Switch: return "switch";
    case Topology::Torus2: return "torus of 2 dimensions";
    case Topology::Torus3: return "torus of 3 dimensions";
  }
  return "";
}

std::span<const Links> knownLinks() {
  static const std::vector<Links> kLinks = {
#define TESSERA_LINKS(name, devices, innerForm, innerSpeed, innerDelay, outerForm, outerSpeed, outerDelay, what, \
                      source)                                                                                    \
  Links{name,                                                                                                    \
        what,                                                                                                    \
        source,                                                                                                  \
        devices,                                                                                                 \
        {Topology::innerForm, (innerSpeed)*kGiga, (innerDelay)*kMicro},                                          \
        {Topology::outerForm, (outerSpeed)*kGiga, (outerDelay)*kMicro}},
#include "core/scaling/links.inc"
#undef TESSERA_LINKS
  };
  return kLinks;
}

Result<Links> linksNamed(const std::string& name) {
  const auto known = knownLinks();
  const auto found = std::ranges::find(known, name, &Links::name);
  if (found != known.end()) return *found;
  std::string names;
  for (const Links& links : known) names += (names.empty() ? "" : ", ") + links.name;
  return fail(ErrorKind::Usage, "there are no links \"" + name + "\" (" + names + ")");
}

}  // namespace tessera
