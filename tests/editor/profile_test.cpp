// Profiles of other programs in the studio: their times over the graph and in the profile table, the module inside
// where no graph is open, and what is said where nothing lands.
#include <QLabel>
#include <QTest>

#include "editor/document/program_run.h"
#include "editor/panels/banner.h"
#include "editor/panels/profile/profile_panel.h"
#include "tests/editor/hand.h"
#include "tests/editor/qt_tests.h"
#include "tests/support/source_tree.h"

namespace tessera::profile_test {
namespace {

const char* const kLayer = R"(HloModule layer

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  w = f32[8,3]{1,0} parameter(1)
  product = f32[4,3]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT activated = f32[4,3]{1,0} tanh(product)
}
)";

class ProfileTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { hand_ = std::make_unique<Hand>(); }
  void cleanup() { hand_.reset(); }

  void timesOfATableLieOverTheGraph() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nproduct,30\nactivated,10\n");
    const ProgramRun& run = hand_->document().run();
    QVERIFY(run.profile());
    QCOMPARE(run.profile()->sources.size(), size_t{2});
    const auto& overlay = hand_->document().measures().overlay();
    QVERIFY(overlay);
    QCOMPARE(overlay->find(hand_->named("product"))->value, 30000.0);
    QCOMPARE(overlay->find(hand_->named("activated"))->value, 10000.0);
    QVERIFY(hand_->document().view().scene().overlay);
    QVERIFY(!run.outcome());
    QVERIFY(hand_->text().find("tanh") != std::string::npos);
  }

  void whatIsOddIsSaidAsLongAsItIsOpen() {
    hand_->openText(kLayer, false);
    drop("t.json", R"([{"ph":"X","name":"product","pid":1,"tid":1,"ts":0,"dur":30},
                       {"ph":"X","name":"product","pid":1,"tid":1,"ts":10800000000,"dur":30},
                       {"ph":"X","name":"product","pid":1,"tid":1,"ts":40,"dur":30}])");
    const auto* panel = hand_->window().findChild<ProfilePanel*>();
    QVERIFY2(panel->words().contains(QStringLiteral("3.00 h after all others")), qPrintable(panel->words()));
    drop("t.csv", "name,time_us\nproduct,30\n");
    QVERIFY(!panel->words().contains(QStringLiteral("3.00 h")));
  }

  void aRunReplacesIt() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nproduct,30\n");
    hand_->document().run().start();
    hand_->settle();
    QVERIFY(hand_->document().run().outcome());
    QCOMPARE(hand_->document().run().profile(), &hand_->document().run().outcome()->profile);
  }

  void theModuleInsideBecomesTheGraph() {
    hand_->window().openFile(
        QString::fromStdString(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst")));
    hand_->settle();
    QCOMPARE(hand_->module().name, std::string("jit_step"));
    QVERIFY2(hand_->window().windowTitle().startsWith(QStringLiteral("jit_step")),
             qPrintable(hand_->window().windowTitle()));
    QCOMPARE(hand_->document().file().fileName(), QStringLiteral("jit_step.hlo"));
    QCOMPARE(hand_->document().file().path(), QString());
    const auto& overlay = hand_->document().measures().overlay();
    QVERIFY(overlay);
    QCOMPARE(hand_->document().run().profile()->sources.size(), size_t{94});
    const auto entry = overlay->find(hand_->named("convolution"));
    QVERIFY(entry && entry->measured && entry->value > 0);
  }

  void aProfileOfAnotherModuleOpensItsOwnBeside() {
    hand_->openText(kLayer, false);
    Document& open = hand_->document();
    hand_->window().openFile(
        QString::fromStdString(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst")));
    hand_->settle();
    QVERIFY(&hand_->document() != &open);
    QCOMPARE(hand_->module().name, std::string("jit_step"));
    QCOMPARE(hand_->document().run().profile()->sources.size(), size_t{94});
    QVERIFY(!open.run().profile() && open.module().findInstruction("activated"));
    QVERIFY2(said().isEmpty(), qPrintable(said()));
  }

  void whatLandsNowhereIsSaidAndTheGraphStays() {
    hand_->openText(kLayer, false);
    drop("t.csv", "name,time_us\nnowhere,30\n");
    QVERIFY(!hand_->document().run().profile());
    QVERIFY(said().contains(QStringLiteral("nothing of")));
    QVERIFY(hand_->text().find("tanh") != std::string::npos);
    drop("cut.xplane.pb", std::string(100, '\xff'));
    QVERIFY(said().contains(QStringLiteral("no plane")));
  }

 private:
  void drop(const char* name, const std::string& content) {
    const QString path = folder_.filePath(QString::fromLatin1(name));
    QVERIFY(writeFileAtomically(path.toStdString(), content));
    hand_->window().openFile(path);
    hand_->settle();
  }
  QString said() {
    QString out;
    for (const QLabel* label : hand_->window().findChild<Banner*>()->findChildren<QLabel*>()) out += label->text();
    return out;
  }

  std::unique_ptr<Hand> hand_;
  QTemporaryDir folder_;
};

}  // namespace

TESSERA_QT_TEST(profile_test, ProfileTest)
}  // namespace tessera::profile_test
#include "profile_test.moc"
