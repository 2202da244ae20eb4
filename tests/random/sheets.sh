#!/usr/bin/env bash
# Light sheets with light bodies in water: sheets of 15 g/m2 and bodies of 10, 30 and 100 kg/m3 below, above and between them, in particles
# that weigh as much as all of it. Each must end with status 0, nothing lost or leaked, and no energy out of nothing.
#   sheets.sh MENISCUS [FOLDER]
# Prints a line for each that fails, keeps the runs in FOLDER, and a line with the sums at the end. Status 1 if any fails.
set -u
meniscus=$1
work=${2:-$(mktemp -d)}
[ $# -gt 1 ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
passed=0 all=0

# sheet NAME HEIGHT [PINS]
sheet()
{
    printf '{"name": "%s", "type": "elastic", "shape": {"grid": [0.44, 0.44], "cells": [14, 14]}, "position": [0, %s, 0], ' "$1" "$2"
    printf '"density": 150, "thickness": 0.0001, "young": 1e7%s},' "${3:+, \"pins\": [$3]}"
}

# body NAME SHAPE X Y Z: of the density of the case
body() { printf '{"name": "%s", "type": "rigid", "shape": {%s}, "density": %s, "position": [%s, %s, %s]},' "$1" "$2" "$density" "$3" "$4" "$5"; }

ball='"sphere": 0.06' box='"box": [0.1, 0.08, 0.1]' ring='"torus": [0.06, 0.025]'

solids()
{
    case $1 in
    below) body a "$ball" 0.02 0.12 0.01; sheet s 0.24 ;;
    pinned) body a "$box" 0.02 0.12 0.01; sheet s 0.24 '"corners"' ;;
    above) body a "$box" 0.02 0.3 0.01; sheet s 0.16 ;;
    between) body a "$ring" 0.02 0.18 0.01; sheet s 0.1; sheet t 0.28 '"border"' ;;
    three) body a "$ball" 0.1 0.1 0.1; body b "$box" -0.1 0.1 -0.1; body c "$ring" -0.1 0.12 0.1; sheet s 0.24 ;;
    dropped) body a "$ball" 0.02 0.6 0.01; sheet s 0.38 '"corners"' ;;
    touching) body a "$box" 0.02 0.2 0.01; sheet s 0.2405; sheet t 0.1595 ;;
    esac
}

# judge RUN: what is wrong with its numbers, if anything. What lies in the masses is 180 J.
judge()
{
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
        { e = $c["kinetic_energy"] + $c["potential_energy"]; wrong = $c["lost_particles"] + $c["leaked_particles"] }
        NR == 2 { e0 = e }
        e - e0 > gain { gain = e - e0 }
        END { if (wrong) printf "%d lost or leaked ", wrong
              if (!(gain < 0.02 * e0)) printf "energy grows from %.4g J by %.3g J", e0, gain }' "$1/stats.csv"
}

for density in 10 30 100; do
    for kind in below pinned above between three dropped touching; do
        status=0 all=$((all + 1)) run=$work/$kind$density
        cat >"$work/scene.json" <<END
{"particle_radius": 0.02, "duration": 0.5, "frame_rate": 20,
 "fluids": [{"density": 1000, "blocks": [{"min": [-0.3, 0, -0.3], "max": [0.3, 0.36, 0.3]}]}],
 "solids": [$(solids $kind) {"name": "tank", "shape": {"box": [0.6, 0.8, 0.6]}, "position": [0, 0.4, 0], "inside": true}],
 "output": {"particles": "none", "solids": "none"}}
END
        "$meniscus" run "$work/scene.json" --out "$run" --force --threads 1 --quiet >"$work/log" 2>&1 || status=$?
        if [ $status -ne 0 ]; then
            wrong="status $status: $(grep -v '^warning' "$work/log" | head -1)"
        else
            wrong=$(judge "$run")
        fi
        if [ -z "$wrong" ]; then
            passed=$((passed + 1))
        else
            echo "$kind, $density kg/m3: $wrong"
        fi
    done
done
echo "$passed of $all light sheets with light bodies passed"
[ $passed -eq $all ]
