# Solids that break: a bar over water is pulled apart, its pieces fall in; a cloth tears under its water, and water runs through the
# tear; resumed and with other threads it is the same.
. "$(dirname "$0")/lib.sh"
cat >bar.json <<'END'
{ "name": "bar", "particle_radius": 0.02, "duration": 0.3, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.8, 0.2, 0.3] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.8, 0.5, 0.3] }, "position": [0.4, 0.25, 0.15], "inside": true },
              { "name": "bar", "type": "elastic", "model": "fem", "shape": { "box": [0.4, 0.08, 0.08] }, "position": [0.4, 0.25, 0.15],
                "resolution": 0.04, "density": 1100, "young": 2e5, "strength": 15000, "damping": 0.002,
                "pins": [ { "min": [0.1, 0, 0], "max": [0.22, 1, 1] },
                          { "min": [0.58, 0, 0], "max": [0.7, 1, 1], "motion": [ { "time": 0 }, { "time": 0.2, "position": [0.08, 0, 0] } ] } ] } ] }
END
column() { awk -F, -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k } END { print $c }' "$1"; }
expect 0 "$meniscus" run bar.json --out whole --quiet --threads 2
[ "$(column whole/stats.csv broken_faces)" -gt 10 ] || fail "it did not break: $(tail -n 1 whole/stats.csv)"
[ "$(column whole/stats.csv lost_particles)$(column whole/stats.csv leaked_particles)" = 00 ] || fail "lost or leaked"
says whole/run.log "begin to break"
expect 0 "$meniscus" run bar.json --out strong --quiet --set solids.1.strength=1e9
[ "$(column strong/stats.csv broken_faces)" = 0 ] || fail "a strong bar broke"
expect 0 "$meniscus" run bar.json --out parts --quiet --threads 1 --until 0.2
expect 0 "$meniscus" run bar.json --out parts --quiet --resume
same_run whole parts
# killed on the way, before and after it broke, and resumed
for frame in 03 11; do
    rm -rf killed
    "$meniscus" run bar.json --out killed --quiet --threads 2 2>/dev/null &
    pid=$!
    for ((k = 0; k < 1200; k++)); do
        [ -e killed/frames/water_0000$frame.vtp ] && break
        sleep 0.05
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    expect 0 "$meniscus" run bar.json --out killed --quiet --resume
    same_run whole killed
done
# usda has its faces frame by frame: as many more as opened
expect 0 "$meniscus" surface whole -o usd --format usda --quiet
awk -v opened="$(column whole/stats.csv broken_faces)" '/def Mesh "bar_solid"/ { in_bar = 1 }
    in_bar && /faceVertexCounts.timeSamples/ { counts = 1; next }
    counts && /}/ { exit }
    counts { sub(/.*\[/, ""); n = split($0, faces, ","); if (!first) first = n; last = n }
    END { exit !(first > 100 && last == first + 2 * opened) }' usd/run.usda || fail "run.usda does not have the faces that opened"
expect 2 "$meniscus" check bar.json --set solids.1.strength=-1
says err.txt "solids.1.strength"
expect 2 "$meniscus" check bar.json --set 'solids.1.shape={"sphere": 0.06}'
says err.txt "only boxes and tetrahedral meshes can break"
# the faces of cracks: the last triangles of every format, with a colour of their own in pictures
for format in vtp ply obj; do
    expect 0 "$meniscus" run bar.json --out as_$format --quiet --until 0.2 --set output.solids=$format --set 'solids.1.inner_colour=[1, 0, 0]'
    expect 0 "$meniscus" render as_$format -o $format.png --size 160x100 --set solids.0.finish=hidden --no-title
    cmp vtp.png $format.png || fail "$format shows another picture than vtp"
done
expect 0 "$meniscus" render as_vtp -o plain.png --size 160x100 --set solids.0.finish=hidden --set solids.1.inner_colour=auto --no-title
cmp -s vtp.png plain.png && fail "inner_colour is not seen"
[ "$(grep -c '^g inner' as_obj/solids/bar_000010.obj)" = 1 ] || fail "no group of inner faces"
[ "$(grep -c '^g inner' as_obj/solids/bar_000000.obj)" = 0 ] || fail "inner faces before it broke"
opened=$(column as_obj/stats.csv broken_faces)
[ "$(sed '1,/^g inner/d' as_obj/solids/bar_000010.obj | grep -c '^f ')" = $((2 * opened)) ] || fail "not two inner faces for each that opened"
expect 2 "$meniscus" check bar.json --set 'solids.1.inner_colour=[2, 0, 0]'
says err.txt "solids.1.inner_colour"
expect 2 "$meniscus" check bar.json --set 'solids.0.inner_colour=[1, 0, 0]'
says err.txt "elastic solids"

cat >cloth.json <<'END'
{ "name": "cloth", "particle_radius": 0.025, "duration": 0.6, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [-0.2, 0.03, -0.2], "max": [0.2, 0.25, 0.2] } ] } ],
  "solids": [ { "name": "cloth", "type": "elastic", "shape": { "grid": [0.8, 0.8], "cells": [16, 16] }, "density": 1200, "thickness": 0.002,
                "young": 5e5, "drag": 0.5, "tear_strain": 0.2,
                "pins": [ { "min": [-1, -1, -1], "max": [-0.39, 1, 1] }, { "min": [0.39, -1, -1], "max": [1, 1, 1] } ] } ],
  "probes": [ { "name": "under", "type": "height", "position": [0, -1, 0] } ] }
END
expect 0 "$meniscus" run cloth.json --out torn --quiet --threads 2
[ "$(column torn/stats.csv broken_faces)" -gt 8 ] || fail "it did not tear: $(tail -n 1 torn/stats.csv)"
[ "$(column torn/stats.csv lost_particles)$(column torn/stats.csv leaked_particles)" = 00 ] || fail "lost or leaked"
expect 0 "$meniscus" run cloth.json --out torn_parts --quiet --threads 1 --until 0.3
expect 0 "$meniscus" run cloth.json --out torn_parts --quiet --resume
same_run torn torn_parts
expect 0 "$meniscus" run cloth.json --out held --quiet --set solids.0.tear_strain=never
[ "$(column held/stats.csv broken_faces)" = 0 ] || fail "a cloth that never tears was torn"
# water that fell through the tear lost more height than water on a cloth that held
awk -v torn="$(column torn/stats.csv potential_energy)" -v held="$(column held/stats.csv potential_energy)" \
    'BEGIN { exit !(torn < held - 10) }' || fail "no water ran through the tear"
expect 2 "$meniscus" check cloth.json --set solids.0.tear_strain=-1
says err.txt "solids.0.tear_strain"
expect 2 "$meniscus" check bar.json --set solids.1.tear_strain=0.1
says err.txt "tear_strain"
expect 2 "$meniscus" check cloth.json --set solids.0.strength=100
says err.txt "strength"
expect 2 "$meniscus" check cloth.json --set solids.0.toughness=100
says err.txt "solids.0.toughness"
expect 2 "$meniscus" check cloth.json --set solids.0.yield=100
says err.txt "solids.0.yield"
expect 2 "$meniscus" check bar.json --set solids.1.toughness=10 --set solids.1.strength=never
says err.txt "solids.1.toughness"
finish
