// See export_dialog.h.
#include "app/studio/export/export_dialog.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QThreadPool>

#include "core/base/units.h"
#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/document/file_export.h"
#include "editor/text/plain_text.h"

namespace tessera {

ExportDialog::ExportDialog(const Document& document, const Canvas& canvas, QWidget* parent)
    : QDialog(parent),
      document_(document),
      canvas_(canvas),
      part_(new QButtonGroup(this)),
      form_(new QComboBox(this)),
      theme_(new QComboBox(this)),
      scale_(new QDoubleSpinBox(this)),
      legend_(new QCheckBox(tr("with the colours of the run"), this)),
      scaleLabel_(new PlainLabel(tr("Scale"), this)),
      size_(new PlainLabel(this)),
      state_(new PlainLabel(this)),
      copy_(new QPushButton(tr("&Copy"), this)),
      save_(new QPushButton(tr("&Save as …"), this)) {
  setWindowTitle(tr("Export"));
  setAttribute(Qt::WA_DeleteOnClose);
  for (const ExportFormRow& row : exportForms()) form_->addItem(tr(row.name), QLatin1String(row.ending));
  theme_->addItems({tr("light"), tr("dark")});
  theme_->setCurrentIndex(canvas.theme() == Theme::Dark ? 1 : 0);
  scale_->setRange(0.05, 32);
  scale_->setDecimals(2);
  scale_->setSingleStep(0.5);
  scale_->setValue(2);
  scale_->setPrefix(QStringLiteral("× "));
  save_->setDefault(true);
  legend_->setChecked(true);
  layOut();
  connect(part_, &QButtonGroup::idToggled, this, &ExportDialog::update);
  connect(form_, &QComboBox::currentIndexChanged, this, &ExportDialog::update);
  connect(scale_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::update);
  connect(copy_, &QPushButton::clicked, this, &ExportDialog::copy);
  connect(save_, &QPushButton::clicked, this, &ExportDialog::askWhere);
  connect(&document_, &Document::selectionChanged, this, &ExportDialog::update);
  connect(&document_, &Document::opened, this, &QWidget::close);  // it was of the graph before
  for (const QObject* shown : {static_cast<const QObject*>(&document_), static_cast<const QObject*>(&canvas_)})
    connect(shown, &QObject::destroyed, this, &QWidget::close);  // with its tab
  update();
}

void ExportDialog::layOut() {
  auto* rows = new QFormLayout(this);
  auto* parts = new QVBoxLayout;
  const QString names[] = {tr("what is &seen"), tr("the se&lection"),
                           tr("the &whole computation, as its groups are open")};
  for (int k = 0; k < 3; ++k) {
    auto* button = new QRadioButton(names[k], this);
    part_->addButton(button, k);
    parts->addWidget(button);
  }
  const bool any = !document_.selection().empty();
  part_->button(static_cast<int>(any ? ExportPart::Selection : ExportPart::Whole))->setChecked(true);
  rows->addRow(tr("What"), parts);
  rows->addRow(tr("As"), form_);
  rows->addRow(scaleLabel_, scale_);
  rows->addRow(QString(), size_);
  rows->addRow(tr("Theme"), theme_);
  rows->addRow(QString(), legend_);
  state_->setWordWrap(true);
  rows->addRow(state_);
  auto* buttons = new QHBoxLayout;
  auto* close = new QPushButton(tr("Close"), this);
  connect(close, &QPushButton::clicked, this, &QWidget::close);
  buttons->addStretch(1);
  for (QPushButton* button : {copy_, save_, close}) buttons->addWidget(button);
  rows->addRow(buttons);
}

QString ExportDialog::stateText() const { return state_->text(); }

GraphExport ExportDialog::chosen() const {
  GraphExport out = exportOf(document_, canvas_);
  out.part = static_cast<ExportPart>(part_->checkedId());
  out.form = exportForms()[static_cast<size_t>(form_->currentIndex())].form;
  out.theme = theme_->currentIndex() == 1 ? Theme::Dark : Theme::Light;
  out.scale = scale_->value();
  out.legend = legend_->isChecked();
  return out;
}

void ExportDialog::update() {
  if (!document_.isOpen() || !document_.view().scene().picture) return;
  const bool any = !document_.selection().empty();
  QAbstractButton* selection = part_->button(static_cast<int>(ExportPart::Selection));
  selection->setEnabled(any);
  if (!any && selection->isChecked()) part_->button(static_cast<int>(ExportPart::Whole))->setChecked(true);
  const GraphExport what = chosen();
  const bool png = what.form == ExportForm::Png, html = what.form == ExportForm::Html;
  for (QWidget* each : std::initializer_list<QWidget*>{scaleLabel_, scale_, size_}) each->setVisible(png);
  legend_->setVisible(what.scene.overlay != nullptr && what.form != ExportForm::Dot && !html);
  theme_->setEnabled(what.form != ExportForm::Dot);
  if (png) {
    const QSize pixels = pixelsOf(what);
    size_->setText(tr("%L1 × %L2 pixels").arg(pixels.width()).arg(pixels.height()));
  }
  if (!writing_)
    state_->setText(html && what.part != ExportPart::Selection ? tr("The page has the whole module; its groups open.")
                                                               : QString());
}

// A worker makes it; what it was made of may change meanwhile.
void ExportDialog::make(std::function<void(const std::string&)> done) {
  if (writing_ || !document_.isOpen() || !document_.view().scene().picture) return;
  writing_ = true;
  for (QPushButton* button : {copy_, save_}) button->setEnabled(false);
  state_->setText(tr("Working …"));
  QThreadPool::globalInstance()->start([dialog = QPointer<ExportDialog>(this), what = chosen(), done] {
    auto content = std::make_shared<const Result<std::string>>(contentOf(what));
    QMetaObject::invokeMethod(
        qApp,
        [dialog, content, done] {
          if (!dialog) return;
          dialog->writing_ = false;
          for (QPushButton* button : {dialog->copy_, dialog->save_}) button->setEnabled(true);
          if (*content) return done(**content);
          dialog->state_->setText(QString::fromStdString(content->error().toString()));
        },
        Qt::QueuedConnection);
  });
}

void ExportDialog::save(const QString& path) {
  make([this, path](const std::string& content) {
    const QString size = QString::fromStdString(bytesText(static_cast<double>(content.size())));
    exportFile(
        this, path, [content] { return content; },
        [this, path, size](const Status& written) {
          state_->setText(written ? tr("%1: %2").arg(QFileInfo(path).fileName(), size)
                                  : QString::fromStdString(written.error().toString()));
          if (written) emit saved(path);
        });
  });
}

// A picture also as pixels, text as text: whoever takes it chooses.
void ExportDialog::copy() {
  const ExportFormRow row = exportForms()[static_cast<size_t>(form_->currentIndex())];
  make([this, row](const std::string& content) {
    const QByteArray bytes = QByteArray::fromStdString(content);
    auto* data = new QMimeData;
    data->setData(QLatin1String(row.mime), bytes);
    if (row.form == ExportForm::Png || row.form == ExportForm::Svg)
      if (const QImage image = QImage::fromData(bytes); !image.isNull()) data->setImageData(image);
    if (row.form == ExportForm::Dot || row.form == ExportForm::Html) data->setText(QString::fromUtf8(bytes));
    QGuiApplication::clipboard()->setMimeData(data);
    state_->setText(tr("Copied: %1").arg(QString::fromStdString(bytesText(static_cast<double>(content.size())))));
    emit copied();
  });
}

void ExportDialog::askWhere() {
  const ExportFormRow row = exportForms()[static_cast<size_t>(form_->currentIndex())];
  const QString& file = document_.file().path();
  const QString stem = file.isEmpty() ? QStringLiteral("graph") : QFileInfo(file).completeBaseName();
  const QString beside = QFileInfo(file).dir().filePath(stem + QLatin1Char('.') + QLatin1String(row.ending));
  QString path = QFileDialog::getSaveFileName(this, tr("Export"), beside,
                                              tr("%1 (*.%2)").arg(tr(row.name), QLatin1String(row.ending)));
  if (path.isEmpty()) return;
  if (QFileInfo(path).suffix().isEmpty()) path += QLatin1Char('.') + QLatin1String(row.ending);
  save(path);
}

}  // namespace tessera
