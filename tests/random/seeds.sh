#!/usr/bin/env bash
# Random scenes by their seeds: each must end with status 0, nothing lost or leaked, no energy out of nothing, and with the same state
# on two threads, killed and resumed, as on one thread undisturbed.
#   seeds.sh MENISCUS RANDOM_SCENE FIRST LAST [FOLDER]
# Prints a line for each seed that fails, keeps its scene in FOLDER, and a line with the sums at the end. Status 1 if any fails.
set -u
meniscus=$1 generator=$2 first=$3 last=$4 keep=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 all=0 killed=0

# Rows of a table without the wall-clock seconds.
rows() { awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "seconds") c = k } { $c = ""; print }' "$1/stats.csv"; }

# A checkpoint without what it says first, which has the seconds that the run took.
state() { tail -c "+$(grep -abo run.identity "$1/checkpoint.mnc" | cut -d: -f1)" "$1/checkpoint.mnc"; }

# judge RUN BUDGET INPUT: what is wrong with its numbers, if anything
judge()
{
    awk -F, -v budget="$2" -v input="$3" '
        NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
        { e = $c["kinetic_energy"] + $c["potential_energy"]; lost = $c["lost_particles"]; leaked = $c["leaked_particles"] }
        NR == 2 { e0 = e }
        e - e0 > gain { gain = e - e0 }
        END {
            if (lost > 0) printf "%d lost ", lost
            if (leaked > 0) printf "%d leaked ", leaked
            if (!(gain <= 0.02 * budget + input)) printf "energy grows by %.3g of %.3g J ", gain, budget + input
        }' "$1/stats.csv"
}

# Runs on two threads, is killed once it has written some rows of its table, and goes on.
run_killed()
{
    local rows=$((3 + $1 % 5)) pid # its head, frame 0 and its checkpoint, ...
    "$meniscus" run "$work/scene.json" --out "$work/killed" --threads 2 --quiet >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 20000); do
        [ -d "/proc/$pid" ] || break
        [ -e "$work/killed/stats.csv" ] && [ "$(wc -l <"$work/killed/stats.csv")" -ge $rows ] && break
        sleep 0.005
    done
    kill -9 $pid 2>/dev/null && killed=$((killed + 1))
    wait $pid 2>/dev/null
    "$meniscus" run "$work/scene.json" --out "$work/killed" --threads 2 --quiet --resume >"$work/log" 2>&1
}

# try SEED: prints what is wrong
try()
{
    local status=0 budget input wrong
    rm -rf "$work"/*
    "$generator" "$1" >"$work/scene.json"
    read -r budget input < <("$generator" --budget "$1")
    "$meniscus" run "$work/scene.json" --out "$work/run" --threads 1 --quiet >"$work/log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        echo "status $status: $(grep -v '^warning' "$work/log" | head -1)"
        return
    fi
    wrong=$(judge "$work/run" "$budget" "$input")
    run_killed "$1" || wrong="$wrong, killed and resumed: status $?: $(grep -v '^warning' "$work/log" | head -1)"
    cmp -s <(rows "$work/run") <(rows "$work/killed") || wrong="$wrong, another table on two threads, killed and resumed"
    cmp -s <(state "$work/run") <(state "$work/killed") || wrong="$wrong, another state on two threads, killed and resumed"
    echo "$wrong"
}

for seed in $(seq "$first" "$last"); do
    try "$seed" >"$work.wrong" # not in a subshell: it counts
    wrong=$(cat "$work.wrong")
    rm -f "$work.wrong"
    all=$((all + 1))
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
        continue
    fi
    echo "seed $seed: $wrong"
    [ -z "$keep" ] || { mkdir -p "$keep" && cp "$work/scene.json" "$keep/$seed.json"; }
done
echo "$passed of $all random scenes passed; $killed were killed on their way"
[ $passed -eq $all ] && [ $((4 * killed)) -ge $all ]
