// A bar of the layout panel: what is shown is a preview, and how it comes into the graph or goes away. Used by
// LayoutPanel.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace tessera {

class PreviewBar : public QWidget {
  Q_OBJECT

 public:
  explicit PreviewBar(QWidget* parent);
  // layout: what the graph has; whyNot: why it cannot be applied, empty: it can.
  void say(const QString& layout, const QString& whyNot);
  QPushButton* apply() const { return apply_; }
  QPushButton* back() const { return back_; }
  QString words() const;

 private:
  QLabel* words_;
  QPushButton *apply_, *back_;
};

}  // namespace tessera
