// Shows the innermost call of the document's path.
#include "editor/values/call_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>

#include "core/formats/hlo_text.h"
#include "editor/document/document.h"
#include "editor/document/value_text.h"
#include "editor/look/icon.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kShownCalls = 4, kLongestSlider = 1 << 30;
constexpr int kPlayMs = 250;

// What an application is called, by its caller.
QString applicationText(const Module& module, const CallFrame& frame, const CallTrace& call) {
  const Instruction& caller = module.at(frame.caller);
  const int64_t shown = call.application, count = call.applications;
  switch (caller.opcode) {
    case Opcode::While: {
      const bool condition = caller.attributes->get<ComputationId>(Attr::condition) &&
                             *caller.attributes->get<ComputationId>(Attr::condition) == frame.computation;
      if (condition) return QObject::tr("test %1 of %2").arg(shown).arg(count);
      return count ? QObject::tr("iteration %1 of %2").arg(shown).arg(count)
                   : QObject::tr("no iteration: the condition is false at once");
    }
    case Opcode::Conditional: {
      const auto callees = module.callees(caller);
      const auto branch = std::ranges::find(callees, frame.computation) - callees.begin();
      return count ? QObject::tr("branch %1: taken").arg(branch) : QObject::tr("branch %1: not taken").arg(branch);
    }
    case Opcode::Call:
    case Opcode::Fusion: return {};
    default:
      return count ? QObject::tr("application %1 of %L2").arg(shown).arg(count)
                   : QObject::tr("its applications cannot be looked at");
  }
}

}  // namespace

CallBar::CallBar(Document& document, QWidget* parent)
    : QFrame(parent),
      document_(document),
      callers_(new QComboBox(this)),
      words_(new PlainLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      play_(new QToolButton(this)),
      tableButton_(new QToolButton(this)),
      table_(new QTableWidget(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  callers_->setAccessibleName(tr("Caller"));
  callers_->setToolTip(tr("The call whose values are shown"));
  callers_->setFocusPolicy(Qt::ClickFocus);
  slider_->setMinimumWidth(160);
  slider_->setAccessibleName(tr("Which application"));
  showIcon(*play_, "run", tr("Goes through the iterations"));
  play_->setCheckable(true);
  tableButton_->setText(tr("Carried"));
  tableButton_->setCheckable(true);
  tableButton_->setToolTip(tr("The tuple that the loop carries, an iteration a row"));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->hide();  // the owner of the bar places it
  auto* line = new QHBoxLayout;
  line->setSpacing(4);
  for (QWidget* w : std::initializer_list<QWidget*>{callers_, play_, slider_, words_, tableButton_}) line->addWidget(w);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  layout->addLayout(line);
  timer_.setInterval(kPlayMs);
  connectParts();
  hide();
}

void CallBar::connectParts() {
  connect(&timer_, &QTimer::timeout, this, &CallBar::advance);
  connect(play_, &QToolButton::toggled, this, [this](bool on) {
    play_->setIcon(iconOf(on ? QStringLiteral("pause") : QStringLiteral("run")));
    on ? timer_.start() : timer_.stop();
  });
  connect(tableButton_, &QToolButton::toggled, this, &CallBar::show);
  connect(slider_, &QSlider::valueChanged, this, [this](int place) { lookAt(place); });
  connect(callers_, &QComboBox::activated, this, &CallBar::chooseCaller);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0) lookAt(row);
  });
  connect(&document_.live(), &LiveValues::changed, this, &CallBar::show);
  connect(&document_, &Document::opened, this, [this] {
    play_->setChecked(false);
    show();
  });
}

QString CallBar::words() const { return words_->text(); }

void CallBar::lookAt(int64_t application) {
  CallPath path = document_.live().callPath();
  if (path.empty()) return;
  wanted_ = path.back().application = std::max<int64_t>(application, 0);
  document_.live().lookInto(std::move(path));
}

void CallBar::advance() {
  const auto trace = document_.live().trace();
  if (!trace || trace->calls.empty() || trace->calls.size() != document_.live().callPath().size())
    return play_->setChecked(false);
  const CallTrace& call = trace->calls.back();
  if (call.application + 1 >= call.applications) return play_->setChecked(false);
  lookAt(call.application + 1);
}

// Every instruction that calls the computation.
void CallBar::fillCallers() {
  const QSignalBlocker blocker(callers_);
  callers_->clear();
  const Module& module = document_.module();
  const CallFrame& frame = document_.live().callPath().back();
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const auto callees = module.callees(module.at(id));
      if (std::ranges::find(callees, frame.computation) == callees.end()) continue;
      const QString where = computation == module.entry()
                                ? QString()
                                : QString::fromStdString(module.at(computation).name) + QStringLiteral(" › ");
      callers_->addItem(where + QString::fromUtf8(module.at(id).name), id.value);
      if (id == frame.caller) callers_->setCurrentIndex(callers_->count() - 1);
    }
}

void CallBar::chooseCaller(int row) {
  const InstructionId caller(callers_->itemData(row).toUInt());
  if (!document_.module().contains(caller) || document_.live().callPath().empty()) return;
  const ComputationId called = document_.live().callPath().back().computation;
  CallPath path = pathTo(document_.module(), document_.module().at(caller).computation);
  path.push_back({caller, called, 0});
  document_.live().lookInto(std::move(path));
}

void CallBar::show() {
  const CallPath& path = document_.live().callPath();
  const auto trace = document_.live().trace();
  const bool wanted = document_.isOpen() && document_.live().isOn() && !path.empty() &&
                      document_.module().contains(path.back().caller) && trace;
  if (wanted) {
    fillCallers();
    const bool reached = trace->calls.size() == path.size();
    const CallTrace none, &call = reached ? trace->calls.back() : none;
    words_->setText(reached ? applicationText(document_.module(), path.back(), call)
                            : tr("a call outside was not reached"));
    const QSignalBlocker blocker(slider_);
    slider_->setRange(0, static_cast<int>(std::clamp<int64_t>(call.applications - 1, 0, kLongestSlider)));
    if (!slider_->isSliderDown())
      slider_->setValue(static_cast<int>(std::min<int64_t>(call.application, kLongestSlider)));
    for (QWidget* w : std::initializer_list<QWidget*>{slider_, play_}) w->setVisible(call.applications > 1);
    tableButton_->setVisible(!call.carried.empty());
  }
  setVisible(wanted);
  fillTable();
  layout()->activate();
  adjustSize();
  emit resized();
}

void CallBar::fillTable() {
  const auto trace = document_.live().trace();
  const bool wanted = !isHidden() && tableButton_->isChecked() && trace && !trace->calls.empty() &&
                      !trace->calls.back().carried.empty();
  table_->setVisible(wanted);
  if (!wanted) return;
  const QSignalBlocker blocker(table_);
  const std::vector<Literal>& carried = trace->calls.back().carried;
  const bool tuple = carried[0].shape().isTuple();
  const int columns = tuple ? static_cast<int>(carried[0].elements().size()) : 1;
  table_->setColumnCount(columns + 1);
  table_->setRowCount(static_cast<int>(carried.size()));
  QStringList heads{tr("iteration")};
  for (int c = 0; c < columns; ++c)
    heads << QStringLiteral("%1: %2").arg(c).arg(QString::fromStdString(
        toString(tuple ? carried[0].elements()[static_cast<size_t>(c)].shape() : carried[0].shape(), false)));
  table_->setHorizontalHeaderLabels(heads);
  for (size_t r = 0; r < carried.size(); ++r) {
    const auto row = static_cast<int>(r);
    table_->setItem(row, 0, new QTableWidgetItem(QString::number(r)));
    for (int c = 0; c < columns; ++c)
      table_->setItem(row, c + 1,
                      new QTableWidgetItem(valueText(tuple ? carried[r].elements()[static_cast<size_t>(c)] : carried[r])
                                               .section(QLatin1Char('\n'), 0, 0)
                                               .left(60)));
  }
  table_->resizeColumnsToContents();
  const int shown = std::min<int>(kShownCalls, table_->rowCount());
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + shown * table_->rowHeight(0) + 20);
  const auto now = static_cast<int>(trace->calls.back().application);
  table_->selectRow(now);
  QTimer::singleShot(0, table_, [table = table_, now] {  // when it has its place
    if (QTableWidgetItem* item = table->item(now, 0)) table->scrollToItem(item, QAbstractItemView::PositionAtCenter);
  });
}

}  // namespace tessera
