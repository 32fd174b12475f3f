// What the lessons say is so: every sentence with a fact (steps, answers and their reasons) stands beside what it is
// read from in the graph of the lesson: values on the canvas, shapes, places in memory.
#include <QRegularExpression>
#include <functional>

#include "app/studio/window/panels.h"
#include "core/edit/edit.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/numbers.h"
#include "editor/attributes/permutation_row.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/layout_lab/dimension_chips.h"
#include "editor/lessons/lesson.h"
#include "editor/panels/inspect/inspector.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"

namespace tessera::lesson_claims_test {

// A lesson that was begun.
class Begun {
 public:
  explicit Begun(int lesson) {
    hand_.window().pane().lessons().begin(lesson);
    hand_.settle();
  }
  Hand& hand() { return hand_; }
  const Instruction& at(const char* name) { return hand_.at(hand_.named(name)); }
  const Shape& shape(const char* name) { return hand_.module().shapeOf(hand_.named(name)); }
  int64_t size(const char* name, size_t dimension) { return shape(name).dimensions[dimension]; }
  std::string shown(const char* name) { return toString(shape(name), false); }
  // As the strip of its node has it.
  double value(const char* name, int64_t element = 0) {
    const Literal* literal = hand_.document().live().valueOf(hand_.named(name));
    if (!literal) qFatal("no value is shown");
    const ElementType type = literal->shape().type;
    return loadDouble(type, literal->bytes().data() + element * byteWidth(type));
  }
  std::vector<double> values(const char* name, int64_t first, int64_t count) {
    std::vector<double> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(value(name, first + i));
    return out;
  }
  Begun& set(double number) {  // what the handle is dragged to
    return play(QStringLiteral("source 0 constant %1").arg(number));
  }
  Begun& attribute(const char* name, Attr attribute, const char* text) {
    hand_.document().perform({"Attribute", {SetAttribute{hand_.named(name), attribute, text}}});
    hand_.settle();
    return *this;
  }
  // Of an element of x, under a layout.
  int64_t placeOf(const char* layout, std::vector<int64_t> index) { return mapOf(layout).linearIndex(index); }
  MemoryMap mapOf(const char* layout) { return MemoryMap::of(parseShape(layout).value()).value(); }
  std::string ownShape(const char* name) { return toString(shape(name)); }

 private:
  Begun& play(const QString& command) {
    if (!playCommand(hand_.window(), command)) qFatal("refused");
    hand_.settle();
    return *this;
  }
  Hand hand_;
};

struct Claim {
  std::string_view words;  // a part of the lesson's words
  std::function<bool(Begun&)> holds;
};

std::vector<Claim> claimsOf(std::string_view lesson) {
  using Numbers = std::vector<double>;
  if (lesson == "broadcast")
    return {
        {"is more than 6. All six elements move.",
         [](Begun& b) {
           const Numbers before = b.values("sum", 0, 6), after = b.set(5.5).values("sum", 0, 6);
           bool move = before[0] <= 6 && after[0] > 6;
           for (size_t i = 0; i < 6; ++i) move = move && before[i] != after[i];
           return move;
         }},
        {"is a broadcast, too, with <code>dimensions={1}</code>",
         [](Begun& b) { return b.hand().text().find("broadcast(%row), dimensions={1}") != std::string::npos; }},
        {"Dimension 0 has size 2: three numbers do not fit.",
         [](Begun& b) { return b.size("rows", 0) == 2 && b.shown("row") == "f32[3]"; }},
        {"Dimension 1 has size 3, and along dimension 0 the row is repeated.",
         [](Begun& b) { return b.size("rows", 1) == 3 && b.values("rows", 0, 3) == b.values("rows", 3, 3); }},
        {"Only a value of two numbers lies along a dimension of size 2.",
         [](Begun& b) { return b.size("rows", 0) == 2; }},
        {"Sizes have to agree: the field and the node say which do not. Ctrl+Z takes it back.",
         [](Begun& b) {
           b.attribute("rows", Attr::dimensions, "{0}");
           const bool isRefused = !b.hand().document().diagnostics().empty();
           b.hand().undo();
           return isRefused && b.hand().document().diagnostics().empty();
         }},
        {"type <code>{0}</code> for <i>dimensions</i>", [](Begun& b) { return b.shown("rows") == "f32[2,3]"; }},
    };
  if (lesson == "transpose")
    return {
        {"counts from 0 to 23, and <b>reshape</b> cuts it into <code>f32[2,3,4]</code>, the last dimension first.",
         [](Begun& b) {
           return b.value("line", 0) == 0 && b.value("line", 23) == 23 && b.shown("block") == "f32[2,3,4]" &&
                  b.values("block", 0, 24) == b.values("line", 0, 24);
         }},
        {"Element (0, 0, 1) is 1", [](Begun& b) { return b.value("block", 1) == 1; }},
        {"A step along dimension 1 passes a whole row of four.",
         [](Begun& b) { return b.value("block", 4) == 4 && b.size("block", 2) == 4; }},
        {"That is element (1, 0, 0): a step along dimension 0 passes 3 × 4 numbers.",
         [](Begun& b) { return b.value("block", 12) == 12 && b.size("block", 1) == 3 && b.size("block", 2) == 4; }},
        {"until its shape is <code>f32[3,4,2]</code>",
         [](Begun& b) {
           return b.shown("turned") != "f32[3,4,2]" &&
                  b.attribute("turned", Attr::dimensions, "{1,2,0}").shown("turned") == "f32[3,4,2]";
         }},
        {"is more than 30: values change, shapes do not.",
         [](Begun& b) {
           const std::string shape = b.shown("turned");
           return b.value("turned", 23) <= 30 && b.set(2).value("turned", 23) > 30 && b.shown("turned") == shape;
         }},
        {"the order of the elements; transpose changes that of the dimensions",  // the caption of its chips, too
         [](Begun& b) {
           const auto* row = b.hand().window().panels().inspector->findChild<PermutationRow*>();
           const auto* chips = row ? row->findChild<DimensionChips*>() : nullptr;
           if (!chips || !chips->captions().first.contains("becomes dimension 0")) return false;
           for (size_t i = 0; i < 3; ++i)
             if (b.size("turned", i) != b.size("block", static_cast<size_t>(chips->order()[i]))) return false;
           return true;
         }},
    };
  if (lesson == "layout")
    return {
        {"is <code>f32[2,3]{0,1}</code>", [](Begun& b) { return b.ownShape("x") == "f32[2,3]{0,1}"; }},
        {"Dimension 0 comes first in {0,1}: columns lie together.",
         [](Begun& b) {
           return b.placeOf("f32[2,3]{0,1}", {1, 0}) == b.placeOf("f32[2,3]{0,1}", {0, 0}) + 1;
         }},
        {"They would be for {1,0}.",
         [](Begun& b) {
           return b.placeOf("f32[2,3]{1,0}", {0, 1}) == b.placeOf("f32[2,3]{1,0}", {0, 0}) + 1;
         }},
        {"until dimension 1 comes first", [](Begun& b) { return b.ownShape("x") != "f32[2,3]{1,0}"; }},
        {"At which place of the memory does it lie now?", [](Begun& b) { return b.shown("x") == "f32[2,3]"; }},
        {"That was its place before: now a whole row of three comes first.",
         [](Begun& b) {
           return b.placeOf("f32[2,3]{0,1}", {1, 0}) == 1;
         }},
        {"That is element (0, 2).",
         [](Begun& b) {
           return b.placeOf("f32[2,3]{1,0}", {0, 2}) == 2;
         }},
        {"1 · 3 + 0 · 1 = 3",
         [](Begun& b) {
           return b.placeOf("f32[2,3]{1,0}", {1, 0}) == 3;
         }},
    };
  if (lesson == "tiles")
    return {
        {"is <code>f32[3,5]{1,0:T(2,2)}</code>", [](Begun& b) { return b.ownShape("x") == "f32[3,5]{1,0:T(2,2)}"; }},
        {"Four tiles have room for 16 elements, but only four columns wide.",
         [](Begun& b) { return b.size("x", 1) > 4; }},
        {"Two rows of tiles and three columns of them; what they do not fill is padding.",
         [](Begun& b) {
           return (b.size("x", 0) + 1) / 2 == 2 && (b.size("x", 1) + 1) / 2 == 3 &&
                  b.mapOf("f32[3,5]{1,0:T(2,2)}").positions() == 6 * 4;
         }},
        {"That is the number of elements.", [](Begun& b) { return b.size("x", 0) * b.size("x", 1) == 15; }},
        {"How many of the 24 places in memory are padding?",
         [](Begun& b) { return b.mapOf("f32[3,5]{1,0:T(2,2)}").positions() == 24; }},
        {"24 − 15 is more than that.", [](Begun&) { return 24 - 15 > 1; }},
        {"24 − 15: the panel hatches them.",
         [](Begun& b) { return b.mapOf("f32[3,5]{1,0:T(2,2)}").wasteBytes() == 9 * 4; }},
        {"3 and 5 are no multiples of 2.", [](Begun& b) { return b.size("x", 0) % 2 == 1 && b.size("x", 1) % 2 == 1; }},
        {"without tiles, and apply it: the padding goes.",
         [](Begun& b) { return b.mapOf("f32[3,5]{1,0}").wasteBytes() == 0; }},
    };
  if (lesson == "reduce")
    return {
        {"reduces <code>f32[2,3]</code> over dimension 0.", [](Begun& b) { return b.shown("scaled") == "f32[2,3]"; }},
        {"Dimension 0 goes, three sums stay.",
         [](Begun& b) {
           return b.values("down", 0, 3) == Numbers{5, 7, 9} && b.shown("down") == "f32[3]";
         }},
        {"That is across, which reduces over dimension 1.", [](Begun& b) { return b.shown("across") == "f32[2]"; }},
        {"The dimension goes; it does not become 1.", [](Begun& b) { return b.shape("down").rank() == 1; }},
        {"is more than 10.", [](Begun& b) { return b.value("down") <= 10 && b.set(3).value("down") > 10; }},
        {"to see <i>add</i> at work", [](Begun& b) { return b.hand().module().findComputation("add").has_value(); }},
    };
  if (lesson == "dot")
    return {
        {"is 2 × 3", [](Begun& b) { return b.shown("left") == "f32[2,3]" && b.shown("columns") == "f32[3,4]"; }},
        {"2 is the size of the rows of the product.", [](Begun& b) { return b.size("product", 0) == 2; }},
        {"Both have it: element by element they are multiplied and added up.",
         [](Begun& b) {
           double sum = 0;
           for (int64_t k = 0; k < 3; ++k) sum += b.value("left", 3 + k) * b.value("columns", 4 * k + 3);
           return b.size("left", 1) == 3 && b.size("columns", 0) == 3 && b.value("product", 7) == sum;
         }},
        {"4 is the size of the columns of the product.", [](Begun& b) { return b.size("product", 1) == 4; }},
        {"is more than 12.", [](Begun& b) { return b.value("product", 7) <= 12 && b.set(2).value("product", 7) > 12; }},
        {"without a contraction every element meets every element, <code>f32[2,3,3,4]</code>",
         [](Begun& b) {
           b.attribute("product", Attr::lhs_contracting_dims, "{}")
               .attribute("product", Attr::rhs_contracting_dims, "{}");
           return b.shown("product") == "f32[2,3,3,4]";
         }},
    };
  if (lesson == "convolution")
    return {
        {"in row 3 and column 3 is more than 20.",
         [](Begun& b) { return b.value("filtered", 27) <= 20 && b.set(4).value("filtered", 27) > 20; }},
        {"The picture is 8 × 8, the kernel 3 × 3, the padding 1 at each edge.",
         [](Begun& b) {
           return b.shown("picture") == "f32[1,1,8,8]" && b.shown("kernel") == "f32[1,1,3,3]" &&
                  b.hand().text().find("window={size=3x3 pad=1_1x1_1}") != std::string::npos;
         }},
        {"That is with padding", [](Begun& b) { return b.shown("filtered") == "f32[1,1,8,8]"; }},
        {"The kernel fits at 8 − 3 + 1 places in a row.",
         [](Begun& b) {
           return b.attribute("filtered", Attr::window, "{size=3x3}").shown("filtered") == "f32[1,1,6,6]";
         }},
        {"8 − 3 steps are 8 − 3 + 1 places.", [](Begun&) { return 8 - 3 + 1 == 6; }},
        {"the result becomes 4 × 4",
         [](Begun& b) {
           return b.attribute("filtered", Attr::window, "{size=3x3 stride=2x2 pad=1_1x1_1}").shown("filtered") ==
                  "f32[1,1,4,4]";
         }},
    };
  if (lesson == "gather")
    return {
        {"is row 3 of <a href=\"node:table\">table</a>: 30, 31, 32, 33.",
         [](Begun& b) {
           const Numbers row{30, 31, 32, 33};
           return b.values("table", 12, 4) == row && b.set(3).values("picked", 0, 4) == row;
         }},
        {"<code>slice_sizes={1,4}</code> and <code>collapsed_slice_dims={0}</code>",
         [](Begun& b) {
           const std::string text = b.hand().text();
           return text.contains("slice_sizes={1,4}") && text.contains("collapsed_slice_dims={0}");
         }},
        {"A slice is 1 × 4.", [](Begun& b) { return b.size("picked", 1) == 4; }},
        {"A slice is 1 × 4, and its dimension of size 1 goes.",
         [](Begun& b) { return b.shown("picked") == "s32[2,4]"; }},
        {"Slices are one row high.", [](Begun& b) { return b.size("picked", 0) == b.size("indices", 0); }},
        {"beyond 5: there is no such row.", [](Begun& b) { return b.size("table", 0) == 6; }},
        {"What does <b>gather</b> give for it?",
         [](Begun& b) { return b.set(9).values("picked", 0, 4) == b.values("table", 20, 4); }},
        {"HLO has no errors at run time here.",
         [](Begun& b) { return b.set(9).hand().document().live().valueOf(b.hand().named("picked")) != nullptr; }},
        {"Look at the first row of picked.", [](Begun& b) { return b.set(9).value("picked") != 0; }},
        {"The index is moved to the nearest slice that lies inside.",
         [](Begun& b) { return b.set(-7).values("picked", 0, 4) == b.values("table", 0, 4); }},
    };
  if (lesson == "while")
    return {
        {"is 1024.", [](Begun& b) { return b.value("power") == 32 && b.set(10).value("power") == 1024; }},
        {"choose iteration 3 or a later one", [](Begun& b) { return b.value("times") >= 3; }},
        {"How many values does <a href=\"node:loop\">loop</a> carry",
         [](Begun& b) { return b.shape("loop").elements.size() == 3; }},
        {"The value that doubles is one of them.", [](Begun& b) { return b.hand().text().contains("%doubled"); }},
        {"The limit is carried, too, although it stays.",
         [](Begun& b) { return b.hand().text().contains("tuple(%next, %limit, %doubled)"); }},
        {"Iteration, limit and value", [](Begun& b) { return b.shape("loop").elements.size() == 3; }},
    };
  return {};
}

class LessonClaimsTest : public QObject {
  Q_OBJECT

 private:
  static bool isClaimed(const std::vector<Claim>& claims, std::string_view words) {
    return std::ranges::any_of(claims, [&](const Claim& claim) { return words.contains(claim.words); });
  }
  static QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  }
  static std::string allWordsOf(const Lesson& lesson) {
    std::string out(lesson.learned);
    for (const LessonStep& step : lesson.steps) {
      out += '\n' + std::string(step.words);
      for (const Choice& choice : step.choices) out += '\n' + std::string(choice.why);
    }
    return out;
  }

 private slots:
  void everySentenceIsSo_data() {
    QTest::addColumn<int>("lesson");
    for (size_t k = 0; k < lessons().size(); ++k)
      QTest::newRow(std::string(lessons()[k].id).c_str()) << static_cast<int>(k);
  }
  void everySentenceIsSo() {
    QFETCH(int, lesson);
    const Lesson& said = lessons()[static_cast<size_t>(lesson)];
    const std::vector<Claim> claims = claimsOf(said.id);
    const std::string words = allWordsOf(said);
    for (const Claim& claim : claims) {
      QVERIFY2(words.contains(claim.words), claim.words.data());
      Begun begun(lesson);
      QVERIFY2(claim.holds(begun), claim.words.data());
    }
    for (const LessonStep& step : said.steps) {
      QVERIFY2(
          isClaimed(claims, step.words) ||
              std::ranges::any_of(step.choices, [&](const Choice& choice) { return isClaimed(claims, choice.why); }),
          step.words.data());
      for (const Choice& choice : step.choices)
        QVERIFY2(choice.why.empty() || isClaimed(claims, choice.why), choice.why.data());
    }
  }

  // "‹2› of number" is what the node shows.
  void numbersToDragAreThoseOfTheirNodes() {
    static const QRegularExpression number(QStringLiteral("‹([-0-9.]+)› of <a href=\"node:([^\"]+)\">"));
    int found = 0;
    for (size_t k = 0; k < lessons().size(); ++k) {
      Begun begun(static_cast<int>(k));
      for (const LessonStep& step : lessons()[k].steps)
        for (const auto& match : number.globalMatch(textOf(step.words))) {
          QCOMPARE(begun.value(match.captured(2).toUtf8().constData()), match.captured(1).toDouble());
          ++found;
        }
    }
    QVERIFY(found >= 7);
  }
};

TESSERA_QT_TEST(lesson_claims_test, LessonClaimsTest)
}  // namespace tessera::lesson_claims_test
#include "lesson_claims_test.moc"
