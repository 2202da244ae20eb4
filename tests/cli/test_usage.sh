# Options, help, check, info: what they say and the status they leave with.
. "$(dirname "$0")/lib.sh"
small_scene small.json

# --- mistakes on the command line
expect 2 "$meniscus"
expect 2 "$meniscus" runn small.json
says err.txt "did you mean run?"
expect 2 "$meniscus" run
says err.txt "SCENE.json is missing"
expect 2 "$meniscus" run small.json --untill 1
says err.txt "did you mean --until?"
expect 2 "$meniscus" run small.json --until soon
says err.txt "soon"
expect 2 "$meniscus" run small.json --until -1
expect 2 "$meniscus" run small.json --until nan
expect 2 "$meniscus" run small.json --threads 1.5
expect 2 "$meniscus" run small.json --threads -2
expect 2 "$meniscus" run small.json --until
says err.txt "--until needs a SECONDS"
expect 2 "$meniscus" run small.json other.json
expect 2 "$meniscus" run small.json --resume --force
expect 2 "$meniscus" run small.json --quiet=yes
expect 2 "$meniscus" run missing.json
says err.txt "missing.json"
expect 2 "$meniscus" run .
expect 2 "$meniscus" run small.json --set solver.methood=iisph
says err.txt "method"
expect 2 "$meniscus" run small.json --set particle_radius=-1
says err.txt "particle_radius"
echo '{"fluids": [' >broken.json
expect 2 "$meniscus" run broken.json
says err.txt "broken.json:"
expect 2 "$meniscus" run small.json --resume
says err.txt "checkpoint.mnc"
[ "$(ls | sort | tr '\n' ' ')" = "broken.json err.txt out.txt small.json " ] || fail "something was written: $(ls)"

# --- help
expect 0 "$meniscus" help
for command in run check info sample render bench help; do
    says out.txt "  $command "
    expect 0 "$meniscus" help $command
    says out.txt "usage: meniscus $command"
    expect 0 "$meniscus" $command --help
    says out.txt "usage: meniscus $command"
    "$meniscus" help >out.txt
done
# every command that help names exists
for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' out.txt); do
    expect 0 "$meniscus" $command --help
done
expect 0 "$meniscus" --help
expect 0 "$meniscus" --version
says out.txt "meniscus "
for topic in scene solver.method density fluids.blocks materials status topics schema; do
    expect 0 "$meniscus" help $topic
    [ -s out.txt ] || fail "help $topic says nothing"
done
for topic in $("$meniscus" help topics); do
    "$meniscus" help "$topic" >out.txt 2>err.txt || fail "help topics names $topic, but there is no such help"
done
expect 2 "$meniscus" help solver.methood
says err.txt "did you mean"
if command -v python3 >/dev/null; then
    "$meniscus" help schema | python3 -m json.tool >/dev/null || fail "the schema is not JSON"
fi

# --- check
expect 0 "$meniscus" check small.json
for word in water oil tank paddle particles memory output "time step" valid; do
    says out.txt "$word"
done
expect 2 "$meniscus" check broken.json
expect 2 "$meniscus" check missing.json
expect 0 "$meniscus" check small.json --set fluids.1.density=900
says out.txt "900 kg/m3"
expect 2 "$meniscus" check small.json --set fluids.2.viscosity=1
says err.txt "has 2 entries"
# a thick fluid needs short steps, and one without particles does not count
step_of() { sed -n 's/.*time step *about \([^ ]*\) s.*/\1/p' out.txt; }
expect 0 "$meniscus" check small.json
thin=$(step_of)
expect 0 "$meniscus" check small.json --set fluids.0.viscosity=5
awk -v a="$thin" -v b="$(step_of)" 'BEGIN { exit !(b < 0.5 * a) }' || fail "viscosity 5 does not shorten the step: $thin to $(step_of)"
expect 0 "$meniscus" check small.json --set 'fluids.2={"name": "syrup", "viscosity": 5}'
[ "$(step_of)" = "$thin" ] || fail "a fluid without particles shortens the step: $thin to $(step_of)"
says out.txt 'fluid "syrup" has no blocks'

# --- run warns of the same things
expect 0 "$meniscus" run small.json --out warned --until 0 --quiet --set 'fluids.2={"name": "syrup", "viscosity": 5}'
says err.txt 'fluid "syrup" has no blocks'
expect 0 "$meniscus" run small.json --out coarse --until 0 --quiet --set particle_radius=0.5
says err.txt "smaller than a spacing (1 m)"
expect 0 "$meniscus" run small.json --out hasty --until 0.1 --quiet --set solver.max_iterations=2 --set solver.min_iterations=1
says err.txt "stopped at solver.max_iterations"
says hasty/run.log "stopped at solver.max_iterations"

# --- info
expect 0 "$meniscus" run small.json --until 0.02 --quiet
expect 0 "$meniscus" info small.run
says out.txt "run folder"
says out.txt "complete"
says out.txt "frames           2"
expect 0 "$meniscus" info small.run/checkpoint.mnc
says out.txt "intact"
expect 0 "$meniscus" info small.run/frames/water_000001.vtp
says out.txt "particle frame"
says out.txt "time       0.02 s"
expect 0 "$meniscus" info small.run/solids/tank.vtp
says out.txt "mesh"
expect 0 "$meniscus" info small.run/stats.csv
says out.txt "rows       2"
expect 0 "$meniscus" info small.json
says out.txt "small splash"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >tetrahedron.obj
expect 0 "$meniscus" info tetrahedron.obj
says out.txt "closed     yes"
says out.txt "volume     0.166667 m3"
expect 2 "$meniscus" info missing.vtp
says err.txt "missing.vtp"
expect 2 "$meniscus" info "$scratch"
says err.txt "not a run folder"
expect 0 "$meniscus" info small.run/frames/water.pvd
says out.txt "files      2"
says out.txt "time       0 .. 0.02 s"
expect 0 "$meniscus" run small.json --out ply.run --set output.particles=ply --until 0.02 --quiet
expect 0 "$meniscus" info ply.run/frames/water.ply.series
says out.txt "files      2"
expect 2 "$meniscus" info "$meniscus"
says err.txt "not a file that meniscus knows"
head -c 2000 small.run/frames/water_000001.vtp >cut.vtp
expect 2 "$meniscus" info cut.vtp
says err.txt "cut.vtp"
head -c 700 small.run/checkpoint.mnc >cut.mnc
expect 2 "$meniscus" info cut.mnc
says err.txt "cut short"
head -c 3000 /dev/urandom >noise
expect 2 "$meniscus" info noise
: >nothing
expect 2 "$meniscus" info nothing
says err.txt "is empty"

# --- on a terminal: a bar instead of lines
if command -v script >/dev/null; then
    script -qec "$meniscus run small.json --out seen" /dev/null >out.txt 2>err.txt </dev/null || fail "a run on a terminal"
    says out.txt "[#"
    says out.txt " steps/s"
    says out.txt " left"
    says out.txt " particles"
    grep -q '^frame ' out.txt && fail "lines per frame on a terminal"
    says seen/run.log "frame 10/10"
fi

# --- words that cannot be written
if [ -w /dev/full ]; then
    "$meniscus" help scene >/dev/full 2>err.txt
    [ $? -eq 3 ] || fail "help into a full device"
fi
# a reader that goes away does not end a run
"$meniscus" run small.json --out unread 2>err.txt | head -1 >out.txt
[ "${PIPESTATUS[0]}" -eq 0 ] || fail "a run whose reader went away"
[ -s unread/frames/water_000010.vtp ] || fail "a run whose reader went away is not complete"
finish
