// Nothing is shown in the entry; long paths leave out the middle.
#include "editor/controllers/breadcrumbs.h"

#include "core/evaluate/trace.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr size_t kMaxSteps = 4;

QString nameOfStep(const Module& module, ComputationId id) {
  return QString::fromStdString(module.at(id).name).left(28).toHtmlEscaped();
}

}  // namespace

Breadcrumbs::Breadcrumbs(Document& document, QWidget* parent) : QLabel(parent), document_(document) {
  setObjectName(QStringLiteral("breadcrumbs"));
  setAccessibleName(tr("Where the computation is called"));
  setTextFormat(Qt::RichText);
  setContentsMargins(8, 0, 8, 0);
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
    const ComputationId id(link.toUInt());
    if (document_.isOpen() && document_.module().contains(id)) document_.view().showComputation(id);
  });
  connect(&document_.view(), &SceneView::changed, this, &Breadcrumbs::show);
  connect(&document_, &Document::opened, this, &Breadcrumbs::show);
}

void Breadcrumbs::show() {
  if (!document_.isOpen() || document_.isPlainGraph()) return clear();
  const Module& module = document_.module();
  const ComputationId shown = document_.view().computation();
  if (!module.contains(shown) || shown == module.entry()) return clear();
  CallPath path = document_.live().callPath();
  if (path.empty() || path.back().computation != shown) path = pathTo(module, shown);
  if (path.empty()) return setText(tr("not called"));
  QStringList steps;
  const auto link = [&](ComputationId id) {
    steps << QStringLiteral("<a href='%1'>%2</a>").arg(id.value).arg(nameOfStep(module, id));
  };
  link(module.entry());
  if (path.size() > kMaxSteps) steps << QStringLiteral("…");
  for (size_t i = path.size() > kMaxSteps ? path.size() - kMaxSteps : 0; i + 1 < path.size(); ++i)
    link(path[i].computation);
  steps << nameOfStep(module, shown);
  setText(steps.join(QStringLiteral(" › ")));
}

}  // namespace tessera
