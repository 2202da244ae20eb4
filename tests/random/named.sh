#!/usr/bin/env bash
# Scenes with names: what broke once between soft blocks and a floor under water, a ball too soft for the water that it falls into, and a light
# body on a joint under water with direct_forcing.
#   named.sh MENISCUS
# Each must end with status 0, nothing lost or leaked, and no energy out of nothing. Prints a line for each that fails; status 1 if any does.
set -u
meniscus=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 all=0

# elastic MODEL SHAPE MORE: an elastic volume
elastic() { printf '{"name": "soft", "type": "elastic", "model": "%s", "shape": {%s}, %s}' "$1" "$2" "$3"; }

judge()
{
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
        { e = $c["kinetic_energy"] + $c["potential_energy"]; wrong = $c["lost_particles"] + $c["leaked_particles"] }
        NR == 2 { e0 = e }
        e - e0 > gain { gain = e - e0 }
        END { if (wrong) printf "%d lost or leaked ", wrong
              if (!(gain < 0.002 * e0)) printf "energy grows from %.4g J by %.3g J", e0, gain }' "$1/stats.csv"
}

# try NAME SOLIDS MORE
try()
{
    local status=0 wrong
    all=$((all + 1))
    cat >"$work/scene.json" <<END
{"particle_radius": 0.02, "duration": 0.5, "frame_rate": 50,
 "fluids": [{"density": 1000, "blocks": [{"min": [-0.3, 0, -0.3], "max": [0.3, 0.2, 0.3]}]}],
 "solids": [$2, {"name": "tank", "shape": {"box": [0.6, 0.8, 0.6]}, "position": [0, 0.4, 0], "inside": true}],
 ${3:-}"output": {"particles": "none", "solids": "none"}}
END
    "$meniscus" run "$work/scene.json" --out "$work/run" --force --threads 1 --quiet >"$work/log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        wrong="status $status: $(grep -v '^warning' "$work/log" | head -1)"
    else
        wrong=$(judge "$work/run")
    fi
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
    else
        echo "$1: $wrong"
    fi
}

block='"density": 1000, "young": 1e6, "resolution": 0.035, "position": [0.01, 0.2, 0.02], "velocity": [0, -1, 0]'
try "ring of 33 mg under a block" '{"name": "ring", "type": "rigid", "shape": {"torus": [0.06, 0.0085]}, "density": 1.2, "position": [0, 0.01, 0]}, '"$(elastic fem '"box": [0.2, 0.1, 0.13]' "$block")"
heavy='"density": 3000, "young": 1e6, "resolution": 0.035, "position": [0.01, 0.2, 0.02], "velocity": [0, -3, 0]'
try "cloth of 4 g in a gap" '{"name": "cloth", "type": "elastic", "shape": {"grid": [0.3, 0.3], "cells": [12, 12]}, "position": [0, 0.02, 0], "density": 220, "thickness": 0.0002, "young": 1e7}, '"$(elastic fem '"box": [0.2, 0.1, 0.2]' "$heavy")"
for model in fem mass_points; do
    try "ball of 3 kPa, $model" "$(elastic $model '"sphere": 0.1' '"density": 1000, "young": 3000, "poisson": 0.3, "resolution": 0.03, "position": [0, 0.4, 0]')"
done
link='{"name": "link", "type": "rigid", "shape": {"capsule": [0.02, 0.2]}, "rotation": {"axis": [0, 0, 1], "angle": 90}, "position": [0, 0.1, 0], "density": 300}'
try "link on a joint" "$link" '"coupling": {"method": "direct_forcing"}, "joints": [{"type": "ball", "solid": "link", "position": [-0.13, 0.1, 0]}], '
echo "$passed of $all named scenes passed"
[ $passed -eq $all ]
