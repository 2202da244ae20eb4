#!/usr/bin/env bash
# Probes with a rate of their own, means, impulses, lines and arrays, parts of solids; the same after a restart.
. "$(dirname "$0")/lib.sh"

cat > scene.json <<'JSON'
{ "name": "probes", "dimension": 2, "particle_radius": 0.02, "duration": 0.32, "frame_rate": 25,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0], "max": [0.4, 0.4] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [1, 0.8] }, "position": [0.5, 0.4], "inside": true } ],
  "probes": [
    { "name": "p", "type": "pressure", "position": [0.1, 0.1], "every": 0.001 },
    { "name": "f", "type": "force", "solid": "tank", "every": 0.001 },
    { "name": "mean", "type": "force", "solid": "tank", "every": 0.001, "average": 0.05 },
    { "name": "slow", "type": "force", "solid": "tank", "average": 0.05 },
    { "name": "i", "type": "impulse", "solid": "tank" },
    { "name": "left", "type": "force", "solid": "tank", "min": [-0.1, -0.1], "max": [0.5, 0.9] },
    { "name": "right", "type": "force", "solid": "tank", "min": [0.5, -0.1], "max": [1.1, 0.9] },
    { "name": "line", "type": "height", "position": [0.1, 0], "to": [0.9, 0], "count": 5 },
    { "name": "grid", "type": "velocity", "position": [0.1, 0.05], "to": [0.5, 0.05], "count": 3, "rows": 2, "across": [0, 0.1] } ] }
JSON
expect 0 "$meniscus" run scene.json --out whole --quiet --threads 1
head -1 whole/probes.csv | grep -q '^frame,time,p,f,mean,slow,i,left,right,line.0,line.1,line.2,line.3,line.4,grid.0.0,grid.0.1,grid.0.2,grid.1.0,grid.1.1,grid.1.2,' || fail "columns of probes.csv: $(head -1 whole/probes.csv)"
head -1 whole/probes_every_0.001.csv | grep -q '^frame,time,p,f,f_x,f_y,f_z,mean,mean_x,mean_y,mean_z$' || fail "columns of probes_every_0.001.csv"
grep -q '^probes.csv,i,N s/m$' whole/units.csv || fail "units.csv"

# every millisecond from the first step to the end; times are multiples
awk -F, 'NR > 1 { n++; d = $2 - (n0 == "" ? n0 = $2 : n0) - (n - 1) * 0.001; if (d * d > 1e-18) bad = 1 } END { exit !(n >= 320 && n <= 321 && !bad) }' whole/probes_every_0.001.csv ||
    fail "times of probes_every_0.001.csv"

# column FILE NAME ROW: a number of a table, by the column's name; row 0 is the first after the header, -1 the last
column()
{
    awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next }
        { n++; if (n - 1 == row) { found = 1; print $c; exit } last = $c } END { if (!found) print last }' "$1"
}
# near A B TOLERANCE WHAT
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !((a - b)^2 <= t^2) }' || fail "$4: $1 and $2"; }

# the mean of the last 0.05 s is that of the fast table's last 50 forces
sum=$(awk -F, '{ f[NR] = $5 } END { for (k = NR - 49; k <= NR; k++) s += f[k] / 50; print s }' whole/probes_every_0.001.csv)
near "$sum" "$(column whole/probes_every_0.001.csv mean_x -1)" 10 "mean of f_x"
# and a frame's mean that of the fast table there
near "$(column whole/probes.csv slow -1)" "$(column whole/probes_every_0.001.csv mean -1)" 60 "mean of frames"
# impulse between two frames is the force of the time between
for c in x y; do
    between=$(awk -F, -v c=$c 'NR > 1 && $2 > 0.2400001 && $2 < 0.3200001 { s += (c == "x" ? $5 : $6) * 0.001 } END { print s }' whole/probes_every_0.001.csv)
    impulse=$(awk -v a="$(column whole/probes.csv i_$c 8)" -v b="$(column whole/probes.csv i_$c 6)" 'BEGIN { print a - b }')
    near "$between" "$impulse" 4 "impulse $c"
    near "$(awk -v a="$(column whole/probes.csv left_$c -1)" -v b="$(column whole/probes.csv right_$c -1)" 'BEGIN { print a + b }')" \
        "$(column whole/bodies.csv f$c -1)" 0.5 "parts of the tank, $c"
done
near "$(column whole/probes.csv line.0 0)" 0.4 0.03 "height in the water"
near "$(column whole/probes.csv line.4 0)" 0 0 "height beside the water"

# stopped between frames and resumed: the same tables
expect 0 "$meniscus" run scene.json --out cut --quiet --threads 1 --until 0.17
expect 0 "$meniscus" run scene.json --out cut --quiet --threads 1 --resume
expect 0 "$meniscus" run scene.json --out whole2 --quiet --threads 2
for f in probes.csv probes_every_0.001.csv; do cmp -s whole/$f whole2/$f || fail "$f differs with two threads"; done
expect 0 "$meniscus" run scene.json --out half --quiet --threads 1 --until 0.16
expect 0 "$meniscus" run scene.json --out half --quiet --threads 1 --resume
for f in probes.csv probes_every_0.001.csv; do cmp -s whole/$f half/$f || fail "$f differs after a restart"; done
[ "$(wc -l < cut/probes_every_0.001.csv)" = "$(wc -l < whole/probes_every_0.001.csv)" ] || fail "rows are lost when a run ends between frames"

# bad values
bad() { expect 2 "$meniscus" check scene.json --set "$1"; says err.txt "$2"; }
bad probes.0.every=0 'probes.0.every'
bad probes.0.average=-1 'probes.0.average'
bad probes.0.rows=2 'probes.0.rows'
bad probes.1.count=3 'probes.1.count'
bad 'probes.5.max=[-1,-1]' 'probes.5.max'
bad 'probes.5.solid=cup' 'probes.5.solid'
finish
