# What people and files do that nobody expects: each is refused or handled, and says so.
. "$(dirname "$0")/lib.sh"
small_scene small.json

# --- control characters of a name do not reach the terminal
sed 's/"small splash"/"small \\u001b[31mred\\u009b1m splash"/' small.json >red.json
expect 0 "$meniscus" check red.json
if LC_ALL=C grep -q "$(printf '\033')" out.txt; then fail "check prints an escape character"; fi
if LC_ALL=C grep -q "$(printf '\302\233')" out.txt; then fail "check prints a control character of UTF-8"; fi
says out.txt "small ?[31mred??1m splash"

# --- fixed steps that are too long: check warns, run warns when the first particle leaks and not only at the end
expect 0 "$meniscus" check small.json --set solver.time_step=0.05
says out.txt "solver.time_step is 0.05 s, but solver.cfl allows"
expect 0 "$meniscus" check small.json --set solver.time_step=0.0005
grep -q "solver.time_step" out.txt && fail "a warning of a step that is short enough"
expect 0 "$meniscus" run small.json --out leaky --set solver.time_step=0.05 --set frame_rate=20 --until 0.3
says err.txt "solver.time_step is 0.05 s"
leak=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "leaked_particles") c = k } NR > 1 && $c > 0 { print $1; exit }' leaky/stats.csv)
if [ -n "$leak" ]; then # if ever no particle gets out, there is nothing to warn of
    warned=$(grep -n "wrong side" leaky/run.log | head -1 | cut -d: -f1)
    said=$(grep -n "^frame $leak/" leaky/run.log | cut -d: -f1)
    [ -n "$warned" ] && [ "$warned" -lt "$said" ] || fail "the first leak, in frame $leak, was not said with it"
fi

# --- options of render and run
expect 0 "$meniscus" run small.json --out done --quiet --until 0.04
for option in "--fov 0" "--fov 200" "--fps 0" "--fps -1" "--aperture -1" "--exposure 0" "--exposure -1" "--threads 5000"; do
    # shellcheck disable=SC2086
    expect 2 "$meniscus" render done --out x.png $option
    says err.txt "expected"
done
expect 2 timeout 5 "$meniscus" run small.json --out many --threads 5000
says err.txt "0 to 512"

# --- a table that lost rows is noticed before anything is changed; put back, the run ends as if it had never stopped
expect 0 "$meniscus" run small.json --out whole --quiet
for table in stats bodies probes; do
    cp -r done cut
    head -2 done/$table.csv >cut/$table.csv
    expect 2 "$meniscus" run small.json --out cut --resume --quiet
    says err.txt "$table.csv"
    says err.txt "missing"
    cp done/$table.csv cut/$table.csv
    expect 0 "$meniscus" run small.json --out cut --resume --quiet
    same_run whole cut
    rm -rf cut
done

# --- a pipe as a mesh
mkfifo pipe.obj
cat >pipe.json <<'END'
{ "particle_radius": 0.02, "duration": 0.1, "solids": [ { "name": "thing", "shape": { "mesh": "pipe.obj" } } ] }
END
expect 2 timeout 10 "$meniscus" check pipe.json
says err.txt "pipe"

# --- what cannot be covered with particles is named
cat >rod.json <<'END'
{ "particle_radius": 0.02, "duration": 0.1, "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.2, 0.2, 0.2] } ] } ],
  "solids": [ { "name": "long rod", "shape": { "rod": 1e9 } } ] }
END
expect 2 timeout 60 "$meniscus" check rod.json
says err.txt "'long rod'"
sed 's/"long rod",/"long rod", "type": "rigid",/' rod.json >rigid_rod.json
expect 3 timeout 60 "$meniscus" check rigid_rod.json
says err.txt "'long rod'"

# --- a block in a narrow tank is not higher than it says
cat >narrow.json <<'END'
{ "particle_radius": 0.01, "duration": 0.01, "frame_rate": 100, "output": { "particles": "csv" },
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.039, 0.4, 0.059] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.039, 1, 0.059] }, "position": [0.0195, 0.5, 0.0295], "inside": true } ] }
END
expect 0 "$meniscus" run narrow.json --out narrow --quiet
top=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "y") y = k } NR > 1 && $y > top { top = $y } END { print top }' narrow/frames/water_000000.csv)
awk -v top="$top" 'BEGIN { exit !(top > 0.35 && top <= 0.4) }' || fail "a block of 0.4 m reaches up to $top m"

# --- what starts at the same place, and densities that no pressure solve likes
cat >soft.json <<'END'
{ "particle_radius": 0.02, "duration": 0.1,
  "solids": [ { "name": "one", "type": "elastic", "shape": { "box": [0.2, 0.2, 0.2] }, "resolution": 0.1, "position": [0, 1, 0] },
              { "name": "two", "type": "elastic", "shape": { "box": [0.2, 0.2, 0.2] }, "resolution": 0.1, "position": [0, 1, 0] },
              { "name": "beside", "type": "elastic", "shape": { "box": [0.2, 0.2, 0.2] }, "resolution": 0.1, "position": [0.2, 1, 0] },
              { "name": "cloth", "type": "elastic", "shape": { "grid": [1, 1], "cells": [8, 8] }, "position": [0, 2, 0] },
              { "name": "copy", "type": "elastic", "shape": { "grid": [1, 1], "cells": [8, 8] }, "position": [0, 2, 0] },
              { "name": "above", "type": "elastic", "shape": { "grid": [1, 1], "cells": [8, 8] }, "position": [0, 2.01, 0] } ] }
END
expect 0 "$meniscus" check soft.json
says out.txt "'one' and 'two' start overlapping"
says out.txt "'cloth' and 'copy' start overlapping"
[ "$(grep -c overlapping out.txt)" -eq 2 ] || fail "warnings of solids that only touch: $(grep overlapping out.txt)"
expect 0 "$meniscus" check small.json --set fluids.1.density=1
says out.txt "differ by a factor of 1e+03"
expect 0 "$meniscus" check small.json --set fluids.1.density=20
grep -q "differ by a factor" out.txt && fail "a warning of densities that are well"

# --- plots of names with a quote
if command -v gnuplot >/dev/null; then
    sed "s/\"H1\"/\"it's\"/; s/\"paddle\"/\"joe's paddle\"/g" small.json >quote.json
    expect 0 "$meniscus" run quote.json --out quote --quiet
    expect 0 "$meniscus" plot quote --out plots
    [ -s "plots/probe_it's.png" ] || fail "no plot of the probe it's: $(ls plots | tr '\n' ' ')"
    [ -s "plots/body_joe's_paddle.png" ] || fail "no plot of the solid joe's paddle: $(ls plots | tr '\n' ' ')"
    [ ! -s err.txt ] || fail "gnuplot says: $(head -3 err.txt)"
fi
finish
