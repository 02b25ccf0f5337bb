'use strict';

const vscode = require('vscode');
const {Client} = require('./client.js');

const languages = ['cpp', 'cuda-cpp'];
const selector = languages.map(language => ({scheme: 'file', language}));

// A server that ends more often than this, in so many milliseconds, is not started again.
const restarts = 4, restartTime = 180_000;

const isOurs = document => document.uri.scheme === 'file' && languages.includes(document.languageId);
const toPosition = ({line, character}) => new vscode.Position(line, character);
const toRange = ({start, end}) => new vscode.Range(toPosition(start), toPosition(end));
const toUri = text => vscode.Uri.parse(text, true);
const nameOf = document => ({uri: document.uri.toString()});
const fromPosition = ({line, character}) => ({line, character});
const fromRange = ({start, end}) => ({start: fromPosition(start), end: fromPosition(end)});

const severities = {
  1: vscode.DiagnosticSeverity.Error,
  2: vscode.DiagnosticSeverity.Warning,
  3: vscode.DiagnosticSeverity.Information,
  4: vscode.DiagnosticSeverity.Hint,
};

function toDiagnostic(given) {
  const diagnostic = new vscode.Diagnostic(toRange(given.range), given.message, severities[given.severity]);
  diagnostic.source = given.source;
  diagnostic.code = given.codeDescription
    ? {value: given.code, target: toUri(given.codeDescription.href)} : given.code;
  diagnostic.relatedInformation = (given.relatedInformation ?? []).map(({location, message}) =>
    new vscode.DiagnosticRelatedInformation(
      new vscode.Location(toUri(location.uri), toRange(location.range)), message));
  return diagnostic;
}

function toAction(given) {
  const action = new vscode.CodeAction(given.title, given.kind === 'quickfix'
    ? vscode.CodeActionKind.QuickFix : vscode.CodeActionKind.SourceFixAll);
  action.edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(given.edit.changes))
    for (const {range, newText} of edits)
      action.edit.replace(toUri(uri), toRange(range), newText);
  action.diagnostics = given.diagnostics?.map(toDiagnostic);
  action.isPreferred = given.isPreferred;
  return action;
}

/** The server, started again when it crashes or its settings change, and what the editor shows of it. */
class Session {
  constructor() {
    this.log = vscode.window.createOutputChannel('gradtidy');
    this.diagnostics = vscode.languages.createDiagnosticCollection('gradtidy');
    this.client = undefined;
    this.opened = new Set(); // The URIs of the documents that the server has.
    this.ends = [];          // When the server ended by itself.
  }

  /** Starts the server. It hears of documents once it has answered. */
  async start() {
    const folder = vscode.workspace.workspaceFolders?.find(({uri}) => uri.scheme === 'file');
    const settings = vscode.workspace.getConfiguration('gradtidy', folder?.uri);
    const program = settings.get('path') || 'gradtidy';
    const args = ['lsp', ...(settings.get('arguments') ?? [])];
    this.log.appendLine(`> ${program} ${args.join(' ')}`);
    const client = new Client(program, args, folder?.uri.fsPath, {
      notified: (method, parameters) => this.notified(method, parameters),
      logged: text => this.log.append(text),
      ended: reason => this.ended(program, reason),
    });
    try {
      await client.request('initialize', {
        processId: process.pid,
        rootUri: folder ? folder.uri.toString() : null,
        capabilities: {general: {positionEncodings: ['utf-16']}, window: {workDoneProgress: true}},
      });
    } catch {
      return; // Told by ended().
    }
    client.notify('initialized', {});
    this.client = client;
    vscode.workspace.textDocuments.forEach(document => this.open(document));
  }

  async stop() {
    const client = this.client;
    this.client = undefined;
    this.endProgress?.();
    this.opened.clear();
    this.diagnostics.clear();
    await client?.stop();
  }

  async restart() {
    this.ends = [];
    await this.stop();
    await this.start();
  }

  ended(program, reason) {
    this.client = undefined;
    this.endProgress?.();
    this.opened.clear();
    this.diagnostics.clear();
    this.log.appendLine(`gradtidy ${reason}`);
    if (reason === 'not found')
      return this.complain(`gradtidy is not installed, or not on the PATH: '${program}' was not found. `
        + 'Install it with "pip install gradtidy", or set its path.', 'Open Settings',
        () => vscode.commands.executeCommand('workbench.action.openSettings', 'gradtidy.path'));
    const now = Date.now();
    this.ends = [...this.ends.filter(time => now - time < restartTime), now];
    if (this.ends.length <= restarts)
      return this.start();
    return this.complain(`gradtidy ${reason} ${this.ends.length} times and is not started again.`, 'Show Log',
      () => this.log.show());
  }

  async complain(message, button, action) {
    if (await vscode.window.showErrorMessage(message, button) === button)
      await action();
  }

  notified(method, parameters) {
    if (method === 'textDocument/publishDiagnostics') {
      const document = vscode.workspace.textDocuments.find(({uri}) => uri.toString() === parameters.uri);
      // What is said of an older text comes again for the new one.
      if (document && (parameters.version ?? document.version) === document.version)
        this.diagnostics.set(document.uri, parameters.diagnostics.map(toDiagnostic));
    } else if (method === '$/progress') {
      this.progress(parameters.value);
    } else if (method === 'window/showMessage') {
      this.log.appendLine(parameters.message);
      if (parameters.type === 1)
        vscode.window.showErrorMessage(`gradtidy: ${parameters.message}`);
      else
        vscode.window.showWarningMessage(`gradtidy: ${parameters.message}`);
    }
  }

  /** Shows in the status bar what the server waits for. */
  progress({kind, title, message}) {
    if (kind === 'begin')
      vscode.window.withProgress({location: vscode.ProgressLocation.Window, title}, reporter => {
        reporter.report({message});
        this.reporter = reporter;
        return new Promise(resolve => { this.endProgress = resolve; });
      });
    else if (kind === 'report')
      this.reporter?.report({message});
    else
      this.endProgress?.();
  }

  open(document) {
    const {uri} = nameOf(document);
    if (!this.client || !isOurs(document) || this.opened.has(uri))
      return;
    this.opened.add(uri);
    this.client.notify('textDocument/didOpen', {textDocument: {
      uri, languageId: document.languageId, version: document.version, text: document.getText()}});
  }

  change({document, contentChanges}) {
    if (!this.opened.has(nameOf(document).uri) || !contentChanges.length)
      return;
    // Their order is that in which they can be made one after the other.
    this.client.notify('textDocument/didChange', {
      textDocument: {...nameOf(document), version: document.version},
      contentChanges: contentChanges.map(({range, text}) => ({range: fromRange(range), text}))});
  }

  save(document) {
    if (this.opened.has(nameOf(document).uri))
      this.client.notify('textDocument/didSave', {textDocument: nameOf(document)});
  }

  close(document) {
    if (!this.opened.delete(nameOf(document).uri))
      return;
    this.client.notify('textDocument/didClose', {textDocument: nameOf(document)});
    this.diagnostics.delete(document.uri);
  }

  watched(uri, type) {
    this.client?.notify('workspace/didChangeWatchedFiles', {changes: [{uri: uri.toString(), type}]});
  }

  async ask(method, document, place) {
    if (!this.opened.has(nameOf(document).uri))
      return null;
    try {
      return await this.client.request(method, {textDocument: nameOf(document), ...place});
    } catch (error) {
      this.log.appendLine(`${method}: ${error.message}`);
      return null;
    }
  }

  async provideCodeActions(document, range, context) {
    const only = context.only ? {only: [context.only.value]} : {};
    const actions = await this.ask('textDocument/codeAction', document,
      {range: fromRange(range), context: {diagnostics: [], ...only}});
    return (actions ?? []).map(toAction);
  }

  async provideHover(document, position) {
    const hover = await this.ask('textDocument/hover', document, {position: fromPosition(position)});
    return hover ? new vscode.Hover(new vscode.MarkdownString(hover.contents.value)) : null;
  }
}

let session;

/** Returns when the server is ready, or has failed to start. */
async function activate(context) {
  session = new Session();
  const {workspace} = vscode;
  // What a finding may depend on, beside what is open.
  const watcher = workspace.createFileSystemWatcher(
    '**/{compile_commands.json,.gradtidy,.clang-tidy,*.{h,hpp,hh,hxx,cuh,cc,cpp,cxx,cu}}');
  context.subscriptions.push(
    session.log, session.diagnostics, watcher,
    watcher.onDidCreate(uri => session.watched(uri, 1)),
    watcher.onDidChange(uri => session.watched(uri, 2)),
    watcher.onDidDelete(uri => session.watched(uri, 3)),
    workspace.onDidOpenTextDocument(document => session.open(document)),
    workspace.onDidChangeTextDocument(event => session.change(event)),
    workspace.onDidSaveTextDocument(document => session.save(document)),
    workspace.onDidCloseTextDocument(document => session.close(document)),
    workspace.onDidChangeConfiguration(
      event => event.affectsConfiguration('gradtidy') && session.restart()),
    workspace.onDidGrantWorkspaceTrust(() => session.restart()),
    vscode.languages.registerCodeActionsProvider(selector, session, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.SourceFixAll]}),
    vscode.languages.registerHoverProvider(selector, session),
    vscode.commands.registerCommand('gradtidy.restart', () => session.restart()),
    vscode.commands.registerCommand('gradtidy.showLog', () => session.log.show()));
  await session.start();
}

async function deactivate() {
  await session?.stop();
}

module.exports = {activate, deactivate};
