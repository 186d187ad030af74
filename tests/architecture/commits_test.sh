#!/usr/bin/env bash
# commits_test.sh FOLDER: which commit messages the rules take, and the check over the commits of a repository.
set -uo pipefail
rules=$(dirname "$(readlink -f "$0")")/../../packaging/git
rm -rf "$1" && mkdir -p "$1" || exit 1
failed=0
# message EXPECTED SUMMARY BODY: EXPECTED is "right" or a part of the finding.
message() {
    local said
    said=$(printf '%s\n\n%s\n# a comment of git\n' "$2" "$3" | "$rules/commit-msg" /dev/stdin 2>&1) && said=right
    [[ $said == *"$1"* ]] || { printf 'expected "%s" of "%s", got: %s\n' "$1" "$2" "$said"; failed=1; }
}
why='Tied weights were counted twice.'
message right 'planner: count tied embeddings once' "$why"
message right 'gui, core/store: pass rows by value' "$why"
message right "Merge branch 'x'" ''
message 'form `module: imperative summary`' 'Count tied embeddings' "$why"
message 'form `module: imperative summary`' 'Planner: count tied embeddings' "$why"
message 'has 73 characters' "planner: $(printf 'x%.0s' {1..64})" "$why"
message right "planner: $(printf 'x%.0s' {1..63})" "$why"
message 'make two commits' 'planner: count heads and tails' "$why"
message 'not with "counts"' 'planner: counts tied embeddings' "$why"
message 'not with "counted"' 'planner: counted tied embeddings' "$why"
message 'not with "the"' 'planner: the embeddings count once' "$why"
message 'full stop' 'planner: count tied embeddings.' "$why"
message 'body that says why' 'planner: count tied embeddings once' ''
message 'body that says why' 'planner: count tied embeddings once' '# only a comment'

repository=$1/repository
git init -q "$repository" && cd "$repository" || exit 1
commit() { git -c user.name=x -c user.email=x@y -c core.hooksPath=/dev/null commit -q --allow-empty -m "$1" -m "${2-}"; }
commit 'An old message'
since=$(git rev-parse HEAD)
commit 'planner: count tied embeddings once' "$why"
"$rules/check_commits" . "$since" || failed=1
commit 'planner: Counts heads'
commit 'fixup! planner: count tied embeddings once' "$why"
said=$("$rules/check_commits" . "$since" 2>&1) && failed=1
[[ $said == *'2 of 3 commit messages break the rules'* ]] || { printf '%s\n' "$said"; failed=1; }
"$rules/check_commits" . 0123456789012345678901234567890123456789 2>/dev/null && failed=1
git clone -q --depth 1 "file://$PWD" ../shallow && "$rules/check_commits" ../shallow "$since" >/dev/null 2>&1
[ $? -eq 77 ] || { printf 'a shallow clone must be skipped\n'; failed=1; }
cd / && rm -rf "$1"
exit $failed
