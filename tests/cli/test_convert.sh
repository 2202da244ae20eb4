# meniscus convert: scenes of SPlisHSPlasH, flat and with namespaces; what has no counterpart is named; the way back.
. "$(dirname "$0")/lib.sh"
mkdir -p models scenes made/deep
cat >models/cube.obj <<'END'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 3 4 8
f 3 8 7
f 2 3 7
f 2 7 6
f 1 5 8
f 1 8 4
END
cat >models/wedge.obj <<'END'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
END
# is FILE KEY.PATH VALUE: what a scene must say; all are looked at in the end, by one python
is() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>wanted.txt; }
command -v python3 >/dev/null || exit 77

# --- flat, as up to version 2.15
cat >scenes/flat.json <<'END'
{
	"Configuration": { "particleRadius": 0.05, "density0": 1000, "simulationMethod": 3, "gravitation": [0, -5, 0], "cflMethod": 1, "cflFactor": 0.5,
		"cflMaxTimeStepSize": 0.004, "maxIterations": 50, "maxError": 0.05, "stopAt": 0.1, "pause": true, "kernel": 1, "gradKernel": 1, "wobble": 3,
		"boundaryHandlingMethod": 0, "cameraPosition": [0, 3, 8], "cameraLookat": [0, 1, 0], "dataExportFPS": 50, "enablePartioExport": true },
	"Materials": [ { "id": "Fluid", "viscosity": 0.02, "viscosityMethod": 1, "viscosityBoundary": 0.01, "surfaceTension": 0.2, "surfaceTensionMethod": 2,
		"surfaceTensionBoundary": 0.3, "colorMapType": 1, "density0": 800, "maxEmitterParticles": 500 } ],
	"RigidBodies": [
		{ "id": 7, "geometryFile": "../models/cube.obj", "translation": [-1, 0, -1], "scale": [2, 3, 2], "isDynamic": false, "isWall": true, "mapInvert": true,
		  "restitution": 0.4, "friction": 0.3, "color": [0.1, 0.4, 0.6, 1.0], "mapResolution": [30, 30, 30] },
		{ "id": 8, "geometryFile": "../models/wedge.obj", "translation": [0.2, 1.5, 0], "rotationAxis": [0, 0, 1], "rotationAngle": 1.5707963267948966,
		  "scale": [0.4, 0.4, 0.4], "isDynamic": true, "density": 300, "velocity": [1, 0, 0] },
		{ "geometryFile": "../models/missing.obj" } ],
	"TargetVelocityMotorHingeJoints": [ { "bodyID1": 8, "bodyID2": 7, "position": [0.2, 1.5, 0], "axis": [0, 1, 0], "target": 3.141592653589793 } ],
	"Simulation": { "maxIter": 5 },
	"Emitters": [ { "type": 0, "width": 4, "height": 2, "translation": [0, 2.5, 0.5], "rotationAxis": [0, 0, 1], "rotationAngle": -1.5707963267948966, "velocity": 2, "emitEndTime": 4 } ],
	"FluidBlocks": [ { "denseMode": 0, "start": [-0.5, 0, -0.5], "end": [0.5, 0.5, 0.5], "translation": [-0.4, 0.1, 0], "scale": [1, 2, 1], "initialVelocity": [0, -1, 0] } ]
}
END
expect 0 "$meniscus" convert scenes/flat.json -o made/deep/flat.json
says out.txt "Configuration.wobble: 3 has no counterpart"
says out.txt "RigidBodies.2: the mesh ../models/missing.obj cannot be read"
says out.txt "Simulation: parameters of another solver"
says out.txt "made/deep/flat.json: written"
f=made/deep/flat.json
is $f solver.method '"iisph"'
is $f solver.max_density_error 0.0005
is $f solver.cfl 0.2
is $f solver.max_time_step 0.004
is $f kernel '"wendland"'
is $f gravity '[0, -5, 0]'
is $f duration 0.1
is $f frame_rate 50
is $f output.particles '"bgeo"'
is $f fluids.0.density 800
is $f fluids.0.viscosity 16
is $f fluids.0.surface_tension.gamma 0.2
is $f fluids.0.blocks.0.min '[-0.9, 0.1, -0.5]'
is $f fluids.0.blocks.0.max '[0.1, 1.1, 0.5]'
is $f fluids.0.blocks.0.velocity '[0, -1, 0]'
is $f fluids.0.emitters.0.size '[0.2, 0.4]'
is $f fluids.0.emitters.0.limit 500
is $f solids.0.shape.box '[2, 3, 2]'
is $f solids.0.position '[0, 1.5, 0]'
is $f solids.0.inside true
is $f solids.0.wall_viscosity 0.5
is $f solids.0.adhesion 0.3
is $f solids.0.restitution 0.4
is $f solids.0.contact_friction 0.3
is $f solids.1.shape.mesh '"../../models/wedge.obj"'
is $f solids.1.type '"rigid"'
is $f solids.1.density 300
is $f joints.0.solid '"body1"'
is $f joints.0.motor_speed 180
is $f view.camera.target '[0, 1, 0]'
expect 0 "$meniscus" check $f
expect 0 "$meniscus" run $f --out run --quiet
# the emitter turned by -90 degrees about z emits downwards
awk -F, 'NR > 1 { n = $5 } END { exit !(n > 1000) }' run/stats.csv || fail "no particles"

# --- namespaces, as from 2.16 on: only those of the chosen methods count
cat >scenes/spaces.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "simulationMethod": 4, "timeStepSize": 0.002, "cflMethod": 0, "stopAt": 0.02, "DFSPH": { "maxError": 0.1, "maxErrorV": 0.2 }, "IISPH": { "maxError": 9 } },
  "Materials": [ { "id": "a", "viscosityMethod": 6, "Weiler et al. 2018": { "viscosity": 0.5 }, "surfaceTensionMethod": 4, "Zorilla, Ritter, et al. 2020": { "surfaceTension": 3 } },
                 { "id": "b", "elasticityMethod": 3, "Kugelstadt et al. 2021": { "youngsModulus": 50000, "poissonsRatio": 0.4, "fixedBoxMin": [2, 0, 0], "fixedBoxMax": [2.1, 1, 1] }, "density0": 900 } ],
  "FluidBlocks": [ { "id": "a", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5], "denseMode": 2 }, { "id": "b", "start": [2, 0, 0], "end": [3, 0.3, 0.3] } ],
  "AnimationFields": [ { "shapeType": 0, "expression_x": "t" } ] }
END
expect 0 "$meniscus" convert scenes/spaces.json -o made/spaces.json
says out.txt 'Materials.0.viscosityMethod: 6, but there are parameters of "Weiler et al. 2018"'
says out.txt "Materials.0.surfaceTension: 3 for each particle of the surface is 300 N/m here"
says out.txt "FluidBlocks.0.denseMode: 2 packs"
says out.txt "AnimationFields.0: a field that changes particles by a formula (shapeType, expression_x) has no counterpart"
f=made/spaces.json
is $f solver.max_density_error 0.001
is $f solver.max_divergence_error 0.002
is $f solver.time_step 0.002
is $f fluids.0.viscosity 500
is $f fluids.0.viscosity_method '"implicit"'
is $f solids.0.type '"elastic"'
is $f solids.0.young 50000
is $f solids.0.density 900
is $f solids.0.pins.0.max '[2.1, 1, 1]'
expect 0 "$meniscus" check $f

# --- tension after Becker: k of its a = -k sum m_j/m_i W x as our gamma, k (8 / pi h^2) / (125 C) with C = (79 * 32 / 43008) / (pi 0.0138393), the
# integral of the cubic kernel's w q^3, by hand
cat >scenes/becker.json <<'END'
{ "Configuration": { "particleRadius": 0.025, "stopAt": 0.02 }, "FluidBlocks": [ { "start": [0, 0, 0], "end": [0.3, 0.3, 0.3] } ],
  "Materials": [ { "id": "Fluid", "surfaceTensionMethod": 1, "Becker & Teschner 2007": { "surfaceTension": 2 } } ] }
END
expect 0 "$meniscus" convert scenes/becker.json -o made/becker.json
is made/becker.json fluids.0.surface_tension.method '"becker"'
awk -F: '/"gamma"/ { found = 1; if ($2 < 3.0133 || $2 > 3.0139) exit 1 } END { exit !found }' made/becker.json || fail "becker's gamma"
expect 0 "$meniscus" run made/becker.json --out becker --quiet

# --- particles with elasticity are solids: a full box is one, others get a surface; both ends may be fixed; motors that follow a sequence
cat >particles.json <<'END'
{ "particle_radius": 0.05, "duration": 0.001, "frame_rate": 1000, "gravity": [0, 0, 0], "output": { "particles": "bgeo" },
  "fluids": [ { "name": "beam", "blocks": [ { "min": [-1, -0.2, -0.2], "max": [1, 0.2, 0.2] } ] }, { "name": "ball", "spheres": [ { "centre": [0, 3, 0], "radius": 0.4 } ] } ] }
END
expect 0 "$meniscus" run particles.json --out particles --quiet
cat >scenes/soft.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "stopAt": 2, "boundaryHandlingMethod": 0 },
  "Materials": [ { "id": "Fluid", "elasticityMethod": 4, "Kee et al. 2023": { "youngsModulus": 1e5, "fixedBoxMin": [-9, -9, -9], "fixedBoxMax": [-0.9, 9, 9], "fixedBox2Min": [0.9, -9, -9], "fixedBox2Max": [9, 9, 9] } } ],
  "FluidModels": [ { "particleFile": "../particles/frames/beam_000000.bgeo", "translation": [0, 0.5, 0] }, { "particleFile": "../particles/frames/ball_000000.bgeo" } ],
  "RigidBodies": [ { "id": 0, "geometryFile": "../models/cube.obj", "translation": [0, -3, 0] }, { "id": 1, "geometryFile": "../models/cube.obj", "translation": [0, -5, 0], "isDynamic": true } ],
  "TargetVelocityMotorHingeJoints": [ { "bodyID1": 1, "bodyID2": 0, "axis": [0, 1, 0], "repeatSequence": 1, "targetSequence": [0, -3.141592653589793, 0.5, 3.141592653589793, 1, -3.141592653589793] } ] }
END
expect 0 "$meniscus" convert scenes/soft.json -o made/soft.json
is made/soft.json solids.0.type '"elastic"'
is made/soft.json solids.0.position '[0, 0.5, 0]'
is made/soft.json solids.0.pins.1.max '[9, 9, 9]'
is made/soft.json solids.1.shape.mesh '"soft_mesh0.obj"'
expect 0 "$meniscus" check made/soft.json
# speeds from -180 to 180 degrees/s in half a second: -22.5 degrees in the middle, 0 at its end, and back again
python3 - <<'END' || fail "the box or the drive is wrong"
import json
scene = json.load(open("made/soft.json"))
box = scene["solids"][0]["shape"]["box"]
drive = {round(d["time"], 6): d["position"] for d in scene["joints"][0]["drive"]}
print(box, drive[0.25], drive[0.5], drive[1.75])
raise SystemExit(any(abs(a - b) > 1e-6 for a, b in zip(box, [2, 0.4, 0.4])) or abs(drive[0.25] + 22.5) > 0.1 or abs(drive[0.5]) > 1e-6 or
                 abs(drive[1.75] - 22.5) > 0.1)
END

# --- old files have an object for each fluid; a plane cuts meshes, and its emitters turn about z whatever they say
cat >scenes/old.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "sim2D": true, "stopAt": 0.02 }, "oil": { "density0": 700, "viscosity": 0.1 },
  "RigidBodies": [ { "geometryFile": "../models/wedge.obj", "translation": [0, 0, -0.25] }, { "geometryFile": "../models/wedge.obj", "translation": [0, 0, 4] } ],
  "FluidBlocks": [ { "id": "oil", "start": [1.2, 0, -0.1], "end": [2, 1, 0.1] } ],
  "Emitters": [ { "id": "oil", "width": 5, "translation": [3, 1, 0], "rotationAxis": [0, 1, 0], "rotationAngle": 3.141592653589793 } ] }
END
expect 0 "$meniscus" convert scenes/old.json -o made/old.json
says out.txt "does not reach the plane"
is made/old.json fluids.0.density 700
is made/old.json solids.0.shape.mesh '"old_mesh0.obj"'
is made/old.json fluids.0.emitters.0.rotation.angle 90
# the tetrahedron cut at a quarter of its height: a triangle with legs of 0.75, counter-clockwise
python3 - <<'END' || fail "the outline is wrong"
v, l = [], []
for line in open("made/old_mesh0.obj"):
    word = line.split()
    if word and word[0] == "v":
        v.append([float(x) for x in word[1:]])
    elif word and word[0] == "l":
        l.append([int(x) - 1 for x in word[1:]])
area = sum(v[a][0] * v[b][1] - v[a][1] * v[b][0] for a, b in l) / 2
print(v, l, area)
raise SystemExit(not (len(l) == 3 and abs(area - 0.28125) < 1e-9))
END
expect 0 "$meniscus" run made/old.json --out old --quiet

# --- every key that the format is known to have: without it, the scene or the words about it are other ones
cat >every.json <<'END'
{ "Configuration": { "pause": true, "pauseAt": 0.5, "stopAt": 1, "cameraPosition": [1, 3, 6], "cameraLookat": [0, 0.8, 0], "numberOfStepsPerRenderUpdate": 4, "renderWalls": 3, "timeStepSize": 0.002,
    "particleRadius": 0.04, "enableZSort": true, "gravitation": [0, -9, 0], "boundaryHandlingMethod": 1, "simulationMethod": 4, "kernel": 1, "gradKernel": 1, "cflMethod": 2, "cflFactor": 0.8,
    "cflMinTimeStepSize": 0.0002, "cflMaxTimeStepSize": 0.004, "enablePartioExport": true, "enableVTKExport": true, "enableRigidBodyExport": true, "dataExportFPS": 20, "particleAttributes": "velocity",
    "enableStateExport": true, "stateExportFPS": 1, "minIterations": 3, "maxIterations": 80, "maxError": 0.05, "maxIterationsV": 60, "maxErrorV": 0.2, "enableDivergenceSolver": false },
  "FluidBlocks": [ { "start": [-0.5, 0.1, -0.5], "end": [0.5, 1, 0.5], "translation": [-0.9, 0.04, 0], "scale": [1, 1.2, 1], "denseMode": 1, "initialVelocity": [0.2, 0, 0], "initialAngularVelocity": [0, 1, 0], "id": "Drop" } ],
  "FluidModels": [ { "particleFile": "models/wedge.obj", "denseMode": 2, "invert": true, "resolutionSDF": [20, 20, 20], "translation": [0.3, 1.5, 0], "scale": [0.6, 0.6, 0.6], "rotationAxis": [0, 0, 1], "rotationAngle": 0.7,
    "id": "Drop", "initialVelocity": [0, -2, 0], "initialAngularVelocity": [0, 1, 0] } ],
  "Emitters": [ { "type": 1, "width": 6, "translation": [1.2, 2.2, 0], "rotationAxis": [0, 1, 0], "rotationAngle": -1.2, "velocity": 2, "emitStartTime": 0.1, "emitEndTime": 0.8, "id": "Jet" },
    { "width": 6, "height": 3, "translation": [-1.3, 2, 0.5], "velocity": 1.5, "id": "Jet" } ],
  "RigidBodies": [
    { "id": 1, "geometryFile": "models/cube.obj", "translation": [-1.5, 0, -0.8], "scale": [3, 2.6, 1.6], "rotationAxis": [0, 1, 0], "rotationAngle": 0.1, "color": [0.1, 0.4, 0.6, 1], "mapInvert": true, "mapThickness": 0.1,
      "mapResolution": [25, 25, 25], "samplingMode": 1, "restitution": 0.3, "friction": 0.2, "collisionObjectType": 2, "invertSDF": true },
    { "id": 2, "geometryFile": "models/cube.obj", "particleFile": "cube.bgeo", "translation": [0.5, 1, -0.2], "scale": [0.4, 0.4, 0.4], "rotationAxis": [0, 0, 1], "rotationAngle": 0.4, "isDynamic": true,
      "color": [0.9, 0.5, 0.1, 1], "density": 400, "velocity": [0, -1, 0], "restitution": 0.5, "friction": 0.1, "collisionObjectType": 2, "collisionObjectScale": [0.4, 0.4, 0.4] },
    { "geometryFile": "models/wedge.obj", "translation": [1, 0.25, 0.3], "isAnimated": true },
    { "geometryFile": "models/wedge.obj", "translation": [1, 2, 0.3], "isWall": true, "color": [1, 0, 0, 1] } ],
  "TargetVelocityMotorHingeJoints": [ { "bodyID1": 1, "bodyID2": 2, "position": [0.7, 1.2, 0], "axis": [0, 0, 1], "target": 1 } ],
  "AnimationFields": [ { "shapeType": 0, "particleField": "velocity", "expression_x": "0.1 * t", "expression_y": "x", "expression_z": "valuez", "startTime": 0, "endTime": 1 } ],
  "Materials": [ { "id": "Jet", "density0": 900, "colorField": "velocity", "viscosityMethod": 2, "viscosity": 0.1, "vorticityMethod": 1, "dragMethod": 1, "surfaceTensionMethod": 2, "surfaceTension": 0.2, "surfaceTensionBoundary": 0.1,
      "maxEmitterParticles": 3000, "emitterReuseParticles": true, "emitterBoxMin": [-4, -1, -4], "emitterBoxMax": [0, 4, 4] },
    { "id": "Drop", "viscosity": 0.5, "viscosityBoundary": 0.1, "xsph": 0.05 } ] }
END
python3 - "$meniscus" <<'END' || fail "keys vanish without a word"
import json, subprocess, sys
scene, silent = json.load(open("every.json")), []
def convert():
    json.dump(scene, open("less.json", "w"))
    said = subprocess.run([sys.argv[1], "convert", "less.json", "-o", "less_out.json"], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return open("less_out.json").read() + said.stdout
whole = convert()
def look(owner, path):
    for key in list(owner):
        value = owner[key]
        if isinstance(value, list) and isinstance(value[0], dict):
            for k, item in enumerate(value):
                look(item, "%s%s.%d." % (path, key, k))
        elif isinstance(value, dict):
            look(value, key + ".")
        else:
            del owner[key]
            if convert() == whole:
                silent.append(path + key)
            owner[key] = value
look(scene, "")
silent.remove("Configuration.simulationMethod") # 4, which is the default
print("silent:", silent)
sys.exit(len(silent) > 0)
END

# --- what holds nothing is no pin, and fluid that is poured has the tension that it has there
cat >scenes/apart.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "stopAt": 0.02 },
  "Materials": [ { "id": "jelly", "elasticityMethod": 2, "youngsModulus": 50000, "fixedBoxMin": [-9, -9, -9], "fixedBoxMax": [-8, -8, -8] } ],
  "FluidBlocks": [ { "id": "jelly", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5] } ],
  "Emitters": [ { "id": "water", "width": 5, "height": 5, "translation": [2, 2, 0], "velocity": 1 } ] }
END
expect 0 "$meniscus" convert scenes/apart.json -o made/apart.json
says out.txt "holds nothing of it; no pins"
is made/apart.json fluids.0.surface_tension 0
expect 0 "$meniscus" check made/apart.json

# --- Weiler's coefficient in Pa s, as its first versions have it; a wall without mapInvert that an elastic solid starts in; lists and
# joints that are not known take a line each
cat >scenes/thick.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "stopAt": 0.02, "viscosity": 5000, "viscosityBoundary": 5000, "viscosityMethod": 7, "density0": 1200 },
  "jelly": { "elasticityMethod": 2, "youngsModulus": 50000 },
  "RigidBodies": [ { "geometryFile": "../models/cube.obj", "translation": [-1, 0, -1], "scale": [2, 2, 2], "isWall": true } ],
  "FluidModels": [ { "id": "jelly", "particleFile": "../models/cube.obj", "translation": [0, 0.5, 0], "scale": [0.4, 0.4, 0.4] } ],
  "DamperJoints": [ { "bodyID1": 0, "bodyID2": 1, "position": [0, 0, 0] } ], "Later": [ { "geometryFile": "a.obj", "density": 3 } ],
  "FluidBlocks": [ { "start": [-0.5, 0, -0.5], "end": [-0.1, 0.5, 0.5] }, { "id": "more", "start": [-0.9, 0, -0.5], "end": [-0.6, 0.5, 0.5] } ] }
END
expect 0 "$meniscus" convert scenes/thick.json -o made/thick.json
says out.txt "Configuration.viscosity: 5000 is taken in Pa s"
says out.txt "Later.0: what this list is for is not known here; it (geometryFile, density) has no counterpart"
says out.txt "DamperJoints.0: what this list is for is not known here; it (bodyID1, bodyID2, position) has no counterpart"
is made/thick.json fluids.0.viscosity 5000
is made/thick.json fluids.1.viscosity 5000
is made/thick.json fluids.1.density 1200
is made/thick.json solids.1.wall_viscosity 1
is made/thick.json solids.1.inside true
expect 0 "$meniscus" check made/thick.json
sed 's/"viscosity": 5000, "viscosityBoundary": 5000/"viscosity": 5/' scenes/thick.json >scenes/thin.json
expect 0 "$meniscus" convert scenes/thin.json -o made/thin.json
is made/thin.json fluids.0.viscosity 6000

# --- friction at walls that no step of the explicit viscosity takes becomes what makes fluid stick: 0.016 h^2 / (0.0005 s 0.02 m2/s)
sed 's/5000, "viscosityBoundary": 5000, "viscosityMethod": 7/0.02, "viscosityBoundary": 5000, "viscosityMethod": 1/' scenes/thick.json >scenes/rough.json
expect 0 "$meniscus" convert scenes/rough.json -o made/rough.json
says out.txt "Configuration.viscosityBoundary: 1e+03 times the viscosity; here 64 times"
expect 0 "$meniscus" run made/rough.json --out rough --quiet --until 0.01

# --- a plane
cat >scenes/plane.json <<'END'
{ "Configuration": { "particleRadius": 0.05, "sim2D": true, "stopAt": 0.02 },
  "RigidBodies": [ { "geometryFile": "../models/cube.obj", "translation": [-1, 0, -0.5], "scale": [3, 2, 1], "isWall": true } ],
  "FluidBlocks": [ { "start": [-0.9, 0.05, -0.1], "end": [0, 1, 0.1] } ] }
END
expect 0 "$meniscus" convert scenes/plane.json -o made/plane.json
is made/plane.json dimension 2
is made/plane.json solids.0.shape.box '[3, 2]'
is made/plane.json solids.0.inside true
expect 0 "$meniscus" run made/plane.json --out plane --quiet

# --- the way back, and there again
cat >ours.json <<'END'
{ "particle_radius": 0.05, "duration": 0.5, "solver": { "method": "dfsph", "max_density_error": 0.0005, "cfl": 0.2, "max_time_step": 0.005 },
  "fluids": [ { "viscosity_method": "laplace", "viscosity": 5, "blocks": [ { "min": [0, 0, 0], "max": [0.5, 0.8, 0.5] } ] } ],
  "solids": [ { "shape": { "box": [1, 1, 0.5] }, "position": [0.5, 0.5, 0.25], "inside": true } ] }
END
expect 0 "$meniscus" convert ours.json --to splishsplash -o made/theirs.json
expect 0 "$meniscus" convert made/theirs.json -o made/again.json
f=made/again.json
is $f solver.max_density_error 0.0005
is $f solver.cfl 0.2
is $f fluids.0.viscosity 5
is $f fluids.0.blocks.0.max '[0.5, 0.8, 0.5]'
is $f solids.0.shape.box '[1, 1, 0.5]'
is $f solids.0.inside true
expect 0 "$meniscus" check $f

# --- mistakes leave nothing behind
expect 2 "$meniscus" convert scenes/flat.json
says err.txt "--out"
expect 2 "$meniscus" convert nothing.json -o made/x.json
printf '{ "Configuration": { "particleRadius": } }' >broken.json
expect 2 "$meniscus" convert broken.json -o made/x.json
says err.txt "broken.json:1:"
expect 2 "$meniscus" convert ours.json -o made/x.json
says err.txt "not a scene of SPlisHSPlasH"
expect 2 "$meniscus" convert ours.json --to blender -o made/x.json
sed 's/"blocks".*/"spheres": [ { "centre": [0.2, 0.2, 0.2], "radius": 0.1 } ] } ],/' ours.json >sphere.json
expect 2 "$meniscus" convert sphere.json --to splishsplash -o made/x.json
says err.txt "fluids.0"
printf '{ "Configuration": 3, "FluidBlocks": [ 4, { "start": "a", "end": [1] } ], "RigidBodies": { } }' >odd.json
expect 0 "$meniscus" convert odd.json -o made/odd.json
says out.txt "FluidBlocks.0: is not an object"
says out.txt 'FluidBlocks.1.start: "a" is not a vector'
sed 's/"isDynamic": true/"isDynamic": true, "density": -1/' scenes/soft.json >scenes/softer.json
expect 2 "$meniscus" convert scenes/softer.json -o made/x.json
[ -e made/x_mesh0.obj ] && fail "a failed conversion left a mesh"
[ -e made/x.json ] && fail "a failed conversion left a file"

python3 - <<'END' || fail "values of scenes differ"
import json
wrong = 0
for line in open("wanted.txt"):
    path, key, wanted = line.rstrip("\n").split("\t")
    try:
        value = json.load(open(path))
        for k in key.split("."):
            value = value[int(k)] if isinstance(value, list) else value[k]
        value = json.dumps(value)
    except (OSError, KeyError, IndexError, ValueError):
        value = "not there"
    if value != wanted:
        print("%s: %s is %s, not %s" % (path, key, value, wanted))
        wrong += 1
raise SystemExit(wrong > 0)
END
finish
