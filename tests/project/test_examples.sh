# The examples as people meet them: compiled against the public headers alone, linked to the library, run, and looked at.
. "$(dirname "$0")/lib.sh"
make_scratch
library=$build_dir/lib
[ -e "$library/libmeniscus.so" ] || skip "this build has no shared library"

# run NAME PATTERN [WORD...]: what it prints must match
run()
{
    name=$1 pattern=$2
    shift 2
    if ! "$c_compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$source_dir/include" -o "$scratch/$name" \
        "$source_dir/examples/$name.c" -L"$library" -lmeniscus -lm -Wl,-rpath,"$library" >"$scratch/log" 2>&1; then
        fail "$name does not compile: $(cat "$scratch/log")"
    elif ! (cd "$scratch" && "$scratch/$name" "$@") >"$scratch/$name.out" 2>&1; then
        fail "$name does not run: $(cat "$scratch/$name.out")"
    elif ! grep -qE "$pattern" "$scratch/$name.out"; then
        fail "$name prints: $(cat "$scratch/$name.out")"
    fi
}

run first '[0-9]+ particles'
run moving_body 'turning with -?[0-9.]+ rad/s'
run custom_particles '^[0-9]{3,} particles, the lowest at 0\.0'
run pick_and_pull '^14 events were recorded'
run snapshot_search '^[0-9.]+ m/s will do'
run drawing 'drawing.ply: [0-9]{3,} triangles' "$scratch"
for file in drawing.png drawing.ply; do
    [ -s "$scratch/$file" ] || fail "drawing leaves no $file"
done
grep -q "^picked 'ball'" "$scratch/pick_and_pull.out" || fail "the ray does not meet the ball: $(cat "$scratch/pick_and_pull.out")"
# the ball went up with the hand, and fell
awk '/^pulled up/ { ok = $4 > 0.28 && $10 < $4 } END { exit !ok }' "$scratch/pick_and_pull.out" ||
    fail "the pull does not pull: $(cat "$scratch/pick_and_pull.out")"

# each of them is in the list of docs/library.md
for example in "$source_dir"/examples/*.c; do
    grep -q "examples/$(basename "$example")" "$source_dir/docs/library.md" || fail "docs/library.md does not tell of $(basename "$example")"
done
finish
