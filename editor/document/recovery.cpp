// See recovery.h. The text of the whole project is written each time, on a worker from a snapshot: 15 MB take 30 ms,
// and what is read again is an ordinary project file.
#include "editor/document/recovery.h"

#include <signal.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QThreadPool>
#include <algorithm>
#include <cerrno>
#include <set>

#include "core/formats/module_file.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

constexpr int kWaitMs = 400;

QString nameFile(const QString& file) { return file + QStringLiteral(".path"); }

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// What the system tells of a process after its name, which may hold blanks.
QByteArrayList factsOf(qint64 process) {
  const QByteArray facts = contentOf(QStringLiteral("/proc/%1/stat").arg(process));
  return facts.mid(facts.lastIndexOf(')') + 1).simplified().split(' ');
}

// When the process began, in ticks since the system did.
QString startOf(qint64 process) {
  constexpr int kStartAfterName = 20;
  return QString::fromLatin1(factsOf(process).value(kStartAfterName - 1));
}

// It has ended, and nobody asked yet how: it still has its number.
bool isZombie(qint64 process) {
  const QByteArray state = factsOf(process).value(0);
  return state == "Z" || state == "X";
}

// A number is given again to a later process, in a container always the same: with its start and the system's it is
// one.
QString nameOf(qint64 process) {
  const QByteArray boot = contentOf(QStringLiteral("/proc/sys/kernel/random/boot_id")).left(8);
  return QStringLiteral("%1-%2-%3").arg(process).arg(startOf(process), QString::fromLatin1(boot));
}

// Of this process; on the UI thread alone.
std::set<QString>& filesInUse() {
  static std::set<QString> all;
  return all;
}

// A document after the first has its number after the session's name.
QString fileOf(const QString& folder) {
  for (int number = 1;; ++number) {
    const QString name = Recovery::sessionName() + (number > 1 ? QStringLiteral(".%1").arg(number) : QString());
    const QString file = QStringLiteral("%1/%2.tessera").arg(folder, name);
    if (!filesInUse().contains(file)) return file;
  }
}

// The session that wrote a file of this name; a bare number says nothing: it lives again in every container.
bool runs(const QString& file) {
  const QString name = file.section(QLatin1Char('.'), 0, 0);
  const qint64 process = name.section(QLatin1Char('-'), 0, 0).toLongLong();
  const bool lives = process > 0 && (::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
  return lives && !isZombie(process) && name == nameOf(process);
}

}  // namespace

QString Recovery::usualFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/recovery");
}

QString Recovery::sessionName() { return nameOf(::getpid()); }

Recovery::Recovery(Document& document, const QString& folder, QObject* parent)
    : QObject(parent), document_(document), folder_(folder), file_(fileOf(folder)) {
  filesInUse().insert(file_);
  QDir().mkpath(folder_);
  timer_.setSingleShot(true);
  timer_.setInterval(kWaitMs);
  connect(&timer_, &QTimer::timeout, this, &Recovery::write);
  connect(&document_, &Document::moduleChanged, this, &Recovery::noteChange);
  connect(&document_, &Document::pageChanged, this, &Recovery::noteChange);
  connect(&document_, &Document::opened, this, &Recovery::noteChange);
}

Recovery::~Recovery() {
  QThreadPool::globalInstance()->waitForDone();
  removeOwn();
  filesInUse().erase(file_);
}

void Recovery::removeOwn() {
  QFile::remove(file_);
  QFile::remove(nameFile(file_));
}

// The clock is not wound up again by later changes: the first one waits no longer for them.
void Recovery::noteChange() {
  if (!document_.isOpen() || !document_.file().isModified()) {
    timer_.stop();
    if (!writing_) removeOwn();
    if (document_.isOpen()) discard({document_.file().recoveredFrom(), {}});
    return;
  }
  if (!timer_.isActive()) timer_.start();
}

void Recovery::write() {
  if (writing_) {
    again_ = true;
    return;
  }
  writing_ = true;
  QThreadPool::globalInstance()->start([this, module = document_.module(), project = document_.project(),
                                        file = file_.toStdString(), path = document_.file().path(),
                                        recovered = document_.file().recoveredFrom()]() mutable {
    project.graphFile.clear();
    Status done = writeFileAtomically(nameFile(QString::fromStdString(file)).toStdString(), path.toStdString());
    if (done) done = writeFileAtomically(file, printProject(project, &module));
    const QString why = done ? QString() : QString::fromStdString(done.error().toString());
    QMetaObject::invokeMethod(
        this, [this, recovered, why] { finished(recovered, why); }, Qt::QueuedConnection);
  });
}

// What was recovered is in this session's file then.
void Recovery::finished(const QString& recovered, const QString& why) {
  writing_ = false;
  if (why.isEmpty())
    discard({recovered, {}});
  else if (!std::exchange(complained_, true))
    emit failed(why);
  if (std::exchange(again_, false))
    write();
  else if (!document_.file().isModified())
    removeOwn();
}

std::vector<Recovery::Left> Recovery::leftBehind(const QString& folder) {
  std::vector<Left> out;
  const QDir dir(folder);
  for (const QFileInfo& file : dir.entryInfoList({QStringLiteral("*.tessera")}, QDir::Files, QDir::Time)) {
    if (runs(file.completeBaseName())) continue;
    const auto path = readFile(nameFile(file.filePath()).toStdString());
    out.push_back({file.filePath(), path ? QString::fromStdString(*path) : QString()});
  }
  return out;
}

void Recovery::adopt(const Left& left) { document_.file().openRecovered(left.file, left.path); }

void Recovery::discard(const Left& left) {
  if (left.file.isEmpty()) return;
  QFile::remove(left.file);
  QFile::remove(nameFile(left.file));
}

}  // namespace tessera
