# Housekeeping of the files: licence line first, no file too long, nothing about the machine that they were written on.
. "$(dirname "$0")/lib.sh"
cd "$source_dir"
longest=900

while IFS= read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le $longest ] || fail "$file has $lines lines, at most $longest are allowed: one noun per file"
    head -n 1 "$file" | grep -q '^// SPDX-License-Identifier: MIT$' || fail "$file does not open with its SPDX line"
done < <(project_files | grep -E '\.[ch]$')

# written in two pieces, so that this file passes its own check
machine="/(wo""rk|ro""ot|ho""me)/|\.\./sha""red"
[ -n "$(echo "see ../sha""red/notes" | grep -E "$machine")" ] || fail "the pattern misses what it should find"
[ -n "$(echo "-I/ro""ot/x" | grep -E "$machine")" ] || fail "the pattern misses what it should find"
found=$(project_files | grep -E '\.(c|h|sh|cmake|in|json|md|txt|csv|gp|py)$|^(Makefile|tools/|\.ci/)' | xargs grep -nE "$machine" || true)
[ -z "$found" ] || fail "paths of somebody's machine:
$found"
finish
