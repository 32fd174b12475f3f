// Two columns of links: examples, and what was open before.
#include "app/studio/start_page.h"

#include <QCommandLinkButton>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace tessera {
namespace {

constexpr int kColumnWidth = 400, kMostRecent = 8;

QString descriptionOf(const QString& example) {
  static const QHash<QString, const char*> texts{
      {QStringLiteral("mlp_small"), QT_TR_NOOP("A small perceptron: two dot products and their activations")},
      {QStringLiteral("softmax"), QT_TR_NOOP("Softmax over rows: two reductions and a division")},
      {QStringLiteral("attention"), QT_TR_NOOP("One head of attention with its softmax")},
      {QStringLiteral("convnet"), QT_TR_NOOP("Convolutions and pooling over images")},
      {QStringLiteral("nbody"), QT_TR_NOOP("Gravity between bodies, step by step")},
      {QStringLiteral("gpt_tiny_train"), QT_TR_NOOP("A training step of a small language model")},
  };
  return QObject::tr(texts.value(example, ""));
}

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  return label;
}

QVBoxLayout* makeColumn(QHBoxLayout* columns) {
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  column->setAlignment(Qt::AlignTop);
  columns->addLayout(column);
  return column;
}

QCommandLinkButton* makeLink(const QString& title, const QString& description, QWidget* parent) {
  auto* link = new QCommandLinkButton(title, description, parent);
  link->setIcon(QIcon());
  link->setFixedWidth(kColumnWidth);
  link->setCursor(Qt::PointingHandCursor);
  return link;
}

}  // namespace

QString StartPage::examplesFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const char* place : {"../share/tessera/examples", "../../../resources/examples", "resources/examples"})
    if (const QFileInfo folder(program.filePath(QLatin1String(place))); folder.isDir()) return folder.canonicalFilePath();
  return {};
}

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
  auto* page = new QWidget;
  auto* title = new QLabel(tr("Tessera"), page);
  QFont font = title->font();
  font.setPointSizeF(26);
  font.setBold(true);
  title->setFont(font);
  auto* subtitle = new QLabel(tr("Open an HLO file, drop one here, build a graph by hand, or begin with an example."), page);
  auto* open = new QPushButton(tr("Open a file …"), page);
  open->setDefault(true);
  connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
  auto* build = new QPushButton(tr("New graph"), page);
  connect(build, &QPushButton::clicked, this, &StartPage::newWanted);
  auto* doors = new QHBoxLayout;
  doors->addWidget(open);
  doors->addWidget(build);
  doors->addStretch(1);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(36);
  addExamples(makeColumn(columns));
  recent_ = makeColumn(columns);
  columns->addStretch(1);
  auto* inner = new QVBoxLayout(page);
  inner->setContentsMargins(40, 32, 40, 24);
  inner->setSpacing(12);
  inner->addWidget(title);
  inner->addWidget(subtitle);
  inner->addLayout(doors);
  inner->addSpacing(14);
  inner->addLayout(columns);
  inner->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  setRecentFiles({});
}

void StartPage::addExamples(QVBoxLayout* column) {
  const QDir folder(examplesFolder());
  if (examplesFolder().isEmpty()) return;
  column->addWidget(heading(tr("Examples"), this));
  for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Size | QDir::Reversed)) {
    auto* link = makeLink(file.completeBaseName(), descriptionOf(file.completeBaseName()), this);
    connect(link, &QCommandLinkButton::clicked, this, [this, path = file.filePath()] { emit fileChosen(path); });
    column->addWidget(link);
  }
}

void StartPage::setRecentFiles(const QStringList& paths) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (paths.isEmpty()) return;
  recent_->addWidget(heading(tr("Used last"), this));
  for (const QString& path : paths.mid(0, kMostRecent)) {
    const QString folder = QFileInfo(path).path();
    const QString shown = fontMetrics().elidedText(folder, Qt::ElideMiddle, kColumnWidth - 60);
    auto* link = makeLink(QFileInfo(path).fileName(), shown, this);
    link->setToolTip(path);
    connect(link, &QCommandLinkButton::clicked, this, [this, path] { emit fileChosen(path); });
    recent_->addWidget(link);
  }
}

}  // namespace tessera
