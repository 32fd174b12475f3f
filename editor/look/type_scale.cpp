// Every widget gets ApplicationFontChange, also one with a font of its own; before the event loop runs, StyleChange
// alone.
#include "editor/look/type_scale.h"

#include <QEvent>
#include <QFontDatabase>
#include <QWidget>

namespace tessera {
namespace {

class FontKeeper : public QObject {
 public:
  FontKeeper(QWidget& widget, const std::function<QFont()>& make) : QObject(&widget), widget_(widget), make_(make) {
    widget.installEventFilter(this);
    widget.setFont(make_());
  }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
      widget_.setFont(make_());
    return false;
  }

 private:
  QWidget& widget_;
  std::function<QFont()> make_;
};

}  // namespace

QFont monoFont() { return sized(QFontDatabase::systemFont(QFontDatabase::FixedFont), TypeSize::Body); }

void keepFont(QWidget& widget, const std::function<QFont()>& make) { new FontKeeper(widget, make); }

}  // namespace tessera
