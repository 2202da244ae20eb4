# The Python package against the library of this build: its own tests, its help, and the example that plots a run.
. "$(dirname "$0")/lib.sh"
make_scratch
library=$build_dir/lib
[ -e "$library/libmeniscus.so" ] || skip "this build has no shared library"
python=
for candidate in /usr/bin/python3 python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import cffi, numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "no Python with cffi and numpy; tools/setup installs them"
export MENISCUS_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1

"$python" -m unittest discover -s "$source_dir/python/tests" >"$scratch/log" 2>&1 || fail "python/tests: $(cat "$scratch/log")"
PYTHONPATH=$source_dir/python "$python" -c 'import meniscus; help(meniscus); help(meniscus.World)' >"$scratch/help" 2>&1 ||
    fail "help: $(cat "$scratch/help")"
grep -q "pour_particles" "$scratch/help" || fail "help(meniscus.World) does not tell of pour_particles"

# the first block of docs/python.md runs
awk '/^```python$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source_dir/docs/python.md" >"$scratch/first.py"
PYTHONPATH=$source_dir/python "$python" "$scratch/first.py" >"$scratch/log" 2>&1 || fail "the first block of docs/python.md: $(cat "$scratch/log")"

"$python" "$source_dir/python/examples/dam_break.py" "$scratch" >"$scratch/log" 2>&1 || fail "dam_break.py: $(cat "$scratch/log")"
[ -s "$scratch/dam.png" ] || fail "dam_break.py leaves no dam.png: $(cat "$scratch/log")"
! command -v gnuplot >/dev/null || [ -s "$scratch/front.png" ] || fail "dam_break.py leaves no front.png: $(cat "$scratch/log")"
finish
