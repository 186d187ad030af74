#!/usr/bin/env bash
# budget_test.sh FOLDER: which logs check_budget.sh takes, and that the rows of tests/budget.txt keep to their totals.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
check=$here/../../packaging/setup/check_budget.sh
rm -rf "$1" && mkdir -p "$1" && cd "$1" || exit 1
failed=0
# expect TEXT RESULT TIER: the check of log and budget prints TEXT and ends with RESULT.
expect() {
    local said result
    said=$("$check" log budget "$3")
    result=$?
    [ "$result" -eq "$2" ] && [[ $said == *"$1"* ]] || { printf 'tier %s: expected %s and "%s", got %s and:\n%s\n' "$3" "$2" "$1" "$result" "$said"; failed=1; }
}
printf '1/3 Testing: tst_a.X\nCPU    : 3.5 s\nTest time =  60.00 sec\n2/3 Testing: tst_a.Y\nCPU    : 7.0 s\nTest time =   4.00 sec\n3/3 Testing: rules.files\nTest time =   1.70 sec\n' >log
printf '# a comment\ntotal 20 30\ntst_a 11 5\nrules 2 2\n' >budget
expect '12 s of CPU in tests, the budget is 20' 0 test
expect 'tst_a took 10 s of CPU, its budget is 5' 1 full
expect 'tst_a                               13' 0 measure
sed -i 's/tst_a 11/tst_a 8/' budget
expect 'tst_a took 10 s of CPU, more than its budget of 8' 0 test
sed -i 's/tst_a 8/tst_a ~4/' budget
expect 'tst_a took 10 s of CPU, more than its estimate of 4' 0 test
sed -i '/rules/d' budget
expect 'rules has no budget' 1 test
printf 'total 20 30\ntst_a 19 5\nrules 2 2\n' >budget
expect 'sum up to 21 s, more than its total of 20' 1 test

: >log
cp "$here/../budget.txt" budget
expect '0 s of CPU in tests' 0 test
expect '0 s of CPU in tests' 0 full
for part in $(sed -n -E 's/^slipway_tests\(([a-z0-9_]+).*/\1/p' $(find "$here/.." -name CMakeLists.txt)); do
    grep -q "^$part " budget || { printf '%s has no row in tests/budget.txt\n' "$part"; failed=1; }
done
cd / && rm -rf "$1"
exit $failed
