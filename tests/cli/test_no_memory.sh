# The n-th allocation finds no memory, alone or with all after it: status 3 and "no memory", never a crash or another reason, and no file
# half written. tests/shims/no_memory.c makes them fail.
. "$(dirname "$0")/lib.sh"
shim=$(dirname "$meniscus")/../tests/libno_memory.so
[ -e "$shim" ] || {
    echo "skipped: no $shim (sanitizers have an allocator of their own)"
    exit 77
}
cat >small.json <<'END'
{
  "name": "small", "particle_radius": 0.02, "duration": 0.02, "frame_rate": 50,
  "fluids": [ { "name": "water", "surface_tension": 1, "blocks": [ { "min": [0, 0, 0], "max": [0.3, 0.1, 0.2] } ],
     "emitters": [ { "type": "disc", "radius": 0.04, "position": [0.25, 0.25, 0.1], "direction": [0, -1, 0], "speed": 1 } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.3, 0.3, 0.2] }, "position": [0.15, 0.15, 0.1], "inside": true },
     { "name": "lid", "type": "kinematic", "shape": { "box": [0.04, 0.04, 0.04] },
       "motion": [ { "time": 0, "position": [0.28, 0.2, 0.1] }, { "time": 1, "position": [0.28, 0.25, 0.1] } ] },
     { "name": "cloth", "type": "elastic", "shape": { "grid": [0.1, 0.1], "cells": [4, 4] }, "position": [0.1, 0.17, 0.1],
       "density": 300, "thickness": 0.002, "young": 3e5, "pins": [ "corners", { "min": [0, 0, 0], "max": [0.06, 1, 1] } ] },
     { "name": "jelly", "type": "elastic", "shape": { "box": [0.06, 0.06, 0.06] }, "position": [0.18, 0.2, 0.1], "model": "fem",
       "resolution": 0.03, "density": 500, "young": 3e4 },
     { "name": "ball", "type": "elastic", "shape": { "sphere": 0.03 }, "position": [0.05, 0.05, 0.1], "model": "mass_points",
       "resolution": 0.03, "density": 600, "young": 5e4 },
     { "name": "cone", "type": "rigid", "shape": { "cone": [0.03, 0.05] }, "position": [0.06, 0.03, 0.04], "density": 2000 } ],
  "chains": [ { "from": [0.15, 0.05, 0.04], "to": [0.27, 0.05, 0.04], "links": 3, "joint": "hinge", "shape": { "capsule": [0.012, 0.012] } } ],
  "probes": [ { "name": "H", "type": "height", "position": [0.1, 0, 0.1] } ],
  "output": { "checkpoint_every": 1, "surface": "ply" }
}
END
export NO_MEMORY_COUNT=$scratch/count

# starved N ONCE COMMAND...: runs it; what it says and how it ends must be right
starved()
{
    n=$1
    once=$2
    shift 2
    rm -rf out
    env LD_PRELOAD="$shim" NO_MEMORY_AT="$n" ${once:+NO_MEMORY_ONCE=1} timeout 60 "$@" >out.txt 2>err.txt
    status=$?
    if [ $status -eq 3 ]; then
        grep -q "no memory" err.txt || fail "allocation $n${once:+ alone}: $* says: $(head -1 err.txt)"
    elif [ $status -ne 0 ]; then
        fail "allocation $n${once:+ alone}: $* ends with $status: $(head -1 err.txt)"
    fi
    [ ! -d out ] || [ -z "$(find out -name '*.part')" ] || fail "allocation $n${once:+ alone}: left $(find out -name '*.part' | head -1)"
    outcomes[$status]=$((${outcomes[$status]:-0} + 1))
}

# sweep PART COMMAND...: about PART allocations of those that the command makes, each for itself and with all after it
sweep()
{
    part=$1
    shift
    outcomes=()
    starved -1 "" "$@" # nothing fails: how many there are
    [ "${outcomes[0]:-0}" -eq 1 ] || return
    total=$(cat "$NO_MEMORY_COUNT")
    [ "$total" -gt 100 ] || fail "only $total allocations in $*"
    for ((k = 1; k <= total; k += total / part)); do
        starved $k "" "$@"
        starved $((k + total / part / 2)) once "$@"
    done
    [ "${outcomes[3]:-0}" -gt $((part / 2)) ] || fail "only ${outcomes[3]:-0} of $((2 * part)) tries found no memory: $*"
}
sweep 60 "$meniscus" run small.json --out out --quiet --threads 2
sweep 30 "$meniscus" check small.json --set solver.cfl=0.3 --set gravity.0=1
finish
