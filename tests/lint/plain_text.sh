#!/usr/bin/env bash
# Text out of a file is never taken for rich text: labels are PlainLabels (editor/text/plain_text.h) or say their format,
# and a tooltip or message that is not a text of our own goes through asPlainText.
cd "$1" || exit 1
failed=0
# Rich on purpose: texts of our own, numbers in colours, what htmlText has escaped.
rich='editor/(controllers/empty_hint|layout_lab/readout|panels/inspect/inspector)\.cpp'
if hits=$(grep -rnE 'new QLabel\(' app/studio editor --include='*.cpp' --include='*.h' | grep -vE "^$rich:"); then
  printf 'labels that guess their format; use PlainLabel:\n%s\n' "$hits"
  failed=1
fi
# The canvas's tooltip is made by tooltipOf, which escapes.
if hits=$(grep -rnE '(setToolTip|QToolTip::showText)\(|== Qt::ToolTipRole|QMessageBox(::[a-z]+)?\(.*\.arg\(' \
  app/studio editor --include='*.cpp' | grep -vE '^editor/canvas/canvas_input\.cpp:' |
  grep -vE 'asPlainText|setToolTip\(($|\{\}|help\)|tip\)|tr\()|setToolTip\([0-9], tr\('); then
  printf 'tooltips that guess their format; use asPlainText:\n%s\n' "$hits"
  failed=1
fi
exit $failed
