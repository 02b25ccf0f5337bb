// A language server: editors tell it what is open in them, and it tells them what is wrong there.
// What it says and hears are messages of the Language Server Protocol 3.17; how they travel, and
// how a document is analysed, is the affair of others (MessageStream.h, app/LanguageServer.h).
#pragma once

#include "TextPosition.h"

#include "llvm/ADT/StringRef.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradtidy {

/// Not thread-safe.
class Server {
public:
  using Json = nlohmann::json;

  /// \param send   gets each message for the client.
  /// \param pageOf the file with the page of a check; empty if there is none.
  Server(std::function<void(const std::string &)> send,
         std::function<std::string(llvm::StringRef check)> pageOf)
      : send(std::move(send)), pageOf(std::move(pageOf)) {}

  /// Answers one message of the client. A message that makes no sense is answered with an error, or
  /// not at all if it wants no answer.
  void take(llvm::StringRef message);

  /// A document to be analysed.
  struct Task {
    std::string file; ///< Absolute.
    std::string text; ///< As the editor has it, be it saved or not.
    int version = 0;  ///< That the client has given to the text.
    /// What else is open and differs from what is saved, by file.
    std::map<std::string, std::string> unsaved;
  };

  /// The document whose findings have been out of date for the longest time, if there is one. It
  /// counts as up to date from now on.
  std::optional<Task> next();

  /// The analysis of \p task waits for something that takes seconds. The client is told, and that
  /// it is over when the task is finished.
  void delay(const Task &task, llvm::StringRef what);

  /// What came of \p task. Findings of a text that has changed since are not shown.
  /// \param findings the document that docs/json.md describes; anything else says that the analysis
  ///                 failed, and leaves what was found before. So does a text that does not compile
  ///                 where the one before did: somebody is typing.
  /// \param said     what went wrong; the client is told when it is news.
  void finish(const Task &task, llvm::StringRef findings, llvm::StringRef said);

  /// Set once the client has asked the server to exit.
  std::optional<int> exitStatus() const { return status; }

private:
  struct Document {
    std::string uri, text;
    int version = 0;
    bool isShown = false;      ///< The findings are those of this text.
    Json findings;             ///< As in docs/json.md: those of the text that was analysed last.
    bool isPending = false;    ///< Its text is not analyzed yet.
    bool compiles = false;     ///< As far as these findings tell.
    std::vector<Json> pulls;   ///< Requests for its diagnostics that have no answer yet.
    unsigned long changed = 0; ///< When it got out of date, in the order of changes; 0: it is not.
  };

  Json initialize(const Json &parameters);
  Json answer(llvm::StringRef method, const Json &parameters);
  void note(llvm::StringRef method, const Json &parameters);
  void open(const Json &parameters);
  void change(const Json &parameters);
  void close(const Json &parameters);
  void outdate(Document &document) {
    document.changed = ++changes;
    document.isPending = true;
  }

  /// The document that the parameters of a message name, or null.
  Document *documentOf(const Json &parameters);
  void publish(const Document &document, const Json &diagnostics) const;
  Json diagnosticsOf(const Document &document) const;
  /// Answers the requests for diagnostics of \p document.
  void answerPulls(Document &document);
  /// Brings places of findings behind a change of \p document, which has \p fresh in place of the
  /// bytes from \p begin to \p end, to where they are then.
  static void shift(Document &document, size_t begin, size_t end, llvm::StringRef fresh);
  void request(llvm::StringRef method, Json parameters);
  Json diagnosticOf(const Json &finding, const Document &document) const;
  /// The document's findings in the lines that the parameters ask for.
  std::vector<Json> findingsIn(const Json &parameters, const Document &document) const;
  Json codeActions(const Json &parameters, const Document &document) const;
  Json hover(const Json &parameters, const Document &document) const;
  /// The edits of \p fixes, by document; nothing if one is in a file that was changed in the
  /// editor.
  std::optional<Json> editsOf(const std::vector<Json> &fixes, const Document &document) const;
  Json rangeOf(llvm::StringRef text, const Json &place) const;
  Json placeOf(llvm::StringRef text, unsigned line, unsigned column) const;
  /// The text of a file, as the editor has it if it is open there.
  std::string textOf(const std::string &file) const;
  void notify(llvm::StringRef method, Json parameters) const;

  std::function<void(const std::string &)> send;
  std::function<std::string(llvm::StringRef)> pageOf;
  std::map<std::string, Document> documents; ///< By file.
  PositionEncoding encoding = PositionEncoding::Utf16;
  unsigned long changes = 0, requests = 0;
  /// What the client can: show progress, ask for diagnostics by itself, and be told to.
  bool showsProgress = false, clientPulls = false, refreshes = false;
  std::string progress; ///< The token of what is in progress, or empty.
  std::string lastSaid;
  bool isInitialized = false, isShutDown = false;
  std::optional<int> status;
};

} // namespace gradtidy
