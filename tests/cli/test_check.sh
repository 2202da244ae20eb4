# meniscus check thinks for the user: units of meshes, faults in them, masses, how long a run will take.
. "$(dirname "$0")/lib.sh"
# box.obj EDGE: a cube of so many metres
cube()
{
    awk -v e="$1" 'BEGIN {
        for (k = 0; k < 8; k++) print "v", e * (k % 2), e * (int(k / 2) % 2), e * int(k / 4)
        n = split("1 3 4,1 4 2,5 6 8,5 8 7,1 2 6,1 6 5,3 7 8,3 8 4,1 5 7,1 7 3,2 4 8,2 8 6", f, ",")
        for (k = 1; k <= n; k++) print "f", f[k] }'
}
cat >scene.json <<'END'
{ "particle_radius": 0.01, "duration": 0.1, "fluids": [ { "blocks": [ { "min": [0, 0, 0], "max": [0.2, 0.2, 0.2] } ] } ],
  "solids": [ { "name": "crate", "type": "rigid", "density": 500, "shape": { "mesh": "crate.obj" }, "position": [0.5, 0, 0] } ] }
END
cube 0.2 >crate.obj
expect 0 "$meniscus" check scene.json
says out.txt "crate"
says out.txt "4 kg"
says out.txt "run time    about"
grep -q warning out.txt && fail "a good mesh is warned of: $(cat out.txt)"

# --- units
cube 200 >crate.obj
expect 2 "$meniscus" check scene.json
says err.txt "solid 'crate' is 346 m large: too much for boundary particles"
"$meniscus" check scene.json >out.txt 2>err.txt
says out.txt "solid 'crate' is 200 m long, the rest of the scene 0.2 m: if its file is in millimetres, give it \"scale\": 0.001"
expect 0 "$meniscus" check scene.json --set solids.0.scale=0.001
grep -q warning out.txt && fail "the remedy is warned of: $(cat out.txt)"
cube 0.0001 >crate.obj
"$meniscus" check scene.json >out.txt 2>err.txt
says out.txt "is 0.0001 m long"

# --- faults
cube 0.2 | sed 's/^f 1 3 4/f 1 4 3/' >crate.obj
"$meniscus" check scene.json >out.txt 2>err.txt
says out.txt "edges lie between triangles that face opposite ways"
cube 0.2 >crate.obj
echo "f 1 2 8" >>crate.obj
"$meniscus" check scene.json >out.txt 2>err.txt
says out.txt "edges belong to more than two triangles"
finish
