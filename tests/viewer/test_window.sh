# The window under a real X server: time goes on and stops, a reset gives the first picture again, films play, bad input is told.
. "$(dirname "$0")/lib.sh"

# time stands still until the space bar, runs, and stands still again
cat >pause.txt <<'A'
{ "frame": 5, "do": "status" }
{ "frame": 10, "do": "key", "key": "space" }
{ "time": 0.05, "do": "key", "key": "space" }
{ "time": 0.05, "do": "quit" }
A
view 0 --paused --actions pause.txt && {
    holds "$(status_value 1 time) == 0" "a paused scene stays at its start"
    [ "$(status_value 1 state)" = paused ] || fail "the window does not say that it is paused: $(status 1)"
}
cat >still.txt <<'A'
{ "frame": 3, "do": "key", "key": "n" }
{ "frame": 20, "do": "status" }
{ "frame": 40, "do": "status" }
{ "frame": 41, "do": "quit" }
A
view 0 --paused --frames 60 --actions still.txt && {
    holds "$(status_value 1 time) > 0" "one step moves time"
    holds "$(status_value 1 time) == $(status_value 2 time)" "a pause stops time"
}

# the first picture again
cat >reset.txt <<'A'
{ "frame": 3, "do": "screenshot", "file": "first.png" }
{ "frame": 4, "do": "key", "key": "space" }
{ "time": 0.15, "do": "screenshot", "file": "later.png" }
{ "time": 0.15, "do": "key", "key": "space" }
{ "after": 5, "do": "key", "key": "r" }
{ "after": 30, "do": "status" }
{ "after": 0, "do": "screenshot", "file": "again.png" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --paused --frames 3000 --actions reset.txt && {
    holds "$(status_value 1 time) == 0" "a reset goes back to the start"
    cmp -s first.png again.png || fail "the picture after a reset is not the first one"
    cmp -s first.png later.png && fail "the picture after 0.15 s is still the first one"
}

# likeness A.png B.png CROP: the ratio of signal to difference [dB] in that part
likeness()
{
    ffmpeg -hide_banner -i "$1" -i "$2" -lavfi "[0]crop=$3[a];[1]crop=$3[b];[a][b]psnr" -f null - 2>&1 |
        sed -n 's/.*average:\([0-9.inf]*\).*/\1/p' | sed s/inf/99/
}

# all keys at least once; nothing may end the window
n=5
: >keys.txt
for key in v v v c c c c c c c c c m o o o o a d e t b b j j q q f g g i i tab tab f1 f1 l l = - 1 2 3 4 z x 5 x z h , / 6 k up down "shift left" "shift right" "shift up" "shift down" "ctrl left" "ctrl right" "ctrl up" "ctrl down" "shift e" "shift t" left right n . pageup pagedown "[" "]" ";" "'" 7 8 9 0 y u f4 f2; do
    echo "{ \"frame\": $n, \"do\": \"key\", \"key\": \"$key\" }" >>keys.txt
    n=$((n + 2))
done
echo "{ \"frame\": $((n + 4)), \"do\": \"status\" }" >>keys.txt
view 0 --frames $((n + 14)) --actions keys.txt --screenshot keys.png && {
    [ "$(status 1)" ] || fail "no status after all keys"
    says out.txt "frames per second"
    says out.txt "simulated seconds per second"
    # the command line that was copied opens the same again
    says out.txt "meniscus view 'ball.json'"
    line=$(grep "^meniscus view" out.txt)
    expect 0 bash -c "$(dirname "$meniscus")/$line --frames 3" || echo "    $line"
    [ -s keys.png ] || fail "there is no screenshot"
}

# the other back end shows the same picture in each style, panel and all; here it computes on the processor, where nobody gets it
# unasked
styles()
{
    cat <<A
{ "frame": 2, "do": "key", "key": "q" }
{ "after": 1, "do": "key", "key": "i" }
{ "after": 2, "do": "screenshot", "file": "$1_particles.png" }
{ "after": 1, "do": "key", "key": "v" }
{ "after": 3, "do": "screenshot", "file": "$1_liquid.png" }
{ "after": 1, "do": "key", "key": "v" }
{ "after": 3, "do": "screenshot", "file": "$1_surface.png" }
{ "after": 1, "do": "quit" }
A
}
styles own >own.txt
styles gles3 >gles3.txt
view 0 --paused --renderer own --actions own.txt
if timeout 120 "$meniscus" view ball.json --size 480x360 --threads 1 --paused --renderer gles3 --actions gles3.txt >out.txt 2>err.txt; then
    for style in particles liquid surface; do
        alike=$(likeness own_$style.png gles3_$style.png 250:220:0:50) # between the numbers and messages, which differ
        holds "${alike:-0} > 40" "$style by OpenGL ES look as by our own rasteriser [dB]"
        alike=$(likeness own_$style.png gles3_$style.png 225:360:255:0)
        holds "${alike:-0} > 36" "the panel by OpenGL ES looks as by our own rasteriser [dB]"
    done
    cmp -s own_particles.png own_liquid.png && fail "a liquid looks like its particles"
    # seen by the X server, not only by itself
    view 0 --renderer gles3 --frames 12 --record gles3.mp4 && says out.txt "drawn by gles3" &&
        [ -s gles3.mp4 ] || fail "no film by OpenGL ES"
else
    says err.txt "OpenGL ES"
    echo "left out: there is no OpenGL ES 3.0 here (Debian: libgl1-mesa-dri): $(cat err.txt)"
fi
view 0 --frames 3 && says out.txt "drawn by own"
view 2 --renderer vulkan && says err.txt "gles3"

# the command line that k copies shows the same state with the same view and look again, also after hands changed the world
cat >seen.txt <<'A'
{ "time": 0.1, "do": "key", "key": "5" }
{ "after": 1, "do": "key", "key": "/" }
{ "after": 1, "do": "press", "x": 200, "y": 120 }
{ "after": 2, "do": "release", "x": 200, "y": 120 }
{ "time": 0.2, "do": "key", "key": "space" }
{ "after": 5, "do": "key", "key": "shift left" }
{ "after": 1, "do": "key", "key": "shift up" }
{ "after": 1, "do": "key", "key": "up" }
{ "after": 1, "do": "key", "key": "ctrl right" }
{ "after": 1, "do": "key", "key": "c" }
{ "after": 1, "do": "key", "key": "m" }
{ "after": 1, "do": "key", "key": "shift t" }
{ "after": 1, "do": "key", "key": "o" }
{ "after": 1, "do": "key", "key": "g" }
{ "after": 1, "do": "key", "key": "q" }
{ "after": 1, "do": "key", "key": "k" }
{ "after": 10, "do": "status" }
{ "after": 0, "do": "screenshot", "file": "seen.png" }
{ "after": 1, "do": "key", "key": "f" }
{ "after": 5, "do": "screenshot", "file": "framed.png" }
{ "after": 1, "do": "quit" }
A
cat >again.txt <<'A'
{ "time": 0.2, "do": "status" }
{ "after": 10, "do": "status" }
{ "after": 0, "do": "screenshot", "file": "again.png" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --actions seen.txt && {
    seen_time=$(status_value 1 time) line=$(grep "^meniscus view" out.txt)
    grep -q '"density": 792\.' ball_0001.json || fail "the thrown ball of 792 kg/m3 was not saved"
    expect 0 bash -c "timeout 120 $(dirname "$meniscus")/$line --threads 1 --actions again.txt" || echo "    $line"
    [ "$(status_value 2 state)" = paused ] || fail "--until does not pause: $(status 2)"
    [ "$(status_value 2 time)" = "$seen_time" ] || fail "the command line shows $(status_value 2 time) s, not $seen_time s"
    alike=$(likeness seen.png again.png 480:360:0:0)
    holds "${alike:-0} > 40" "the command line shows the same picture [dB]"
    alike=$(likeness seen.png framed.png 480:360:0:0)
    holds "${alike:-99} < 30" "the whole scene is another view than that which keys chose [dB]"
}
view 2 --camera 1,2:3 && says err.txt "eye:target"
view 2 --camera 1,2,3:1,2,3 && says err.txt "the same point"
view 2 --solids glass && says err.txt "wire"
view 2 --cut 2 && says err.txt "--cut"
view 2 --until -1 && says err.txt "--until"

# any field, a map and their names; what is wrong is told
view 0 --frames 5 --colour velocity_x --map ember
view 2 --frames 5 --colour taste && says err.txt "velocity_x"
view 2 --frames 5 --map mud && says err.txt "ember"

# numbers of the world by keys: heavy bodies sink
cat >heavy.txt <<'A'
{ "frame": 3, "do": "key", "key": "0" }
{ "after": 1, "do": "key", "key": "0" }
{ "after": 1, "do": "key", "key": "0" }
{ "time": 0.6, "do": "status" }
{ "after": 1, "do": "quit" }
A
cat >light.txt <<'A'
{ "time": 0.6, "do": "status" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --actions heavy.txt && heavy=$(solid 1 ball 1) && view 0 --bare --actions light.txt &&
    holds "$heavy < $(solid 1 ball 1) - 0.03" "a ball of 2400 kg/m3 sinks deeper than one of 600"

# pictures in the list of scenes
cat >list.txt <<'A'
{ "frame": 2, "do": "key", "key": "l" }
{ "frame": 3, "do": "screenshot", "file": "list0.png" }
{ "frame": 150, "do": "screenshot", "file": "list1.png" }
{ "after": 1, "do": "quit" }
A
view 0 --paused --actions list.txt && cmp -s list0.png list1.png && fail "the list of scenes gets no pictures"

# keys choose in the list and open
mkdir -p scenes/other && ball_scene scenes/first.json && sed 's/"name": "ball", "type"/"name": "buoy", "type"/' ball.json >scenes/second.json
cat >choose.txt <<'A'
{ "frame": 2, "do": "status" }
{ "after": 1, "do": "key", "key": "l" }
{ "after": 2, "do": "key", "key": "right" }
{ "after": 1, "do": "key", "key": "return" }
{ "after": 60, "do": "status" }
{ "after": 1, "do": "quit" }
A
expect 0 timeout 120 "$meniscus" view scenes/first.json --size 480x360 --threads 1 --paused --actions choose.txt && {
    [ "$(solid 1 ball 1)" ] || fail "the first scene has no ball"
    [ "$(solid 2 buoy 1)" ] || fail "the second scene was not opened by keys: $(cat out.txt)"
}

# a film that plays
view 0 --frames 40 --record film.mp4 && {
    pictures=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 film.mp4)
    [ "${pictures:-0}" -ge 1 ] 2>/dev/null || fail "the film has ${pictures:-no} pictures"
    ffmpeg -v error -i film.mp4 -f null - >film.txt 2>&1 && [ ! -s film.txt ] || fail "the film does not play: $(cat film.txt)"
}

# a scene that blows up: the window stays, the last good state and the start can be had
cat >fail.txt <<'A'
{ "frame": 40, "do": "status" }
{ "after": 1, "do": "press", "x": 120, "y": 126 }
{ "after": 2, "do": "release", "x": 120, "y": 126 }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "key", "key": "space" }
{ "after": 40, "do": "status" }
{ "after": 1, "do": "key", "key": "left" }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "key", "key": "r" }
{ "after": 20, "do": "status" }
{ "after": 1, "do": "quit" }
A
view 0 --bare --actions fail.txt --set solver.method=sesph --set solver.time_step=0.02 && {
    [ "$(status_value 1 state)" = failed ] || fail "a step of 20 ms did not make sesph fail: $(status 1)"
    says out.txt "failure " && grep -q '^place [0-9-]* [0-9-]*$' out.txt || fail "the window does not know where it went wrong"
    [ "$(status_value 2 state)" = paused ] || fail "the last good state was not there: $(status 2)"
    [ "$(status_value 3 state)" = failed ] || fail "it does not fail again: $(status 3)"
    [ "$(status_value 4 state)" = paused ] || fail "the left key does not go to the last good state: $(status 4)"
    [ "$(status_value 5 time)" = 0 ] || fail "no way back to the start: $(status 5)"
}

# bad input
echo '{ "frame": 1, "do": "jump" }' >bad.txt
view 2 --actions bad.txt && says err.txt "bad.txt:1"
view 2 --size 10x10 && says err.txt "--size"
view 2 --scale 9 && says err.txt "--scale"
view 0 --scale 2 --frames 3
view 2 --record film.avi && says err.txt ".mp4"
expect 2 "$meniscus" view nothing.json && says err.txt "nothing.json"
mkdir lonely && cp "$meniscus" lonely/
expect 2 lonely/meniscus view ball.json --frames 1 && says err.txt "meniscus-view"
expect 2 env -u DISPLAY -u SDL_VIDEODRIVER "$meniscus" view ball.json --frames 1 && says err.txt "display"
finish
