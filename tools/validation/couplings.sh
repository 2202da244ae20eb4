#!/usr/bin/env bash
# The same scenes with every coupling, as rows of a table: what a coupling costs and how well it does what all of them should.
#   tools/validation/couplings.sh [--meniscus FILE] [--scene NAME] [COUPLING...]      akinci, direct_forcing and gauss if none is named
# One thread, small sizes: about a minute of one core for each coupling.
set -eu
cd "$(dirname "$0")/../.."
meniscus=build/bin/meniscus
scenes="rest floating couette ship tait drop vessel"
while [ $# -gt 1 ]; do
    case $1 in
    --meniscus) meniscus=$2 ;;
    --scene) scenes=$2 ;;
    *) break ;;
    esac
    shift 2
done
[ -x "$meniscus" ] || { echo "couplings.sh: no command at $meniscus; make builds it" >&2; exit 2; }
[ $# -gt 0 ] || set -- akinci direct_forcing gauss
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME SCENE COUPLING [ARGS...]: a run in $work/NAME
run()
{
    local name=$1 scene=$2 coupling=$3
    [ -e "$scene.json" ] || scene=scenes/$scene
    shift 3
    rm -rf "${work:?}/$name"
    local TIMEFORMAT=%U
    { time "$meniscus" run "$scene.json" --out "$work/$name" --threads 1 --quiet --set "coupling={\"method\": \"$coupling\"}" \
        --set output.solids=none --set output.particles=none "$@" >/dev/null 2>&1; } 2>"$work/$name.seconds"
}

# row NAME COUPLING RESULT: steps, the shortest and the mean one that the coupling left stable, time, compression, who was lost or leaked and how often the guard
# put one back, and what the scene is there for
row()
{
    local caught
    caught=$(awk '/times a particle was caught/ { sub(/.*: */, ""); n = $1 } END { print n + 0 }' "$work/$1/run.log")
    awk -F, -v name="$1" -v coupling="$2" -v result="$3" -v took="$(cat "$work/$1.seconds")" -v caught="$caught" \
        'NR > 2 { mean += $7; leaked = $15 + $16; steps = $3; time = $2; n++; if (NR == 3 || $4 < least) least = $4 }
        END { printf "| %s | %s | %d | %.2f, %.2f | %.2f | %.3f | %d, %d | %s |\n", name, coupling, steps, 1000 * least, 1000 * time / steps, 1000 * took / steps, 100 * mean / n, leaked, caught, result }' \
        "$work/$1/stats.csv"
}

failed() { echo "| $1 | $2 | the run failed |"; }

# Water at rest: how fast it still moves, and how high it stands.
case_rest()
{
    run rest hydrostatic "$1" --set particle_radius=0.02 || { failed rest "$1"; return; }
    row rest "$1" "$(awk -F, 'NR > 2 && $2 > 1 { m = $5 * 0.04 ^ 3 * 1000; v += 2 * $10 / m; h += 2 * $11 / (9.81 * m); n++ }
        END { printf "%.1f mm/s rms (%.3g J) after 1 s, level %+.2f %%", 1000 * sqrt(v / n), v / n * m / 2, 100 * (h / n / 0.4 - 1) }' "$work/rest/stats.csv")"
}

# Balls of five densities: depths against those of Archimedes, in shares of their height.
case_floating()
{
    run floating rigid/buoyancy "$1" --set particle_radius=0.0166666667 --set frame_rate=40 || { failed floating "$1"; return; }
    local count
    count=$(awk -F, 'END { print $5 }' "$work/floating/stats.csv")
    row floating "$1" "$(awk -F, -v n="$count" -v r=0.0166666667 '
        function below(d) { return 3.14159265359 * d * d * (0.08 - d / 3) }
        NR > 1 && $2 > 1.5 { sum[$3] += $5; times[$3]++ }
        END {
            fill = n * (2 * r) ^ 3
            split("100 250 500 750 900", rho, " ")
            for (k = 1; k <= 5; k++) fill += below(0.16) * rho[k] / 1000
            for (k = 1; k <= 5; k++) {
                depth = fill / 0.8 - (sum["ball" rho[k]] / times["ball" rho[k]] - 0.08)
                low = 0; high = 0.16
                for (i = 0; i < 60; i++) { d = (low + high) / 2; if (below(d) < rho[k] / 1000 * below(0.16)) low = d; else high = d }
                off = (depth - low) / 0.16; mean += off / 5
                worst = off > worst ? off : -off > worst ? -off : worst
            }
            printf "depth off by %+.1f %% on average, worst %.1f %%", 100 * mean, 100 * worst
        }' "$work/floating/bodies.csv")"
}

# Belts that do not let fluid slip: the profile between them against the straight line from wall to wall.
case_couette()
{
    run couette direct/couette "$1" --set output.particles=csv || { failed couette "$1"; return; }
    row couette "$1" "$(awk -F, 'FNR > 1 && $11 > 0.95 && $1 > 0.5 && $1 < 1.1 { k = int($2 / 0.04); sum[k] += $4; n[k]++ }
        END {
            for (k = 0; k < 10; k++) {
                exact = 2 * ((k + 0.5) / 10 - 0.5); v = sum[k] / n[k]
                off = v > exact ? v - exact : exact - v; worst = off > worst ? off : worst
            }
            printf "worst %.3f of the speed of the walls", worst
        }' "$work"/couette/frames/*.csv)"
}

# ship_row NAME COUPLING [ARGS...]: the leaking ship: when it has sunk to the ground, how much water is in its hull after 0.8 s (it holds
# 0.082 m2 below its deck), how evenly water keeps its distance from floor and walls (mean, standard deviation, and by how much the distance of one particle changes from
# frame to frame, 0.05 s), how that depends on the depth, and what flies about above the surface.
ship_row()
{
    local name=$1 coupling=$2 down hull gaps
    shift 2
    run "$name" direct/ship "$coupling" --set duration=3 --set output.particles=csv "$@" || { failed "$name" "$coupling"; return; }
    down=$(awk -F, '$3 == "ship" && $5 < 0.12 { print $2; exit }' "$work/$name/bodies.csv")
    hull=$(awk -F, -v at="$(awk -F, '$3 == "ship" && $1 == 16 { print $4, $5, 2 * atan2($10, $7) }' "$work/$name/bodies.csv")" '
        BEGIN { split(at, s, " "); c = cos(s[3]); n = sin(s[3]) }
        FNR > 1 {
            x = c * ($1 - s[1]) + n * ($2 - s[2]); y = -n * ($1 - s[1]) + c * ($2 - s[2]); x = x < 0 ? -x : x
            wide = y < -0.04 ? 0.19 : y < 0.03 ? 0.19 + 0.75 * (y + 0.04) : 0.242 + 0.33 * (y - 0.03)
            wet += y > -0.06 && y < 0.14 && x < wide
        }
        END { printf "%.3f", wet * 0.0004 }' "$work/$name/frames/water_000016.csv")
    gaps=$(awk -F, 'FNR == 2 { frame++ }
        FNR > 1 && $11 > 1 {
            side = (0.8 - ($1 < 0 ? -$1 : $1)) / 0.01; gap = side < $2 / 0.01 ? side : $2 / 0.01
            if (gap < 1.5) {
                s += gap; q += gap * gap; n++
                if (seen[$9] == frame - 1) { c += (gap - last[$9]) ^ 2; m++ }
                seen[$9] = frame; last[$9] = gap
            }
            if (side < 1.5 && $2 > 0.1) { k = $2 > 0.3; sum[k] += side; count[k]++ }
            above += $2 > 0.56; frames[frame] = 1
        }
        END {
            for (f in frames) f_count++
            printf "%.2f r from floor and walls, standard deviation %.3f r, change %.3f r, %.2f r in the lower half and %.2f r above, %.1f particles above the surface", \
                s / n, sqrt(q / n - (s / n) ^ 2), sqrt(c / m), sum[0] / count[0], sum[1] / count[1], above / f_count
        }' "$work/$name"/frames/*.csv)
    row "$name" "$coupling" "on the ground after ${down:-more than 3} s, $hull m2 of water in it after 0.8 s; $gaps"
}

case_ship() { ship_row ship "$1"; }

# The same in the fluid of the paper, whose densities do not know of walls: the contacts alone hold it, or the penalty.
case_tait() { ship_row tait "$1" --set 'solver={"method": "sesph", "density": "corrected"}'; }

# A drop of nine particles falls on a dry floor: how high its centre rises again (it falls from 0.23 m, and lies at 0.01 m when spread out).
case_drop()
{
    cat >"$work/drop.json" <<END
{"dimension": 2, "particle_radius": 0.01, "duration": 1, "frame_rate": 100, "solver": {"method": "sesph", "density": "corrected"},
 "fluids": [{"name": "water", "blocks": [{"min": [0, 0.2], "max": [0.06, 0.26]}]}],
 "solids": [{"shape": {"box": [1.6, 1.2]}, "position": [0, 0.6], "inside": true}]}
END
    run drop "$work/drop" "$1" --set output.particles=csv || { failed drop "$1"; return; }
    row drop "$1" "$(awk -F, 'FNR > 1 && $11 > 0.3 { s[$11] += $2; n[$11]++ } END { for (t in s) if (s[t] / n[t] > top) top = s[t] / n[t]; printf "rises to %.3f m again", top }' \
        "$work"/drop/frames/*.csv)"
}

# A thin vessel: what gets into it.
case_vessel()
{
    run vessel direct/vessel "$1" --set output.particles=csv || { failed vessel "$1"; return; }
    local last
    last=$(find "$work/vessel/frames" -name '*.csv' | sort | tail -n 1)
    row vessel "$1" "$(awk -F, -v at="$(awk -F, '$3 == "vessel" { a = $4 " " $5 " " $6 } END { print a }' "$work/vessel/bodies.csv")" '
        BEGIN { split(at, c, " ") }
        FNR > 1 && sqrt(($1 - c[1]) ^ 2 + ($3 - c[3]) ^ 2) < 0.1 && $2 > c[2] - 0.06 { wet++ }
        END { printf "%d particles inside, vessel at %.3f m", wet, c[2] }' "$last")"
}

echo "| scene | coupling | steps | shortest, mean step [ms] | processor ms per step | mean compression [%] | leaked or lost, put back | |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for scene in $scenes; do
    for coupling in "$@"; do
        "case_$scene" "$coupling"
    done
done
