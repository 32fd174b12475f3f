// One column that scrolls; its texts are as high as what they say.
#include "editor/panels/overview/overview_panel.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/units.h"
#include "editor/document/document.h"
#include "editor/panels/inspect/instruction_facts.h"
#include "editor/panels/overview/overview_html.h"
#include "editor/panels/profile/treemap.h"
#include "editor/text/plain_text.h"
#include "editor/text/status_line.h"

namespace tessera {
namespace {

const QString kPlainLinks = QStringLiteral(" a { text-decoration: none }");  // most of the text is links
constexpr int kLeastOverviewWidth = 320, kOverviewTreemapHeight = 240, kOverviewPlace = Qt::UserRole;

// A page without a bar of its own: as high as its text.
class FlowingText : public QTextBrowser {
 public:
  explicit FlowingText(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    document()->setDocumentMargin(0);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this](const QSizeF& size) { setFixedHeight(static_cast<int>(std::ceil(size.height())) + 2); });
  }

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }  // the column scrolls
};

QLabel* overviewHeading(QWidget* parent) {
  auto* out = new PlainLabel(parent);
  QFont bold = out->font();
  bold.setBold(true);
  out->setFont(bold);
  out->setContentsMargins(0, 8, 0, 2);
  return out;
}

// In a narrow column numbers go before the name does; tooltips have them.
class TopTen : public QTreeWidget {
 public:
  using QTreeWidget::QTreeWidget;

 protected:
  void resizeEvent(QResizeEvent* event) override {
    const int letter = fontMetrics().averageCharWidth();
    for (const auto& [column, letters] : {std::pair(4, 44), std::pair(3, 56), std::pair(2, 76)})
      setColumnHidden(column, width() < letters * letter);
    QTreeWidget::resizeEvent(event);
  }
};

QTreeWidget* makeTopTen(QWidget* parent) {
  auto* out = new TopTen(parent);
  out->setHeaderLabels({QObject::tr("Share"), QObject::tr("Instruction"), QObject::tr("Result"), QObject::tr("Flops"),
                        QObject::tr("Bytes")});
  out->setRootIsDecorated(false);
  out->setUniformRowHeights(true);
  out->setAllColumnsShowFocus(true);
  out->setTextElideMode(Qt::ElideMiddle);
  out->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  out->header()->setStretchLastSection(false);
  for (int column : {0, 3, 4}) out->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  for (int column : {1, 2}) out->header()->setSectionResizeMode(column, QHeaderView::Stretch);
  out->setAccessibleName(QObject::tr("The costliest instructions"));
  return out;
}

}  // namespace

OverviewPanel::OverviewPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      state_(new PlainLabel(this)),
      costTitle_(overviewHeading(this)),
      topTitle_(overviewHeading(this)),
      facts_(new FlowingText(this)),
      findings_(new FlowingText(this)),
      treemap_(new Treemap(this)),
      top_(makeTopTen(this)) {
  facts_->setAccessibleName(tr("What the file is"));
  findings_->setAccessibleName(tr("Findings"));
  treemap_->setFixedHeight(kOverviewTreemapHeight);
  setMinimumWidth(kLeastOverviewWidth);
  layOut();
  for (QTextBrowser* page : {facts_, findings_}) {
    press_.watch(*page);
    connect(page, &QTextBrowser::anchorClicked, this, &OverviewPanel::follow);
  }
  connect(treemap_, &Treemap::chosen, this, &OverviewPanel::revealWanted);
  connect(treemap_, &Treemap::zoomed, this, &OverviewPanel::showZoom);
  connect(top_, &QTreeWidget::itemClicked, this, &OverviewPanel::go);
  connect(top_, &QTreeWidget::itemActivated, this, &OverviewPanel::go);
  connect(&document_.overview(), &ModuleOverview::changed, this, &OverviewPanel::refresh);
  connect(&document_.overview(), &ModuleOverview::stale, this, &OverviewPanel::refresh);
  refresh();
}

void OverviewPanel::layOut() {
  auto* column = new QWidget;
  auto* rows = new QVBoxLayout(column);
  rows->setContentsMargins(8, 8, 8, 8);
  rows->setSpacing(2);
  auto* findingsTitle = overviewHeading(column);
  findingsTitle->setText(tr("Findings"));
  for (QWidget* each :
       std::initializer_list<QWidget*>{state_, facts_, findingsTitle, findings_, costTitle_, treemap_, topTitle_, top_})
    rows->addWidget(each);
  rows->addStretch(1);
  column->setBackgroundRole(QPalette::Base);
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setBackgroundRole(QPalette::Base);
  area->setWidget(column);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(area);
}

QString OverviewPanel::stateText() const { return state_->text(); }

// While nobody sees it, nothing is worked out; what was known stays until the next is there.
void OverviewPanel::refresh() {
  ModuleOverview& overview = document_.overview();
  if (isVisible()) overview.want();
  const ModuleReport* report = overview.report();
  state_->setText(!document_.isOpen()             ? tr("Nothing is open.")
                  : document_.isPlainGraph()      ? tr("A Graphviz file is a picture: it computes nothing.")
                  : !overview.problem().isEmpty() ? tr("The graph is not whole yet: %1").arg(overview.problem())
                  : report                        ? QString()
                                                  : tr("Working out what it is …"));
  state_->setVisible(!state_->text().isEmpty());
  state_->setWordWrap(true);
  if (!report) return clear();
  showFacts(*report);
  treemap_->setScopes(&report->scopes, report->work.measured());
  showTop(*report);
  showFindings(*report);
}

void OverviewPanel::clear() {
  treemap_->setScopes(nullptr, false);  // they are the report's
  facts_->clear();
  findings_->clear();
  top_->clear();
}

void OverviewPanel::showFacts(const ModuleReport& report) {
  facts_->document()->setDefaultStyleSheet(factsStyle(palette()) + kPlainLinks);
  facts_->setHtml(factsHtml(report));
}

void OverviewPanel::showFindings(const ModuleReport& report) {
  findings_->document()->setDefaultStyleSheet(factsStyle(palette()) + kPlainLinks);
  findings_->setHtml(findingsHtml(report));
}

void OverviewPanel::showZoom() {
  const ModuleReport* report = document_.overview().report();
  const QString kind = report && report->work.measured() ? tr("measured") : tr("estimated");
  const QString inside = treemap_->zoomedPath();
  costTitle_->setText(inside.isEmpty() ? tr("Where the cost is (%1)").arg(kind)
                                       : tr("Cost in %1 (%2; Backspace goes back)").arg(inside, kind));
  costTitle_->setWordWrap(true);
}

void OverviewPanel::showTop(const ModuleReport& report) {
  topTitle_->setText(report.work.measured() ? tr("Costliest instructions (measured time)")
                                            : tr("Costliest instructions (estimated)"));
  top_->clear();
  for (const Overview::CostlyInstruction& each : report.overview.top) {
    const Instruction& i = report.module.at(each.instruction);
    const auto text = [](const std::string& words) { return QString::fromStdString(words); };
    const QString name = QString::fromUtf8(i.name.data(), static_cast<qsizetype>(i.name.size()));
    const std::string alike = each.alike > 1 ? " ×" + std::to_string(each.alike) : std::string();
    auto* row = new QTreeWidgetItem(top_, {text(percentText(each.weight / report.work.totalWeight())), name,
                                           text(toString(*i.shape, false) + alike), text(amountText(each.cost.flops)),
                                           text(bytesText(each.cost.bytesAccessed))});
    for (int column : {0, 3, 4}) row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    const QString place = text(placeText(report.module, each.instruction));
    const QString numbers = tr("%1\n%2 flops, %3 read and written").arg(row->text(2), row->text(3), row->text(4));
    for (int column : {1, 2}) row->setToolTip(column, asPlainText(place + QLatin1Char('\n') + numbers));
    row->setData(0, kOverviewPlace, each.instruction.value);
  }
  const int rows = std::max(1, top_->topLevelItemCount());
  top_->setFixedHeight(top_->header()->sizeHint().height() + rows * std::max(18, top_->sizeHintForRow(0)) + 4);
}

void OverviewPanel::follow(const QUrl& url) {
  if (url.scheme() == QLatin1String("findings")) return emit findingsWanted();
  if (url.scheme() != QLatin1String("instruction")) return;
  emit revealWanted(InstructionId(url.path().toUInt()));
  if (press_.isMouse()) emit canvasWanted();
}

void OverviewPanel::go(const QTreeWidgetItem* item) {
  if (item) emit revealWanted(InstructionId(item->data(0, kOverviewPlace).toUInt()));
}

void OverviewPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void OverviewPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) refresh();
  QWidget::changeEvent(event);
}

// --- the strip

OverviewStrip::OverviewStrip(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), words_(new StatusLine(this)) {
  setObjectName(QStringLiteral("overviewStrip"));
  auto* more = new QToolButton(this);
  more->setText(tr("Overview"));
  more->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 2, 4, 2);
  layout->addWidget(words_, 1);
  layout->addWidget(more);
  connect(more, &QToolButton::clicked, this, &OverviewStrip::overviewWanted);
  connect(&document_, &Document::opened, this, &OverviewStrip::refresh);
  connect(&document_.overview(), &ModuleOverview::stale, this, &OverviewStrip::refresh);
  connect(&document_.overview(), &ModuleOverview::changed, this, &OverviewStrip::refresh);
  hide();
}

QString OverviewStrip::text() const { return words_->text(); }

// What somebody builds from nothing needs no telling.
void OverviewStrip::refresh() {
  const bool fits = document_.isOpen() && !document_.isPlainGraph() && !document_.file().path().isEmpty() &&
                    document_.module().instructionCount() <= kLargeModule;
  setVisible(fits);
  if (!fits) return;
  document_.overview().want();
  const ModuleReport* report = document_.overview().report();
  const QString& problem = document_.overview().problem();
  words_->setText(report              ? lineOf(*report)
                  : problem.isEmpty() ? QString()
                                      : tr("The graph is not whole yet: %1").arg(problem));
}

void OverviewStrip::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

}  // namespace tessera
