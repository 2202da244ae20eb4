#!/usr/bin/env bash
# Size does not matter: a random scene in a tank of 1 mm, 33 mm and 30 m, Froude-scaled (lengths, times, stiffnesses, tensions,
# viscosities), does what it does in one of 1 m.
#   sizes.sh MENISCUS RANDOM_SCENE FIRST LAST
# Energies after a fifth of a fall agree to 3e-4 of what lies in the scene's masses: rounding grows with every impact. Status 1 if any differs.
set -u
meniscus=$1 generator=$2 first=$3 last=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 all=0

# energies SIZE SEED: kinetic and potential energy of the second frame, in units of the budget
energies()
{
    local rate budget
    "$generator" --size "$1" "$2" >"$work/scene.json"
    rate=$(grep '"frame_rate"' "$work/scene.json" | grep -oE '[0-9][0-9.e+-]*')
    budget=$("$generator" --size "$1" --budget "$2" | cut -d' ' -f1)
    "$meniscus" run "$work/scene.json" --out "$work/run" --force --threads 1 --quiet --until "$(awk -v r="$rate" 'BEGIN { printf "%.17g", 2 / r }')" \
        >"$work/log" 2>&1 || { echo "status $?: $(grep -v '^warning' "$work/log" | head -1)"; return; }
    awk -F, -v b="$budget" 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k }
        END { printf "%.9g %.9g\n", $c["kinetic_energy"] / b, $c["potential_energy"] / b }' "$work/run/stats.csv"
}

for seed in $(seq "$first" "$last"); do
    one=$(energies 1 "$seed")
    for size in 0.001 0.0333333333 30; do
        all=$((all + 1))
        other=$(energies $size "$seed")
        if echo "$one $other" | awk '{ for (k = 1; k <= 2; k++) { d = $k - $(k + 2); if (!(d < 3e-4 && d > -3e-4)) exit 1 } exit NF != 4 }'; then
            same=$((same + 1))
        else
            echo "seed $seed, tank of $size m: $other instead of $one"
        fi
    done
done
echo "$same of $all scaled random scenes agree with those in a tank of 1 m"
[ $same -eq $all ]
