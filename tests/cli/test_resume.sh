# Interrupted in any way, a resumed run ends with the files of one that never stopped.
. "$(dirname "$0")/lib.sh"
small_scene small.json
expect 0 "$meniscus" run small.json --out whole --quiet || finish

# --- in two sittings
expect 0 "$meniscus" run small.json --out halves --until 0.1 --quiet
expect 0 "$meniscus" run small.json --out halves --resume
says out.txt "from t = 0.1 s"
same_run whole halves
expect 0 "$meniscus" run small.json --out halves --resume
says out.txt "already complete"
same_run whole halves

# wait_for FILE: until it exists, at most 20 s
wait_for()
{
    for _ in $(seq 2000); do
        [ -e "$1" ] && return 0
        sleep 0.01
    done
    fail "$1 did not appear"
}

# --- SIGINT and SIGTERM: finish the step, write a checkpoint, say how to go on
for signal in INT TERM; do
    "$meniscus" run small.json --out "by $signal" --until 1000 >out.txt 2>err.txt &
    pid=$!
    wait_for "by $signal/frames/water_000003.vtp"
    kill -$signal $pid
    wait $pid
    status=$?
    [ $status -eq 130 ] || fail "status $status after SIG$signal"
    says out.txt "interrupted at t = "
    says out.txt "meniscus run small.json --out 'by $signal' --until 1000 --resume"
    expect 0 "$meniscus" info "by $signal"
    says out.txt "not complete"
done

# stop_at SIGNAL FRAME FOLDER: sends the signal a moment after the frame was written
stop_at()
{
    rm -rf "$3"
    "$meniscus" run small.json --out "$3" --quiet >out.txt 2>err.txt &
    pid=$!
    wait_for "$3/frames/water_00000$2.vtp"
    sleep 0.00$((RANDOM % 10))
    kill -$1 $pid 2>/dev/null
    wait $pid 2>/dev/null
}

# within a frame, and the folder standing for its scene
stopped=0
for frame in 0 2 5 7; do
    stop_at INT $frame stopped
    "$meniscus" info stopped | grep -q "not complete" && stopped=$((stopped + 1))
    expect 0 "$meniscus" run stopped --resume --quiet
    same_run whole stopped
done
[ $stopped -gt 0 ] || fail "no run was stopped in time"

# --- kill -9 at random moments
killed=0
for frame in 0 $((RANDOM % 9)) $((RANDOM % 9)) $((RANDOM % 9)) 4 8; do
    stop_at KILL $frame killed
    [ -e killed/checkpoint.mnc ] || continue
    # whatever is there can be read
    for file in killed/frames/*_*.vtp; do
        "$meniscus" info "$file" >out.txt 2>err.txt || fail "$file cannot be read after kill -9"
    done
    expect 0 "$meniscus" info killed
    grep -q "not complete" out.txt && killed=$((killed + 1))
    expect 0 "$meniscus" run small.json --out killed --resume --quiet
    same_run whole killed
done
[ $killed -gt 0 ] || fail "no run was killed in time"

# --- what cannot be resumed is refused, and nothing is changed
cp -r halves other
before=$(cksum other/stats.csv other/checkpoint.mnc)
expect 2 "$meniscus" run small.json --out other --resume --set fluids.1.density=900
says err.txt "another scene"
says err.txt "900"
size=$(wc -c <other/checkpoint.mnc)
[ "$before" = "$(cksum other/stats.csv other/checkpoint.mnc)" ] || fail "a refused resume changed the folder"
cp other/checkpoint.mnc good.mnc
head -c $((size / 2)) good.mnc >other/checkpoint.mnc
expect 2 "$meniscus" run small.json --out other --resume
says err.txt "checkpoint.mnc"
for place in 3 70 200 $((size / 2)) $((size - 5)); do
    cp good.mnc other/checkpoint.mnc
    old=$(dd if=good.mnc bs=1 skip=$place count=1 2>/dev/null | od -An -tu1)
    printf "\\$(printf %o $((old ^ 255)))" | dd of=other/checkpoint.mnc bs=1 seek=$place conv=notrunc 2>/dev/null
    expect 2 "$meniscus" run small.json --out other --resume
done
: >other/checkpoint.mnc
expect 2 "$meniscus" run small.json --out other --resume
rm other/checkpoint.mnc
expect 2 "$meniscus" run small.json --out other --resume
says err.txt "no checkpoint.mnc"
# what does not change the physics may change
cp good.mnc other/checkpoint.mnc
expect 0 "$meniscus" run small.json --out other --resume --threads 1 --set output.checkpoint_every=7 --until 0.22
says out.txt "from t = 0.2 s"
[ "$(tail -1 other/stats.csv | cut -d, -f1,2)" = "11,0.22" ] || fail "the longer run ends with $(tail -1 other/stats.csv)"

# --- a scene with a mesh may move, together with it, but not change
mkdir here
printf 'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >here/wedge.obj
cat >here/scene.json <<'END'
{"particle_radius": 0.02, "duration": 0.04, "frame_rate": 50,
 "fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [0.2, 0.2, 0.2]}]}],
 "solids": [{"name": "tank", "shape": {"box": [0.4, 0.4, 0.2]}, "position": [0.2, 0.2, 0.1], "inside": true},
            {"name": "wedge", "shape": {"mesh": "wedge.obj"}, "position": [0.25, 0, 0.05]}]}
END
expect 0 "$meniscus" run here/scene.json --out mesh_run --quiet --until 0.02
# the folder's own scene finds the mesh
expect 0 "$meniscus" run mesh_run/scene.json --out mesh_again --quiet
same_run mesh_run mesh_again
cp -r mesh_run mesh_copy
mv here there
expect 0 "$meniscus" run there/scene.json --out mesh_run --resume --quiet
echo 'v 1 2 3' >>there/wedge.obj
expect 2 "$meniscus" run there/scene.json --out mesh_copy --resume --quiet
says err.txt "wedge.obj"

# --- two processes do not write one folder
"$meniscus" run small.json --out busy --until 1000 --quiet &
pid=$!
wait_for busy/frames/water_000001.vtp
wait_for busy/checkpoint.mnc
expect 2 "$meniscus" run small.json --out busy --resume
says err.txt "another process"
expect 2 "$meniscus" run small.json --out busy --force
says err.txt "another process"
kill -9 $pid
wait $pid 2>/dev/null
finish
