// The ending is that of the kind that is chosen; a name that is typed without one gets it.
#include "editor/panels/save_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

namespace tessera {
namespace {

struct SavedKind {
  const char *filter, *ending;
};
constexpr SavedKind kSavedKinds[] = {
    {QT_TRANSLATE_NOOP("QObject", "HLO text (*.hlo *.txt)"), "hlo"},
    {QT_TRANSLATE_NOOP("QObject", "Tessera project with its arrangement (*.tessera)"), "tessera"},
    {QT_TRANSLATE_NOOP("QObject", "Protobuf (*.pb *.pbtxt)"), "pb"},
    {QT_TRANSLATE_NOOP("QObject", "All files (*)"), "hlo"}};

bool hasEnding(const QString& filter, const QString& ending) {
  return QRegularExpression(QStringLiteral("\\*\\.%1[ )]").arg(QRegularExpression::escape(ending)))
      .match(filter)
      .hasMatch();
}

}  // namespace

QString askWhereToSave(QWidget* parent, const QString& suggested) {
  QFileDialog dialog(parent, QObject::tr("Save the graph"), QFileInfo(suggested).absolutePath());
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters;
  for (const SavedKind& kind : kSavedKinds) filters << QObject::tr(kind.filter);
  dialog.setNameFilters(filters);
  const auto endingOf = [&](const QString& filter) {
    return QString::fromLatin1(
        kSavedKinds[static_cast<size_t>(std::max<qsizetype>(0, filters.indexOf(filter)))].ending);
  };
  QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, [&](const QString& filter) {
    dialog.setDefaultSuffix(endingOf(filter));
    const QFileInfo name(dialog.selectedFiles().value(0));
    const auto has = [&](const QString& each) { return hasEnding(each, name.suffix()); };
    if (std::ranges::any_of(filters, has) && !has(filter))
      dialog.selectFile(name.completeBaseName() + QLatin1Char('.') + endingOf(filter));
  });
  const QString ending = QFileInfo(suggested).suffix();
  const auto fits = std::ranges::find_if(filters, [&](const QString& filter) { return hasEnding(filter, ending); });
  dialog.selectNameFilter(fits == filters.end() ? filters.front() : *fits);
  dialog.setDefaultSuffix(endingOf(dialog.selectedNameFilter()));
  dialog.selectFile(QFileInfo(suggested).fileName());
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

}  // namespace tessera
