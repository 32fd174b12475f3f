// A widget with a font of its own is not told when that of the application changes; what it stands in is.
#include "editor/look/type_scale.h"

#include <QEvent>
#include <QFontDatabase>
#include <QPointer>
#include <QWidget>

namespace tessera {
namespace {

class FontKeeper : public QObject {
 public:
  FontKeeper(QWidget& widget, const std::function<QFont()>& make) : QObject(&widget), widget_(widget), make_(make) {
    widget.installEventFilter(this);
    watchParent();
    widget.setFont(make_());
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    const QEvent::Type type = event->type();
    if (watched == &widget_ && type == QEvent::ParentChange) watchParent();
    const bool changes = watched == &widget_ ? type == QEvent::ApplicationFontChange || type == QEvent::StyleChange
                                             : type == QEvent::FontChange;
    if (changes) widget_.setFont(make_());
    return false;
  }

 private:
  void watchParent() {
    if (parent_) parent_->removeEventFilter(this);
    parent_ = widget_.parentWidget();
    if (parent_) parent_->installEventFilter(this);
  }

  QWidget& widget_;
  QPointer<QWidget> parent_;
  std::function<QFont()> make_;
};

}  // namespace

QFont monoFont() { return sized(QFontDatabase::systemFont(QFontDatabase::FixedFont), TypeSize::Body); }

void keepFont(QWidget& widget, const std::function<QFont()>& make) { new FontKeeper(widget, make); }

}  // namespace tessera
