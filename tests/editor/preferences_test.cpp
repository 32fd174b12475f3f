// Preferences by real events: what is chosen is in force at once. The cache is emptied of its entries alone.
#include <QCheckBox>
#include <QComboBox>
#include <QDBusVariant>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "app/studio/preferences/preference_control.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/preferences/system_theme.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "backends/kernel_cache_folder.h"
#include "editor/look/type_scale.h"
#include "editor/preferences/preferences.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::preferences_test {

class PreferencesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  Hand& hand() { return *hand_; }
  PreferencesDialog* open() {
    QTest::keyClick(&hand().window(), Qt::Key_Comma, Qt::ControlModifier);
    auto* dialog = hand().window().findChild<PreferencesDialog*>();
    if (!dialog || !dialog->isVisible()) qFatal("Ctrl+, opens no preferences");
    return dialog;
  }
  template <class T>
  T* field(QWidget* dialog, const char* name) {
    T* out = dialog->findChild<T*>(QLatin1String(name));
    if (!out) qFatal("there is no field %s", name);
    return out;
  }

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() {
    hand_.reset();
    preferences() = {};
  }

  void theThemeChangesAtOnce() {
    auto* theme = field<QComboBox>(open(), "theme");
    QCOMPARE(theme->currentText(), QStringLiteral("Light"));
    QTest::keyClick(theme, Qt::Key_Down);
    QCOMPARE(hand().window().theme(), Theme::Dark);
    QTest::keyClick(theme, Qt::Key_Up);
    QTest::keyClick(theme, Qt::Key_Up);
    QCOMPARE(hand().window().preferenceControl().themeChoice(), ThemeChoice::System);
  }

  void theSystemsThemeIsFollowedWhileItIsChosen() {
    auto* system = hand().window().findChild<SystemTheme*>();
    const auto tell = [&](uint value) {
      QMetaObject::invokeMethod(system, "settingChanged", Q_ARG(QString, QStringLiteral("org.freedesktop.appearance")),
                                Q_ARG(QString, QStringLiteral("color-scheme")),
                                Q_ARG(QDBusVariant, QDBusVariant(QVariant(value))));
    };
    tell(1);
    QCOMPARE(hand().window().theme(), Theme::Light);  // another one was chosen
    hand().window().preferenceControl().chooseTheme(ThemeChoice::System);
    QCOMPARE(hand().window().theme(), Theme::Dark);
    tell(2);
    QCOMPARE(hand().window().theme(), Theme::Light);
    tell(1);
    QCOMPARE(hand().window().theme(), Theme::Dark);
  }

  void theFontGrows() {
    auto* size = field<QDoubleSpinBox>(open(), "fontSize");
    const double before = QApplication::font().pointSizeF();
    size->setFocus();
    QTest::keyClick(size, Qt::Key_Up);
    QCOMPARE(QApplication::font().pointSizeF(), before + 0.5);
    QTest::keyClick(size, Qt::Key_Down);
    QCOMPARE(QApplication::font().pointSizeF(), before);
  }

  // A typed value is taken; no button is meant by it.
  void enterInAFieldPressesNoButton() {
    PreferencesDialog* dialog = open();
    int pressed = 0;
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      disconnect(button, &QPushButton::clicked, nullptr, nullptr);
      connect(button, &QPushButton::clicked, dialog, [&pressed] { ++pressed; });
    }
    for (const char* name : {"fontSize", "threads", "tileCache"}) {
      auto* typed = field<QAbstractSpinBox>(dialog, name);
      typed->setFocus();
      QTest::keyClick(typed, Qt::Key_Return);
    }
    QCOMPARE(pressed, 0);
    QVERIFY(dialog->isVisible());
  }

  // In the window that is open, whatever a widget has of its own: only sizes of the type scale are there.
  // Some desktops give the keys to the window behind.
  void keysBehindTheDialogDoNothing() {
    hand().add("f32[4]");
    const std::string before = hand().text();
    PreferencesDialog* dialog = open();
    QTRY_VERIFY(QApplication::activeModalWidget() == dialog);
    hand().window().activateWindow();
    QTRY_VERIFY(QApplication::activeWindow() == &hand().window());
    hand().key(Qt::Key_Delete);
    hand().key(Qt::Key_T);
    QTest::keyClick(&hand().window(), Qt::Key_Z, Qt::ControlModifier);
    hand().settle();
    QCOMPARE(hand().text(), before);
    QVERIFY(!hand().document().page() || hand().document().page()->notes.empty());
    dialog->close();
    hand().window().activateWindow();
    hand().key(Qt::Key_Delete);
    QVERIFY(hand().text() != before);
  }

  void everyWordOfTheWindowGrows() {
    hand().openText("HloModule m\n\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n", false);
    for (const char* panel : {"text", "layout", "help", "compiled", "source"}) {
      hand().window().panels().raise(QLatin1String(panel));
      hand().settle();
    }
    auto* size = field<QDoubleSpinBox>(open(), "fontSize");
    const double before = size->value();
    for (const double points : {before + 4, before}) {
      size->setValue(points);
      hand().settle();
      QStringList wrong;
      for (QWidget* each : hand().window().findChildren<QWidget*>()) {
        const double has = each->font().pointSizeF();
        const bool isOfScale =
            std::ranges::any_of(std::array{TypeSize::Small, TypeSize::Body, TypeSize::Heading, TypeSize::Title},
                                [&](TypeSize of) { return std::abs(points * factorOf(of) - has) < 0.06; });
        if (!isOfScale && each->isVisible())
          wrong << QStringLiteral("%1 %2: %3").arg(each->metaObject()->className(), each->objectName()).arg(has);
      }
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 20).join(QStringLiteral("; "))));
      QCOMPARE(hand().window().menuBar()->font().pointSizeF(), points);
    }
  }

  void transitionsCanBeSwitchedOff() {
    auto* on = field<QCheckBox>(open(), "animations");
    QVERIFY(on->isChecked() && transitionMs(150) == 150);
    QTest::keyClick(on, Qt::Key_Space);
    QCOMPARE(transitionMs(150), 0);
  }

  void runsTakeTheThreads() {
    PreferencesDialog* dialog = open();
    auto* threads = field<QSpinBox>(dialog, "threads");
    QVERIFY(threads->text().startsWith(QLatin1String("all cores")));
    QTest::keyClick(threads, Qt::Key_Up);
    QCOMPARE(preferences().threads, 1);
    dialog->close();
    hand().window().activateWindow();
    QTRY_VERIFY(hand().window().isActiveWindow());
    hand().openText("HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n}\n");
    hand().key(Qt::Key_F5);
    QTRY_VERIFY(hand().document().run().outcome());
    QCOMPARE(hand().document().runSettings().threads, 0);  // the document says nothing of it
  }

  void theCacheOfTilesHasASize() {
    auto* mb = field<QSpinBox>(open(), "tileCache");
    QCOMPARE(mb->value(), 64);
    QTest::keyClick(mb, Qt::Key_Up);
    QCOMPARE(preferences().tileCacheMb, 65);
    mb->setValue(64);
  }

  void theCacheIsEmptiedOfItsEntriesAlone() {
    const QTemporaryDir home;
    const std::filesystem::path folder = home.filePath(QStringLiteral("kernels")).toStdString();
    std::filesystem::create_directory(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    const std::string name(40, 'a');
    QVERIFY(writeFileAtomically(folder / name, std::string(1000, 'x')).has_value());
    QVERIFY(writeFileAtomically(folder / "notes.txt", "mine").has_value());
    QCOMPARE(kernelCacheBytes(folder.string()), int64_t{1000});
    PreferenceControl control(false, nullptr);
    auto* dialog = new PreferencesDialog(control, folder.string(), nullptr);
    dialog->show();
    auto* said = field<QLabel>(dialog, "cache");
    QVERIFY2(said->text().startsWith(QLocale().formattedDataSize(1000)), qPrintable(said->text()));
    QTest::mouseClick(field<QPushButton>(dialog, "emptyCache"), Qt::LeftButton);
    QVERIFY2(said->text().startsWith(QLocale().formattedDataSize(0)), qPrintable(said->text()));
    QVERIFY(!std::filesystem::exists(folder / name) && std::filesystem::exists(folder / "notes.txt"));
    std::filesystem::permissions(folder, std::filesystem::perms::all);  // others may write there
    QTest::mouseClick(field<QPushButton>(dialog, "emptyCache"), Qt::LeftButton);
    QVERIFY2(said->text().contains(QLatin1String("cannot be emptied")), qPrintable(said->text()));
    dialog->close();
  }

  void theKeysAreOneClickAway() {
    QTest::mouseClick(field<QPushButton>(open(), "keys"), Qt::LeftButton);
    hand().settle();
    QVERIFY(!hand().window().findChild<PreferencesDialog*>());
    QTRY_VERIFY(hand().window().navigation().list().isVisible());
  }
};

TESSERA_QT_TEST(preferences_test, PreferencesTest)
}  // namespace tessera::preferences_test
#include "preferences_test.moc"
