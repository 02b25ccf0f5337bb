;;; What a user does in Emacs: reads the finding, takes the first action, and saves.  -*- lexical-binding: t -*-
(require 'flymake)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defun wait-for (what happened)
  "Let the server and timers work until HAPPENED, or fail with WHAT is missing."
  (let ((end (+ (float-time) 200)))
    (while (not (funcall happened))
      (when (> (float-time) end)
        (message "never: %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.1)
      (sit-for 0.1))))

(defun check (condition what)
  (unless condition
    (message "wrong: %S" what)
    (kill-emacs 1)))

(defun try-eglot ()
  (find-file "train.cpp")
  (run-hooks 'post-command-hook)        ; batch mode has no commands, on which Eglot waits
  (wait-for "server" #'eglot-current-server)
  (wait-for "finding" #'flymake-diagnostics)
  (let ((found (car (flymake-diagnostics))))
    (check (string-search "ml-missing-zero-grad" (flymake-diagnostic-text found)) found)
    (check (eq (flymake-diagnostic-type found) 'eglot-error) found)
    (goto-char (flymake-diagnostic-beg found)))
  (check (= (line-number-at-pos) 7) (point))
  ;; Who presses RET at the question for an action gets the first.
  (cl-letf (((symbol-function 'completing-read) (lambda (_prompt choices &rest _) (caar choices)))
            (last-nonmenu-event ?\r))   ; the keyboard asked, not the mouse
    (eglot-code-actions (point) (line-end-position) nil t))
  (save-buffer)                         ; tells the server of the change: batch mode is never idle
  (wait-for "fix" (lambda () (null (flymake-diagnostics)))))

(defun try-lsp-mode ()
  (setq lsp-auto-guess-root t           ; batch mode cannot be asked for the project's folder
        lsp-enable-snippet nil)
  (fset 'flymake-cc #'ignore)           ; fails without a Makefile
  (find-file "train.cpp")
  (let ((findings (lambda ()
                    (seq-filter (lambda (one) (equal (gethash "source" one) "gradtidy"))
                                (apply #'append (hash-table-values (lsp-diagnostics)))))))
    (wait-for "finding" findings)
    (check (equal (gethash "code" (car (funcall findings))) "ml-missing-zero-grad") (funcall findings))
    (goto-char (point-min))
    (search-forward "solver.advance")
    (lsp-execute-code-action (car (lsp-code-actions-at-point)))
    (wait-for "fix" (lambda () (null (funcall findings)))))
  (save-buffer))
