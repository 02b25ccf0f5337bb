-- gradtidy lsp in Neovim, of any version since 0.7: findings show, and a fix is made.
--
--   nvim --headless --clean -l/-S neovim.lua with GRADTIDY, AXON and FILE in the environment
local function check(condition, message)
  if not condition then
    io.stderr:write(message .. '\n')
    vim.cmd('cquit 1')
  end
end

vim.cmd('edit ' .. vim.env.FILE)
vim.lsp.buf_attach_client(0, vim.lsp.start_client({
  name = 'gradtidy',
  cmd = {vim.env.GRADTIDY, 'lsp', '--model=' .. vim.env.AXON .. '/axon.json', '--no-cache',
         '--', '-std=c++20', '-I' .. vim.env.AXON},
  root_dir = vim.fn.fnamemodify(vim.env.FILE, ':h'),
}))
check(vim.wait(200000, function() return #vim.diagnostic.get(0) == 1 end, 100), 'no finding')
local found = vim.diagnostic.get(0)[1]
check(found.source == 'gradtidy' and found.code == 'ml-missing-zero-grad', vim.inspect(found))
check(found.severity == vim.diagnostic.severity.ERROR, 'severity ' .. found.severity)

local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
  textDocument = {uri = vim.uri_from_bufnr(0)},
  range = found.user_data.lsp and found.user_data.lsp.range or {
    start = {line = found.lnum, character = found.col},
    ['end'] = {line = found.end_lnum, character = found.end_col},
  },
  context = {diagnostics = {}, only = {'quickfix'}},
}, 10000)
local _, answer = next(answers)
local action = answer.result[1]
check(action.title == "Insert 'solver.zero_grad();'", vim.inspect(action))
vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
check(vim.wait(200000, function() return #vim.diagnostic.get(0) == 0 end, 100), 'not fixed')
vim.cmd('qall!')
