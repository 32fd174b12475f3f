// Pictures of the layout panel, every preset in both themes: `layout_panel_test --pictures DIR`.
#pragma once

#include <QApplication>
#include <QDir>
#include <QMouseEvent>
#include <QTest>
#include <optional>

#include "tests/editor/layout_hand.h"

namespace tessera {

inline void write(const QString& path, const QString& preset, const QString& text, bool dark, QSize size,
                  std::optional<int64_t> chosen) {
  LayoutPanel panel;
  panel.setPalette(lightOrDark(dark));
  panel.setAutoFillBackground(true);
  panel.resize(size);
  panel.show();
  if (preset.isEmpty())
    panel.showShapeText(text);
  else
    panel.setPreset(preset);
  QApplication::processEvents();
  if (chosen) panel.state()->choose(chosen);
  panel.finishAnimations();
  QApplication::processEvents();
  panel.grab().save(path);
}

// A chip that is dragged, elements on their way.
inline void writeDrag(const QString& path) {
  LayoutPanel panel;
  panel.setPalette(lightOrDark(false));
  panel.setAutoFillBackground(true);
  panel.resize(1100, 620);
  panel.show();
  panel.setPreset(QStringLiteral("slices"));
  panel.finishAnimations();
  QApplication::processEvents();
  DimensionChips* chips = panel.chips();
  const QPoint from = chips->chipRect(1).center(), to = chips->chipRect(2).center() + QPoint(60, 0);
  QTest::mousePress(chips, Qt::LeftButton, {}, from);
  for (int step = 1; step <= 10; ++step) {
    const QPoint at = from + (to - from) * step / 10;
    QMouseEvent move(QEvent::MouseMove, at, chips->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(chips, &move);
  }
  QTest::qWait(200);
  panel.grab().save(path);
}

inline int writePictures(const QString& folder) {
  QDir().mkpath(folder);
  int at = 0;
  for (const LayoutPreset& preset : layoutPresets()) {
    const QString name = QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size()));
    for (const bool dark : {false, true})
      write(folder + QStringLiteral("/%1_%2.png").arg(at).arg(dark ? "dark" : "light"), name, {}, dark, {1100, 620},
            preset.name == "TPU bf16" ? 1024 + 2 : 4);
    ++at;
  }
  const QStringList more = {QStringLiteral("f32[2,4,32,32]{2,3,1,0:T(8,128)}"),
                            QStringLiteral("s8[4611686018427387904]{0}"),
                            QStringLiteral("f32[]{:T(128)}"),
                            QStringLiteral("f32[64,64]{0,1}"),
                            QStringLiteral("f32[0,3]"),
                            QStringLiteral("f32[12"),
                            QStringLiteral("bf16[768]{0:T(1024)(128)(2,1)}")};
  for (const QString& text : more) {
    write(folder + QStringLiteral("/more_%1.png").arg(at), {}, text, at % 2, {1100, 620}, std::nullopt);
    ++at;
  }
  writeDrag(folder + QStringLiteral("/drag.png"));
  write(folder + QStringLiteral("/flat.png"), QStringLiteral("padded 3×5"), {}, true, {1200, 400}, 4);
  write(folder + QStringLiteral("/flat_tpu.png"), QStringLiteral("TPU bf16"), {}, true, {1200, 440}, 4);
  write(folder + QStringLiteral("/narrow.png"), QStringLiteral("padded 3×5"), {}, false, {460, 700}, 4);
  return 0;
}

}  // namespace tessera
