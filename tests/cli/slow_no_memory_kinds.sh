# Allocations that fail (starve.sh) in each kind of fluid and coupling besides the default, with foam, solids that yield and break, emitters of a
# shape, USD files and pictures.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/starve.sh"

# scene NAME METHOD COUPLING SOLIDS MORE
scene()
{
    cat >"$1.json" <<END
{ "name": "$1", "particle_radius": 0.02, "duration": 0.02, "frame_rate": 50,
  "solver": { "method": "$2" }, "coupling": { "method": "$3" },
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.3, 0.1, 0.2] } ],
     "emitters": [ { "type": "shape", "shape": { "torus": [0.04, 0.02] }, "position": [0.2, 0.27, 0.1], "direction": [0, -1, 0], "speed": 1 } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.3, 0.3, 0.2] }, "position": [0.15, 0.15, 0.1], "inside": true }, $4 ]$5
}
END
}
ball='{ "name": "ball", "type": "rigid", "shape": { "sphere": 0.04 }, "position": [0.06, 0.2, 0.1], "density": 700 }'
chain=', "chains": [ { "from": [0.15, 0.13, 0.04], "to": [0.27, 0.13, 0.04], "links": 3, "shape": { "capsule": [0.012, 0.012] } } ]'
elastic='{ "name": "jelly", "type": "elastic", "shape": { "box": [0.06, 0.06, 0.06] }, "position": [0.15, 0.14, 0.1], "resolution": 0.03, "density": 900, "young": 2e4'
scene direct dfsph direct_forcing "$ball, $elastic, \"model\": \"fem\", \"strength\": 50, \"yield\": 30, \"velocity\": [0, -3, 0] }" "$chain"
scene gauss dfsph gauss "$ball" ', "foam": { "amount": 1 }'
scene grid flip immersed "$elastic, \"model\": \"reduced\" }" ', "foam": { "amount": 1 }, "output": { "checkpoint_every": 1 }'
for kind in direct gauss grid; do
    sweep 12 "$meniscus" run $kind.json --out out --quiet --threads 2
done
"$meniscus" run direct.json --out whole --quiet >/dev/null || fail "direct.json does not run"
sweep 10 "$meniscus" surface whole -o out --format usda --quiet
printf '%s\n' 'v 0 0 0' 'v 1 0 0' 'v 0 1 0' 'v 0 0 1' 'f 1 3 2' 'f 1 2 4' 'f 1 4 3' 'f 2 3 4' >wedge.obj
cat >theirs.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "sim2D": true, "stopAt": 0.02 }, "RigidBodies": [ { "geometryFile": "wedge.obj", "translation": [0, 0, -0.25] } ],
  "FluidBlocks": [ { "start": [1.2, 0, -0.1], "end": [2, 1, 0.1] } ], "Materials": [ { "id": "Fluid", "viscosityMethod": 6, "Weiler et al. 2018": { "viscosity": 0.5 } } ] }
END
sweep 20 "$meniscus" convert theirs.json -o ours.json
sweep 10 "$meniscus" render whole --out out.png --size 64x48
finish
