# All C files are as clang-format leaves them; `make format` repairs.
. "$(dirname "$0")/lib.sh"
status=0
"$source_dir/tools/format" --check >/dev/null 2>"${TMPDIR:-/tmp}/format.$$" || status=$?
complaints=$(grep -oE '^[^ ]+\.[ch]:[0-9]+' "${TMPDIR:-/tmp}/format.$$" | sort -u -t: -k1,1 || true)
rm -f "${TMPDIR:-/tmp}/format.$$"
[ "$status" -ne 77 ] || skip "no clang-format of the right version"
[ "$status" -eq 0 ] || fail "not formatted (make format repairs):
$complaints"
finish
