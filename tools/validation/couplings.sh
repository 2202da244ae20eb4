#!/usr/bin/env bash
# The same five scenes with every coupling, as rows of a table: what a coupling costs and how well it does what all of them should.
#   tools/validation/couplings.sh [--meniscus FILE] [COUPLING...]      akinci, direct_forcing and gauss if none is named
# One thread, small sizes: about a minute of one core for each coupling.
set -eu
cd "$(dirname "$0")/../.."
meniscus=build/bin/meniscus
if [ "${1:-}" = --meniscus ]; then
    meniscus=$2
    shift 2
fi
[ -x "$meniscus" ] || { echo "couplings.sh: no command at $meniscus; make builds it" >&2; exit 2; }
[ $# -gt 0 ] || set -- akinci direct_forcing gauss
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME SCENE COUPLING [ARGS...]: a run in $work/NAME
run()
{
    local name=$1 scene=$2 coupling=$3
    shift 3
    rm -rf "${work:?}/$name"
    local TIMEFORMAT=%U
    { time "$meniscus" run "scenes/$scene.json" --out "$work/$name" --threads 1 --quiet --set "coupling={\"method\": \"$coupling\"}" \
        --set output.solids=none --set output.particles=none "$@" >/dev/null 2>&1; } 2>"$work/$name.seconds"
}

# row NAME COUPLING RESULT: steps, time and compression, and what the scene is there for
row()
{
    awk -F, -v name="$1" -v coupling="$2" -v result="$3" -v took="$(cat "$work/$1.seconds")" \
        'NR > 2 { mean += $7; leaked = $15 + $16; steps = $3; n++ }
        END { printf "| %s | %s | %d | %.2f | %.3f | %d | %s |\n", name, coupling, steps, 1000 * took / steps, 100 * mean / n, leaked, result }' \
        "$work/$1/stats.csv"
}

failed() { echo "| $1 | $2 | the run failed |"; }

# Water at rest: how fast it still moves, and how high it stands.
case_rest()
{
    run rest hydrostatic "$1" --set particle_radius=0.02 || { failed rest "$1"; return; }
    row rest "$1" "$(awk -F, 'NR > 2 && $2 > 1 { m = $5 * 0.04 ^ 3 * 1000; v += 2 * $10 / m; h += 2 * $11 / (9.81 * m); n++ }
        END { printf "%.1f mm/s rms after 1 s, level %+.2f %%", 1000 * sqrt(v / n), 100 * (h / n / 0.4 - 1) }' "$work/rest/stats.csv")"
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

# The leaking ship: when it has sunk to the ground and how much water was in its hull when its deck went under (the hull holds 0.082 m2),
# how evenly water keeps its distance from the floor, and what flies about above the surface.
case_ship()
{
    run ship direct/ship "$1" --set duration=4 --set output.particles=csv || { failed ship "$1"; return; }
    local down under gaps hull
    down=$(awk -F, '$3 == "ship" && $5 < 0.12 { print $2; exit }' "$work/ship/bodies.csv")
    under=$(awk -F, '$3 == "ship" && $5 + 0.14 < 0.5 { printf "%06d %s %s %s", $1, $4, $5, 2 * atan2($10, $7); exit }' "$work/ship/bodies.csv")
    hull=$(awk -F, -v at="${under:-000000 0 9 0}" '
        BEGIN { split(at, s, " "); c = cos(s[4]); n = sin(s[4]) }
        FNR > 1 {
            x = c * ($1 - s[2]) + n * ($2 - s[3]); y = -n * ($1 - s[2]) + c * ($2 - s[3]); x = x < 0 ? -x : x
            wide = y < -0.04 ? 0.19 : y < 0.03 ? 0.19 + 0.75 * (y + 0.04) : 0.242 + 0.33 * (y - 0.03)
            wet += y > -0.06 && y < 0.14 && x < wide
        }
        END { printf "%.3f", wet * 0.0004 }' "$work/ship/frames/water_${under%% *}.csv" 2>/dev/null || true)
    gaps=$(awk -F, 'FNR > 1 && $11 > 1 && $2 < 0.02 { s += $2 / 0.01; q += ($2 / 0.01) ^ 2; n++ } FNR > 1 && $11 > 1 && $2 > 0.56 { above++ }
        FNR == 2 && $11 > 1 { frames++ }
        END { printf "%.2f r from the floor, standard deviation %.3f r, %.1f particles above the surface", s / n, sqrt(q / n - (s / n) ^ 2), above / frames }' \
        "$work"/ship/frames/*.csv)
    row ship "$1" "on the ground after ${down:-more than 4} s with ${hull:-no} m2 of water in it; $gaps"
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

echo "| scene | coupling | steps | processor ms per step | mean compression [%] | leaked or lost | |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for scene in rest floating couette ship vessel; do
    for coupling in "$@"; do
        "case_$scene" "$coupling"
    done
done
