// See preferences_dialog.h. One function a row.
#include "app/studio/preferences/preferences_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>

#include "app/studio/preferences/preference_control.h"
#include "backends/kernel_cache_folder.h"
#include "editor/preferences/preferences.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kFolderLines = 5;
}

PreferencesDialog::PreferencesDialog(PreferenceControl& control, std::string cacheFolder, QWidget* parent)
    : QDialog(parent), control_(control), cacheFolder_(std::move(cacheFolder)) {
  setWindowTitle(tr("Preferences"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* form = new QFormLayout;
  addTheme(*form);
  addFont(*form);
  addAnimations(*form);
  addThreads(*form);
  addTileCache(*form);
  addSourceFolders(*form);
  addCache(*form);
  auto* keys = new QPushButton(tr("Change keys …"), this);
  keys->setObjectName(QStringLiteral("keys"));
  connect(keys, &QPushButton::clicked, this, [this] {
    connect(this, &QObject::destroyed, &control_, &PreferenceControl::keysWanted, Qt::QueuedConnection);
    close();
  });
  form->addRow(tr("Keys"), keys);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addStretch(1);
  layout->addWidget(buttons);
  for (QPushButton* each : findChildren<QPushButton*>()) each->setAutoDefault(false);  // Enter takes a typed value
}

void PreferencesDialog::addTheme(QFormLayout& form) {
  auto* theme = new QComboBox(this);
  theme->setObjectName(QStringLiteral("theme"));
  theme->addItems({tr("As the system"), tr("Light"), tr("Dark")});  // in the order of ThemeChoice
  theme->setCurrentIndex(static_cast<int>(control_.themeChoice()));
  connect(theme, &QComboBox::currentIndexChanged, this,
          [this](int row) { control_.chooseTheme(static_cast<ThemeChoice>(row)); });
  form.addRow(tr("&Theme"), theme);
}

void PreferencesDialog::addFont(QFormLayout& form) {
  auto* size = new QDoubleSpinBox(this);
  size->setObjectName(QStringLiteral("fontSize"));
  size->setRange(PreferenceControl::kSmallestFont, PreferenceControl::kLargestFont);
  size->setDecimals(1);
  size->setSingleStep(0.5);
  size->setSuffix(tr(" pt"));
  size->setValue(control_.fontSize());
  connect(size, &QDoubleSpinBox::valueChanged, this, [this](double points) { control_.setFontSize(points); });
  form.addRow(tr("&Font size"), size);
}

void PreferencesDialog::addAnimations(QFormLayout& form) {
  auto* on = new QCheckBox(tr("Views glide to their new place"), this);
  on->setObjectName(QStringLiteral("animations"));
  on->setChecked(preferences().animations);
  connect(on, &QCheckBox::toggled, this, [this](bool checked) { control_.setAnimations(checked); });
  form.addRow(tr("Transitions"), on);
}

void PreferencesDialog::addThreads(QFormLayout& form) {
  auto* threads = new QSpinBox(this);
  threads->setObjectName(QStringLiteral("threads"));
  threads->setRange(0, std::max(QThread::idealThreadCount(), preferences().threads));
  threads->setSpecialValueText(tr("all cores (%1)").arg(QThread::idealThreadCount()));
  threads->setValue(preferences().threads);
  threads->setToolTip(tr("Of runs whose document names no number"));
  connect(threads, &QSpinBox::valueChanged, this, [this](int count) { control_.setThreads(count); });
  form.addRow(tr("T&hreads of a run"), threads);
}

void PreferencesDialog::addTileCache(QFormLayout& form) {
  auto* mb = new QSpinBox(this);
  mb->setObjectName(QStringLiteral("tileCache"));
  mb->setRange(PreferenceControl::kSmallestTileCache, PreferenceControl::kLargestTileCache);
  mb->setSuffix(tr(" MB"));
  mb->setValue(preferences().tileCacheMb);
  mb->setToolTip(tr("Parts of graphs that were painted, kept for when they come into sight again"));
  connect(mb, &QSpinBox::valueChanged, this, [this](int size) { control_.setTileCache(size); });
  form.addRow(tr("Cache of the &graph's pictures"), mb);
}

void PreferencesDialog::addSourceFolders(QFormLayout& form) {
  folders_ = new QListWidget(this);
  folders_->setObjectName(QStringLiteral("sourceFolders"));
  folders_->setAccessibleName(tr("Folders of sources"));
  folders_->setTextElideMode(Qt::ElideMiddle);
  folders_->setMaximumHeight(fontMetrics().height() * kFolderLines);
  folders_->addItems(control_.sourceFolders());
  auto* add = new QPushButton(tr("Add …"), this);
  auto* remove = new QPushButton(tr("Remove"), this);
  remove->setObjectName(QStringLiteral("removeFolder"));
  remove->setEnabled(false);
  connect(folders_, &QListWidget::currentRowChanged, remove, [remove](int row) { remove->setEnabled(row >= 0); });
  connect(add, &QPushButton::clicked, this, &PreferencesDialog::addFolder);
  connect(remove, &QPushButton::clicked, this, [this] {
    QStringList left = control_.sourceFolders();
    left.removeAt(folders_->currentRow());
    delete folders_->takeItem(folders_->currentRow());
    control_.setSourceFolders(left);
  });
  auto* buttons = new QVBoxLayout;
  buttons->addWidget(add);
  buttons->addWidget(remove);
  buttons->addStretch(1);
  auto* row = new QHBoxLayout;
  row->addWidget(folders_, 1);
  row->addLayout(buttons);
  form.addRow(tr("Folders of sources"), row);
}

void PreferencesDialog::addFolder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Source files are below this folder"));
  if (folder.isEmpty() || control_.sourceFolders().contains(folder)) return;
  folders_->addItem(folder);
  control_.setSourceFolders(control_.sourceFolders() + QStringList{folder});
}

void PreferencesDialog::addCache(QFormLayout& form) {
  cache_ = new PlainLabel(this);
  cache_->setObjectName(QStringLiteral("cache"));
  auto* empty = new QPushButton(tr("Empty"), this);
  empty->setObjectName(QStringLiteral("emptyCache"));
  empty->setEnabled(!cacheFolder_.empty());
  connect(empty, &QPushButton::clicked, this, &PreferencesDialog::emptyCache);
  auto* row = new QHBoxLayout;
  row->addWidget(cache_, 1);
  row->addWidget(empty);
  form.addRow(tr("Compiled kernels"), row);
  showCache();
}

void PreferencesDialog::showCache() {
  if (cacheFolder_.empty()) return cache_->setText(tr("none are kept"));
  cache_->setText(
      tr("%1 in %2")
          .arg(QLocale().formattedDataSize(kernelCacheBytes(cacheFolder_)), QString::fromStdString(cacheFolder_)));
}

void PreferencesDialog::emptyCache() {
  if (const auto freed = emptyKernelCache(cacheFolder_); !freed)
    return cache_->setText(QString::fromStdString(freed.error().toString()));
  showCache();
}

}  // namespace tessera
