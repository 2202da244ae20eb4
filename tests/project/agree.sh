# agree.sh ONE OTHER SCENES: two builds of the command (with and without vector instructions, with and without sanitizers) give the same
# bits for the same scenes: every pressure method, and rigid bodies, elastic solids, tension, and all of them together.
set -eu
one=$1
other=$2
scenes=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ ! -x "$one" ] || [ ! -x "$other" ]; then
    echo "skipped: needs both $one and $other"
    exit 77
fi
failures=0

# agree SCENE OPTIONS...: all that both write about particles and solids is the same
agree()
{
    "$one" run "$@" --out "$scratch/one" --quiet --threads 2
    "$other" run "$@" --out "$scratch/other" --quiet --threads 1
    for part in frames solids bodies.csv; do
        if ! diff -rq "$scratch/one/$part" "$scratch/other/$part"; then
            echo "FAIL: $*: $part differs"
            failures=$((failures + 1))
        fi
    done
    if [ "$(find "$scratch/one/frames" -name '*_00000[1-9].vtp' | wc -l)" -lt 3 ]; then
        echo "FAIL: $*: too few frames to compare"
        failures=$((failures + 1))
    fi
    rm -rf "$scratch/one" "$scratch/other"
}

cat >"$scratch/fluids.json" <<'EOF'
{
  "name": "agree", "particle_radius": 0.015, "duration": 0.1, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.3, 0.45, 0.3] } ] },
              { "name": "oil", "density": 800, "blocks": [ { "min": [0.5, 0.2, 0.05], "max": [0.65, 0.35, 0.2], "velocity": [-1, 0, 0.5] } ] } ],
  "solids": [ { "name": "tank", "type": "static", "shape": { "box": [0.71, 0.6, 0.3] }, "position": [0.355, 0.3, 0.15], "inside": true },
              { "name": "ball", "type": "static", "shape": { "sphere": 0.08 }, "position": [0.45, 0.08, 0.15] } ]
}
EOF
for method in sesph pcisph iisph dfsph; do
    agree "$scratch/fluids.json" --set solver.method=$method
done

cat >"$scratch/everything.json" <<'EOF'
{
  "name": "everything", "particle_radius": 0.015, "duration": 0.2, "frame_rate": 20,
  "fluids": [ { "name": "water", "surface_tension": 1, "adhesion": 0.5, "viscosity": 0.02,
                "blocks": [ { "min": [0, 0, 0], "max": [0.6, 0.15, 0.3] } ],
                "emitters": [ { "type": "disc", "radius": 0.04, "position": [0.5, 0.5, 0.2], "direction": [-1, -2, 0.1], "speed": 1 } ] },
              { "name": "oil", "density": 800, "blocks": [ { "min": [0.03, 0.16, 0.03], "max": [0.15, 0.22, 0.15] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.6, 0.8, 0.3] }, "position": [0.3, 0.4, 0.15], "inside": true },
              { "name": "gate", "type": "kinematic", "shape": { "box": [0.04, 0.1, 0.1] },
                "motion": [ { "time": 0, "position": [0.55, 0.2, 0.15] }, { "time": 1, "position": [0.55, 0.4, 0.15] } ] },
              { "name": "box", "type": "rigid", "shape": { "box": [0.1, 0.06, 0.08] }, "position": [0.12, 0.3, 0.15], "density": 400,
                "rotation": { "axis": [1, 2, 3], "angle": 40 } },
              { "name": "stick", "type": "rigid", "shape": { "capsule": [0.02, 0.1] }, "position": [0.12, 0.42, 0.15], "density": 600 },
              { "name": "cloth", "type": "elastic", "shape": { "grid": [0.2, 0.2], "cells": [10, 10] }, "position": [0.3, 0.25, 0.15],
                "density": 300, "thickness": 0.002, "young": 3e5, "pins": [ { "min": [0, 0, 0], "max": [0.21, 1, 1] } ] },
              { "name": "jelly", "type": "elastic", "shape": { "box": [0.1, 0.1, 0.1] }, "position": [0.33, 0.33, 0.15],
                "rotation": { "axis": [1, 0.3, 0.5], "angle": 30 }, "model": "fem", "resolution": 0.05, "density": 500, "young": 3e4 },
              { "name": "ball", "type": "elastic", "shape": { "sphere": 0.05 }, "position": [0.47, 0.3, 0.1], "model": "mass_points",
                "resolution": 0.04, "density": 600, "young": 5e4 } ],
  "joints": [ { "type": "ball", "solid": "stick", "other": "box", "position": [0.12, 0.35, 0.15] } ]
}
EOF
agree "$scratch/everything.json"
agree "$scenes/elastic/cloth_filled.json" --set particle_radius=0.02 --until 0.4
agree "$scenes/rigid/ragdolls.json" --set particle_radius=0.03 --until 0.3
agree "$scenes/tension/needle.json" --until 0.02
exit $((failures > 0))
