// The look of the window: icons, contrast, panels that come to the front; and what a screen reader meets on the canvas.
#include <QAccessible>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSpinBox>
#include <QSvgRenderer>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <cmath>

#include "app/studio/files/file_watch.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "editor/look/icon.h"
#include "editor/look/qt_colors.h"
#include "editor/panels/banner.h"
#include "editor/panels/palette_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/editor/thread_clock.h"

namespace tessera::look_test {
namespace {

double luminance(QRgb rgb) {
  const auto part = [](int value) {
    const double c = value / 255.0;
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(qRed(rgb)) + 0.7152 * part(qGreen(rgb)) + 0.0722 * part(qBlue(rgb));
}
double contrast(Ink words, Ink surface, Theme theme) {
  const double a = luminance(rgbOf(words, theme)), b = luminance(rgbOf(surface, theme));
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

constexpr const char* kText = R"(HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  s = f32[4] add(a, b)
  ROOT r = f32[4] exponential(s)
})";

}  // namespace

class LookTest : public QObject {
  Q_OBJECT

 private:
  static QString nameOfPart(QAccessibleInterface* part) { return part->text(QAccessible::Name); }
  static QString describe(QAccessibleInterface* part) { return part->text(QAccessible::Description); }
  static QAccessibleInterface* partNamed(QAccessibleInterface* whole, const QString& name) {
    for (int i = 0; i < whole->childCount(); ++i)
      if (nameOfPart(whole->child(i)) == name) return whole->child(i);
    return nullptr;
  }
  static QAction* panelItem(MainWindow& window, const QString& title) {
    for (QMenu* menu : window.menuBar()->findChildren<QMenu*>())
      if (menu->title() == QStringLiteral("&Panels"))
        for (QAction* each : menu->actions())
          if (each->text() == title) return each;
    return nullptr;
  }

 private slots:
  // --- icons
  void iconsAreOneFamily() {
    const QDir all(QStringLiteral(":/icons"));
    QVERIFY(all.count() > 60);
    for (const QString& name : all.entryList()) {
      QFile file(all.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray svg = file.readAll();
      QVERIFY2(QSvgRenderer(svg).isValid(), qPrintable(name));
      for (const char* wanted : {"viewBox=\"0 0 16 16\"", "stroke-width=\"1.25\"", "stroke=\"#000\"", "fill=\"none\""})
        QVERIFY2(svg.contains(wanted), qPrintable(name));
    }
  }

  // As many pixels as the screen has, of the colour of words, for whichever theme is there now.
  void iconsFollowScaleAndTheme() {
    MainWindow window(false);
    const QIcon icon = iconOf(QStringLiteral("save"));
    for (Theme theme : {Theme::Light, Theme::Dark})
      for (double scale : {1.0, 1.25, 1.5, 2.0}) {
        window.setTheme(theme);
        const QPixmap drawn = icon.pixmap(QSize(kIconSize, kIconSize), scale);
        QCOMPARE(drawn.width(), static_cast<int>(kIconSize * scale));
        const QImage image = drawn.toImage().convertToFormat(QImage::Format_ARGB32);
        QRgb densest = 0;
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x)
            if (qAlpha(image.pixel(x, y)) > qAlpha(densest)) densest = image.pixel(x, y);
        QVERIFY(qAlpha(densest) > 200);
        QVERIFY(std::abs(qRed(densest) - colorOf(Ink::Text, theme).red()) < 12);
      }
    QVERIFY(iconOf(QStringLiteral("no such icon")).isNull());
  }

  void whatIsUsedMostHasAnIcon() {
    MainWindow window(false);
    auto* bar = window.findChild<QToolBar*>(QStringLiteral("tools"));
    int buttons = 0;
    for (QAction* action : bar->actions()) {
      if (action->isSeparator() || !qobject_cast<QToolButton*>(bar->widgetForAction(action))) continue;
      ++buttons;
      QVERIFY2(!action->icon().isNull(), qPrintable(action->text()));
      QVERIFY(!action->toolTip().isEmpty());
    }
    QVERIFY(buttons >= 12);
    for (QDockWidget* dock : window.panels().docks)
      QVERIFY2(hasIcon(dock->objectName()), qPrintable(dock->objectName()));
  }

  // --- colours
  void wordsAreReadableOnWhatTheyStandOn() {
    const std::vector<std::pair<Ink, std::vector<Ink>>> all{
        {Ink::Text, {Ink::Window, Ink::Base, Ink::Alternate, Ink::Button, Ink::CodeBase}},
        {Ink::Quiet, {Ink::Window, Ink::Base, Ink::Alternate, Ink::Button}},
        {Ink::Link, {Ink::Window, Ink::Base, Ink::Alternate}},
        {Ink::Error, {Ink::Window, Ink::Base, Ink::Alternate}},
        {Ink::OnHighlight, {Ink::Highlight}},
        {Ink::OnErrorBanner, {Ink::ErrorBanner}},
        {Ink::OnNotice, {Ink::Notice}},
        {Ink::CodeName, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeOpcode, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeKey, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeText, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeComment, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeNumber, {Ink::Base, Ink::CodeBase}},
        {Ink::CodeOpen, {Ink::Base, Ink::CodeBase}},
        {Ink::Changed, {Ink::Base}},
        {Ink::Added, {Ink::Base}},
        {Ink::Removed, {Ink::Base}}};
    for (Theme theme : {Theme::Light, Theme::Dark})
      for (const auto& [words, surfaces] : all)
        for (Ink surface : surfaces)
          QVERIFY2(contrast(words, surface, theme) >= 4.5, qPrintable(QStringLiteral("%1 on %2, %3: %4")
                                                                          .arg(static_cast<int>(words))
                                                                          .arg(static_cast<int>(surface))
                                                                          .arg(theme == Theme::Dark ? "dark" : "light")
                                                                          .arg(contrast(words, surface, theme))));
  }

  // In both themes: Fusion's own borders are darker than any surface.
  void boxesOfNumbersAndMenusHaveBorders() {
    Hand hand;
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
      hand.window().setTheme(theme);
      QSpinBox plain(hand.window().centralWidget()), withArrows(hand.window().centralWidget());
      plain.setButtonSymbols(QAbstractSpinBox::NoButtons);
      QMenu menu(&hand.window());
      menu.addAction(QStringLiteral("Cut"));
      menu.resize(menu.sizeHint());
      for (QWidget* each : std::initializer_list<QWidget*>{&plain, &withArrows, &menu}) {
        const QImage image = each->grab().toImage();
        QCOMPARE(image.pixelColor(0, image.height() / 2), each->palette().color(QPalette::Mid));
      }
    }
  }

  // --- the window
  void aPanelBehindOthersComesToTheFront() {
    Hand hand;
    hand.openText(kText, false);
    hand.window().panels().raise(QStringLiteral("text"));
    hand.settle();
    QDockWidget* results = hand.window().panels().find(QStringLiteral("results"));
    QVERIFY(!results->isHidden() && !isDrawn(hand.window(), *results->widget()));
    QAction* item = panelItem(hand.window(), QStringLiteral("Results"));
    QVERIFY(item);
    item->trigger();
    hand.settle();
    QTRY_VERIFY(isDrawn(hand.window(), *results->widget()));
    item->trigger();
    QVERIFY(results->isHidden());
  }

  // Every panel was looked at: each has its widgets.
  void anotherThemeIsThereAtOnce() {
    constexpr qsizetype kManyWidgets = 1000;
    constexpr double kMostMs = 150;
    Hand hand;
    hand.openText(kText, false);
    for (QDockWidget* dock : hand.window().panels().docks) {
      hand.window().panels().raise(dock->objectName());
      hand.settle();
    }
    QVERIFY(QApplication::allWidgets().size() > kManyWidgets);
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
      const double before = threadMs();
      hand.window().setTheme(theme);
      const double took = threadMs() - before;
      qInfo("%lld widgets: %.0f ms of processor time", static_cast<long long>(QApplication::allWidgets().size()), took);
      QVERIFY2(took < kMostMs, qPrintable(QStringLiteral("%1 ms").arg(took)));
      QCOMPARE(hand.window().centralWidget()->palette().color(QPalette::Window), colorOf(Ink::Window, theme));
      QCOMPARE(hand.window().panels().palette->field()->palette().color(QPalette::Base), colorOf(Ink::Base, theme));
    }
  }

  void aBannerLeavesTheCanvasWhereItIs() {
    Hand hand;
    hand.openText(kText, false);
    const QRect before = hand.canvas().geometry();
    hand.window().banner().showMessage(QStringLiteral("something is wrong"));
    hand.settle();
    QCOMPARE(hand.canvas().geometry(), before);
  }

  void oneWatcherServesAllDocuments() {
    QTemporaryDir folder;
    Hand hand;
    QStringList files;
    for (const char* name : {"one.hlo", "two.hlo"}) {
      files << folder.filePath(QLatin1String(name));
      QVERIFY(writeFileAtomically(files.back().toStdString(), kText).has_value());
      hand.window().openFile(files.back());
      hand.settle();
    }
    const QStringList watched = FileWatch::ofProgram().watched();
    for (const QString& each : files) QCOMPARE(watched.count(each), 1);
    QCOMPARE(watched.count(folder.path()), 1);
    QVERIFY(hand.window().closer().close(hand.window().pane()));
    hand.settle();
    QTRY_VERIFY(!FileWatch::ofProgram().watched().contains(files[1]));
    QVERIFY(FileWatch::ofProgram().watched().contains(files[0]));
  }

  // --- the screen reader
  void nodesPortsAndWiresAreRead() {
    Hand hand;
    hand.openText(kText, false);
    QAccessibleInterface* graph = QAccessible::queryAccessibleInterface(&hand.canvas());
    QCOMPARE(graph->role(), QAccessible::Canvas);
    const auto& view = *hand.canvas().view();
    QCOMPARE(graph->childCount(), static_cast<int>(view.nodes.size() + view.edges.size()));
    const QString sum = QString::fromStdString(hand.nodeOf(hand.named("s")).title);
    QAccessibleInterface* node = partNamed(graph, sum);
    QVERIFY(node && node->isValid());
    QCOMPARE(node->role(), QAccessible::Graphic);
    const QString words = describe(node);
    QVERIFY2(words.contains(QLatin1String("f32 4")) && words.contains(QLatin1String("from ")) &&
                 words.contains(QLatin1String("to exp")),
             qPrintable(words));
    QVERIFY(hand.canvas().rect().contains(hand.canvas().mapFromGlobal(node->rect().center())));
    QCOMPARE(graph->childAt(node->rect().center().x(), node->rect().top() + 6), node);
    QCOMPARE(graph->indexOfChild(node), hand.canvas().nodeOf(hand.named("s")));
    // ports
    QCOMPARE(node->childCount(), 3);
    QCOMPARE(node->child(0)->role(), QAccessible::Button);
    QVERIFY(nameOfPart(node->child(0)).startsWith(QLatin1String("lhs")));
    QVERIFY(nameOfPart(node->child(2)).startsWith(QLatin1String("output")));
    QVERIFY(describe(node->child(0)).contains(QLatin1String("f32")));
    QCOMPARE(node->child(0)->parent(), node);
    // wires
    QAccessibleInterface* wire = graph->child(graph->childCount() - 1);
    QCOMPARE(wire->role(), QAccessible::Link);
    QVERIFY(nameOfPart(wire).startsWith(QLatin1String("wire from ")));
    // what feeds it, and whom it feeds
    QCOMPARE(node->relations(QAccessible::Controlled).size(), 2);
    QCOMPARE(node->relations(QAccessible::Controller).size(), 1);
  }

  void aReaderSelectsAndIsFollowed() {
    Hand hand;
    hand.openText(kText, false);
    QAccessibleInterface* graph = QAccessible::queryAccessibleInterface(&hand.canvas());
    QAccessibleInterface* node = graph->child(hand.canvas().nodeOf(hand.named("s")));
    QVERIFY(!node->state().selected);
    node->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    hand.settle();
    QVERIFY(hand.selected() == hand.named("s"));
    QVERIFY(node->state().selected);
    QCOMPARE(graph->focusChild(), node);
    // An edit makes other parts; the old ones say so instead of what is not there.
    hand.key(Qt::Key_Delete);
    QCOMPARE(graph->childCount(),
             static_cast<int>(hand.canvas().view()->nodes.size() + hand.canvas().view()->edges.size()));
    QVERIFY(!partNamed(graph, QStringLiteral("add")));
  }
};

TESSERA_QT_TEST(look_test, LookTest)
}  // namespace tessera::look_test
#include "look_test.moc"
