# A run from the outside: the folder, the tables' columns, formats, threads, and what stands in the way.
. "$(dirname "$0")/lib.sh"
small_scene small.json

# --- the folder, by default named after the scene
expect 0 "$meniscus" run small.json
cp out.txt first.txt
[ -d small.run ] || fail "no folder small.run"
for file in scene.json stats.csv bodies.csv probes.csv checkpoint.mnc run.log solids/tank.vtp solids/paddle.vtp \
    frames/water_000000.vtp frames/water_000010.vtp frames/oil_000010.vtp frames/water.pvd frames/oil.pvd \
    frames/moving_000000.vtp frames/moving_000010.vtp frames/moving.pvd; do
    [ -s "small.run/$file" ] || fail "no small.run/$file"
done
[ -e small.run/frames/water_000011.vtp ] && fail "a frame too many"
find small.run -name '*.part' | grep -q . && fail "temporary files are left"
says first.txt "frame 10/10"
[ "$(grep -c '^frame ' first.txt)" -eq 11 ] || fail "not one line per frame"
says first.txt "ms per step"
says small.run/run.log "ms per step"
says small.run/run.log "frame 10/10"

# --- columns, as promised
header="frame,time,steps,dt,fluid_particles,boundary_particles,density_error_mean,density_error_max,iterations"
header="$header,kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,lost_particles,leaked_particles,seconds,diffuse_particles,broken_faces,residual_divergence"
[ "$(head -1 small.run/stats.csv)" = "$header" ] || fail "columns of stats.csv: $(head -1 small.run/stats.csv)"
header="frame,time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz"
[ "$(head -1 small.run/bodies.csv)" = "$header" ] || fail "columns of bodies.csv: $(head -1 small.run/bodies.csv)"
[ "$(head -1 small.run/probes.csv)" = "frame,time,H1,P1,V1,F1,V1_x,V1_y,V1_z,F1_x,F1_y,F1_z" ] || fail "columns of probes.csv: $(head -1 small.run/probes.csv)"
awk -F, 'NR > 1 { v = sqrt($7 * $7 + $8 * $8 + $9 * $9); if (v - $5 > 1e-6 || $5 - v > 1e-6) exit 1; most = v > most ? v : most }
    END { exit !(most > 0) }' small.run/probes.csv || fail "V1 is not the length of V1_x, V1_y, V1_z"
[ "$(wc -l <small.run/stats.csv)" -eq 12 ] || fail "rows of stats.csv"
[ "$(wc -l <small.run/bodies.csv)" -eq 23 ] || fail "rows of bodies.csv"
[ "$(wc -l <small.run/probes.csv)" -eq 12 ] || fail "rows of probes.csv"
for table in stats bodies probes; do
    awk -F, -v name=$table 'NR == 1 { n = NF } NF != n { print "FAIL: " name ".csv row " NR " has " NF " columns"; bad = 1 }
        /nan|inf/ { print "FAIL: " name ".csv: " $0; bad = 1 } END { exit bad }' small.run/$table.csv || failures=$((failures + 1))
done
[ "$(cut -d, -f2 small.run/stats.csv | tr '\n' ' ')" = "time 0 0.02 0.04 0.06 0.08 0.1 0.12 0.14 0.16 0.18 0.2 " ] ||
    fail "frame times: $(cut -d, -f2 small.run/stats.csv | tr '\n' ' ')"

# --- an elastic solid's row has its centre of mass and velocity
cat >sheet.json <<'EOF'
{"particle_radius": 0.02, "duration": 0.1, "solids": [{"name": "sheet", "type": "elastic", "shape": {"grid": [0.2, 0.2], "cells": [4, 4]},
 "position": [1, 2, 3]}]}
EOF
expect 0 "$meniscus" run sheet.json --quiet
tail -1 sheet.run/bodies.csv | awk -F, '{ exit !($3 == "sheet" && $4 > 0.999 && $4 < 1.001 && $5 > 1.94 && $5 < 1.96 && $6 > 2.999 &&
    $6 < 3.001 && $7 == 1 && $12 < -0.97 && $12 > -0.99) }' || fail "row of a sheet that falls: $(tail -1 sheet.run/bodies.csv)"

# --- the folder's own scene gives the same bits
expect 0 "$meniscus" run small.run/scene.json --out again --quiet
[ -s out.txt ] && fail "--quiet was not"
same_run small.run again

# --- any number of threads gives the same bits
for threads in 1 2 3; do
    expect 0 "$meniscus" run small.json --out threads$threads --threads $threads --quiet
    same_run small.run threads$threads
done

# --- other formats hold the same particles
for format in ply vtk csv; do
    expect 0 "$meniscus" run small.json --out run_$format --set output.particles=$format --until 0.02 --quiet
    expect 0 "$meniscus" info run_$format/frames/water_000001.$format
    sed 1d out.txt >info_$format.txt
    expect 0 "$meniscus" info small.run/frames/water_000001.vtp
    sed 1d out.txt | cmp -s - info_$format.txt || fail "frame 1 as $format is not the same"
done
expect 0 "$meniscus" run small.json --out run_none --set output.particles=none --set output.solids=obj --until 0.02 -q
[ -s run_none/solids/tank.obj ] || fail "no solid as obj"
ls run_none/frames | grep -q . && fail "frames although none were asked for"
expect 0 "$meniscus" run small.json --out run_boundary --set output.boundary=true --until 0.02 -q
[ -s run_boundary/frames/boundary_000001.vtp ] || fail "no boundary particles"
expect 0 "$meniscus" run small.json --out only_boundary --set output.boundary=true --set output.particles=none --until 0.02 -q
[ -s only_boundary/frames/boundary_000001.vtp ] || fail "no boundary particles without fluid particles"
[ -s only_boundary/frames/boundary.pvd ] || fail "no list of boundary particles"

# --- static solids are written where they stand, moving ones once in their own frame and placed in every frame
bounds() { "$meniscus" info "$1" | sed -n 's/^ *bounds *//p'; }
[ "$(bounds small.run/solids/tank.vtp)" = "0 0 0 .. 0.8 0.8 0 m" ] || fail "tank.vtp is not in place: $(bounds small.run/solids/tank.vtp)"
[ "$(bounds run_none/solids/tank.obj)" = "0 0 0 .. 0.8 0.8 0 m" ] || fail "tank.obj is not in place: $(bounds run_none/solids/tank.obj)"
[ "$(bounds small.run/solids/paddle.vtp)" = "-0.025 -0.1 0 .. 0.025 0.1 0 m" ] || fail "paddle.vtp: $(bounds small.run/solids/paddle.vtp)"
[ "$(bounds small.run/frames/moving_000010.vtp)" = "0.385 0.06 0 .. 0.435 0.26 0 m" ] ||
    fail "moving_000010.vtp: $(bounds small.run/frames/moving_000010.vtp)"

# --- a run is not overwritten by accident
before=$(cksum small.run/stats.csv)
expect 2 "$meniscus" run small.json
says err.txt "--resume"
says err.txt "--force"
[ "$before" = "$(cksum small.run/stats.csv)" ] || fail "the old run was touched"
mkdir mine && echo precious >mine/notes.txt
expect 2 "$meniscus" run small.json --out mine
expect 2 "$meniscus" run small.json --out mine --force
mkdir project && small_scene project/scene.json
expect 2 "$meniscus" run project/scene.json --out project
[ "$(ls mine project | sort | tr '\n' ' ')" = " mine: notes.txt project: scene.json " ] || fail "a foreign folder was changed: $(ls mine project)"
echo keep >small.run/notes.txt
expect 0 "$meniscus" run small.json --force --until 0.04 --quiet
[ "$(cat small.run/notes.txt)" = keep ] || fail "--force removed what was not the run's"
[ -e small.run/frames/water_000010.vtp ] && fail "--force left frames of the old run"
[ "$(wc -l <small.run/stats.csv)" -eq 4 ] || fail "--force left rows of the old run"
mkdir empty
expect 0 "$meniscus" run small.json --out empty --until 0 --quiet
[ "$(wc -l <empty/stats.csv)" -eq 2 ] || fail "--until 0 gives the first frame"
expect 0 "$meniscus" info empty
says out.txt "not complete"
expect 0 "$meniscus" run small.json --out empty --resume --quiet
same_run again empty
finish
