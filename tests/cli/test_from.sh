#!/usr/bin/env bash
# Particles from files as a start, and runs that begin with a frame of another run.
. "$(dirname "$0")/lib.sh"
cat >scene.json <<'END'
{ "name": "from", "particle_radius": 0.02, "duration": 0.2, "frame_rate": 25,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.2, 0.3, 0.2], "velocity": [0.5, 0, 0] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.6, 0.6, 0.2] }, "position": [0.3, 0.3, 0.1], "inside": true },
              { "name": "ball", "type": "rigid", "shape": { "sphere": 0.06 }, "density": 400, "position": [0.4, 0.3, 0.1] } ] }
END
expect 0 "$meniscus" run scene.json --out first --quiet --threads 1

# column FILE NAME ROW
column() { awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next } NR == row + 2 { print $c }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !((a - b)^2 <= t^2) }' || fail "$4: $1 and $2"; }

# a new run begins where the frame was, with another parameter
expect 0 "$meniscus" run scene.json --out second --from first@3 --set fluids.water.viscosity=0.1 --threads 1
says out.txt "from frame 3 of first"
for c in fluid_particles kinetic_energy potential_energy; do
    value=$(column first/stats.csv $c 3)
    near "$(column second/stats.csv $c 0)" "$value" "$(awk -v v="$value" 'BEGIN { print 1e-3 * v }')" "$c"
done
for c in x y vx vy; do
    near "$(awk -F, -v c=$c 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == c) n = k } $1 == 0 && $3 == "ball" { print $n }' second/bodies.csv)" \
        "$(awk -F, -v c=$c 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == c) n = k } $1 == 3 && $3 == "ball" { print $n }' first/bodies.csv)" 1e-5 "ball $c"
done
# its own scene.json says everything: the same bits again, and after a restart
expect 0 "$meniscus" run second/scene.json --out third --quiet --threads 2
same_run second third
expect 0 "$meniscus" run scene.json --out cut --from first@3 --set fluids.water.viscosity=0.1 --quiet --threads 1 --until 0.12
expect 0 "$meniscus" run cut --resume --until 0.2 --quiet --threads 1
cmp -s second/frames/water_000005.vtp cut/frames/water_000005.vtp || fail "a resumed run differs"

# the same from a checkpoint, whose particles the new run keeps: the one it came from may be gone
cp -r first gone
expect 0 "$meniscus" run scene.json --out fourth --from gone@checkpoint --set fluids.water.viscosity=0.1 --threads 1
says out.txt "from the checkpoint of gone, t = 0.2 s: 1 fluids, 1 rigid bodies"
rm -r gone
for c in fluid_particles kinetic_energy potential_energy; do
    value=$(column first/stats.csv $c 5)
    near "$(column fourth/stats.csv $c 0)" "$value" "$(awk -v v="$value" 'BEGIN { print 1e-3 * v }')" "$c"
done
expect 0 "$meniscus" run fourth/scene.json --out fifth --quiet --threads 2
rm fourth/start_water.vtp
same_run fourth fifth

# bodies whose centre of mass is not their origin keep turning about it
cat >spin.json <<'END'
{ "gravity": [0, 0, 0], "particle_radius": 0.05, "duration": 0.5, "frame_rate": 10,
  "fluids": [ { "name": "water", "blocks": [ { "min": [3, 0, 0], "max": [3.2, 0.2, 0.2] } ] } ],
  "solids": [ { "name": "hammer", "type": "rigid", "shape": { "box": [1, 0.2, 0.2] }, "centre_of_mass": [0.3, 0, 0], "angular_velocity": [0, 0, 3] } ] }
END
expect 0 "$meniscus" run spin.json --out spin --quiet --threads 1
for from in spin@5 spin@checkpoint; do
    expect 0 "$meniscus" run spin.json --out on --from $from --force --quiet --threads 1
    # half a second later it has turned by 3 rad about a centre that rests at (0.3, 0)
    awk -F, '$1 == 5 && $3 == "hammer" { exit !(($4 - 0.3 + 0.3 * cos(3))^2 < 1e-3 && ($5 + 0.3 * sin(3))^2 < 1e-3) }' on/bodies.csv ||
        fail "$from: the body did not turn about its centre: $(grep '^5,.*hammer' on/bodies.csv)"
done

# every format of particles
for format in csv ply vtk bgeo; do
    expect 0 "$meniscus" run scene.json --out $format --quiet --threads 1 --until 0.04 --set output.particles=$format
    cat >start.json <<END
{ "name": "s", "particle_radius": 0.02, "duration": 0.04,
  "fluids": [ { "name": "water", "particles": [ { "file": "$format/frames/water_000001.$format", "position": [1, 0, 0] } ] } ] }
END
    expect 0 "$meniscus" check start.json
    grep -q "$(column first/stats.csv fluid_particles 1) particles" out.txt || fail "$format: $(grep particles out.txt)"
done

# bad values
sed 's/csv\/frames/nowhere/; s/bgeo\/frames/nowhere/' start.json >bad.json
expect 2 "$meniscus" check bad.json
says err.txt "fluids.0.particles.0"
expect 2 "$meniscus" run scene.json --out x --from first@99
says err.txt "there is no frame 99"
expect 2 "$meniscus" run scene.json --out x --from nothing
expect 2 "$meniscus" run scene.json --out x --from first@three
says err.txt "RUN@FRAME"
rm first/checkpoint.mnc
expect 2 "$meniscus" run scene.json --out x --from first@checkpoint
says err.txt "first has no checkpoint.mnc"
[ -e x ] && fail "a run that did not begin left a folder"
expect 2 "$meniscus" run scene.json --out x --from first --set fluids.0.name=oil
finish
