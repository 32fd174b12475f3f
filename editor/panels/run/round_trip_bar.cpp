// See round_trip_bar.h.
#include "editor/panels/run/round_trip_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <cmath>

#include "editor/document/document.h"
#include "editor/document/round_trip.h"
#include "editor/text/plain_text.h"
#include "editor/text/unit_words.h"

namespace tessera {
namespace {

QString timesWords(const RunTimes& times) {
  return QObject::tr("%1 (spread %2 %, %L3 runs)")
      .arg(durationWords(times.median() * 1e6))
      .arg(100 * times.spread(), 0, 'f', 1)
      .arg(times.ms.size());
}

QString takenWords(const TakenPart& taken) {
  const size_t count = taken.place.members.size();
  QString out =
      count == 1 ? QObject::tr("1 instruction taken out") : QObject::tr("%L1 instructions taken out").arg(count);
  if (taken.between > 0) out += QObject::tr(", %L1 of them since they lie between").arg(taken.between);
  if (!taken.note.isEmpty()) return out + QStringLiteral("; %1.").arg(taken.note);
  return out +
         (count == 1 ? QObject::tr(", with the inputs that it had.") : QObject::tr(", with the inputs that they had."));
}

QString foundWords(const SideBySide& found) {
  QString out = found.values.equal
                    ? QObject::tr("Equal within tolerance.")
                    : QObject::tr("Values differ: %1.").arg(QString::fromStdString(found.values.firstMismatch));
  out += QObject::tr(" Before %1, now %2: ").arg(timesWords(found.before), timesWords(found.after));
  if (!found.isTold()) return out + QObject::tr("no difference beyond the spread.");
  return out + QObject::tr("%1%2\u00a0%.")
                   .arg(found.change() > 0 ? QStringLiteral("+") : QStringLiteral("−\u2060"))  // on the number's line
                   .arg(100 * std::abs(found.change()), 0, 'f', 1);
}

}  // namespace

RoundTripBar::RoundTripBar(RoundTrip& trip, QWidget* parent)
    : UnderlinedBar(parent),
      trip_(trip),
      words_(new PlainLabel(this)),
      check_(new QPushButton(tr("Check and compare times"), this)),
      putBack_(new QPushButton(tr("Put back"), this)),
      drop_(new QPushButton(tr("Drop"), this)) {
  setObjectName(QStringLiteral("roundTripBar"));
  setAutoFillBackground(true);
  check_->setToolTip(tr("Runs it and what it was in turn on the recorded inputs"));
  putBack_->setToolTip(tr("It takes the place of what was taken out; undo there takes it out again"));
  drop_->setToolTip(tr("Closes it; the graph that it came from stays as it is"));
  words_->setWordWrap(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 8, 4);
  layout->addWidget(words_, 1);
  for (QPushButton* each : {check_, putBack_, drop_}) layout->addWidget(each);
  connect(check_, &QPushButton::clicked, &trip_, [this] {
    trip_.check();
    say();
  });
  connect(putBack_, &QPushButton::clicked, this, &RoundTripBar::putBack);
  connect(drop_, &QPushButton::clicked, this, &RoundTripBar::dropWanted);
  connect(&trip_, &RoundTrip::checked, this, &RoundTripBar::say);
  say();
}

QString RoundTripBar::words() const { return words_->text(); }

void RoundTripBar::say() {
  check_->setEnabled(!trip_.isChecking());
  putBack_->setEnabled(trip_.whole() != nullptr);
  if (trip_.isChecking()) return words_->setText(tr("Running both in turn …"));
  const QString when = trip_.isOutdated() ? tr("Before the last edit: ") : QString();
  if (!trip_.problem().isEmpty()) return words_->setText(when + trip_.problem());
  if (trip_.found()) return words_->setText(when + foundWords(*trip_.found()));
  words_->setText(takenWords(trip_.taken()));
}

void RoundTripBar::putBack() {
  const Status done = trip_.putBack();
  if (!done) return words_->setText(QString::fromStdString(done.error().toString()));
  emit putBackDone();
}

}  // namespace tessera
