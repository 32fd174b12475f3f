// Positions belong to the user: over two thousand random edits (ten thousand in the long tier) no node moves that the
// edit does not name, and undo brings back what stood.
#include <QTest>
#include <map>

#include "core/edit/edit.h"
#include "editor/document/noted_places.h"
#include "editor/document/scene_maker.h"
#include "tests/editor/qt_tests.h"

namespace tessera::places_test {
namespace {

constexpr size_t kMostNodes = 40, kFewestNodes = 6;

// Boxes of nodes and closed groups, by what they show.
using Standing = std::map<std::string, PointF>;

class Editing {
 public:
  explicit Editing(PageFlow flow) : history_(emptyModule()) {
    history_.arrange([&](Project& project) { project.flow = flow; }, "Wires run", {});
    look();
  }

  Standing now() const {
    Standing out;
    for (size_t v = 0; v < scene_.view->nodes.size(); ++v) {
      const ViewNode& node = scene_.view->nodes[v];
      const RectF& box = scene_.arrangement->boxes[v];
      if (node.kind == ViewNode::Kind::Instruction) out["#" + std::to_string(node.instruction.value)] = {box.x, box.y};
      if (node.kind == ViewNode::Kind::CollapsedGroup) out[node.group] = {box.x, box.y};
    }
    return out;
  }
  bool perform(Edit edit) {
    noteAll(edit, module(), *scene_.view, *scene_.arrangement);
    if (!history_.perform(edit)) return false;
    look();
    return true;
  }
  bool undo() {
    if (!history_.canUndo()) return false;
    history_.undo();
    look();
    return true;
  }
  bool redo() {
    if (!history_.canRedo()) return false;
    history_.redo();
    look();
    return true;
  }
  uint64_t state() const { return history_.state(); }
  const Module& module() const { return history_.current(); }
  size_t size() const { return module().at(module().entry()).instructions.size(); }

  uint32_t pick(size_t n) {
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>((random_ >> 33) % n);
  }
  InstructionId any() {
    const auto& all = module().at(module().entry()).instructions;
    return all.empty() ? InstructionId() : all[pick(all.size())];
  }
  Edit next();

 private:
  Edit adding();
  Edit grouping();

  void look() {
    SceneMaker maker(history_.current(), history_.project(), nullptr, true);
    scene_ = maker.make(module().entry(), {}, nullptr);
  }

  History history_;
  Scene scene_;
  uint64_t random_ = 11;
};

Edit Editing::adding() {
  static const Opcode kOpcodes[] = {Opcode::Exponential, Opcode::Negate,   Opcode::Tanh,
                                    Opcode::Add,         Opcode::Multiply, Opcode::Parameter};
  AddInstruction add{module().entry(), kOpcodes[size() == 0 ? 5 : pick(std::size(kOpcodes))], "", {}, {}, {}, ""};
  if (add.opcode == Opcode::Parameter) add.shape = Shape::arrayRowMajor(ElementType::F32, {4});
  for (int k = 0; k < arityOf(add.opcode); ++k) add.operands.push_back(pick(5) == 0 ? InstructionId() : any());
  return {"Add", {add}};
}

Edit Editing::grouping() {
  std::vector<InstructionId> some;
  for (uint32_t k = 0; k <= pick(3); ++k)
    if (const InstructionId id = any(); std::ranges::find(some, id) == some.end()) some.push_back(id);
  return {"Group", {GroupInstructions{some, "block", Opcode::Call, ""}}};
}

Edit Editing::next() {
  if (size() < kFewestNodes) return adding();
  const InstructionId id = any();
  const Instruction& instruction = module().at(id);
  const uint32_t kind = pick(size() > kMostNodes ? 6 : 14);
  if (kind < 3) return {"Delete", {RemoveInstruction{id}}};
  if (kind < 5 && !instruction.operands.empty())
    return {"Wire", {SetOperand{id, static_cast<int32_t>(pick(instruction.operands.size())), any()}}};
  if (kind == 5 && !instruction.operands.empty()) return {"Cut", {SetOperand{id, 0, {}}}};
  if (kind == 6) return {"Rename", {Rename{id, "named" + std::to_string(pick(100000))}}};
  if (kind == 7 && instruction.opcode == Opcode::Parameter)
    return {"Shape", {SetParameterShape{id, Shape::arrayRowMajor(ElementType::F32, {4 + pick(3) * 1000})}}};
  if (kind == 8) return grouping();
  if (kind == 9 && instruction.opcode == Opcode::Call) return {"Inline", {InlineCall{id}}};
  if (kind == 10) return {"Result", {SetRoot{id}}};
  return adding();
}

// What stood and still stands, elsewhere.
QString movedBetween(const Standing& before, const Standing& after) {
  for (const auto& [what, place] : before)
    if (const auto found = after.find(what); found != after.end())
      if (found->second.x != place.x || found->second.y != place.y)
        return QStringLiteral("%1 moved by %2, %3")
            .arg(QString::fromStdString(what))
            .arg(found->second.x - place.x)
            .arg(found->second.y - place.y);
  return {};
}

}  // namespace

class PlacesTest : public QObject {
  Q_OBJECT

 private slots:
  void noNodeMovesThatTheEditDoesNotName_data() {
    QTest::addColumn<int>("flow");
    QTest::newRow("right") << static_cast<int>(PageFlow::Right);
    QTest::newRow("down") << static_cast<int>(PageFlow::Down);
  }
  void noNodeMovesThatTheEditDoesNotName() {
    const int edits = qEnvironmentVariable("TESSERA_TIER") == QLatin1String("long") ? 10000 : 2000;
    QFETCH(int, flow);
    Editing editing(static_cast<PageFlow>(flow));
    std::map<uint64_t, Standing> states{{editing.state(), editing.now()}};
    int done = 0;
    for (int step = 0; step < edits; ++step) {
      const Standing before = editing.now();
      const bool back = editing.pick(12) == 0;
      const uint32_t kind = editing.pick(2);
      const Edit edit = back ? Edit{kind ? "undo" : "redo", {}} : editing.next();
      if (back ? !(kind ? editing.undo() : editing.redo()) : !editing.perform(edit)) continue;
      ++done;
      const QString moved = movedBetween(before, editing.now());
      QVERIFY2(back || moved.isEmpty(),
               qPrintable(QStringLiteral("step %1, %2: %3").arg(step).arg(QString::fromStdString(edit.title), moved)));
      const auto [known, isNew] = states.try_emplace(editing.state(), editing.now());
      const QString other = isNew ? QString() : movedBetween(known->second, editing.now());
      QVERIFY2(other.isEmpty(),
               qPrintable(QStringLiteral("step %1, %2: %3").arg(step).arg(QString::fromStdString(edit.title), other)));
    }
    QVERIFY2(done > edits * 7 / 10, qPrintable(QString::number(done)));
  }
};

TESSERA_QT_TEST(places_test, PlacesTest)
}  // namespace tessera::places_test
#include "places_test.moc"
