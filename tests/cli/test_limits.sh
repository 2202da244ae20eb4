# What does not fit is refused before it is built, and a run that is being built ends at once when told to.
. "$(dirname "$0")/lib.sh"

# --- memory: a scene of 1e9 particles, and one that fits what --memory says or does not
cat >large.json <<'END'
{ "particle_radius": 0.0005, "duration": 1,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [1, 1, 1] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [1, 1, 1] }, "position": [0.5, 0.5, 0.5], "inside": true } ] }
END
for command in check run; do
    expect 2 timeout 20 "$meniscus" $command large.json --memory 8G
    says err.txt "350 GB"
    says err.txt "8.0 GB"
    expect 2 timeout 20 "$meniscus" $command large.json --memory 12x
    says err.txt "4G"
done
[ ! -e large.run ] || fail "a refused run left a folder"
small_scene small.json
expect 2 "$meniscus" run small.json --memory 100k --out small
says err.txt "particle_radius"
expect 0 "$meniscus" run small.json --memory 1G --out small --quiet

# --- interrupted while it is built: within a second, with a word, and without a folder
{
    echo '{ "name": "slow to build", "particle_radius": 0.004, "duration": 1,'
    echo '  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.8, 0.8, 0.8] } ] } ], "solids": ['
    for k in $(seq 1 60); do
        echo "    { \"name\": \"ring$k\", \"shape\": { \"torus\": [0.3, 0.0$((k % 9 + 1))] }, \"position\": [0.4, 0.4, 0.$((k + 20))] },"
    done
    echo '    { "name": "tank", "shape": { "box": [0.8, 0.8, 0.8] }, "position": [0.4, 0.4, 0.4], "inside": true } ] }'
} >slow.json
"$meniscus" run slow.json --out slow --quiet 2>err.txt &
process=$!
sleep 0.7
kill -TERM $process
began=$(date +%s%N)
wait $process
status=$?
took=$((($(date +%s%N) - began) / 1000000))
[ $status -eq 130 ] || fail "interrupted while it was built: status $status"
[ $took -lt 1000 ] || fail "interrupted while it was built: $took ms until it ended"
says err.txt "nothing was written"
[ ! -e slow ] || fail "a run that was interrupted while it was built left a folder"

# --- interrupted before the first step: frame 0 is there, and the resumed run ends with the same files
cat >soft.json <<'END'
{ "name": "soft", "particle_radius": 0.015, "duration": 0.06, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.6, 0.15, 0.3] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.6, 0.8, 0.3] }, "position": [0.3, 0.4, 0.15], "inside": true },
              { "name": "ball", "type": "elastic", "shape": { "sphere": 0.05 }, "position": [0.47, 0.3, 0.1], "model": "mass_points",
                "resolution": 0.04, "density": 600, "young": 5e4 } ] }
END
expect 0 "$meniscus" run soft.json --out whole --quiet
for pause in 0.02 0.04 0.08 folder; do
    rm -rf stopped
    "$meniscus" run soft.json --out stopped --quiet 2>err.txt &
    process=$!
    if [ $pause = folder ]; then
        while [ ! -e stopped/run.log ] && kill -0 $process 2>/dev/null; do :; done # as early as it can be
    else
        sleep $pause
    fi
    kill -TERM $process
    wait $process
    if [ -e stopped/checkpoint.mnc ]; then
        [ -e stopped/solids/ball_000000.vtp ] || fail "a checkpoint without frame 0"
        expect 0 "$meniscus" run soft.json --out stopped --resume --quiet
        same_run whole stopped
    elif [ -e stopped ]; then
        fail "a folder without a checkpoint"
    fi
done
finish
