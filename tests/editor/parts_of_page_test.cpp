// What of a large page is looked at: the selection alone or without it, a map of the whole, columns for the room that
// the canvas has; searches that were kept.
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "editor/canvas/minimap.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/look/qt_colors.h"
#include "editor/panels/popups/hidden_bar.h"
#include "editor/panels/popups/kept_searches.h"
#include "editor/panels/popups/search_bar.h"
#include "editor/panels/popups/shown_searches_bar.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::parts_of_page_test {
namespace {

std::string chainOf(int length) {
  std::string out = "HloModule chain\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
  for (int i = 1; i < length; ++i)
    out +=
        "  v" + std::to_string(i) + " = f32[4] " + (i % 2 ? "tanh" : "negate") + "(v" + std::to_string(i - 1) + ")\n";
  return out + "  ROOT out = f32[4] abs(v" + std::to_string(length - 1) + ")\n}";
}

}  // namespace

class PartsOfPageTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Hand> hand_;

  SceneView& view() { return hand_->document().view(); }
  bool isDrawn(const char* name) { return view().isDrawn(hand_->named(name)); }
  void select(std::initializer_list<const char*> names) {
    std::vector<InstructionId> ids;
    for (const char* name : names) ids.push_back(hand_->named(name));
    hand_->document().select(ids);
  }

 private slots:
  void init() {
    hand_ = std::make_unique<Hand>();
    hand_->openText(chainOf(20).c_str(), false);
  }
  void cleanup() { hand_.reset(); }

  void theSelectionAloneIsShown() {
    auto* bar = hand_->window().pane().findChild<HiddenBar*>();
    QVERIFY(bar && !bar->isVisible());
    select({"v3", "v4"});
    hand_->key(Qt::Key_H, Qt::ShiftModifier);
    QVERIFY(isDrawn("v3") && isDrawn("v4"));
    QVERIFY(!isDrawn("v2") && !isDrawn("v5"));
    QCOMPARE(hand_->canvas().view()->edges.size(), size_t{1});
    QVERIFY(hand_->canvas().viewport().showsAll());
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->words(), QStringLiteral("19 boxes are hidden."));
    QTest::mouseClick(bar->showButton(), Qt::LeftButton);
    hand_->settle();
    QVERIFY(isDrawn("v2") && isDrawn("v5") && !bar->isVisible());
  }

  // An edit leaves it as it is; what is looked for is shown with all the rest.
  void theSelectionIsHidden() {
    select({"v3"});
    hand_->key(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!isDrawn("v3") && isDrawn("v2") && isDrawn("v4"));
    select({"v8"});
    hand_->key(Qt::Key_Delete);
    QVERIFY(!isDrawn("v3") && isDrawn("v2"));
    hand_->window().pane().binding().reveal(hand_->named("v3"));
    hand_->settle();
    QVERIFY(isDrawn("v3") && !view().hidesAny());
  }

  void theMapLeadsAnywhere() {
    Minimap& map = hand_->window().pane().minimap();
    Viewport& viewport = hand_->canvas().viewport();
    viewport.fitAll();
    hand_->settle();
    QVERIFY(!map.isVisible());  // all is in sight
    viewport.zoomBy(8, QPointF(0, 0));
    hand_->settle();
    QVERIFY(map.isVisible());
    const QRectF bounds(hand_->canvas().picture()->bounds.x, hand_->canvas().picture()->bounds.y,
                        hand_->canvas().picture()->bounds.width, hand_->canvas().picture()->bounds.height);
    QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(map.width() * 3 / 4, map.height() / 2));
    const QPointF middle = viewport.visible().center();
    const double pixel = bounds.width() / map.width();
    QVERIFY(std::abs(middle.x() - (bounds.left() + bounds.width() * 3 / 4)) < 2 * pixel);
    map.setWanted(false);
    QVERIFY(!map.isVisible());
  }

  // Columns are made for the canvas as it is: by Fit, not while it is resized.
  void fittingArrangesForTheRoom() {
    hand_->window().resize(1400, 950);
    hand_->key(Qt::Key_A);
    const Room wide = hand_->canvas().view()->room;
    QVERIFY(std::abs(wide.width - static_cast<float>(hand_->canvas().viewport().room().width())) < 1);
    hand_->window().resize(1000, 950);
    hand_->settle();
    QCOMPARE(hand_->canvas().view()->room.width, wide.width);
    hand_->key(Qt::Key_A);
    QCOMPARE(hand_->canvas().view()->room.width, static_cast<float>(hand_->canvas().viewport().room().width()));
    QVERIFY(hand_->canvas().viewport().showsAll());
  }

  void searchesAreKept() {
    SearchBar& bar = hand_->window().pane().searchBar();
    hand_->key(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(bar.field(), "op:abs");
    hand_->settle();
    bar.kept()->keep(QStringLiteral("ends"), bar.field()->text());
    bar.kept()->setStaysLit(true);
    QTest::keyClick(bar.field(), Qt::Key_Escape);
    hand_->settle();
    QCOMPARE(hand_->canvas().highlights().foundNodes().size(), size_t{1});  // lit though the search is closed
    bar.kept()->setStaysLit(false);
    QMenu& menu = *bar.kept()->menu();
    emit menu.aboutToShow();
    const auto actions = menu.actions();
    const auto kept = std::ranges::find_if(actions, [](QAction* each) { return each->text().startsWith(u"ends"); });
    QVERIFY(kept != actions.end());
    (*kept)->menu()->actions().front()->trigger();
    QCOMPARE(bar.field()->text(), QStringLiteral("op:abs"));
    bar.kept()->forget(QStringLiteral("ends"));
    QVERIFY(bar.kept()->all().empty());
  }

  // Several at a time, each in its colour; a box that two find has both; an edit finds anew.
  void keptSearchesAreShownInColours() {
    KeptSearches& kept = *hand_->window().pane().searchBar().kept();
    kept.keep(QStringLiteral("ends"), QStringLiteral("op:abs"));
    kept.keep(QStringLiteral("all"), QStringLiteral("op:abs|tanh"));
    kept.show(QStringLiteral("ends"), SearchLook::Sky);
    kept.show(QStringLiteral("all"), SearchLook::Orange);
    hand_->settle();
    const auto& colored = hand_->canvas().highlights().coloredNodes();
    const auto both = std::ranges::count_if(colored, [](const auto& node) { return node.second.size() == 2; });
    QCOMPARE(both, 1);
    QVERIFY(colored.size() > 1);
    auto* bar = hand_->window().pane().findChild<ShownSearchesBar*>();
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->words().contains(QStringLiteral("ends · 1")), qPrintable(bar->words().join(u'|')));
    QVERIFY(hand_->canvas().highlights().foundNodes().empty());  // nothing is dimmed
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
      hand_->window().setTheme(theme);
      QCOMPARE(bar->grab().toImage().pixelColor(bar->width() - 3, 3), colorOf(Ink::Window, theme));
    }

    kept.show(QStringLiteral("ends"), SearchLook::Filter);
    hand_->settle();
    QCOMPARE(hand_->canvas().highlights().foundNodes().size(), size_t{1});
    QVERIFY(bar->words().contains(QStringLiteral("only ends · 1")));

    const MainWindow nothingOpen(false);
    QVERIFY(!nothingOpen.document().isOpen());
    nothingOpen.document().shownSearches().show(QStringLiteral("all"), QStringLiteral("op:abs"), SearchLook::Sky);
    QCOMPARE(nothingOpen.document().shownSearches().all().size(), size_t{1});
    QVERIFY(nothingOpen.pane().findChild<ShownSearchesBar*>()->isHidden());

    kept.forget(QStringLiteral("ends"));
    kept.forget(QStringLiteral("all"));
    hand_->settle();
    QVERIFY(colored.empty());
    QVERIFY(bar->isHidden());
  }
};

TESSERA_QT_TEST(parts_of_page_test, PartsOfPageTest)
}  // namespace tessera::parts_of_page_test
#include "parts_of_page_test.moc"
