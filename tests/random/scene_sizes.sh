#!/usr/bin/env bash
# Size does not matter: a scene at 1/1000, 1/30 and 30 times its size, Froude-scaled, does what it does as it is.
#   scene_sizes.sh MENISCUS SCALE_SCENE SHARE SCENE.json[:KEY=VALUE]...
# Each runs for a SHARE of its duration. Energies then agree as well as those of the same scene at 1.000001 times its size, which is
# rounded otherwise: to thirty times that difference and 1e-5 of what there is at most. Status 1 if any differs.
set -u
meniscus=$1 scale=$2 share=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 all=0

# value NAME: a number of the resolved scene
value() { grep -oE "^  \"$1\": [0-9.e+-]+" "$work/base/scene.json" | grep -oE '[0-9.e+-]+$'; }

# energies FACTOR: kinetic and potential energy after the share of the duration
energies()
{
    local until
    "$scale" "$1" <"$work/base/scene.json" >"$work/scaled.json"
    until=$(awk -v d="$duration" -v s="$1" -v h="$share" 'BEGIN { printf "%.17g", d * h * sqrt(s) }')
    "$meniscus" run "$work/scaled.json" --out "$work/run" --force --threads 1 --quiet --until "$until" --set output.particles=none \
        --set output.solids=none >"$work/log" 2>&1 || { echo "status $?: $(grep -v '^warning' "$work/log" | head -1)"; return; }
    awk -F, -v s="$1" -v d="$dimension" 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k }
        END { by = s ^ (d + 1); printf "%.9g %.9g\n", $c["kinetic_energy"] / by, $c["potential_energy"] / by }' "$work/run/stats.csv"
}

# differ ONE OTHER: by how much, of all there is
differ()
{
    echo "$1 $2" | awk 'NF != 4 { print 1; exit }
        { d = $1 - $3; e = $2 - $4; d = d < 0 ? -d : d; e = e < 0 ? -e : e; all = ($1 < 0 ? -$1 : $1) + ($2 < 0 ? -$2 : $2)
          print (d > e ? d : e) / (all > 0 ? all : 1) }'
}

for what in "$@"; do
    scene=${what%%:*} set=()
    [ "$scene" = "$what" ] || set=(--set "${what#*:}")
    # meshes are found from the folder of the scene
    "$meniscus" run "$scene" --out "$work/base" --force --threads 1 --quiet --until 1e-9 "${set[@]}" >"$work/log" 2>&1
    duration=$(grep -oE '"duration": *[0-9.e+-]+' "$scene" | grep -oE '[0-9.e+-]+$')
    duration=${duration:-2} dimension=$(value dimension)
    one=$(energies 1)
    growth=$(differ "$one" "$(energies 1.000001)")
    for size in 0.001 0.0333333333333 30; do
        awk -v r="$(value particle_radius)" -v s=$size 'BEGIN { exit !(r * s >= 1e-6) }' || continue # smaller ones are not allowed
        all=$((all + 1))
        other=$(energies $size)
        off=$(differ "$one" "$other")
        if awk -v d="$off" -v g="$growth" 'BEGIN { exit !(d <= 30 * g + 1e-5) }'; then
            same=$((same + 1))
        else
            echo "$scene at $size times its size: $other instead of $one; off by $off, rounding grows to $growth"
        fi
    done
done
echo "$same of $all scaled scenes agree with the scene as it is"
[ $same -eq $all ]
