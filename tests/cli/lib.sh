# Shared by the scripts of this folder; they are called with: the command, the source folder.
set -u
meniscus=$1
source_dir=$2
failures=0
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

if [ ! -x "$meniscus" ]; then
    echo "$meniscus is not there"
    exit 1
fi

fail()
{
    echo "FAIL: $*"
    failures=$((failures + 1))
}

finish()
{
    if [ "$failures" -gt 0 ]; then
        echo "$failures failures"
        exit 1
    fi
    exit 0
}

# expect STATUS COMMAND...: runs it, keeps its words in out.txt and err.txt
expect()
{
    wanted=$1
    shift
    "$@" >out.txt 2>err.txt
    got=$?
    if [ "$got" -ne "$wanted" ]; then
        fail "status $got instead of $wanted: $*"
        sed 's/^/    /' out.txt err.txt | tail -20
        return 1
    fi
    return 0
}

# says FILE TEXT
says()
{
    grep -qF -- "$2" "$1" || {
        fail "\"$2\" is not in $1:"
        sed 's/^/    /' "$1" | tail -20
    }
}

# A small splash in two dimensions: a few hundred particles, a moving solid, an emitter and every kind of probe.
small_scene()
{
    cat >"$1" <<'END'
{
  "name": "small splash",
  "dimension": 2,
  "gravity": [0, -9.81],
  "particle_radius": 0.01,
  "duration": 0.2,
  "frame_rate": 50,
  "fluids": [
    {"name": "water", "blocks": [{"min": [0, 0], "max": [0.2, 0.4]}],
     "emitters": [{"type": "box", "size": [0.1], "position": [0.5, 0.7], "direction": [0, -1], "speed": 1}]},
    {"name": "oil", "density": 800, "blocks": [{"min": [0.6, 0], "max": [0.8, 0.2]}]}
  ],
  "solids": [
    {"name": "tank", "shape": {"box": [0.8, 0.8]}, "position": [0.4, 0.4], "inside": true},
    {"name": "paddle", "type": "kinematic", "shape": {"box": [0.05, 0.2]},
     "motion": [{"time": 0, "position": [0.4, 0.15]}, {"time": 1, "position": [0.45, 0.2]}]}
  ],
  "probes": [
    {"name": "H1", "type": "height", "position": [0.1, 0]},
    {"name": "P1", "type": "pressure", "position": [0.02, 0.05]},
    {"name": "V1", "type": "velocity", "position": [0.1, 0.1]},
    {"name": "F1", "type": "force", "solid": "paddle"}
  ],
  "output": {"checkpoint_every": 1}
}
END
}

# same_run A B: every file but the log, the checkpoint and the column of wall-clock seconds
same_run()
{
    (cd "$1" && find . -type f ! -name run.log ! -name checkpoint.mnc ! -name stats.csv | sort) >list_a.txt
    (cd "$2" && find . -type f ! -name run.log ! -name checkpoint.mnc ! -name stats.csv | sort) >list_b.txt
    cmp -s list_a.txt list_b.txt || {
        fail "$1 and $2 hold different files"
        diff list_a.txt list_b.txt | head
    }
    while IFS= read -r file; do
        cmp -s "$1/$file" "$2/$file" || fail "$file differs between $1 and $2"
    done <list_a.txt
    cut -d, -f1-16,18- "$1/stats.csv" >stats_a.txt # but for seconds
    cut -d, -f1-16,18- "$2/stats.csv" >stats_b.txt
    cmp -s stats_a.txt stats_b.txt || {
        fail "stats.csv differs between $1 and $2"
        diff stats_a.txt stats_b.txt | head -5
    }
}
