// Entries, examples with their pictures, and what was open before. Pictures are drawn by a worker from the files
// themselves.
#include "app/studio/start/start_page.h"

#include <QClipboard>
#include <QCommandLinkButton>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "app/shared/manual.h"
#include "app/studio/start/tour_guide.h"
#include "core/formats/module_file.h"
#include "editor/canvas/render.h"
#include "editor/document/scene_maker.h"
#include "editor/lessons/lesson.h"
#include "editor/lessons/lesson_progress.h"
#include "editor/look/type_scale.h"
#include "editor/preferences/preferences.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

constexpr int kColumnWidth = 330, kMaxRecent = 5;
constexpr QSize kThumbnail(76, 52);
constexpr qint64 kLargestPictured = 100000;  // bytes of a file that is drawn

QString descriptionOf(const QString& example) {
  static const QHash<QString, const char*> texts{
      {QStringLiteral("mlp_small"), QT_TR_NOOP("Two dot products and their activations")},
      {QStringLiteral("softmax"), QT_TR_NOOP("Two reductions and a division")},
      {QStringLiteral("attention"), QT_TR_NOOP("One head with its softmax")},
      {QStringLiteral("convnet"), QT_TR_NOOP("Convolutions and pooling over images")},
      {QStringLiteral("nbody"), QT_TR_NOOP("Gravity between bodies, step by step")},
      {QStringLiteral("game_of_life"), QT_TR_NOOP("Cells that live and die: press play")},
      {QStringLiteral("gpt_tiny_train"), QT_TR_NOOP("A training step of a language model")},
      {QStringLiteral("data_parallel"), QT_TR_NOOP("A training step on four devices")},
  };
  return QObject::tr(texts.value(example, ""));
}

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new PlainLabel(text, parent);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  return label;
}

// A link with the face of a button: what looks like a heading is not clicked. Its title has as many lines as it needs.
class FramedLink : public QCommandLinkButton {
 public:
  using QCommandLinkButton::QCommandLinkButton;

  int heightForWidth(int width) const override {
    const int text = titleIn(textArea(width)).height() + wordsIn(textArea(width)).height();
    return std::max(text, icon().isNull() ? 0 : iconSize().height()) + 2 * kMargin;
  }
  QSize sizeHint() const override { return {kColumnWidth, heightForWidth(kColumnWidth)}; }
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    option.icon = {};
    painter.drawControl(QStyle::CE_PushButton, option);
    if (isDefault()) {
      painter.setRenderHint(QPainter::Antialiasing);
      painter.setPen(QPen(palette().color(QPalette::Highlight), 1.6));
      painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    }
    icon().paint(&painter, QRect(QPoint(kMargin, kMargin), iconSize()));
    painter.setPen(palette().color(QPalette::ButtonText));
    const QRect title = titleIn(textArea(width()));
    painter.setFont(titleFont());
    painter.drawText(title, Qt::TextWordWrap, text());
    painter.setFont(font());
    painter.drawText(wordsIn(textArea(width())).translated(0, title.height()), Qt::TextWordWrap, description());
  }

 private:
  static constexpr int kMargin = 10, kBesideIcon = 6;

  QFont titleFont() const {
    QFont out = font();
    out.setBold(true);
    return out;
  }
  QRect textArea(int width) const {
    const int left = kMargin + (icon().isNull() ? 0 : iconSize().width() + kBesideIcon);
    return {left, kMargin, width - left - kMargin, QWIDGETSIZE_MAX};
  }
  QRect titleIn(const QRect& area) const {
    return QFontMetrics(titleFont()).boundingRect(area, Qt::TextWordWrap, text());
  }
  QRect wordsIn(const QRect& area) const { return fontMetrics().boundingRect(area, Qt::TextWordWrap, description()); }
};

QCommandLinkButton* makeLink(const QString& title, const QString& description, QWidget* parent) {
  auto* link = new FramedLink(title, description, parent);
  link->setIcon(QIcon());
  link->setFixedWidth(kColumnWidth);
  link->setCursor(Qt::PointingHandCursor);
  return link;
}

// The entry as the canvas draws it; null where the file is too large to be drawn in passing.
QImage thumbnailOf(const QString& path, Theme theme) {
  if (QFileInfo(path).size() > kLargestPictured) return {};
  ReadResult read = readModule(path.toStdString());
  if (!read.module) return {};
  const ComputationId entry = read.module->entry();
  SceneMaker scenes(std::move(*read.module));
  const Scene scene = scenes.make(entry, scenes.initialOptions(entry), nullptr);
  return renderToImage(*scene.picture, kThumbnail * 2, theme);
}

// What windows of this program have drawn.
std::map<std::pair<QString, Theme>, QImage>& drawn() {
  static std::map<std::pair<QString, Theme>, QImage> images;
  return images;
}

void setThumbnail(QCommandLinkButton& link, const QImage& image) {
  if (image.isNull()) return;
  link.setIcon(QIcon(QPixmap::fromImage(image)));
  link.setIconSize(kThumbnail);
}

// The command that writes a dump: the first one of the manual's chapter on it. Empty where there is no manual.
QString dumpCommand() {
  const auto chapter = manualChapter("import");
  if (!chapter) return {};
  const QString text = QString::fromStdString(*chapter);
  return text.section(QStringLiteral("```sh"), 1, 1).section(QLatin1Char('\n'), 1, 1);
}

}  // namespace

QString StartPage::examplesFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const char* place : {"../share/tessera/examples", "../../../resources/examples", "resources/examples"})
    if (const QFileInfo folder(program.filePath(QLatin1String(place))); folder.isDir())
      return folder.canonicalFilePath();
  return {};
}

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
  auto* page = new QWidget;
  auto* title = new PlainLabel(tr("Tessera"), page);
  keepFont(*title, [] {
    QFont font = sized(QApplication::font(), TypeSize::Title);
    font.setBold(true);
    return font;
  });
  auto* inner = new QVBoxLayout(page);
  inner->setContentsMargins(20, 16, 12, 12);
  inner->setSpacing(4);
  inner->addWidget(title);
  inner->addSpacing(8);
  const auto entry = [&](const QString& text, const QString& what, auto signal) {
    QCommandLinkButton* link = makeLink(text, what, page);
    connect(link, &QCommandLinkButton::clicked, this, signal);
    inner->addWidget(link);
    return link;
  };
  QCommandLinkButton* build =
      entry(tr("Build your own"), tr("An empty graph; one more click gives its first value"), &StartPage::newWanted);
  build->setObjectName(QStringLiteral("build"));
  build->setDefault(true);  // it stands out
  learn_ = entry(tr("Learn"), tr("Nine lessons: small graphs, what to drag and find out"), &StartPage::lessonsWanted);
  learn_->setObjectName(QStringLiteral("learn"));
  entry(tr("Open a dump"), tr("HLO text, protobuf, StableHLO, a project; or drop one here"), &StartPage::openWanted)
      ->setObjectName(QStringLiteral("open"));
  addDumpHelp(inner);
  inner->addSpacing(8);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(4);
  addExamples(inner);
  inner->addSpacing(8);
  addTours(inner);
  inner->addSpacing(8);
  inner->addLayout(recent_);
  inner->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  setFixedWidth(kColumnWidth + 44);
  setRecentFiles({});
}

// Behind the card that opens a dump: how to get one.
void StartPage::addDumpHelp(QVBoxLayout* column) {
  const QString command = dumpCommand();
  if (command.isEmpty()) return;
  auto* how = new QPushButton(tr("How to get a dump"), this);
  auto* copy = new QPushButton(tr("Copy the command"), this);
  how->setObjectName(QStringLiteral("import help"));
  copy->setObjectName(QStringLiteral("copy dump command"));
  copy->setToolTip(asPlainText(command));
  for (QPushButton* button : {how, copy}) button->setFlat(true);
  connect(how, &QPushButton::clicked, this, &StartPage::importHelpWanted);
  connect(copy, &QPushButton::clicked, this, [copy, command] {
    QGuiApplication::clipboard()->setText(command);
    copy->setText(tr("Copied"));
  });
  auto* row = new QHBoxLayout;
  row->addWidget(how);
  row->addWidget(copy);
  row->addStretch(1);
  column->addLayout(row);
}

void StartPage::addTours(QVBoxLayout* column) {
  const std::vector<Tour> tours = toursIn(TourGuide::folder());
  if (tours.empty()) return;
  column->addWidget(heading(tr("Guided tours: what was found in programs"), this));
  for (const Tour& tour : tours) {
    auto* link = makeLink(tour.title, tour.summary, this);
    link->setObjectName(QStringLiteral("tour ") + QFileInfo(tour.path).completeBaseName());
    connect(link, &QCommandLinkButton::clicked, this, [this, tour] { emit tourWanted(tour); });
    column->addWidget(link);
  }
}

void StartPage::addExamples(QVBoxLayout* column) {
  const QDir folder(examplesFolder());
  if (examplesFolder().isEmpty()) return;
  column->addWidget(heading(tr("Examples"), this));
  for (const QFileInfo& file :
       folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Size | QDir::Reversed)) {
    auto* link = makeLink(file.completeBaseName(), descriptionOf(file.completeBaseName()), this);
    link->setObjectName(QStringLiteral("example ") + file.completeBaseName());
    connect(link, &QCommandLinkButton::clicked, this, [this, path = file.filePath()] { emit fileChosen(path); });
    column->addWidget(link);
    examples_.push_back({file.filePath(), link});
  }
}

void StartPage::showThumbnails(Theme theme) {
  wanted_ = theme;
  if (isVisible()) drawThumbnails();
}

void StartPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  drawThumbnails();
  sayWhereLessonsGoOn();
}

void StartPage::sayWhereLessonsGoOn() {
  if (preferences().lesson.empty()) return;
  const int next = lessonToGoOnWith();
  learn_->setDescription(tr("Lesson %1 of %2: %3")
                             .arg(next + 1)
                             .arg(lessons().size())
                             .arg(toQString(lessons()[static_cast<size_t>(next)].title)));
}

void StartPage::drawThumbnails() {
  if (!wanted_) return;
  const Theme theme = *std::exchange(wanted_, std::nullopt);
  for (const auto& [path, link] : examples_)
    if (const auto known = drawn().find({path, theme}); known != drawn().end())
      setThumbnail(*link, known->second);
    else
      background_.start(0, [path, theme, link]() -> Background::Answer {
        return [path, theme, link, image = thumbnailOf(path, theme)] {
          drawn()[{path, theme}] = image;
          setThumbnail(*link, image);
        };
      });
}

void StartPage::setRecentFiles(const QStringList& paths) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (paths.isEmpty()) return;
  recent_->addWidget(heading(tr("Recent"), this));
  for (const QString& path : paths.mid(0, kMaxRecent)) {
    const QString folder = QFileInfo(path).path();
    const QString shown = fontMetrics().elidedText(folder, Qt::ElideMiddle, kColumnWidth - 60);
    auto* link = makeLink(QFileInfo(path).fileName(), shown, this);
    link->setToolTip(asPlainText(path));
    connect(link, &QCommandLinkButton::clicked, this, [this, path] { emit fileChosen(path); });
    recent_->addWidget(link);
  }
}

}  // namespace tessera
