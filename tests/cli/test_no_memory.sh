# Allocations that fail (starve.sh), in a scene with particles, elastic solids and bodies.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/starve.sh"
cat >small.json <<'END'
{
  "name": "small", "particle_radius": 0.02, "duration": 0.02, "frame_rate": 50,
  "fluids": [ { "name": "water", "surface_tension": 1, "blocks": [ { "min": [0, 0, 0], "max": [0.3, 0.1, 0.2] } ],
     "emitters": [ { "type": "disc", "radius": 0.04, "position": [0.25, 0.25, 0.1], "direction": [0, -1, 0], "speed": 1 } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.3, 0.3, 0.2] }, "position": [0.15, 0.15, 0.1], "inside": true },
     { "name": "lid", "type": "kinematic", "shape": { "box": [0.04, 0.04, 0.04] },
       "motion": [ { "time": 0, "position": [0.28, 0.2, 0.1] }, { "time": 1, "position": [0.28, 0.25, 0.1] } ] },
     { "name": "cloth", "type": "elastic", "shape": { "grid": [0.1, 0.1], "cells": [4, 4] }, "position": [0.1, 0.17, 0.1],
       "density": 300, "thickness": 0.002, "young": 3e5, "pins": [ "corners", { "min": [0, 0, 0], "max": [0.06, 1, 1] } ] },
     { "name": "jelly", "type": "elastic", "shape": { "box": [0.06, 0.06, 0.06] }, "position": [0.18, 0.2, 0.1], "model": "fem",
       "resolution": 0.03, "density": 500, "young": 3e4 },
     { "name": "ball", "type": "elastic", "shape": { "sphere": 0.03 }, "position": [0.05, 0.05, 0.1], "model": "mass_points",
       "resolution": 0.03, "density": 600, "young": 5e4 },
     { "name": "cone", "type": "rigid", "shape": { "cone": [0.03, 0.05] }, "position": [0.06, 0.03, 0.04], "density": 2000 } ],
  "chains": [ { "from": [0.15, 0.05, 0.04], "to": [0.27, 0.05, 0.04], "links": 3, "joint": "hinge", "shape": { "capsule": [0.012, 0.012] } } ],
  "probes": [ { "name": "H", "type": "height", "position": [0.1, 0, 0.1] } ],
  "output": { "checkpoint_every": 1, "surface": "ply" }
}
END
sweep 16 "$meniscus" run small.json --out out --quiet --threads 2
sweep 8 "$meniscus" check small.json --set solver.cfl=0.3 --set gravity.0=1
finish
