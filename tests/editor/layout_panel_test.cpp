// The layout panel with real mouse, wheel and key events, on the offscreen platform.
// `layout_panel_test --pictures DIR` writes a PNG of every preset in both themes instead.
#include <QApplication>
#include <QDir>
#include <QTest>

#include "editor/layout_lab/dimension_chips.h"
#include "editor/layout_lab/grid_pane.h"
#include "editor/layout_lab/layout_panel.h"
#include "editor/layout_lab/layout_view.h"
#include "editor/layout_lab/memory_pane.h"
#include "editor/layout_lab/presets.h"

using namespace tessera;

namespace {

QPalette paletteOf(bool dark) {
  QPalette p;
  const auto set = [&](QPalette::ColorRole role, uint32_t light, uint32_t night) { p.setColor(role, QColor::fromRgb(dark ? night : light)); };
  set(QPalette::Window, 0xf3f5f8, 0x1a1e25);
  set(QPalette::WindowText, 0x161b22, 0xeef2f7);
  set(QPalette::Base, 0xffffff, 0x14171c);
  set(QPalette::Text, 0x161b22, 0xeef2f7);
  set(QPalette::Button, 0xe9edf3, 0x2a313c);
  set(QPalette::ButtonText, 0x161b22, 0xeef2f7);
  set(QPalette::Highlight, 0x0b62d6, 0x5aa9ff);
  set(QPalette::HighlightedText, 0xffffff, 0x0c1016);
  set(QPalette::PlaceholderText, 0x8a94a3, 0x6b778a);
  return p;
}

void write(const QString& path, const QString& preset, const QString& text, bool dark, QSize size, std::optional<int64_t> chosen) {
  LayoutPanel panel;
  panel.setPalette(paletteOf(dark));
  panel.setAutoFillBackground(true);
  panel.resize(size);
  panel.show();
  if (preset.isEmpty()) panel.showShapeText(text);
  else panel.setPreset(preset);
  QApplication::processEvents();
  if (chosen) panel.state()->choose(chosen);
  panel.finishAnimations();
  QApplication::processEvents();
  panel.grab().save(path);
}

int writePictures(const QString& folder) {
  QDir().mkpath(folder);
  int at = 0;
  for (const LayoutPreset& preset : layoutPresets()) {
    const QString name = QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size()));
    for (const bool dark : {false, true})
      write(folder + QStringLiteral("/%1_%2.png").arg(at).arg(dark ? "dark" : "light"), name, {}, dark, {1100, 620}, 4);
    ++at;
  }
  const QStringList more = {QStringLiteral("f32[2,4,32,32]{2,3,1,0:T(8,128)}"), QStringLiteral("s8[4611686018427387904]{0}"),
                            QStringLiteral("f32[]{:T(128)}"), QStringLiteral("f32[64,64]{0,1}"), QStringLiteral("f32[0,3]"),
                            QStringLiteral("f32[12"), QStringLiteral("bf16[768]{0:T(1024)(128)(2,1)}")};
  for (const QString& text : more) {
    write(folder + QStringLiteral("/more_%1.png").arg(at), {}, text, at % 2, {1100, 620}, std::nullopt);
    ++at;
  }
  write(folder + QStringLiteral("/narrow.png"), QStringLiteral("padded 3×5"), {}, false, {460, 700}, 4);
  return 0;
}

}  // namespace

class LayoutPanelTest : public QObject {
  Q_OBJECT

 private slots:
  void showsPreset() {
    LayoutPanel panel;
    panel.setPreset(QStringLiteral("row-major"));
    QCOMPARE(QString::fromStdString(toString(*panel.shape())), QStringLiteral("f32[2,3]{1,0}"));
  }
};

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc == 3 && QString::fromUtf8(argv[1]) == QStringLiteral("--pictures")) return writePictures(QString::fromUtf8(argv[2]));
  LayoutPanelTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "layout_panel_test.moc"
