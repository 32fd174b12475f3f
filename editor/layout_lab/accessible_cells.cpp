// Children are the visible cells, row by row; a child computes its rectangle on each request, so that it survives
// scrolling.
#include "editor/layout_lab/accessible_cells.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include "editor/canvas/accessible_parts.h"
#include "editor/layout_lab/cell_pane.h"
#include "editor/layout_lab/lab_state.h"

namespace tessera {
namespace {

class CellPart : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  CellPart(CellPane& pane, QAccessibleInterface* parent, int number) : pane_(&pane), parent_(parent), number_(number) {}

  bool isValid() const override { return pane_ && number_ < pane_->cellCount(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return parent_->window(); }
  QAccessibleInterface* parent() const override { return parent_; }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::Cell; }
  void setText(QAccessible::Text, const QString&) override {}
  QString text(QAccessible::Text what) const override {
    if (!isValid()) return {};
    return what == QAccessible::Name          ? pane_->nameOfCell(number_)
           : what == QAccessible::Description ? pane_->placeOfCell(number_)
                                              : QString();
  }
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect there = pane_->rectOfCell(number_).toAlignedRect();
    return {pane_->mapToGlobal(there.topLeft()), there.size()};
  }
  QAccessible::State state() const override {
    QAccessible::State out;
    out.invalid = !isValid();
    if (out.invalid) return out;
    out.selectable = out.focusable = true;
    out.selected = pane_->chosenCell() == number_;
    out.focused = out.selected && pane_->hasFocus();
    return out;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }
  void doAction(const QString& action) override {
    if (isValid() && action == pressAction()) pane_->chooseCell(number_);
  }

 private:
  QPointer<CellPane> pane_;
  QAccessibleInterface* parent_;
  int number_;
};

class AccessiblePane : public QAccessibleWidget {
 public:
  explicit AccessiblePane(CellPane& pane) : QAccessibleWidget(&pane, QAccessible::Table), pane_(pane) {}
  int childCount() const override { return pane_.cellCount(); }
  QAccessibleInterface* child(int number) const override {
    if (number < 0 || number >= childCount()) return nullptr;
    auto* self = const_cast<AccessiblePane*>(this);
    return parts_.at(number, [&] { return new CellPart(pane_, self, number); });
  }
  int indexOfChild(const QAccessibleInterface* child) const override { return parts_.numberOf(child); }
  QAccessibleInterface* childAt(int x, int y) const override {
    const auto number = pane_.cellAt(pane_.mapFromGlobal(QPoint(x, y)));
    return number ? child(*number) : nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    const auto chosen = pane_.chosenCell();
    return chosen ? child(*chosen) : nullptr;
  }

 private:
  CellPane& pane_;
  mutable AccessibleParts parts_;
};

QAccessibleInterface* paneFactory(const QString&, QObject* object) {
  auto* pane = qobject_cast<CellPane*>(object);
  return pane ? new AccessiblePane(*pane) : nullptr;
}

}  // namespace

void makeCellsAccessible() { QAccessible::installFactory(paneFactory); }

void notifyChosenCell(CellPane& pane) {
  const auto chosen = pane.chosenCell();
  if (!QAccessible::isActive() || !chosen || !pane.hasFocus()) return;
  QAccessibleEvent event(&pane, QAccessible::Focus);
  event.setChild(*chosen);
  QAccessible::updateAccessibility(&event);
}

}  // namespace tessera
