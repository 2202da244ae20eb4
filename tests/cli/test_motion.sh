# Motion from files and by formula, speeds over time, what solids hold: the scene file's side of it, and what is refused.
. "$(dirname "$0")/lib.sh"

cat >move.csv <<'END'
# carried from here to there
time, x, y, z, qw, qx, qy, qz
0, 0.2, 0.3, 0, 1, 0, 0, 0
0.1, 0.3, 0.3, 0, 0.9238795325, 0, 0, 0.3826834324
END
cat >move.json <<'END'
{ "dimension": 2, "particle_radius": 0.02, "duration": 0.1, "frame_rate": 20, "gravity": [0, -9.81],
  "fluids": [ { "name": "water", "shapes": [ { "shape": { "box": [0.2, 0.1] }, "position": [0.5, 0.5], "rotation": { "angle": 30 } } ],
    "emitters": [ { "size": [0.1], "position": [0, 1], "speed": [ { "time": 0, "speed": 0 }, { "time": 1, "speed": 2 } ], "motion": "move.csv", "interpolation": "smooth" },
                  { "size": [0.1], "position": [0.8, 1], "speed": { "mean": 1, "amplitude": 0.5, "frequency": 3 }, "solid": "hand" } ] } ],
  "drains": [ { "type": "disc", "position": [0, -1], "direction": [0, -1], "radius": 1, "solid": "hand" } ],
  "solids": [ { "name": "hand", "type": "kinematic", "shape": { "box": [0.1, 0.1] }, "motion": "move.csv", "interpolation": "smooth" },
              { "name": "paddle", "type": "kinematic", "shape": { "box": [0.1, 0.1] }, "position": [1, 0],
                "oscillation": { "amplitude": [0.1, 0], "frequency": 2.5, "phase": 0 } } ] }
END
expect 0 "$meniscus" run move.json --out run --quiet
# the resolved scene has the file's key frames, and running it gives the same
says run/scene.json '"interpolation": "smooth"'
says run/scene.json '0.92387953'
expect 0 "$meniscus" run run/scene.json --out again --quiet
cmp run/bodies.csv again/bodies.csv || fail "the resolved scene moves otherwise"
# a quarter of a swing is the far end: 0.1 m from the start
awk -F, '$1 == 2 && $3 == "paddle" { found = 1; exit !($4 > 1.0999 && $4 < 1.1001) } END { exit !found }' run/bodies.csv || fail "the paddle does not swing"
awk -F, '$1 == 1 && $3 == "hand" { exit !($4 > 0.2499 && $4 < 0.2501) }' run/bodies.csv || fail "the hand is not half way"

refused()
{
    expect 2 "$meniscus" check bad.json
    says err.txt "$1"
}
sed 's/"motion": "move.csv", "interpolation": "smooth" },/"motion": "none.csv" },/' move.json >bad.json
refused "cannot read the motion file"
printf '0,0,0,0\n0,1,0,0\n' >bad.csv
sed 's/move.csv/bad.csv/g' move.json >bad.json
refused "bad.csv, line 2: got 0, but times must ascend"
printf '0,0,0\n' >bad.csv
refused "bad.csv, line 1: expected time, x, y, z"
printf '0,0,0,1\n' >bad.csv
refused "dimension 2"
printf 'time,x,y,z\n' >bad.csv
refused "has no key frames"
printf '0,0,0,0,0,0,0,0\n' >bad.csv
refused "a quaternion must not be zero"
sed 's/"solid": "hand" } \] }/"solid": "foot" } ] }/' move.json >bad.json
refused "there is no solid named 'foot'"
sed 's/"mean": 1, "amplitude": 0.5/"mean": -1, "amplitude": 0.5/' move.json >bad.json
refused "emitters.1.speed.mean"
sed 's/"interpolation": "smooth"/"interpolation": "bumpy"/' move.json >bad.json
refused "smooth"
sed 's/"shape": { "box": \[0.2, 0.1\] }/"shape": { "plane": [0.2, 0.1] }/' move.json >bad.json
refused "shapes.0"

finish
