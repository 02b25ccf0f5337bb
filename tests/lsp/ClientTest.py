"""gradtidy lsp as pytest-lsp's client sees it, which checks every message against the protocol.

    ClientTest.py GRADTIDY AXON_FOLDER
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from lsprotocol import types
from pytest_lsp import client_capabilities, make_test_lsp_client

SOURCE = """#include <axon/axon.h>
void train(axon::Block &net, axon::Array input, axon::Array target) {
  axon::Solver solver(net.weights());
  for (int i = 0; i < 10; ++i) {
    axon::Array loss = axon::distance(net(input), target);
    loss.backpropagate();
    solver.advance();
  }
}
"""


def equal(seen, expected):
    if seen != expected:
        raise AssertionError(f"{seen!r} is not {expected!r}")


async def talk(gradtidy, axon, folder, editor):
    client = make_test_lsp_client()
    await client.start_io(
        gradtidy, "lsp", f"--model={axon}/axon.json", "--no-cache", "--",
        "-std=c++20", f"-I{axon}")
    capabilities = client_capabilities(editor)
    pulls = capabilities.text_document.diagnostic is not None
    session = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri=folder.as_uri()))
    equal(session.capabilities.diagnostic_provider.inter_file_dependencies, True)
    file = folder / "train.cpp"
    file.write_text(SOURCE)
    document = types.TextDocumentIdentifier(uri=file.as_uri())
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(
        uri=document.uri, language_id="cpp", version=1, text=SOURCE)))
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    equal([item.code for item in report.items], ["ml-missing-zero-grad"])
    found = report.items[0]
    equal(len(client.diagnostics.get(document.uri, [])), 0 if pulls else 1)

    hover = await client.text_document_hover_async(
        types.HoverParams(text_document=document, position=found.range.start))
    assert "## Symptom" in hover.contents.value, hover
    actions = await client.text_document_code_action_async(types.CodeActionParams(
        text_document=document, range=found.range, context=types.CodeActionContext([found])))
    equal(actions[0].title, "Insert 'solver.zero_grad();'")
    edit = actions[0].edit.changes[document.uri][0]
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        types.VersionedTextDocumentIdentifier(version=2, uri=document.uri),
        [types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)]))
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    equal(list(report.items), [])
    await client.shutdown_session()


for name in ("visual_studio_code", "neovim", "emacs"):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as root:
        asyncio.run(asyncio.wait_for(
            talk(sys.argv[1], sys.argv[2], Path(root).resolve(), name), timeout=300))
