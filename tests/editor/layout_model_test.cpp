// What the layout lab shows, as numbers and text: every formula, run, gives the position that the memory map gives.
#include <QTest>
#include <algorithm>
#include <cctype>
#include <random>

#include "core/formats/hlo_text.h"
#include "editor/layout_lab/layout_model.h"
#include "tests/editor/qt_tests.h"

namespace tessera::layout_model_test {
namespace {

// The value of a formula of numbers, + * / % and brackets; * / % bind alike, from left to right.
class Formula {
 public:
  explicit Formula(const std::string& text) : text_(text) {}
  int64_t value() {
    int64_t sum = product();
    while (take('+')) sum += product();
    return sum;
  }
  bool atEnd() { return at_ == text_.size(); }

 private:
  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  int64_t factor() {
    if (take('(')) {
      const int64_t inner = value();
      take(')');
      return inner;
    }
    int64_t number = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      number = number * 10 + (text_[at_++] - '0');
    return number;
  }
  int64_t product() {
    int64_t out = factor();
    for (;;) {
      if (take('*'))
        out *= factor();
      else if (take('/'))
        out /= factor();
      else if (take('%'))
        out %= factor();
      else
        return out;
    }
  }
  std::string text_;
  size_t at_ = 0;
};

// A random small array: order, padding, tiles with and without combined dimensions.
Shape randomShape(std::mt19937& random) {
  const auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const int64_t rank = upTo(5);
  Shape shape = Shape::array(ElementType::F32, {});
  Layout layout = Layout::rowMajor(rank);
  for (int64_t d = 0; d < rank; ++d) shape.dimensions.push_back(1 + upTo(6));
  std::shuffle(layout.minorToMajor.begin(), layout.minorToMajor.end(), random);
  if (upTo(3) == 0)
    for (int64_t d : shape.dimensions) layout.paddedDimensions.push_back(d + upTo(3));
  for (int64_t tiles = upTo(3); tiles > 0; --tiles) {
    Tile tile;
    for (int64_t cut = 1 + upTo(3); cut > 0; --cut)
      tile.dims.push_back(cut > 1 && upTo(6) == 0 ? Tile::kCombine : 1 + upTo(5));
    layout.tiles.push_back(tile);
  }
  if (upTo(4) == 0) layout.tailPaddingAlignment = 1 + upTo(9);
  shape.layout = layout;
  return shape;
}

std::vector<int64_t> paddedOf(const Shape& shape) {
  return shape.layout->paddedDimensions.empty() ? shape.dimensions : shape.layout->paddedDimensions;
}

}  // namespace

class LayoutModelTest : public QObject {
  Q_OBJECT

 private slots:
  void formulasGiveThePosition() {
    std::mt19937 random(11);
    int tried = 0;
    while (tried < 600) {
      const Shape shape = randomShape(random);
      const auto map = MemoryMap::of(shape);
      if (!map) continue;
      ++tried;
      for (int64_t linear = 0; linear < map->positions(); linear += 1 + static_cast<int64_t>(random() % 7)) {
        const auto index = map->index(linear);
        if (!index || index->empty()) continue;
        Formula formula(linearFormula(*shape.layout, paddedOf(shape), *index));
        QVERIFY2(formula.value() == linear && formula.atEnd(),
                 (toString(shape) + " " + linearFormula(*shape.layout, paddedOf(shape), *index)).c_str());
      }
    }
  }

  void everyCellOfTheGridHasItsPosition() {
    std::mt19937 random(5);
    for (int round = 0; round < 400; ++round) {
      const auto made = LayoutModel::of(randomShape(random));
      if (!made) continue;
      int64_t elements = 0;
      for (int64_t linear = 0; linear < made->positions(); ++linear) {
        const auto grid = made->gridIndex(linear);
        const auto index = made->memory().index(linear);
        const CellKind kind = made->kindOf(linear, grid);
        QVERIFY((kind == CellKind::Element) == index.has_value());
        if (index) QVERIFY(*grid == *index);
        if (grid) QVERIFY(made->linearOf(*grid) == linear);
        elements += index.has_value();
      }
      QCOMPARE(elements, made->elementCount());
    }
  }

  void formulasAsText() {
    const auto formula = [](const char* text) {
      const auto shape = parseShape(text);
      return QString::fromStdString(linearFormula(*shape->layout, shape->dimensions));
    };
    QCOMPARE(formula("f32[2,3]{1,0}"), QStringLiteral("i0*3 + i1"));
    QCOMPARE(formula("f32[2,3]{0,1}"), QStringLiteral("i1*2 + i0"));
    QCOMPARE(formula("f32[1,3]{1,0}"), QStringLiteral("i1"));
    QCOMPARE(formula("f32[]{:T(128)}"), QStringLiteral("0"));
    QCOMPARE(formula("f32[3,5]{1,0:T(2,2)}"), QStringLiteral("(i0 / 2)*12 + (i1 / 2)*4 + (i0 % 2)*2 + i1 % 2"));
    QCOMPARE(formula("f32[3,5]{1,0:T(*,4)}"), QStringLiteral("((i0*5 + i1) / 4)*4 + (i0*5 + i1) % 4"));
  }

  void largeNumbersAreGrouped() {
    QCOMPARE(grouped(0), std::string("0"));
    QCOMPARE(grouped(999), std::string("999"));
    QCOMPARE(grouped(1000), std::string("1,000"));
    QCOMPARE(grouped(-1234567), std::string("-1,234,567"));
  }
};

TESSERA_QT_TEST(layout_model_test, LayoutModelTest)
}  // namespace tessera::layout_model_test
#include "layout_model_test.moc"
