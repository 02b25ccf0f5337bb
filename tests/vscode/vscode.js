'use strict';
// What the extension uses of Visual Studio Code's API, without the editor. `editor` is the person's side:
// it opens, changes and closes documents, and sees what is shown.

class Position {
  constructor(line, character) { Object.assign(this, {line, character}); }
}
class Range {
  constructor(start, end) { Object.assign(this, {start, end}); }
}
class Location {
  constructor(uri, range) { Object.assign(this, {uri, range}); }
}
class Uri {
  constructor(path) { Object.assign(this, {scheme: 'file', path, fsPath: path}); }
  static file(path) { return new Uri(path); }
  static parse(text) {
    const url = new URL(text);
    if (url.protocol !== 'file:')
      throw new Error(`no file: ${text}`);
    return new Uri(decodeURIComponent(url.pathname));
  }
  // As Visual Studio Code writes it: more is encoded than must be.
  toString() { return `file://${this.path.split('/').map(encodeURIComponent).join('/')}`; }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, {range, message, severity}); }
}
class DiagnosticRelatedInformation {
  constructor(location, message) { Object.assign(this, {location, message}); }
}
class CodeAction {
  constructor(title, kind) { Object.assign(this, {title, kind}); }
}
class WorkspaceEdit {
  constructor() { this.edits = []; }
  replace(uri, range, newText) { this.edits.push({uri, range, newText}); }
}
class MarkdownString {
  constructor(value) { this.value = value; }
}
class Hover {
  constructor(contents) { this.contents = contents; }
}

class Event {
  constructor() { this.listeners = new Set(); }
  subscribe() {
    return listener => {
      this.listeners.add(listener);
      return {dispose: () => this.listeners.delete(listener)};
    };
  }
  fire(value) { this.listeners.forEach(listener => listener(value)); }
}

const events = Object.fromEntries(['open', 'change', 'save', 'close', 'settings', 'trust', 'create', 'changed',
  'delete'].map(name => [name, new Event()]));

const offsetAt = (text, {line, character}) =>
  text.split('\n').slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;

class TextDocument {
  constructor(path, languageId, text) {
    Object.assign(this, {uri: Uri.file(path), languageId, version: 1, text});
  }
  getText() { return this.text; }
}

const editor = {
  settings: {},
  shown: [],      // Messages.
  progress: [],   // What was shown in the status bar.
  log: '',
  commands: new Map(),
  providers: {},
  diagnostics: new Map(), // By URI.
  waiting: [],

  open(path, languageId, text) {
    const document = new TextDocument(path, languageId, text);
    vscode.workspace.textDocuments.push(document);
    events.open.fire(document);
    return document;
  },
  /** Makes changes whose ranges are those of the text before all of them, the last in the text first. */
  change(document, ...changes) {
    for (const {range, text} of changes)
      document.text = document.text.slice(0, offsetAt(document.text, range.start)) + text
        + document.text.slice(offsetAt(document.text, range.end));
    ++document.version;
    events.change.fire({document, contentChanges: changes});
  },
  close(document) {
    vscode.workspace.textDocuments.splice(vscode.workspace.textDocuments.indexOf(document), 1);
    events.close.fire(document);
  },
  /** The text of `document` after the edits of an action. */
  edited(document, action) {
    const place = edit => offsetAt(document.text, edit.range.start);
    return action.edit.edits.filter(({uri}) => uri.path === document.uri.path)
      .sort((one, other) => place(other) - place(one))
      .reduce((text, {range, newText}) => text.slice(0, offsetAt(document.text, range.start)) + newText
        + text.slice(offsetAt(document.text, range.end)), document.text);
  },
  /** Waits until `condition` holds; looks again whenever something is shown. */
  until(condition) {
    return new Promise(resolve => {
      const look = () => {
        if (!condition())
          return false;
        resolve();
        return true;
      };
      if (!look())
        this.waiting.push(look);
    });
  },
  hasNews() { this.waiting = this.waiting.filter(look => !look()); },
  events,
};

const show = async message => {
  editor.shown.push(message);
  editor.hasNews();
};

const vscode = {
  Position, Range, Location, Uri, Diagnostic, DiagnosticRelatedInformation, CodeAction, WorkspaceEdit,
  MarkdownString, Hover,
  DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3},
  CodeActionKind: {QuickFix: {value: 'quickfix'}, SourceFixAll: {value: 'source.fixAll'}},
  ProgressLocation: {Window: 10},
  window: {
    createOutputChannel: () => ({
      append: text => { editor.log += text; },
      appendLine: text => {
        editor.log += `${text}\n`;
        editor.hasNews();
      },
      show() {},
      dispose() {},
    }),
    showErrorMessage: show,
    showWarningMessage: show,
    withProgress: async ({title}, task) => {
      await task({report: ({message}) => editor.progress.push(`${title}: ${message}`)});
      editor.progress.push('end');
      editor.hasNews();
    },
  },
  workspace: {
    textDocuments: [],
    workspaceFolders: undefined,
    getConfiguration: () => ({get: name => editor.settings[name]}),
    createFileSystemWatcher: () => ({
      onDidCreate: events.create.subscribe(), onDidChange: events.changed.subscribe(),
      onDidDelete: events.delete.subscribe(), dispose() {}}),
    onDidOpenTextDocument: events.open.subscribe(),
    onDidChangeTextDocument: events.change.subscribe(),
    onDidSaveTextDocument: events.save.subscribe(),
    onDidCloseTextDocument: events.close.subscribe(),
    onDidChangeConfiguration: events.settings.subscribe(),
    onDidGrantWorkspaceTrust: events.trust.subscribe(),
  },
  languages: {
    createDiagnosticCollection: () => ({
      set(uri, diagnostics) {
        editor.diagnostics.set(uri.toString(), diagnostics);
        editor.hasNews();
      },
      delete: uri => editor.diagnostics.delete(uri.toString()),
      clear: () => editor.diagnostics.clear(),
      dispose() {},
    }),
    registerCodeActionsProvider: (selector, provider) => {
      editor.providers.actions = provider;
      return {dispose() {}};
    },
    registerHoverProvider: (selector, provider) => {
      editor.providers.hover = provider;
      return {dispose() {}};
    },
  },
  commands: {
    registerCommand: (name, action) => {
      editor.commands.set(name, action);
      return {dispose() {}};
    },
    executeCommand: async () => {},
  },
};

module.exports = {...vscode, editor};
