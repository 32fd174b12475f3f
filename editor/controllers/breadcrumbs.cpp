// In the entry with nothing selected nothing is shown; long paths, and those that have no room, leave out the middle.
#include "editor/controllers/breadcrumbs.h"

#include <QEvent>
#include <QRegularExpression>
#include <QTextDocumentFragment>

#include "core/arrange/arrangement.h"
#include "core/evaluate/trace.h"
#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr size_t kMaxSteps = 4;
constexpr char kGroupLink[] = "group:";

constexpr qsizetype kLongestStep = 28;

QString stepText(const std::string& name) { return QString::fromStdString(name).left(kLongestStep).toHtmlEscaped(); }
QString nameOfStep(const Module& module, ComputationId id) { return stepText(module.at(id).name); }

QString linkTo(const QString& target, const QString& text) {
  return QStringLiteral("<a href='%1'>%2</a>").arg(target.toHtmlEscaped(), text);
}

}  // namespace

Breadcrumbs::Breadcrumbs(Document& document, QWidget* parent) : QLabel(parent), document_(document) {
  setObjectName(QStringLiteral("breadcrumbs"));
  setAccessibleName(tr("Where the computation is called"));
  setTextFormat(Qt::RichText);
  setContentsMargins(8, 0, 8, 0);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
    if (!document_.isOpen()) return;
    if (link.startsWith(QLatin1String(kGroupLink)))
      return document_.view().lookAtGroup(link.mid(qsizetype(std::size(kGroupLink)) - 1));
    const ComputationId id(link.toUInt());
    if (document_.module().contains(id)) document_.view().showComputation(id);
  });
  connect(&document_.view(), &SceneView::changed, this, &Breadcrumbs::show);
  connect(&document_.view(), &SceneView::groupSelected, this, &Breadcrumbs::show);
  connect(&document_, &Document::selectionChanged, this, &Breadcrumbs::show);
  connect(&document_, &Document::opened, this, &Breadcrumbs::show);
}

void Breadcrumbs::show() {
  steps_ = steps();
  fit();
}

// The first step and as many of the last as there is room for; of the last alone, if need be, the beginning.
void Breadcrumbs::fit() {
  static const QRegularExpression kTags(QStringLiteral("<[^>]*>"));
  const QString between = QStringLiteral(" › "), left = QStringLiteral("…");
  const int room = contentsRect().width();
  const auto textOf = [&](const QStringList& some) {
    return QTextDocumentFragment::fromHtml(some.join(between).remove(kTags)).toPlainText();
  };
  const auto fits = [&](const QStringList& some) { return fontMetrics().horizontalAdvance(textOf(some)) <= room; };
  setToolTip(asPlainText(textOf(steps_)));
  QStringList shown = steps_;
  for (qsizetype from = 2; !fits(shown) && from < steps_.size(); ++from)
    shown = steps_.mid(0, 1) << left << steps_.mid(from);
  if (!fits(shown) && steps_.size() > 1) shown = {steps_.back()};
  if (!fits(shown) && !shown.isEmpty()) {
    const QString text = textOf(shown), part = fontMetrics().elidedText(text, Qt::ElideRight, room).toHtmlEscaped();
    const bool link = shown[0].startsWith(QLatin1Char('<'));  // which also holds the text, in its target
    shown[0] = link ? shown[0].left(shown[0].indexOf(QLatin1Char('>')) + 1) + part + QStringLiteral("</a>") : part;
  }
  setText(shown.join(between));
}

// A label keeps the colour that its links had when it got its text.
void Breadcrumbs::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  clear();
  fit();
}

void Breadcrumbs::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

QStringList Breadcrumbs::steps() const {
  if (!document_.isOpen() || document_.isPlainGraph()) return {};
  const ComputationId shown = document_.view().computation();
  if (!document_.module().contains(shown)) return {};
  const bool entry = shown == document_.module().entry();
  const QStringList around = groups();
  if (entry && around.isEmpty()) return {};
  return (entry ? QStringList{linkTo(QString::number(shown.value), nameOfStep(document_.module(), shown))} : calls()) +
         around;
}

QStringList Breadcrumbs::calls() const {
  const Module& module = document_.module();
  const ComputationId shown = document_.view().computation();
  CallPath path = document_.live().callPath();
  if (path.empty() || path.back().computation != shown) path = pathTo(module, shown);
  if (path.empty()) return {tr("not called")};
  QStringList steps;
  const auto link = [&](ComputationId id) { steps << linkTo(QString::number(id.value), nameOfStep(module, id)); };
  link(module.entry());
  if (path.size() > kMaxSteps) steps << QStringLiteral("…");
  for (size_t i = path.size() > kMaxSteps ? path.size() - kMaxSteps : 0; i + 1 < path.size(); ++i)
    link(path[i].computation);
  return steps << nameOfStep(module, shown);
}

// From the outermost; the innermost is the one that is looked at.
QStringList Breadcrumbs::groups() const {
  const auto& view = document_.view().scene().view;
  const QString& group = document_.view().selectedGroup();
  const InstructionId selected = document_.selected();
  if (!view || (group.isEmpty() && !selected.valid())) return {};
  QStringList out;
  int32_t box = group.isEmpty() ? view->boxOf(selected) : view->findGroup(group.toStdString());
  for (; box >= 0 && at(box) < view->nodes.size(); box = view->nodes[at(box)].parent) {
    const ViewNode& node = view->nodes[at(box)];
    if (node.kind != ViewNode::Kind::OpenGroup && node.kind != ViewNode::Kind::CollapsedGroup) continue;
    if (group.isEmpty() && node.caller && node.instruction == selected) continue;  // it is what is selected
    out.prepend(linkTo(QLatin1String(kGroupLink) + QString::fromStdString(node.group), stepText(node.title)));
  }
  if (out.size() <= qsizetype(2 * kMaxSteps)) return out;
  return out.mid(0, 2) << QStringLiteral("…") << out.mid(out.size() - qsizetype(kMaxSteps));
}

}  // namespace tessera
