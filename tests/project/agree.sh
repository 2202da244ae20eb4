# agree.sh ONE OTHER: two builds of the command (with and without vector instructions) give the same bits for the same scene.
set -eu
one=$1
other=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ ! -x "$one" ] || [ ! -x "$other" ]; then
    echo "skipped: needs both $one and $other"
    exit 77
fi

cat >"$scratch/scene.json" <<'EOF'
{
  "name": "agree", "particle_radius": 0.015, "duration": 0.1, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.3, 0.45, 0.3] } ] },
              { "name": "oil", "density": 800, "blocks": [ { "min": [0.5, 0.2, 0.05], "max": [0.65, 0.35, 0.2], "velocity": [-1, 0, 0.5] } ] } ],
  "solids": [ { "name": "tank", "type": "static", "shape": { "box": [0.71, 0.6, 0.3] }, "position": [0.355, 0.3, 0.15], "inside": true },
              { "name": "ball", "type": "static", "shape": { "sphere": 0.08 }, "position": [0.45, 0.08, 0.15] } ]
}
EOF
failures=0
for method in sesph pcisph iisph dfsph; do
    "$one" run "$scratch/scene.json" --out "$scratch/one" --quiet --threads 2 --set solver.method=$method
    "$other" run "$scratch/scene.json" --out "$scratch/other" --quiet --threads 1 --set solver.method=$method
    if ! diff -r "$scratch/one/frames" "$scratch/other/frames"; then
        echo "FAIL: $method: frames differ"
        failures=$((failures + 1))
    elif [ "$(find "$scratch/one/frames" -name '*.vtp' | wc -l)" -lt 5 ]; then
        echo "FAIL: $method: too few frames to compare"
        failures=$((failures + 1))
    fi
    rm -rf "$scratch/one" "$scratch/other"
done
exit $((failures > 0))
