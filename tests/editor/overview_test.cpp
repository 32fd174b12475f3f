// The overview, the findings and the page of a group beside a canvas: what they tell of a file, before and after a run
// and an edit, and where their links lead, by real mouse and key events.
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <memory>

#include "app/studio/window/panels.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/panels/inspect/inspector.h"
#include "editor/panels/overview/findings_panel.h"
#include "editor/panels/overview/overview_panel.h"
#include "editor/panels/profile/treemap.h"
#include "tests/editor/overview_net.h"
#include "tests/editor/qt_tests.h"

namespace tessera::overview_test {
class OverviewTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Document> document_;
  std::unique_ptr<Canvas> canvas_;
  std::unique_ptr<OverviewPanel> overview_;
  std::unique_ptr<FindingsPanel> findings_;
  std::unique_ptr<OverviewStrip> strip_;
  std::unique_ptr<Inspector> inspector_;

  const Module& module() { return document_->module(); }
  InstructionId named(const char* name) { return module().findInstruction(name).value(); }
  std::string selectedName() {
    return document_->selected().valid() ? std::string(module().at(document_->selected()).name) : "";
  }
  void settle() {
    QTRY_VERIFY_WITH_TIMEOUT(!document_->isBusy(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!document_->overview().report() || document_->overview().isFresh() ||
                                 !(overview_->isVisible() || findings_->isVisible()),
                             20000);
  }
  void open(const std::string& text) {
    const QString path = folder_.filePath(QStringLiteral("net.hlo"));
    QVERIFY(writeFileAtomically(path.toStdString(), text));
    QSignalSpy opened(document_.get(), &Document::opened);
    document_->file().open(path);
    QVERIFY(opened.wait(10000));
    settle();
  }
  void showBoth() {
    overview_->show();
    findings_->show();
    QVERIFY(QTest::qWaitForWindowExposed(overview_.get()));
    settle();
  }
  QTreeWidgetItem* findingOf(const char* rule) {
    for (int k = 0; k < findings_->list()->topLevelItemCount(); ++k)
      if (findings_->list()->topLevelItem(k)->text(0) == QLatin1String(rule)) return findings_->list()->topLevelItem(k);
    return nullptr;
  }
  static void clickRow(QTreeWidget* tree, QTreeWidgetItem* row, int column = 1) {
    const QRect place = tree->visualItemRect(row);
    const int x = tree->columnViewportPosition(column) + 4;
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, QPoint(x, place.center().y()));
  }
  // Where a page shows a link to it.
  static QPoint linkPlace(QTextBrowser& page, const QString& link) {
    for (int y = 2; y < page.viewport()->height(); y += 5)
      for (int x = 2; x < page.viewport()->width(); x += 4)
        if (page.anchorAt({x, y}) == link) return {x, y};
    return {-1, -1};
  }
  void clickLink(QTextBrowser& page, InstructionId id) {
    const QPoint at = linkPlace(page, QStringLiteral("instruction:%1").arg(id.value));
    QVERIFY(at.x() >= 0);
    QTest::mouseClick(page.viewport(), Qt::LeftButton, {}, at);
    settle();
  }
  int cellOf(const QString& title) {
    const auto& cells = overview_->treemap()->cells();
    for (size_t k = 0; k < cells.size(); ++k)
      if (cells[k].title == title) return static_cast<int>(k);
    return -1;
  }
  // In a frame's title or the middle of a box.
  QPoint placeOf(int cell) {
    const Treemap::Cell& box = overview_->treemap()->cells()[static_cast<size_t>(cell)];
    return box.leaf ? box.rect.center().toPoint() : box.rect.topLeft().toPoint() + QPoint(12, 8);
  }
  QString titles() {
    QStringList out;
    for (const PictureItem& item : canvas_->picture()->items)
      if (item.part == PictureItem::Part::Title) out << QString::fromStdString(item.text);
    return out.join(QLatin1String(", "));
  }
  QPoint groupPlace(const char* title) {
    for (const PictureItem& item : canvas_->picture()->items)
      if (item.part == PictureItem::Part::Title && item.text.ends_with(title))
        return canvas_->viewport()
            .toWidget(QPointF(item.bounds.x + 4, item.bounds.y + item.bounds.height / 2))
            .toPoint();
    return {-1, -1};
  }

 private slots:
  void init() {
    document_ = std::make_unique<Document>();
    canvas_ = std::make_unique<Canvas>();
    canvas_->resize(900, 700);
    overview_ = std::make_unique<OverviewPanel>(*document_);
    overview_->resize(460, 1100);
    findings_ = std::make_unique<FindingsPanel>(*document_);
    findings_->resize(900, 240);
    inspector_ = std::make_unique<Inspector>(*document_);
    inspector_->resize(380, 800);
    auto* binding = new CanvasBinding(*document_, *canvas_, canvas_.get());
    connect(overview_.get(), &OverviewPanel::revealWanted, binding, &CanvasBinding::reveal);
    connect(findings_.get(), &FindingsPanel::revealWanted, binding, &CanvasBinding::reveal);
    canvas_->show();
    inspector_->setVisible(true);
    QVERIFY(QTest::qWaitForWindowExposed(canvas_.get()));
  }
  void cleanup() {
    strip_.reset();
    inspector_.reset();
    findings_.reset();
    overview_.reset();
    canvas_.reset();
    document_.reset();
  }

  void factsSayWhatTheFileIs() {
    open(kLayeredNet);
    showBoth();
    const QString text = overview_->facts()->toPlainText();
    for (const char* words : {"jit_net", "before optimization", "layer × 2", "8.19 K values in 2 arrays of p",
                              "2 × f64 !", "hottest scope"})
      QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(text));
    QCOMPARE(text.count(QStringLiteral("layer × 2 (by")), 1);  // parameters and scopes tell of the same layers
    QVERIFY(overview_->stateText().isEmpty());
  }

  void nothingIsWorkedOutWhileNobodyLooks() {
    open(kLayeredNet);
    QVERIFY(!document_->overview().report());
    showBoth();
    QVERIFY(document_->overview().report());
  }

  void aLinkInTheFactsShowsItsPlace() {
    open(kLayeredNet);
    showBoth();
    clickLink(*overview_->facts(), named("w0"));
    QCOMPARE(selectedName(), std::string("w0"));
  }

  void theTreemapIsAsLargeAsTheCostAndLeadsToIt() {
    open(kLayeredNet);
    showBoth();
    const int layer = cellOf(QStringLiteral("layer_0")), head = cellOf(QStringLiteral("head"));
    QVERIFY(layer >= 0 && head >= 0);
    const auto& cells = overview_->treemap()->cells();
    const auto area = [&](int cell) {
      return cells[static_cast<size_t>(cell)].rect.width() * cells[static_cast<size_t>(cell)].rect.height();
    };
    const auto weight = [&](int cell) { return cells[static_cast<size_t>(cell)].scope->weight; };
    QVERIFY(area(layer) > 1000);
    QVERIFY(std::abs(area(layer) / area(head) / (weight(layer) / weight(head)) - 1) < 0.4);  // frames and titles aside
    QTest::mouseClick(overview_->treemap(), Qt::LeftButton, {}, placeOf(layer));
    settle();
    QCOMPARE(selectedName(), std::string("d0"));
    QVERIFY(!canvas_->boxOf(named("d0")).isEmpty());
    QCOMPARE(canvas_->view()->nodes[static_cast<size_t>(canvas_->nodeOf(named("d0")))].kind,
             ViewNode::Kind::Instruction);
  }

  void theTreemapGoesIntoAScopeAndBack() {
    open(kLayeredNet);
    showBoth();
    Treemap& map = *overview_->treemap();
    const int net = cellOf(QStringLiteral("net"));
    QVERIFY(net >= 0);
    const size_t before = map.cells().size();
    QTest::mouseDClick(&map, Qt::LeftButton, {}, placeOf(net));
    QVERIFY(map.zoomedPath().endsWith(QStringLiteral("net")));
    QVERIFY(map.cells().size() < before);
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Backspace);
    QCOMPARE(map.cells().size(), before);
  }

  void theTreemapByKeys() {
    open(kLayeredNet);
    showBoth();
    Treemap& map = *overview_->treemap();
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Return);
    settle();
    QVERIFY(document_->selected().valid());
  }

  void theTopTenLeadToTheirPlaces() {
    open(kLayeredNet);
    showBoth();
    QTreeWidget& top = *overview_->top();
    QVERIFY(top.topLevelItemCount() >= 5);
    QVERIFY(top.topLevelItem(0)->text(1).startsWith(QLatin1Char('d')));  // a dot
    clickRow(&top, top.topLevelItem(1));
    settle();
    QCOMPARE(selectedName(), top.topLevelItem(1)->text(1).toStdString());
    top.setFocus();
    QTest::keyClick(&top, Qt::Key_Up);
    QTest::keyClick(&top, Qt::Key_Return);
    settle();
    QCOMPARE(selectedName(), top.topLevelItem(0)->text(1).toStdString());
  }

  // In the narrowest panel as well: numbers go first.
  void namesOfTheTopTenAreReadable() {
    open(kLayeredNet);
    showBoth();
    QTreeWidget& top = *overview_->top();
    const int letter = top.fontMetrics().averageCharWidth();
    for (int width : {320, 420, 900}) {
      overview_->resize(width, 700);
      settle();
      QVERIFY2(top.columnWidth(1) >= 20 * letter, qPrintable(QString::number(top.columnWidth(1))));
    }
    QVERIFY(!top.isColumnHidden(2));
    QVERIFY(top.topLevelItem(0)->toolTip(1).contains(QLatin1String("flops")));
  }

  void aFindingHasANumberAndPlaces() {
    open(kLayeredNet);
    showBoth();
    QTreeWidgetItem* doubles = findingOf("f64");
    QVERIFY(doubles);
    QVERIFY2(doubles->text(2).contains(QStringLiteral("(estimated)")), qPrintable(doubles->text(2)));
    clickRow(findings_->list(), doubles);
    settle();
    QCOMPARE(selectedName(), std::string("wide"));
    doubles->setExpanded(true);
    QCOMPARE(doubles->childCount(), 2);
    clickRow(findings_->list(), doubles->child(1));
    settle();
    QCOMPARE(selectedName(), std::string("loss"));
  }

  void anEditMakesItAnew() {
    open(kLayeredNet);
    showBoth();
    QVERIFY(findingOf("f64"));
    document_->perform({"Remove",
                        {SetRoot{named("t1")}, RemoveInstruction{named("out")}, RemoveInstruction{named("loss")},
                         RemoveInstruction{named("wide")}}});
    settle();
    QTRY_VERIFY(!findingOf("f64"));
    QCOMPARE(findings_->stateText(), QStringLiteral("No findings."));
  }

  void aRunMeasures() {
    open(kLayeredNet);
    showBoth();
    QVERIFY(findings_->stateText().contains(QStringLiteral("estimated")));
    QSignalSpy ran(&document_->run(), &ProgramRun::outcomeChanged);
    document_->run().start();
    QVERIFY(ran.wait(30000));
    settle();
    QVERIFY(document_->overview().report()->work.measured());
    QVERIFY2(findings_->stateText().contains(QStringLiteral("last run")), qPrintable(findings_->stateText()));
    QVERIFY(document_->overview().report()->overview.top.front().weight > 0);
    document_->select({named("d0")});
    const QString shown = inspector_->shownText();
    QVERIFY2(shown.startsWith(QStringLiteral("This run")), qPrintable(shown));  // above all else
    const bool held = shown.contains(QStringLiteral("bound by")), asks = shown.contains(QStringLiteral("measure this"));
    QVERIFY2(held || asks, qPrintable(shown));
  }

  void aGraphThatIsNotWholeSaysSo() {
    open("HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[5] negate(x)\n}\n");
    showBoth();
    QVERIFY2(overview_->stateText().contains(QStringLiteral("not whole")), qPrintable(overview_->stateText()));
  }

  void theStripSaysCalmlyWhatIsOpen() {
    strip_ = std::make_unique<OverviewStrip>(*document_);
    open("HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = ? negate(?)\n}\n");
    strip_->show();
    QTRY_COMPARE(strip_->text(), QStringLiteral("The graph is not whole yet: operand 0 of %y is open"));
  }

  void theStripTellsOfSmallFilesOnly() {
    strip_ = std::make_unique<OverviewStrip>(*document_);
    open(kLayeredNet);
    strip_->show();
    settle();
    QTRY_VERIFY(strip_->text().contains(QStringLiteral("jit_net · before optimization · 10 instructions")));
    QVERIFY(strip_->isVisible());
    QSignalSpy wanted(strip_.get(), &OverviewStrip::overviewWanted);
    QTest::mouseClick(strip_->findChild<QToolButton*>(), Qt::LeftButton);
    QCOMPARE(wanted.count(), 1);
    std::string large = "HloModule large\n\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
    for (int k = 1; k <= 600; ++k)
      large +=
          (k == 600 ? "  ROOT v" : "  v") + std::to_string(k) + " = f32[4] negate(v" + std::to_string(k - 1) + ")\n";
    open(large + "}\n");
    QVERIFY(!strip_->isVisible());
  }

  void aClickOnAGroupTellsOfTheGroup() {
    open(kLayeredNet);
    document_->view().closeAllGroups();
    settle();
    QTRY_VERIFY2(groupPlace("head").x() >= 0, qPrintable(titles()));
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, groupPlace("head"));
    QTRY_VERIFY(inspector_->shownText().startsWith(QStringLiteral("head")));
    const QString text = inspector_->shownText();
    for (const char* words : {"of the run (estimated)", "Parts: 3", "Goes in: 1", "t1", "Comes out: 1", "out"})
      QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(text));
    document_->select({named("t0")});
    QVERIFY(inspector_->shownText().contains(QStringLiteral("t0 in main")));
  }
};

TESSERA_QT_TEST(overview_test, OverviewTest)
}  // namespace tessera::overview_test
#include "overview_test.moc"
