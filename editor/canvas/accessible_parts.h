// Accessible children of a widget that paints its parts itself. Used by accessible_canvas and editor/layout_lab.
#pragma once

#include <QAccessible>
#include <unordered_map>
#include <utility>

namespace tessera {

// Children by number, created on demand and deleted with this object.
class AccessibleParts {
 public:
  AccessibleParts() = default;
  AccessibleParts(const AccessibleParts&) = delete;
  AccessibleParts& operator=(const AccessibleParts&) = delete;
  ~AccessibleParts() { clear(); }
  void clear() {
    for (const auto& [number, id] : std::exchange(made_, {})) QAccessible::deleteAccessibleInterface(id);
  }
  template <class Make>
  QAccessibleInterface* at(int number, Make&& make) {
    const auto [there, isNew] = made_.try_emplace(number, 0);
    if (isNew) there->second = QAccessible::registerAccessibleInterface(make());
    return QAccessible::accessibleInterface(there->second);
  }
  int numberOf(const QAccessibleInterface* part) const {
    for (const auto& [number, id] : made_)
      if (QAccessible::accessibleInterface(id) == part) return number;
    return -1;
  }

 private:
  std::unordered_map<int, QAccessible::Id> made_;
};

}  // namespace tessera
