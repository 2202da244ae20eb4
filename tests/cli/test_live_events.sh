# Scenes whose events do what the live calls do: solids and joints that come and go, fluid, pulls, materials; resumed in the middle
# of it and with other threads it is the same, with every kind of fluid. What is not possible is said before the run.
. "$(dirname "$0")/lib.sh"
cat >live.json <<'END'
{ "name": "live", "particle_radius": 0.02, "duration": 0.16, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.6, 0.16, 0.4] } ],
                "emitters": [ { "type": "box", "position": [0.1, 0.4, 0.2], "direction": [0, -1, 0], "size": [0.08, 0.08], "speed": 1 } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.6, 0.8, 0.4] }, "position": [0.3, 0.4, 0.2], "inside": true },
              { "name": "ball", "type": "rigid", "shape": { "sphere": 0.07 }, "position": [0.3, 0.4, 0.2], "density": 500 },
              { "name": "paddle", "type": "kinematic", "shape": { "box": [0.04, 0.2, 0.2] }, "position": [0.5, 0.3, 0.2] } ],
  "events": [ { "time": 0.02, "pushes": [ { "solid": "ball", "impulse": [0.3, 0, 0] } ], "nozzles": [ { "on": false } ] },
              { "time": 0.031, "solids": [ { "name": "late", "type": "rigid", "shape": { "box": [0.1, 0.1, 0.1] }, "position": [0.15, 0.5, 0.2], "density": 700 } ],
                "moves": [ { "solid": "paddle", "position": [0.45, 0.25, 0.2], "seconds": 0.05 } ] },
              { "time": 0.05, "joints": [ { "name": "rope", "solid": "late", "other": "ball", "position": [0.2, 0.45, 0.2] } ],
                "pours": [ { "spheres": [ { "centre": [0.45, 0.6, 0.2], "radius": 0.06 } ] } ] },
              { "time": 0.06, "pulls": [ { "name": "hand", "solid": "late", "point": [0.15, 0.5, 0.2], "target": [0.3, 0.6, 0.2] } ],
                "fluid_changes": [ { "viscosity": 0.1 } ] },
              { "time": 0.1, "remove": "ball", "pulls": [ { "name": "hand", "end": true } ] },
              { "time": 0.11, "scoops": [ { "min": [0.4, 0, 0], "max": [0.6, 0.3, 0.4] } ], "gravity": [0, -5, 0] } ] }
END
column() { awk -F, -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k } END { print $c }' "$1"; }
for method in dfsph flip; do
    expect 0 "$meniscus" run live.json --out whole --force --quiet --threads 2 --set solver.method=$method
    [ "$(column whole/stats.csv lost_particles)$(column whole/stats.csv leaked_particles)" = 00 ] || fail "$method: lost or leaked"
    says whole/run.log "1 solids and 0 joints come"
    says whole/run.log "one solid goes"
    says whole/run.log "poured in"
    rm -rf parts
    expect 0 "$meniscus" run live.json --out parts --quiet --threads 1 --until 0.08 --set solver.method=$method
    expect 0 "$meniscus" run live.json --out parts --quiet --resume --set solver.method=$method
    same_run whole parts
done
expect 2 "$meniscus" check live.json --set 'events.0.pushes.0.solid=tank'
says err.txt "only rigid and elastic solids give way"
expect 2 "$meniscus" check live.json --set 'events.1.solids.0.type=elastic'
says err.txt "the first solid of a joint must be rigid"
expect 2 "$meniscus" check live.json --set 'events.3.pulls.0.solid=nobody'
says err.txt "there is no solid named 'nobody'"
# the grid fluid carries reduced solids alone: one of another model that comes later is told before the run, with its place
cat >later.json <<'A'
{ "name": "later", "particle_radius": 0.03, "duration": 0.2, "solver": { "method": "flip" },
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.4, 0.2, 0.4] } ] } ],
  "solids": [ { "name": "tank", "type": "static", "shape": { "box": [0.4, 0.6, 0.4] }, "position": [0.2, 0.3, 0.2], "inside": true } ],
  "events": [ { "time": 0.1,
                "solids": [ { "name": "cube", "type": "elastic", "model": "fem", "shape": { "box": [0.1, 0.1, 0.1] }, "position": [0.2, 0.4, 0.2] } ] } ] }
A
expect 2 "$meniscus" check later.json && says err.txt "later.json:5" && says err.txt "events.0.solids.0.model"
expect 2 "$meniscus" run later.json --out later.run --quiet && says err.txt "reduced alone"
[ ! -e later.run ] || fail "a run began that could not end"
sed 's/"fem"/"reduced"/' later.json >reduced.json
expect 0 "$meniscus" run reduced.json --out reduced.run --threads 1 --quiet
finish
