// See argument_sources.h. Words are those of core/evaluate/argument_source.
#include "editor/controllers/argument_sources.h"

#include <QActionGroup>
#include <QFileDialog>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "core/evaluate/argument_source.h"
#include "core/evaluate/usual_sources.h"
#include "core/hlo/element_type.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/panels/popups/value_field.h"

namespace tessera {
namespace {

constexpr const char* kMenuName = "argument-menu";

// What is typed; a number alone is a constant.
std::string typedSource(const QString& text) {
  bool isNumber = false;
  text.trimmed().toDouble(&isNumber);
  return (isNumber ? "constant " : "") + text.trimmed().toStdString();
}

}  // namespace

ArgumentSources::ArgumentSources(Document& document, Canvas& canvas, QObject* parent)
    : QObject(parent), document_(document), canvas_(canvas), field_(new ValueField(&canvas)) {
  field_->setAround([&canvas] { return canvas.boxesInSight(); });
  connect(&canvas_, &Canvas::argumentClicked, this, &ArgumentSources::open);
  connect(&document_, &Document::opened, field_, &QWidget::hide);
  connect(&document_.live(), &LiveValues::changed, this, &ArgumentSources::sayWhyThereAreNone);
}

// Empty: nothing.
QString ArgumentSources::whatIsWrong() const {
  const QString& failure = document_.live().failure();
  if (!failure.isEmpty()) return tr("No values: %1").arg(failure);
  QStringList out;
  for (const auto& [id, reason] : document_.live().faults()) {
    if (!document_.module().contains(id)) continue;
    const std::string_view name = document_.module().at(id).name;
    out << tr("No value for %1 and what depends on it: %2")
               .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), reason);
  }
  return out.join(QLatin1Char('\n'));
}

// A file that cannot be the values leaves nodes without them. What is not allowed is asked for elsewhere.
void ArgumentSources::sayWhyThereAreNone() {
  const auto& sources = document_.runSettings().sources;
  const bool readsFile =
      std::ranges::any_of(sources, [](const auto& each) { return fileOfSource(each.second).has_value(); });
  const bool isSaid = readsFile && document_.asks().empty();
  const QString before = std::exchange(said_, isSaid ? whatIsWrong() : QString());
  if (said_ == before) return;
  if (!before.isEmpty()) emit isOver(before);
  if (!said_.isEmpty()) emit explained(said_);
}

bool ArgumentSources::isArgument(InstructionId id) const {
  if (!document_.isOpen() || document_.isPlainGraph() || !document_.module().contains(id)) return false;
  const Instruction& instruction = document_.module().at(id);
  return instruction.opcode == Opcode::Parameter && instruction.computation == document_.module().entry() &&
         instruction.shape->isArray();
}

std::string ArgumentSources::sourceOf(InstructionId parameter) const {
  const int64_t leaf = firstLeafOf(document_.module(), parameter);
  const RunSettings& settings = document_.runSettings();
  if (const auto said = settings.sources.find(leaf); said != settings.sources.end()) return said->second;
  const auto usual = usualSources(document_.module());
  return settings.usual && static_cast<size_t>(leaf) < usual.size() ? usual[static_cast<size_t>(leaf)] : "rule";
}

void ArgumentSources::set(InstructionId parameter, const std::string& words) {
  if (!isArgument(parameter)) return;
  RunSettings settings = document_.runSettings();
  const int64_t leaf = firstLeafOf(document_.module(), parameter);
  if (words.empty())
    settings.sources.erase(leaf);
  else
    settings.sources[leaf] = words;
  const auto name = document_.module().at(parameter).name;
  document_.setRunSettings(std::move(settings),
                           tr("Values of %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))));
}

void ArgumentSources::type(InstructionId parameter, const std::string& words) {
  disconnect(field_, &ValueField::entered, this, nullptr);
  connect(field_, &ValueField::entered, this,
          [this, parameter](const QString& text) { set(parameter, typedSource(text)); });
  const QRect box = canvas_.viewport().toWidget(canvas_.boxOf(parameter)).toAlignedRect();
  field_->standBeside({box});
  field_->openAt(box.topLeft() - QPoint(0, 40), tr("values"), QString::fromStdString(words), [](const QString& text) {
    const Status fine = checkArgumentSource(typedSource(text));
    return fine ? QString() : QString::fromStdString(fine.error().message);
  });
}

void ArgumentSources::chooseFile(InstructionId parameter, bool image) {
  const QString file =
      QFileDialog::getOpenFileName(&canvas_, image ? tr("An image for the input") : tr("An array for the input"), {},
                                   image ? tr("Pictures (*.png *.jpg *.jpeg *.bmp *.gif *.pgm *.ppm);;All files (*)")
                                         : tr("Arrays (*.npy);;All files (*)"));
  if (!file.isEmpty()) set(parameter, (image ? "image " : "npy ") + file.toStdString());
}

void ArgumentSources::fill(QMenu& menu, InstructionId parameter) {
  const std::string now = sourceOf(parameter);
  const ElementType element = document_.module().shapeOf(parameter).type;
  const bool said = document_.runSettings().sources.contains(firstLeafOf(document_.module(), parameter));
  auto* one = new QActionGroup(&menu);
  bool marked = false;
  const auto choice = [&](const QString& text, bool isNow) {
    QAction* action = one->addAction(menu.addAction(text));
    action->setCheckable(true);
    action->setChecked(isNow && !marked);
    marked = marked || isNow;
    return action;
  };
  const auto add = [&](const QString& text, const std::string& words) {
    connect(choice(text, words.empty() ? !said : said && words == now), &QAction::triggered, this,
            [this, parameter, words] { set(parameter, words); });
  };
  const auto ask = [&](const QString& text, const std::string& words, bool isNow) {
    connect(choice(text, isNow), &QAction::triggered, this, [this, parameter, words] { type(parameter, words); });
  };
  const auto isOf = [&](std::string_view kind) { return said && now.starts_with(kind); };
  add(tr("&Usual values: %1")
          .arg(QString::fromStdString(shortSource(
              document_.runSettings().usual
                  ? usualSources(document_.module())[static_cast<size_t>(firstLeafOf(document_.module(), parameter))]
                  : "rule"))),
      {});
  menu.addSeparator();
  if (isFloat(element)) {
    add(tr("&Normal"), "normal 0 1");
    add(tr("Uni&form 0 … 1"), "uniform 0 1");
    add(tr("&Ramp 0 … 1"), "ramp 0 1");
  } else {
    add(tr("Uni&form 0 … 9"), "uniform 0 9");
    add(tr("&Ramp 0 … 9"), "ramp 0 9");
  }
  add(tr("&Zeros"), "constant 0");
  add(tr("&Ones"), "constant 1");
  menu.addSeparator();
  ask(tr("&Constant …"), now.starts_with("constant ") ? now.substr(9) : "0.5", isOf("constant "));
  const bool isFile = isOf("image ") || isOf("npy ");
  ask(tr("&Type it: normal 0 0.5, uniform -1 1, ramp 0 9 …"), now, said && !isFile);
  const auto file = [&](const QString& title, bool image) {
    connect(choice(title, isOf(image ? "image " : "npy ")), &QAction::triggered, this,
            [this, parameter, image] { chooseFile(parameter, image); });
  };
  file(tr("&Image …"), true);
  file(tr("n&py file …"), false);
  if (document_.module().shapeOf(parameter).isScalar())
    connect(menu.addAction(tr("&Slider")), &QAction::triggered, this, [this, parameter] {
      document_.select({parameter});
      emit canvas_.valueWanted(parameter);
    });
}

void ArgumentSources::open(InstructionId parameter, QPointF widget) {
  if (!isArgument(parameter)) return;
  auto* menu = new QMenu(&canvas_);
  menu->setObjectName(QLatin1String(kMenuName));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fill(*menu, parameter);
  menu->popup(canvas_.mapToGlobal(widget.toPoint()));
}

void ArgumentSources::openForSelection() {
  const InstructionId id = document_.selected();
  if (!isArgument(id)) return emit hinted(tr("Select an input of the program first."));
  const QRectF box = canvas_.viewport().toWidget(canvas_.boxOf(id));
  open(id, box.bottomLeft());
}

}  // namespace tessera
