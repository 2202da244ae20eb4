# Random keys, clicks, drags and wheel turns, panel and list of scenes too: nothing that hands do ends the window. MENISCUS_EVENTS in
# the environment asks for more than the 400 of each kind of world; seeds are fixed.
. "$(dirname "$0")/lib.sh"

events=${MENISCUS_EVENTS:-400}

# random_script SEED: so many lines of input, a screenshot of what is there in the end, and the end; keys that write files, open other
# scenes or leave are rare or left out, else nothing would be played with
random_script()
{
    awk -v seed="$1" -v events="$events" '
        function pick(list, count) { return list[1 + int(rand() * count)] }
        BEGIN {
            srand(seed)
            n = split("space n r - = left right f4 z x 1 2 3 4 5 6 h , / v c m e t a d o b j q g i tab f1 f pageup pagedown [ ] ; 7 8 9 0 y u k up down left right shift_left shift_right shift_up ctrl_left ctrl_down shift_e shift_t", key, " ")
            r = split("f2 f3 l l return f5 f6 f9 p", rare, " ")
            print "{ \"frame\": 2, \"do\": \"key\", \"key\": \"=\" }"
            held = 0
            for (k = 1; k < events; k++) {
                x = int(rand() * 480); y = int(rand() * 360); u = rand()
                after = rand() < 0.3
                if (u < 0.40) {
                    name = rand() < 0.03 ? pick(rare, r) : pick(key, n)
                    sub("_", " ", name)
                    printf "{ \"after\": %d, \"do\": \"key\", \"key\": \"%s\" }\n", after, name
                } else if (u < 0.62 || (u < 0.72 && held)) {
                    printf "{ \"after\": %d, \"do\": \"%s\", \"x\": %d, \"y\": %d, \"button\": %d }\n", after, held ? "release" : "press", x, y,
                        held ? held : (button = rand() < 0.7 ? 1 : rand() < 0.5 ? 2 : 3)
                    held = held ? 0 : button
                } else if (u < 0.95)
                    printf "{ \"after\": %d, \"do\": \"move\", \"x\": %d, \"y\": %d }\n", after, x, y
                else
                    printf "{ \"after\": %d, \"do\": \"wheel\", \"x\": %d, \"y\": %d }\n", after, x, y % 5 - 2
            }
            print "{ \"after\": 2, \"do\": \"status\" }"
            print "{ \"after\": 0, \"do\": \"screenshot\", \"file\": \"end.png\" }"
            print "{ \"after\": 1, \"do\": \"quit\" }"
        }'
}

# A soft block and a paddle, and a block in a plane.
soft_scene()
{
    cat <<END_SCENE
{
  "name": "soft", "particle_radius": 0.04, "duration": 10,
  "fluids": [ { "name": "water", "blocks": [ { "min": [-0.5, 0, -0.3], "max": [0.5, 0.3, 0.3] } ] } ],
  "solids": [
    { "name": "tank", "type": "static", "shape": { "box": [1, 1, 0.6] }, "position": [0, 0.5, 0], "inside": true },
    { "name": "jelly", "type": "elastic", "model": "fem", "shape": { "box": [0.2, 0.2, 0.2] },
      "position": [0, 0.5, 0], "density": 700, "young": 2e4 },
    { "name": "paddle", "type": "kinematic", "shape": { "box": [0.05, 0.2, 0.2] }, "position": [-0.35, 0.4, 0] }
  ],
  "view": { "camera": { "eye": [0, 0.5, 3], "target": [0, 0.5, 0] } }
}
END_SCENE
}

plane_scene()
{
    cat <<END_SCENE
{
  "name": "plane", "particle_radius": 0.02, "duration": 10, "dimension": 2,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0], "max": [0.6, 0.4] } ] } ],
  "solids": [
    { "name": "tank", "type": "static", "shape": { "box": [1, 1] }, "position": [0.5, 0.5], "inside": true },
    { "name": "block", "type": "rigid", "shape": { "box": [0.2, 0.1] }, "position": [0.5, 0.6], "density": 500 }
  ]
}
END_SCENE
}

play()
{
    random_script "$2" >random.txt
    rm -f end.png
    expect 0 timeout 3000 "$meniscus" view "$1" --size 480x360 --threads 1 --actions random.txt ${3:+--set "$3"} || return
    [ "$(status 1)" ] || fail "$1, seed $2: no status in the end"
    [ -s end.png ] || fail "$1, seed $2: no picture in the end"
}

soft_scene >soft.json
plane_scene >plane.json
play ball.json 1
play soft.json 2
play plane.json 3
play ball.json 4 solver.method=flip
finish
