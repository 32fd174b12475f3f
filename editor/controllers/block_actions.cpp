// A library that cannot be read is reported and never overwritten. Saving waits for the disk, so a worker does it.
#include "editor/controllers/block_actions.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>
#include <QStandardPaths>
#include <algorithm>
#include <filesystem>
#include <mutex>

#include "core/formats/module_file.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/document/document.h"
#include "editor/panels/palette_panel.h"
#include "editor/panels/popups/add_search.h"
#include "editor/preferences/settings.h"

namespace tessera {
namespace {

QString ownLibrary() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("blocks.tessera-blocks"));
}

// One that is not there is empty.
Result<std::vector<Block>> readLibrary(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::vector<Block>();
  const auto content = readFile(path);
  auto blocks = content ? parseBlocks(*content) : Result<std::vector<Block>>(std::unexpected(content.error()));
  if (!blocks)
    return fail("The block library " + path + " cannot be read, and is not written over; repair it or move it away. " +
                blocks.error().toString());
  return blocks;
}

// Under a known name as its next version. Returns the library, to which another session may have added since it was
// read.
Result<std::vector<Block>> addToLibrary(const std::string& path, Block block) {
  static std::mutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  TESSERA_ASSIGN_OR_RETURN(std::vector<Block> blocks, readLibrary(path));
  const auto known = std::ranges::find(blocks, block.name, &Block::name);
  if (known == blocks.end())
    blocks.push_back(std::move(block));
  else {
    block.version = known->version + 1;
    *known = std::move(block);
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);  // writing says what is wrong
  TESSERA_TRY(writeFileAtomically(path, printBlocks(blocks)));
  return blocks;
}

}  // namespace

BlockActions::BlockActions(Document& document, Canvas& canvas, GraphEditController& graphEdit, PalettePanel& palette,
                           bool remembers, QObject* parent)
    : QObject(parent),
      document_(document),
      canvas_(canvas),
      graphEdit_(graphEdit),
      palette_(palette),
      remembers_(remembers) {
  canvas_.setAcceptDrops(true);
  canvas_.installEventFilter(this);
  connect(&palette_, &PalettePanel::entryChosen, this, [this](const PaletteEntry& entry) {
    if (document_.isOpen() && !document_.isPlainGraph()) graphEdit_.place(entry);
  });
  connect(&palette_, &PalettePanel::blockChosen, this, &BlockActions::place);
  connect(&graphEdit_.search(), &AddSearch::blockChosen, this, &BlockActions::place);
  connect(&document_, &Document::moduleChanged, this, &BlockActions::showOffer);
  connect(&document_, &Document::opened, this, &BlockActions::showOffer);
  if (!remembers_) return;
  const QSettings settings = keptSettings();
  palette_.setFavourites(settings.value(QStringLiteral("favourites")).toStringList());
  palette_.setRecents(settings.value(QStringLiteral("recents")).toStringList());
  connect(&palette_, &PalettePanel::favouritesChanged, this, [this] {
    keepSettings({{QStringLiteral("favourites"), palette_.favourites()}});
  });
  setLibrary(ownLibrary());
}

void BlockActions::setLibrary(const QString& path) {
  path_ = path;
  auto library = readLibrary(path.toStdString());
  if (!library) emit explained(QString::fromStdString(library.error().message));
  blocks_ = std::move(library).value_or(std::vector<Block>());
  spreadBlocks();
}

void BlockActions::spreadBlocks() {
  palette_.setBlocks(blocks_);
  graphEdit_.search().setBlocks(blocks_);
  showOffer();
}

// A block that was saved anew is offered to the graph that uses an older one.
void BlockActions::showOffer() {
  const bool graph = document_.isOpen() && !document_.isPlainGraph() && !blocks_.empty();
  outdated_ = graph ? outdatedUses(document_.module(), blocks_) : std::vector<InstructionId>();
  const size_t count = outdated_.size();
  emit updateOffered(count ? (count == 1 ? tr("The library has a newer version of a block that is used here")
                                         : tr("The library has newer versions of blocks: %1 uses here").arg(count))
                           : QString());
}

void BlockActions::place(const QString& name) {
  const auto found = std::ranges::find(blocks_, name.toStdString(), &Block::name);
  if (found == blocks_.end() || !document_.isOpen() || document_.isPlainGraph()) return;
  graphEdit_.placeBlock([&](const std::vector<InstructionId>& sources) {
    return placingBlock(document_.module(), document_.view().computation(), *found, sources);
  });
}

void BlockActions::saveSelection(const QString& name, const QString& summary) {
  if (!document_.isOpen()) return;
  const std::vector<InstructionId> selected = document_.view().selectedInstructions();
  auto block = blockOf(document_.module(), selected, name.trimmed().toStdString(), summary.toStdString());
  if (!block) return emit explained(QString::fromStdString(block.error().message));
  ++saving_;
  pool_.start([this, path = path_.toStdString(), block = *std::move(block), selected, revision = document_.revision()] {
    QMetaObject::invokeMethod(
        this,
        [this, library = addToLibrary(path, block), name = block.name, selected, revision]() mutable {
          --saving_;
          if (!library) return emit explained(QString::fromStdString(library.error().toString()));
          blocks_ = *std::move(library);
          spreadBlocks();
          emit saved(QString::fromStdString(name));
          if (revision == document_.revision()) return turnInto(name, selected);
          emit explained(tr("The block is saved. The graph was changed meanwhile, so what it was made of stays."));
        },
        Qt::QueuedConnection);
  });
}

// The original is the first use of the block.
void BlockActions::turnInto(const std::string& name, const std::vector<InstructionId>& selected) {
  const auto block = std::ranges::find(blocks_, name, &Block::name);
  auto edit = replacingByBlock(document_.module(), selected, *block);
  if (!edit) return emit explained(tr("The block is saved. %1").arg(QString::fromStdString(edit.error().message)));
  uint32_t call = 0, additions = 0;
  for (const EditAction& action : edit->actions)
    if (const auto* add = std::get_if<AddInstruction>(&action)) {
      if (add->opcode == Opcode::Call) call = additions;
      ++additions;
    }
  QRectF all;
  for (InstructionId id : selected) all |= canvas_.boxOf(id);
  if (!all.isEmpty()) edit->places.push_back({newInstruction(call), {all.center().x() - 50, all.center().y() - 23}});
  document_.perform(*std::move(edit), newInstruction(call));
}

void BlockActions::askForName() {
  if (path_.isEmpty()) setLibrary(ownLibrary());
  bool taken = false;
  const QString name = QInputDialog::getText(&canvas_, tr("Save as a block"),
                                             tr("Name (letters, digits, _ - .); a known name gets its next version:"),
                                             QLineEdit::Normal, QString(), &taken);
  if (taken && !name.trimmed().isEmpty()) saveSelection(name, {});
}

void BlockActions::update() {
  if (!document_.isOpen() || !offersUpdate()) return;
  auto edit = updatingUses(document_.module(), outdated_, blocks_);
  if (!edit) return emit explained(QString::fromStdString(edit.error().toString()));
  document_.perform(*std::move(edit), document_.selected());
}

bool BlockActions::eventFilter(QObject* watched, QEvent* event) {
  if (watched != &canvas_) return QObject::eventFilter(watched, event);
  if (event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove) {
    auto* drag = static_cast<QDragMoveEvent*>(event);
    if (!drag->mimeData()->hasFormat(QLatin1String(kPaletteMime))) {
      drag->ignore();  // a file is the window's
      return true;
    }
    drag->acceptProposedAction();
    return true;
  }
  if (event->type() == QEvent::Drop) {
    auto* drop = static_cast<QDropEvent*>(event);
    if (!drop->mimeData()->hasFormat(QLatin1String(kPaletteMime))) {
      drop->ignore();
      return true;
    }
    drop->acceptProposedAction();
    graphEdit_.aimAt(drop->position());
    palette_.choose(QString::fromUtf8(drop->mimeData()->data(QLatin1String(kPaletteMime))));
    return true;
  }
  if (event->type() == QEvent::Hide && remembers_) keepSettings({{QStringLiteral("recents"), palette_.recents()}});
  return QObject::eventFilter(watched, event);
}

}  // namespace tessera
