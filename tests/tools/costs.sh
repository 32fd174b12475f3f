#!/usr/bin/env bash
# costs.sh COST_DATA: tests/costs.txt anew, from what ctest measured (Testing/Temporary/CTestCostData.txt of a build, after
# one run of all tests): those of a second and more.
echo "# Seconds of a test: the longest start first. tests/tools/costs.sh writes the list. One that is not here takes less than one."
sed '/^---/,$d' "$1" | awk '$3 >= 1 { printf "%s %.1f\n", $1, $3 }' | sort -k2,2rn -k1,1
