# Hands in the window, by real events of the X server (xdotool) and by scripted ones: a body is dragged, fluid is poured, things are
# thrown; time goes back and on again; what was done is saved as a scene that gives the same bits.
. "$(dirname "$0")/lib.sh"

# a real mouse takes the ball and holds it up at the right: it follows
if command -v xdotool >/dev/null; then
    awk 'BEGIN { for (k = 1; k <= 2000; k++) printf "{ \"time\": %g, \"do\": \"status\" }\n", k / 10 }' >real.txt
    timeout 150 "$meniscus" view ball.json --size 480x360 --threads 1 --bare --actions real.txt >out.txt 2>err.txt &
    viewer=$!
    # reached NAME AXIS VALUE: whether the solid was beyond that place in some status
    reached() { awk -v name="$1" -v axis="$2" -v value="$3" '$1 == "solid" && $2 == name && $(3 + axis) > value { f = 1 } END { exit !f }' out.txt; }
    await() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }
    await grep -q '^status .* time 0.[5-9]' out.txt || fail "the window does not begin: $(cat err.txt)"
    window=$(xdotool search --name 'Meniscus: ball.json' | tail -1)
    if [ -z "$window" ]; then
        fail "there is no window of that name"
    else
        reached ball 0 0.1 && fail "the ball went to the right before it was dragged"
        xdotool mousemove --window "$window" 240 235 mousedown 1
        sleep 0.5
        xdotool mousemove --window "$window" 290 200
        sleep 0.3
        xdotool mousemove --window "$window" 330 150
        await reached ball 0 0.1 || fail "a ball that a real mouse drags does not go to the right"
        xdotool key --window "$window" F12
        await test -s ball_0001.png || fail "the key F12 made no screenshot"
        xdotool mouseup 1
        xdotool key --window "$window" Escape
    fi
    wait $viewer
    [ $? -eq 0 ] || fail "the window ended with an error: $(cat err.txt)"
else
    echo "left out: xdotool cannot be found, so there is no real mouse (Debian: xdotool)"
fi

# the same by script, with numbers: the ball is lifted out of the water
cat >drag.txt <<'A'
{ "time": 0.5, "do": "status" }
{ "after": 0, "do": "press", "x": 240, "y": 235 }
{ "after": 2, "do": "move", "x": 280, "y": 200 }
{ "after": 4, "do": "move", "x": 320, "y": 140 }
{ "after": 60, "do": "status" }
{ "after": 0, "do": "screenshot", "file": "held.png" }
{ "after": 0, "do": "release", "x": 320, "y": 140 }
{ "after": 1, "do": "quit" }
A
view 0 --bare --actions drag.txt && {
    holds "$(solid 2 ball 0) > $(solid 1 ball 0) + 0.1" "a ball that is dragged goes to the right"
    holds "$(solid 2 ball 1) > $(solid 1 ball 1) + 0.1" "a ball that is dragged goes up"
}

# beside the scene the hand that drags turns the view, and takes hold of nothing
cat >beside.txt <<'A'
{ "frame": 2, "do": "key", "key": "k" }
{ "after": 1, "do": "press", "x": 20, "y": 20 }
{ "after": 2, "do": "move", "x": 90, "y": 40 }
{ "after": 1, "do": "release", "x": 90, "y": 40 }
{ "after": 2, "do": "key", "key": "k" }
{ "after": 1, "do": "status" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --paused --actions beside.txt && {
    [ "$(grep -c '^meniscus view' out.txt)" = 2 ] || fail "the key k did not print two command lines"
    [ "$(grep '^meniscus view' out.txt | uniq | wc -l)" = 2 ] || fail "a drag beside the scene does not turn the view"
}

# water at rest is pushed, and after it has calmed down sucked
cat >push.txt <<'A'
{ "time": 1.5, "do": "key", "key": "4" }
{ "after": 1, "do": "status" }
{ "after": 0, "do": "press", "x": 320, "y": 240 }
{ "time": 1.9, "do": "status" }
{ "after": 0, "do": "release", "x": 320, "y": 240 }
{ "after": 1, "do": "key", "key": "z" }
{ "after": 1, "do": "key", "key": "z" }
{ "after": 1, "do": "key", "key": "z" }
{ "after": 1, "do": "key", "key": "z" }
{ "after": 1, "do": "key", "key": "z" }
{ "after": 1, "do": "key", "key": "z" }
{ "time": 4, "do": "status" }
{ "after": 0, "do": "press", "x": 320, "y": 240 }
{ "time": 4.4, "do": "status" }
{ "after": 0, "do": "release", "x": 320, "y": 240 }
{ "after": 1, "do": "quit" }
A
view 0 --bare --camera 0,2.5,1.5:0,0.3,0 --actions push.txt && {
    holds "$(status_value 2 kinetic) > 4 * $(status_value 1 kinetic)" "water that is pushed moves"
    holds "$(status_value 4 kinetic) > 4 * $(status_value 3 kinetic)" "water that is sucked moves"
}

# pouring adds fluid, throwing adds solids, going back takes both away, and the record replays
cat >more.txt <<'A'
{ "frame": 2, "do": "key", "key": "3" }
{ "after": 1, "do": "press", "x": 320, "y": 100 }
{ "after": 40, "do": "release", "x": 320, "y": 100 }
{ "after": 1, "do": "key", "key": "5" }
{ "after": 1, "do": "press", "x": 200, "y": 120 }
{ "after": 2, "do": "release", "x": 200, "y": 120 }
{ "after": 40, "do": "key", "key": "space" }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "key", "key": "f5" }
{ "after": 1, "do": "key", "key": "f6" }
{ "after": 30, "do": "key", "key": "left" }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "key", "key": "r" }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --actions more.txt && {
    holds "$(status_value 1 particles) > 850" "pouring adds fluid"
    holds "$(status_value 1 solids) == 3" "throwing adds a solid"
    holds "$(status_value 2 time) < $(status_value 1 time)" "the left key goes back in time"
    holds "$(status_value 3 solids) == 2 && $(status_value 3 time) == 0" "a reset takes away what was added"
    time=$(status_value 1 time)
    [ -s ball_0001.json ] || fail "no scene was saved"
    [ -s ball_0001.run/checkpoint.mnc ] || fail "no checkpoint was written"
    # the saved scene replayed from its start, and the checkpoint resumed: the same bits in the same frame
    frame=$(awk "BEGIN { print int($time * 50) + 3 }")
    until=$(awk "BEGIN { print $frame / 50 }")
    expect 0 "$meniscus" run ball_0001.json --out replay --until "$until" --threads 1 --quiet &&
        expect 0 "$meniscus" run ball_0001.run --resume --until "$until" --threads 1 --quiet && {
        name=$(printf 'frames/water_%06d.vtp' "$frame")
        [ -s "replay/$name" ] || fail "the replay has no $name"
        cmp "replay/$name" "ball_0001.run/$name" || fail "the replay of what was done has other bits"
    }
}
finish
