#!/usr/bin/env bash
# Mass, centre and inertia of bodies: shown, given, and felt by what floats.
. "$(dirname "$0")/lib.sh"
scene=$source_dir/scenes/rigid/duck.json
expect 0 "$meniscus" check "$scene" --set particle_radius=0.02
says out.txt "centre of mass 0 -0.035 0 m in its frame"
says out.txt "0.6028 kg"
says out.txt "centre of mass 0.008243 0.01812 0 m in its frame"
expect 0 "$meniscus" info "$(dirname "$scene")/duck.obj"
says out.txt "volume     0.00241102 m3"
says out.txt "inertia  "

# a square of half the water's density floats on its edge, one with ballast on its side, however they begin
cat >float.json <<'END'
{ "dimension": 2, "particle_radius": 0.01, "duration": 2.5, "frame_rate": 10, "output": { "particles": "none", "solids": "none" },
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0], "max": [1.2, 0.3] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [1.2, 0.8] }, "position": [0.6, 0.4], "inside": true },
    { "name": "keel", "type": "rigid", "shape": { "box": [0.2, 0.2] }, "density": 500, "position": [0.3, 0.38], "rotation": { "angle": 70 },
      "centre_of_mass": [0, -0.06] },
    { "name": "even", "type": "rigid", "shape": { "box": [0.2, 0.2] }, "density": 500, "position": [0.9, 0.38], "rotation": { "angle": 70 } } ] }
END
expect 0 "$meniscus" run float.json --out float --quiet --threads 1
tilt() { awk -F, -v name="$1" '$3 == name && $1 >= 16 { sum += 2 * atan2($10, $7) * 180 / 3.14159265; n++ } END { printf "%.1f", sum / n }' float/bodies.csv; }
awk -v a="$(tilt keel)" 'BEGIN { exit !(a > -10 && a < 10) }' || fail "with ballast it floats at $(tilt keel) degrees"
awk -v a="$(tilt even)" 'BEGIN { exit !(a > 35 && a < 55) }' || fail "without it floats at $(tilt even) degrees, not 45"

# bad values
expect 2 "$meniscus" check float.json --set 'solids.keel.centre_of_mass=[0,-0.16]'
says err.txt "solids.1.centre_of_mass: y is -0.16 m, outside of the shape, which lies between -0.1 and 0.1 m"
expect 2 "$meniscus" check float.json --set 'solids.keel.centre_of_mass=[0]'
expect 2 "$meniscus" check float.json --set 'solids.tank.centre_of_mass=[0,0]'
says err.txt "rigid solids"
finish
