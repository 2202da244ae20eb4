# Shared by the scripts of this folder: a screen in memory (Xvfb), a small scene with a ball, and what the window says about itself.
. "$(dirname "$0")/../cli/lib.sh"

if ! command -v Xvfb >/dev/null; then
    echo "skipped: Xvfb cannot be found, so there is no screen for a window (Debian: xvfb)"
    exit 77
fi
if [ ! -x "$(dirname "$meniscus")/meniscus-view" ]; then
    echo "skipped: this build has no meniscus-view, SDL2 was not there (Debian: libsdl2-dev)"
    exit 77
fi

exec 7>display.txt
Xvfb -displayfd 7 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; chmod -R u+w "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 200); do
    [ -s display.txt ] && break
    kill -0 $server 2>/dev/null || break
    sleep 0.05
done
if [ ! -s display.txt ]; then
    echo "skipped: Xvfb does not start here"
    exit 77
fi
DISPLAY=:$(cat display.txt)
export DISPLAY SDL_VIDEODRIVER=x11
unset WAYLAND_DISPLAY
# SDL's drivers keep memory in libraries that are unloaded before a sanitizer asks whose it is: three pictures of a window are enough
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

# A wooden ball on water, seen from the front: in a window of 480 x 360 pixels without panels it is in the middle.
ball_scene()
{
    cat >"$1" <<'END_SCENE'
{
  "name": "ball",
  "particle_radius": 0.03,
  "duration": 10,
  "fluids": [ { "name": "water", "blocks": [ { "min": [-0.5, 0, -0.3], "max": [0.5, 0.3, 0.3] } ] } ],
  "solids": [
    { "name": "tank", "type": "static", "shape": { "box": [1, 1, 0.6] }, "position": [0, 0.5, 0], "inside": true },
    { "name": "ball", "type": "rigid", "shape": { "sphere": 0.15 }, "position": [0, 0.5, 0], "density": 600 }
  ],
  "probes": [ { "name": "level", "type": "height", "position": [0.4, 0, 0] } ],
  "view": { "camera": { "eye": [0, 0.5, 3], "target": [0, 0.5, 0] } }
}
END_SCENE
}

# view STATUS ARGUMENTS...: the small window; what it says is in out.txt
view()
{
    wanted_status=$1
    shift
    expect "$wanted_status" timeout 120 "$meniscus" view ball.json --size 480x360 --threads 1 "$@"
}

# status NUMBER: the line that the window said in answer to the NUMBERth "status"; status_value NUMBER NAME: one value of it
status() { grep '^status ' out.txt | sed -n "$1p"; }
status_value() { status "$1" | awk -v name="$2" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }'; }
# solid NUMBER NAME AXIS: where it was then
solid()
{
    awk -v wanted="$1" -v name="$2" -v axis="$3" \
        '/^status /{ n++ } n == wanted && $1 == "solid" && $2 == name { print $(3 + axis) }' out.txt
}
# holds EXPRESSION: an awk expression of numbers
holds() { awk "BEGIN { exit !($1) }" || fail "$2: $1"; }

ball_scene ball.json
