#!/usr/bin/env bash
# Margins and gaps of the window stand on one grid: 2, or multiples of 4 up to 24.
cd "$1" || exit 1
hits=$(grep -rnE --include='*.cpp' --include='*.h' '(setContentsMargins|setSpacing|addSpacing)\(([^)]*[ ,(])?(1|3|5|6|7|9|1[013-5]|1[7-9]|2[1-35-9])[,)]' app/studio editor)
[ -z "$hits" ] && exit 0
echo "margins beside the grid of 2, 4, 8, 12, 16, 20, 24:"
echo "$hits"
exit 1
