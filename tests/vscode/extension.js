'use strict';
// The extension for Visual Studio Code with the real language server and a stub of the editor.
//
//   GRADTIDY=PROGRAM AXON=FOLDER node --test tests/vscode/extension.js

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const root = path.join(__dirname, '../..');
const stub = require('./vscode.js');
const {editor} = stub;
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? stub : load(name, ...rest));
const extension = require(path.join(root, 'integrations/vscode/extension.js'));

const program = process.env.GRADTIDY, axon = process.env.AXON;
const loop = `#include <axon/axon.h>
void train(axon::Block net, axon::Array x, axon::Array y) {
  axon::Solver solver(net.weights());
  for (int i = 0; i < 9; ++i) {
    axon::distance(net(x), y).backpropagate();
    solver.advance();
  }
}
`;

const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'gradtidy ü ')));
const source = path.join(project, 'train.cpp');
fs.mkdirSync(path.join(project, 'build'));
fs.writeFileSync(source, loop);
fs.writeFileSync(path.join(project, 'build/compile_commands.json'), JSON.stringify(
  [{directory: project, file: source, command: `c++ -std=c++20 -I${axon} -c train.cpp`}]));
stub.workspace.workspaceFolders = [{uri: stub.Uri.file(project)}];

const found = document => editor.diagnostics.get(document.uri.toString());
const at = (line, character) => new stub.Position(line, character);
const span = (...place) => new stub.Range(at(...place.slice(0, 2)), at(...place.slice(2)));
/** The processes that this one has started. */
const servers = () =>
  fs.readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);

const context = {subscriptions: []};

test.after(async () => {
  await extension.deactivate();
  fs.rmSync(project, {recursive: true});
});

test('a program that is not there is told, and nothing else happens', async () => {
  editor.settings = {path: path.join(project, 'nothing')};
  const document = editor.open(source, 'cpp', loop);
  await extension.activate(context);
  assert.match(editor.shown.pop(), /pip install gradtidy/);
  editor.change(document, {range: span(0, 0, 0, 0), text: ' '});
  assert.deepStrictEqual(await editor.providers.actions.provideCodeActions(document, span(0, 0, 0, 0), {}), []);
  assert.strictEqual(found(document), undefined);
  editor.close(document);
});

test('findings, fixes and pages are those of the server', async () => {
  const cache = path.join(project, 'cache');
  editor.settings = {path: program, arguments: [`--model=${axon}/axon.json`, `--cache-dir=${cache}`]};
  const document = editor.open(source, 'cpp', loop);
  await editor.commands.get('gradtidy.restart')();
  await editor.until(() => found(document)?.length);
  // The first time, headers have to be precompiled.
  await editor.until(() => editor.progress.length === 2);
  assert.match(editor.progress[0], /^gradtidy: precompiling axon\/axon\.h/);
  assert.strictEqual(editor.progress[1], 'end');
  const [finding] = found(document);
  assert.strictEqual(finding.source, 'gradtidy');
  assert.strictEqual(finding.severity, stub.DiagnosticSeverity.Error);
  assert.strictEqual(finding.code.value ?? finding.code, 'ml-missing-zero-grad');
  assert.strictEqual(finding.range.start.line, 5);
  assert.ok(finding.relatedInformation.length > 1);
  assert.strictEqual(finding.relatedInformation[0].location.uri.path, source);

  const {actions, hover} = editor.providers;
  const quick = await actions.provideCodeActions(document, finding.range, {only: stub.CodeActionKind.QuickFix});
  assert.deepStrictEqual([...new Set(quick.map(({kind}) => kind.value))], ['quickfix']);
  const fix = quick.find(({isPreferred}) => isPreferred);
  const fixed = editor.edited(document, fix);
  assert.match(fixed, /solver\.zero_grad\(\);/);
  const all = await actions.provideCodeActions(document, finding.range,
    {only: stub.CodeActionKind.SourceFixAll});
  assert.strictEqual(all.length, 1);
  assert.strictEqual(editor.edited(document, all[0]), fixed);

  const page = await hover.provideHover(document, at(5, 12));
  assert.match(page.contents.value, /ml-missing-zero-grad/);
  assert.strictEqual(await hover.provideHover(document, at(0, 0)), null);
});

test('what is typed counts, several places at once too', async () => {
  const [document] = stub.workspace.textDocuments;
  // Two carets; each range is that of the text before the change, the last one first.
  editor.change(document,
    {range: span(5, 4, 5, 4), text: 'solver.zero_grad(); '}, {range: span(0, 0, 0, 0), text: '// ä\n'});
  await editor.until(() => found(document)?.length === 0 || found(document)?.[0].range.start.line === 6);
  editor.change(document, {range: span(6, 4, 6, 24), text: ''});
  await editor.until(() => found(document)?.[0]?.range.start.line === 6);
  editor.change(document, {range: span(5, 4, 5, 4), text: 'solver.zero_grad(); '});
  await editor.until(() => found(document)?.length === 0);
});

test('a document that is closed has no findings, and other languages none at all', async () => {
  const [document] = stub.workspace.textDocuments;
  editor.close(document);
  assert.strictEqual(found(document), undefined);
  const other = editor.open(path.join(project, 'notes.py'), 'python', loop);
  const again = editor.open(source, 'cpp', loop);
  await editor.until(() => found(again)?.length);
  assert.strictEqual(found(other), undefined);
  editor.close(other);
});

test('a server that crashes is started again, but not without end', async () => {
  const [document] = stub.workspace.textDocuments;
  for (let crashes = 0; crashes < 4; ++crashes) {
    const [server] = servers();
    editor.diagnostics.clear();
    process.kill(Number(server), 'SIGKILL');
    await editor.until(() => found(document)?.length);
  }
  process.kill(Number(servers()[0]), 'SIGKILL');
  await editor.until(() => editor.shown.length);
  assert.match(editor.shown.pop(), /ended with SIGKILL 5 times and is not started again/);
  assert.deepStrictEqual(servers(), []);
  await editor.commands.get('gradtidy.restart')();
  await editor.until(() => found(document)?.length);
});

test('no server is left behind', async () => {
  assert.strictEqual(servers().length, 1);
  await extension.deactivate();
  assert.deepStrictEqual(servers(), []);
});

test('the description names what there is', () => {
  const description = require(path.join(root, 'integrations/vscode/package.json'));
  const version = /project\(gradtidy VERSION ([0-9.]+)/.exec(
    fs.readFileSync(path.join(root, 'CMakeLists.txt'), 'utf8'))[1];
  assert.strictEqual(description.version, version);
  assert.deepStrictEqual(description.contributes.commands.map(({command}) => command),
    [...editor.commands.keys()]);
  assert.deepStrictEqual(Object.keys(description.contributes.configuration.properties),
    description.capabilities.untrustedWorkspaces.restrictedConfigurations);
});
