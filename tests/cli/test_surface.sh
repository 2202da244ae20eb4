# meniscus surface: formats, going on where it stopped, mistakes; surfaces during a run; final pictures; plots.
. "$(dirname "$0")/lib.sh"
cat >block.json <<'END'
{
  "name": "block", "particle_radius": 0.03, "duration": 0.06, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0.1, 0], "max": [0.3, 0.5, 0.3], "velocity": [1, 0, 0] } ] } ],
  "solids": [ { "name": "tank", "type": "static", "shape": { "box": [0.9, 0.9, 0.3] }, "position": [0.45, 0.45, 0.15], "inside": true },
              { "name": "a ball", "type": "kinematic", "shape": { "sphere": 0.08 }, "position": [0.7, 0.1, 0.15],
                "motion": [ { "time": 0 }, { "time": 1, "position": [0.7, 1.1, 0.15] } ] } ],
  "probes": [ { "name": "H1", "type": "height", "position": [0.1, 0, 0.15] } ],
  "output": { "surface": "ply" },
  "view": { "size": [64, 48] }
}
END
expect 0 "$meniscus" run block.json --out run --quiet
[ -s run/surface/water_000003.ply ] || fail "no surface of the last frame"
[ -s run/surface/water.ply.series ] || fail "no list of surfaces"
expect 0 "$meniscus" info run/surface/water_000003.ply
says out.txt "closed     yes"

# --- afterwards, in every format; the same bits as during the run
expect 0 "$meniscus" surface run -o again
says out.txt "4 surfaces"
cmp run/surface/water_000002.ply again/water_000002.ply || fail "surfaces of a run and of its frames differ"
expect 0 "$meniscus" surface run -o again --threads 1
says out.txt "0 surfaces"
rm again/water_000001.ply
expect 0 "$meniscus" surface run -o again --threads 1
says out.txt "1 surfaces"
cmp run/surface/water_000001.ply again/water_000001.ply || fail "threads change a surface"
expect 2 "$meniscus" surface run -o again --spacing 0.8
says err.txt "other settings"
expect 0 "$meniscus" surface run -o again --spacing 0.8 --force
says out.txt "4 surfaces"
expect 0 "$meniscus" surface run -o obj --format obj --frames 1:3:2 --blobs drop
[ "$(ls obj | tr '\n' ' ')" = "settings.txt water_000001.obj water_000003.obj " ] || fail "frames 1 and 3 only: $(ls obj)"
expect 0 "$meniscus" info obj/water_000003.obj
expect 0 "$meniscus" surface run -o ellipsoids --anisotropic --frames 3 --quiet
expect 0 "$meniscus" info ellipsoids/water_000003.ply
says out.txt "closed     yes"
expect 0 "$meniscus" surface run -o vtp --format vtp --quiet
[ -s vtp/water.pvd ] || fail "no list for ParaView"

# --- one file for Houdini and Blender
expect 0 "$meniscus" surface run -o usd --format usda --quiet
usda=usd/run.usda
[ "$(head -n 1 $usda)" = "#usda 1.0" ] || fail "the file does not begin with its version"
for text in 'defaultPrim = "World"' 'upAxis = "Y"' 'timeCodesPerSecond = 50' 'def Mesh "water_surface"' 'def Points "water_particles"' \
    'def Xform "a_ball_solid"' 'uniform token subdivisionScheme = "none"' 'int64[] ids.timeSamples' 'interpolation = "constant"'; do
    says $usda "$text"
done
# brackets nest, a sample per frame, and arrays that belong together are of one length
awk '
function bad(text) { print "line " NR ": " text; failed = 1; exit }
{
    rest = $0
    gsub(/"[^"]*"/, "", rest)
    while (match(rest, /[][(){}]/)) {
        c = substr(rest, RSTART, 1); rest = substr(rest, RSTART + 1)
        if (c ~ /[[({]/) stack[++depth] = c
        else if (!depth || index("([{", stack[depth]) != index(")]}", c)) bad("\"" c "\" closes nothing")
        else depth--
    }
}
/def (Mesh|Points|Xform)/ { prim = $3 }
/\.timeSamples = \{/ { attribute = $2; sub(/\.timeSamples/, "", attribute); reading = 1; next }
reading && /^ *\}/ { reading = 0; next }
reading {
    code = $1; sub(/:/, "", code)
    vectors = gsub(/\([^)]*\)/, "v")
    numbers = gsub(/,/, ",")
    length_of[prim, attribute, code] = vectors ? vectors : numbers
    samples[prim, attribute]++
}
END {
    if (failed) exit 1
    if (depth) { print depth " brackets are open at the end"; exit 1 }
    for (key in samples) if (samples[key] != 4) { print key ": " samples[key] " samples of 4 frames"; exit 1 }
    for (code = 0; code < 4; code++) {
        m = "\"water_surface\""; p = "\"water_particles\""
        if (length_of[m, "points", code] < 50) { print "few points"; exit 1 }
        if (length_of[m, "points", code] != length_of[m, "velocities", code]) { print "velocities"; exit 1 }
        if (length_of[m, "points", code] != length_of[m, "normals", code]) { print "normals"; exit 1 }
        if (length_of[m, "faceVertexIndices", code] != 3 * length_of[m, "faceVertexCounts", code]) { print "indices"; exit 1 }
        if (length_of[p, "points", code] != length_of[p, "ids", code]) { print "ids"; exit 1 }
    }
}' $usda || fail "run.usda is not what it should be"

# --- mistakes
small_scene flat.json
expect 0 "$meniscus" run flat.json --out flat --until 0 --quiet
expect 2 "$meniscus" surface flat
says err.txt "two dimensions"
expect 2 "$meniscus" run flat.json --out flat2 --set output.surface=ply
says err.txt "surface"
expect 2 "$meniscus" surface nowhere
expect 2 "$meniscus" surface run --format stl
says err.txt "ply"
expect 2 "$meniscus" surface run --spacing 5
says err.txt "0.25 to 2"
expect 2 "$meniscus" surface run --frames 2:9
says err.txt "frames 0 to 3"

# --- resuming a run cuts its surfaces too
expect 0 "$meniscus" run block.json --out cut --until 0.02 --quiet
expect 0 "$meniscus" run block.json --out cut --resume --quiet
cmp run/surface/water_000003.ply cut/surface/water_000003.ply || fail "a resumed run has other surfaces"

# --- final pictures
expect 0 "$meniscus" render run --quality final --spp 4 -o one.png --threads 1
expect 0 "$meniscus" render run --quality final --spp 4 -o two.png --threads 2
cmp one.png two.png || fail "threads change a picture"
expect 0 "$meniscus" render run --quality final --spp 2 --sky day --aperture 0.01 --motion-blur --quiet -o three.png
cmp -s one.png three.png && fail "options change nothing"
expect 2 "$meniscus" render run --quality best -o x.png
says err.txt "fast or final"
expect 2 "$meniscus" render flat --quality final -o x.png
expect 2 "$meniscus" render run --quality final --sky night -o x.png

# --- plots
if command -v gnuplot >/dev/null; then
    printf 'time,H1\n0,0.4\n0.06,0.3\n' >measured.csv
    expect 0 "$meniscus" plot run -o plots --reference measured.csv
    for name in energy density_error iterations time_step seconds particles body_a_ball probe_H1; do
        [ "$(head -c 4 plots/$name.png | tail -c 3)" = PNG ] || fail "no plot $name.png"
    done
    [ ! -s err.txt ] || fail "gnuplot complains: $(cat err.txt)"
    expect 0 "$meniscus" plot run --format svg --quiet
    grep -q '<svg' run/plots/energy.svg || fail "energy.svg is none"
fi
expect 2 "$meniscus" plot run --format gif
says err.txt "png or svg"
expect 2 "$meniscus" plot run --reference missing.csv
says err.txt "missing.csv"
finish
