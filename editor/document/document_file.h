// DocumentFile: the file of a document: read and written by workers, compared with what stands on the disk. Used by the
// File menu, the start page, lessons and the recovery of sessions that ended badly.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/formats/module_file.h"
#include "core/formats/project.h"
#include "core/trust/file_access.h"
#include "editor/document/background.h"
#include "editor/document/file_writer.h"
#include "editor/document/scene_maker.h"

namespace tessera {

class Document;

// What of a file is shown first, instead of what its project says.
struct ShownPart {
  std::string computation;
  std::vector<std::string> groups;  // open ones
};
ShownPart shownPartOf(const Document& document);  // its computation is empty for a plain graph

// What was read, with its first picture.
struct OpenedFile {
  QString path;
  FileStamp stamp;                      // before it was read
  std::optional<QString> recoveredFor;  // the file that it was to be saved to
  ReadResult read;
  Project project;
  FileAccess files;
  std::vector<FileAsk> asks;
  std::shared_ptr<const PlainGraph> plain;
  std::shared_ptr<SceneMaker> maker;
  Scene scene;
  bool live = false;
  bool isUnsaved = false;  // no file has it
  QString title;           // of what has no file
};

class DocumentFile : public QObject {
  Q_OBJECT

 public:
  DocumentFile(Document& document, Background& background) : document_(document), background_(background) {}

  // Reads in the background; Document::opened() or failed() follows. What is open stays until then.
  void open(const QString& path, std::optional<ShownPart> shown = std::nullopt);
  void create();                                // an empty document without a file; opened() follows at once
  void createFrom(const std::string& project);  // the same with the graph of a project file's text, live
  // The same with the graph of HLO text: an example, the module of a profile. `title` names it until it is saved.
  // Fails with what the reader says of the text.
  Status createFromHlo(const std::string& text, const std::string& title);
  void createToLookAt(Module module);  // the same of a module that is not evaluated; its ids stay
  // Text in any form that a file may have, e.g. of the clipboard, read in the background as open() does. It has no file
  // and is not saved; `name` is for messages.
  void openText(const QString& text, const QString& name);
  // A file that was saved for another path when a session ended badly: what it holds is not saved there yet.
  void openRecovered(const QString& file, const QString& path);

  bool isReading() const { return !reading_.isEmpty(); }
  Progress progress() const { return {reading_}; }
  void cancelReading();  // readingCancelled() follows, and nothing else of that file

  const QString& path() const { return state_.path; }
  QString title() const;     // "mlp.hlo"; without a file what it was made of, or "untitled"
  QString fileName() const;  // the same as the name of a file to be: "jit_step.hlo"
  const QString& recoveredFrom() const { return state_.recoveredFrom; }  // empty: it was not recovered
  // Files directly in this folder are the program's: what is made of them goes elsewhere, a run's outfeed to the home
  // folder.
  void setProgramFolder(const QString& folder) { programFolder_ = folder; }
  bool isOfProgram() const;
  bool isModified() const;
  bool differsOnDisk() const;  // from what was read or saved there last
  FileStamp stampOnDisk() const;
  void keepOverDisk();  // what stands here counts, and is not saved: the disk has something else

  // What stands here now is written by a worker, as `write` of file_writer.h says; savingEnded() follows. A graph that
  // is on the disk as it stands is not written again.
  void startSaving(const QString& path);
  bool isSaving() const { return saving_.has_value(); }
  Status waitForSaving();  // of the last path; nothing is being written then
  Status save(const QString& path);
  bool savesSidecar(const QString& path) const;
  // Whether saving to path() would give another program's file another form: comments and fields that are not kept
  // would go. True while that is not known yet.
  bool wouldRewriteOthers() const;

  void begin(const OpenedFile& file);  // for Document: it is the open one now
  void compareFormInBackground();      // for Document, then: is the file in this program's form?

 signals:
  void progressed();
  void readingCancelled();
  void savingEnded(QString path, QString why);  // empty: it is saved

 private:
  void readInBackground(const QString& name, std::function<OpenedFile()> read);
  void read(const QString& path, std::optional<QString> recoveredFor, std::optional<ShownPart> shown);
  void install(OpenedFile made, bool live = true);
  bool holdsGraph(const std::filesystem::path& file) const;
  Status endSaving(uint64_t number);

  struct State {  // of one file
    QString path, recoveredFrom;
    QString title;                            // of what has no file; empty: untitled
    uint64_t savedState = 0, savedGraph = 0;  // of the history
    bool isOwn = false;                       // written by this program, as far as is known
    FileStamp stamp;
  };
  struct Saving {  // what is being written
    QString path;
    uint64_t state = 0, graph = 0;  // of the history
    bool writesGraph = false;
    uint64_t number = 0;
    std::future<Result<FileStamp>> written;
  };
  Document& document_;
  Background& background_;
  State state_;
  std::optional<QString> next_;  // to be saved to after that
  uint64_t savings_ = 0;
  QString programFolder_;
  uint64_t request_ = 0;          // files chosen
  QString reading_;               // what is read, for the user; empty: nothing
  std::optional<Saving> saving_;  // last: who goes waits until it is written
};

}  // namespace tessera
