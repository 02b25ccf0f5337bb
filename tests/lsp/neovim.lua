-- What a user does in Neovim 0.7 or newer: reads the finding, takes the first action, and saves.
local function check(condition, message)
  if not condition then
    io.stderr:write(message .. '\n')
    vim.cmd('cquit 1')
  end
end

local function findings()
  return vim.tbl_filter(function(one) return one.source == 'gradtidy' end, vim.diagnostic.get(0))
end

check(vim.wait(200000, function() return #findings() == 1 end, 100), 'no finding')
local found = findings()[1]
check(found.code == 'ml-missing-zero-grad' and found.lnum == 6, vim.inspect(found))
check(found.severity == vim.diagnostic.severity.ERROR, 'severity ' .. found.severity)

local offered
vim.ui.select = function(items, options, choose)
  offered = vim.tbl_map(options.format_item, items)
  choose(items[1], 1)
end
vim.api.nvim_win_set_cursor(0, {found.lnum + 1, found.col})
vim.lsp.buf.code_action()
check(vim.wait(60000, function() return offered end, 100), 'no actions')
check(offered[1]:find("Insert 'solver.zero_grad();'", 1, true), vim.inspect(offered))
check(vim.wait(200000, function() return #findings() == 0 end, 100), 'not fixed')
vim.cmd('write')
vim.cmd('qall!')
