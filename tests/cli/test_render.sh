# meniscus render with a view block: styles, materials, environment, cut, captions; run --render; mistakes.
. "$(dirname "$0")/lib.sh"
printf 'PF\n2 1\n-1.0\n\000\000\200\077\000\000\200\077\000\000\200\077\000\000\000\077\000\000\200\077\000\000\000\077' >sky.pfm
cat >block.json <<'END'
{
  "name": "block", "particle_radius": 0.03, "duration": 0.04, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0.1, 0], "max": [0.3, 0.5, 0.3], "velocity": [1, 0, 0] } ] },
              { "name": "oil", "blocks": [ { "min": [0.4, 0.1, 0], "max": [0.6, 0.3, 0.3] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.9, 0.9, 0.3] }, "position": [0.45, 0.45, 0.15], "inside": true },
              { "name": "ball", "shape": { "sphere": 0.08 }, "position": [0.8, 0.1, 0.15] } ],
  "view": { "size": [96, 64], "title": "", "time_stamp": false }
}
END
expect 0 "$meniscus" run block.json --out run --quiet --render live_%02d.png
[ -s live_00.png ] && [ -s live_02.png ] || fail "run --render left no pictures"
expect 0 "$meniscus" render run --frame 2 -o plain.png
differs() { cmp -s "$1" "$2" && fail "$3 changes nothing"; return 0; }

# every key of the view changes the picture, fast and final
for quality in fast final; do
    expect 0 "$meniscus" render run --quality $quality --spp 4 --style liquid -o base.png --quiet
    for set in view.style=surface view.style=particles view.environment.sky=day 'view.lights=[{"direction": [1, 1, 1]}]' \
        'view.ground={"checker": [0.2, 0.2, 0.2]}' view.ground=none 'view.solids=[{"solid": "ball", "finish": "metal"}]' \
        'view.solids=[{"solid": "ball", "checker": [0, 0, 0]}]' 'view.solids=[{"solid": "ball", "texture": "plain.png"}]' \
        'view.solids=[{"solid": "ball", "colour": [1, 0, 0]}]' 'view.fluids=[{"fluid": "water", "absorption": [9, 0, 0]}]' \
        'view.fluids=[{"fluid": "oil", "colour": [0.2, 0.1, 0.1]}]' 'view.clip={"axis": "z", "position": 0.15}' view.boundary=true \
        'view.captions=[{"text": "splash", "size": 0.1}]' view.title=Tank view.background=[0.2,0.2,0.3] \
        'view.environment={"sky": "map", "file": "sky.pfm"}' 'view.environment={"sky": "gradient", "zenith": [1, 0, 0]}'; do
        # files are found from the folder of the scene
        cp plain.png sky.pfm run/
        expect 0 "$meniscus" render run --quality $quality --spp 4 --style liquid --set "$set" -o other.png --quiet
        case "$quality $set" in
        *view.style*) expect 0 "$meniscus" render run --quality $quality --spp 4 --set "$set" -o other.png --quiet ;;
        esac
        differs base.png other.png "$quality: $set"
    done
    for style in liquid surface particles; do
        expect 0 "$meniscus" render run --quality $quality --spp 2 --style $style --colour pressure --clip z:0.15 --threads 1 -o one.png --quiet
        expect 0 "$meniscus" render run --quality $quality --spp 2 --style $style --colour pressure --clip z:0.15 --threads 2 -o two.png --quiet
        cmp one.png two.png || fail "threads change a picture of style $style"
    done
done

# the resolved scene keeps the view, and reads back
expect 0 "$meniscus" render block.json --style liquid -o start.png
expect 0 "$meniscus" check run/scene.json

# --- mistakes
expect 2 "$meniscus" render run --set particle_radius=0.1 -o x.png
says err.txt "only keys of its view"
expect 2 "$meniscus" render run --set view.stile=liquid -o x.png
says err.txt "style"
expect 2 "$meniscus" render run --style water -o x.png
says err.txt "particles, liquid or surface"
expect 2 "$meniscus" render run --clip 0.5 -o x.png
says err.txt "axis:position"
cp block.json run/not.png
expect 2 "$meniscus" render run --set 'view.solids=[{"solid": "ball", "texture": "not.png"}]' -o x.png
says err.txt "not.png"
expect 2 "$meniscus" render run --set 'view.environment={"sky": "map", "file": "scene.json"}' -o x.png
says err.txt ".png, .hdr or .pfm"
head -c 20 sky.pfm >run/short.pfm
expect 2 "$meniscus" render run --set 'view.environment={"sky": "map", "file": "short.pfm"}' -o x.png
says err.txt "ends too early"
expect 2 "$meniscus" run block.json --out other --render film.avi
says err.txt "film.mp4"
expect 2 "$meniscus" run block.json --out other --final
says err.txt "needs --render"
[ -e other ] && fail "a mistake left a folder"
small_scene flat.json
expect 2 "$meniscus" render flat.json --style liquid -o x.png
says err.txt "three dimensions"
[ -e x.png ] && fail "a mistake left a picture"
finish
