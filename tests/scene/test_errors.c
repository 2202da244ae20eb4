// SPDX-License-Identifier: MIT
// Malformed scenes: each must be refused as bad input with a message that names the line, the key and what is allowed.
#include "support.h"

#include <meniscus/scene.h>
#include <string.h>

typedef struct Case {
    const char* json;
    const char* key;     // expected mn_Error.key
    const char* message; // expected part of mn_Error.message
    int line;            // expected; 0: not checked
    int column;          // expected; 0: not checked
} Case;

#define FLUID(text) "{\"fluids\": [{" text "}]}"
#define SOLID(text) "{\"solids\": [{" text "}]}"
#define BOX "\"shape\": {\"box\": [1, 1, 1]}"
#define BLOCK "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]"

static const Case cases[] = {
    // not JSON
    {"", "", "not valid JSON", 1, 0},
    {"{", "", "not valid JSON", 1, 0},
    {"nonsense", "", "not valid JSON", 1, 0},
    {"{\n\"duration\": 1,\n}", "", "not valid JSON", 3, 0},
    {"{\"duration\": NaN}", "duration", "not valid JSON", 1, 0},
    {"{\"duration\":\n-Infinity}", "duration", "not valid JSON", 2, 0},
    {"{\"fluids\": [\n{\"density\": 1e999}]}", "fluids.0.density", "overflow", 2, 0},
    {"{\"solver\": {\"max_iterations\": 99999999999999999999}}", "solver.max_iterations", "too big integer", 1, 0},
    {"{\"duration\": 1,\n \"duration\": 2}", "duration", "duplicate object key", 2, 0},
    {"{\"name\": \"\xff\xfe\"}", "name", "not valid JSON", 1, 0},
    {"{\"name\": \"a\\u0000b\"}", "name", "not valid JSON", 1, 0},
    {"{\"name\": \"a\nb\"}", "name", "not valid JSON", 0, 0},
    {"{\"duration\": 1} {}", "", "not valid JSON", 1, 0},
    {"[]", "", "expected an object", 1, 1},

    // unknown keys
    {"{\n  \"durration\": 2}", "durration", "did you mean \"duration\"", 2, 3},
    {"{\"xyzzy\": 2}", "xyzzy", "known here: name, dimension, gravity", 1, 2},
    {"{\"solver\": {\"methd\": \"iisph\"}}", "solver.methd", "did you mean \"method\"", 1, 13},
    {FLUID("\n\"desnity\": 1000"), "fluids.0.desnity", "did you mean \"density\"", 2, 1},
    {FLUID("\"blocks\": [{\"minimum\": [0,0,0]}]"), "fluids.0.blocks.0.minimum", "known here: min, max, velocity", 1, 0},
    {SOLID(BOX ", \"color\": [1,1,1]"), "solids.0.color", "did you mean \"colour\"", 1, 0},
    {"{\"view\": {\"camera\": {\"eyes\": [0,0,1]}}}", "view.camera.eyes", "did you mean \"eye\"", 1, 0},
    {"{\"\\u0064uratio\": 2}", "duratio", "did you mean \"duration\"", 1, 2},

    // wrong types
    {"{\"duration\": \"long\"}", "duration", "got \"long\", expected a number above 0", 1, 14},
    {"{\"duration\": null}", "duration", "got null, expected a number", 1, 14},
    {"{\"name\": 7}", "name", "got 7, expected a string", 1, 10},
    {"{\"gravity\": -9.81}", "gravity", "expected [x, y, z] [m/s2]", 1, 13},
    {"{\"gravity\": [0, -9.81]}", "gravity", "expected [x, y, z]", 1, 13},
    {"{\"gravity\": [0, \"down\", 0]}", "gravity.1", "got \"down\", expected a number", 1, 17},
    {"{\"gravity\": [0, -9.81, 0, 0]}", "gravity", "expected [x, y, z]", 1, 0},
    {"{\"solver\": \"dfsph\"}", "solver", "expected an object", 1, 12},
    {"{\"fluids\": {\"name\": \"water\"}}", "fluids", "expected a list", 1, 12},
    {"{\"fluids\": [7]}", "fluids.0", "got 7, expected an object", 1, 13},
    {"{\"dimension\": 2.5}", "dimension", "expected a whole number from 2 to 3", 1, 0},
    {"{\"output\": {\"boundary\": 1}}", "output.boundary", "expected true or false", 1, 0},
    {"{\"solver\": {\"method\": 3}}", "solver.method", "got 3, expected one of", 1, 0},
    {SOLID("\"shape\": \"box\""), "solids.0.shape", "expected a shape such as", 1, 0},
    {SOLID("\"shape\": {}"), "solids.0.shape", "expected a shape such as", 1, 0},

    // impossible values
    {"{\"dimension\": 4}", "dimension", "got 4, expected a whole number from 2 to 3", 1, 0},
    {"{\"particle_radius\": 0}", "particle_radius", "got 0, expected a number from 1e-06 to 1000 [m]", 1, 0},
    {"{\"particle_radius\": -0.01}", "particle_radius", "got -0.01", 1, 0},
    {"{\"support_radius\": 0.5}", "support_radius", "from 0.025 to 0.12 m", 1, 0},
    {"{\"frame_rate\": 0}", "frame_rate", "above 0", 1, 0},
    {"{\"duration\": 1e8, \"frame_rate\": 1e6}", "frame_rate", "1e+14 frames", 1, 0},
    {"{\"kernel\": \"gauss\"}", "kernel", "one of \"cubic\", \"wendland\", \"poly6\", \"spiky\"", 1, 0},
    {"{\"solver\": {\"method\": \"iispg\"}}", "solver.method", "did you mean \"iisph\"", 1, 23},
    {"{\"solver\": {\"time_step\": 1e-300}}", "solver.time_step", "at least 1e-12 [s]", 1, 0},
    {"{\"solver\": {\"max_time_step\": 1e-300}}", "solver.max_time_step", "at least 1e-12 [s]", 1, 0},
    {"{\"duration\": 100, \"solver\": {\"max_time_step\": 1e-11}}", "solver.max_time_step", "at least 1e-10 s", 1, 0},
    {"{\"solver\": {\"cfl\": 0}}", "solver.cfl", "above 0, at most 1", 1, 0},
    {"{\"solver\": {\"gamma\": 8}}", "solver.gamma", "from 1 to 7", 1, 0},
    {"{\"solver\": {\"time_step\": -1}}", "solver.time_step", "a number of at least 1e-12 [s] or \"auto\"", 1, 0},
    {"{\"solver\": {\"min_iterations\": 0}}", "solver.min_iterations", "from 1", 1, 0},
    {"{\"solver\": {\"min_iterations\": 5, \"max_iterations\": 2}}", "solver.max_iterations", "min_iterations is 5", 1, 0},
    {"{\"solver\": {\"min_time_step\": 0.1, \"max_time_step\": 0.01}}", "solver.max_time_step", "below min_time_step", 1, 0},
    {FLUID("\"density\": -5"), "fluids.0.density", "got -5, expected a number above 0", 1, 25},
    {FLUID("\"viscosity\": -0.1"), "fluids.0.viscosity", "from 0", 1, 0},
    {FLUID("\"viscosity_method\": \"xsph\", \"viscosity\": 2"), "fluids.0.viscosity", "from 0 to 1 with xsph", 1, 0},
    {FLUID("\"material\": \"watr\""), "fluids.0.material", "did you mean \"water\"", 1, 0},
    {FLUID("\"name\": \"\""), "fluids.0.name", "expected a name", 1, 0},
    {FLUID("\"name\": \"a/b\""), "fluids.0.name", "expected a name", 1, 0},
    {FLUID("\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 0, 1]}]"), "fluids.0.blocks.0.max", "y is 0, but must be above", 1, 0},
    {FLUID("\"blocks\": [{\"min\": [0, 0, 0]}]"), "fluids.0.blocks.0", "\"max\" is missing", 1, 25},
    {FLUID("\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1e5, 1e5, 1e5]}]"), "fluids.0.blocks.0", "1.25e+20 particles", 1, 0},
    {"{\"particle_radius\": 1e-6," BLOCK "}", "blocks", "unknown key", 1, 0},
    {"{\"particle_radius\": 1e-6, \"fluids\": [{" BLOCK "}]}", "fluids.0.blocks.0", "particles of radius 1e-06 m", 1, 0},
    {FLUID("\"spheres\": [{\"centre\": [0, 0, 0], \"radius\": 0}]"), "fluids.0.spheres.0.radius", "above 0", 1, 0},
    {FLUID("\"spheres\": [{\"centre\": [0, 0, 0], \"radius\": 1e6}]"), "fluids.0.spheres.0", "particles", 1, 0},
    {FLUID("\"blocks\": [{\"min\": [1e300, 0, 0], \"max\": [1e301, 1, 1]}]"), "fluids.0.blocks.0.min.0", "from -1e9 to 1e9", 1, 0},
    {FLUID("\"meshes\": [{\"file\": \"no_such_file.obj\"}]"), "fluids.0.meshes.0.file", "no_such_file.obj", 1, 0},
    {FLUID("\"emitters\": [{\"type\": \"disc\", \"position\": [0,0,0], \"size\": [1, 1]}]"), "fluids.0.emitters.0.size",
     "\"size\" is only for boxes", 1, 0},
    {"{\"output\": {\"frame_rate\": 20}}", "output.frame_rate", "it stands at the top of the scene", 1, 0},
    {"{\"cfl\": 0.3}", "cfl", "it stands in \"solver\"", 1, 0},
    {FLUID("\"emitters\": [{\"type\": \"shape\", \"position\": [0,0,0]}]"), "fluids.0.emitters.0", "\"shape\" is missing", 1, 0},
    {FLUID("\"emitters\": [{\"type\": \"shape\", \"shape\": {\"sphere\": 1}, \"profile\": \"parabolic\", \"position\": [0,0,0]}]"),
     "fluids.0.emitters.0.profile", "only boxes and discs", 1, 0},
    {FLUID("\"emitters\": [{\"type\": \"disc\", \"radius\": 1, \"shape\": {\"sphere\": 1}, \"position\": [0,0,0]}]"),
     "fluids.0.emitters.0.shape", "only for type shape", 1, 0},
    {FLUID("\"emitters\": [{\"type\": \"disc\", \"position\": [0,0,0]}]"), "fluids.0.emitters.0", "\"radius\" is missing", 1, 0},
    {FLUID("\"emitters\": [{\"position\": [0,0,0], \"size\": [1, 1], \"start\": 2, \"end\": 1}]"), "fluids.0.emitters.0.end",
     "after start", 1, 0},
    {FLUID("\"emitters\": [{\"position\": [0,0,0], \"size\": [1, 1], \"direction\": [0, 0, 0]}]"), "fluids.0.emitters.0.direction",
     "must not be zero", 1, 0},
    {FLUID("\"emitters\": [{\"position\": [0,0,0], \"size\": [1, 1], \"direction\": [0, 1, 0], \"rotation\": [1, 0, 0, 0]}]"),
     "fluids.0.emitters.0.direction", "give one of them", 1, 0},
    {FLUID("\"emitters\": [{\"position\": [0,0,0], \"size\": [1, 1], \"speed\": 0}]"), "fluids.0.emitters.0.speed", "above 0", 1,
     0},
    {FLUID("\"emitters\": [{\"position\": [0,0,0], \"size\": [1, 1], \"limit\": -1}]"), "fluids.0.emitters.0.limit",
     "from 0 to 2147483647 or \"none\"", 1, 0},

    // templates, driven joints
    {"{\"dimension\": 2, \"ragdolls\": [{\"position\": [0, 0]}]}", "ragdolls.0", "dimension 3", 1, 0},
    {"{\"ragdolls\": [{\"name\": \"a\", \"position\": [0, 0, 0]}, {\"name\": \"a\", \"position\": [1, 0, 0]}]}", "ragdolls.1.name",
     "\"a.chest\", which there is already", 1, 0},
    {"{\"ragdolls\": [{\"position\": [0, 0, 0], \"height\": 0}]}", "ragdolls.0.height", "above 0", 1, 0},
    {"{\"chains\": [{\"from\": [0, 0, 0], \"to\": [0, 0, 0], " BOX "}]}", "chains.0.to", "where from is", 1, 0},
    {"{\"chains\": [{\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"end\": \"nobody\", " BOX "}]}", "chains.0.end",
     "no solid named \"nobody\"", 1, 0},
    {"{\"chains\": [{\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"links\": 0, " BOX "}]}", "chains.0.links", "from 1 to 5000", 1, 0},
    {"{\"solids\": [{\"name\": \"b\", \"type\": \"rigid\", " BOX "}], \"joints\": [{\"type\": \"hinge\", \"solid\": \"b\", "
     "\"position\": [0, 0, 0], \"drive\": [{\"time\": 1, \"position\": 0}, {\"time\": 1, \"position\": 2}]}]}",
     "joints.0.drive.1.time", "times must ascend", 1, 0},
    {"{\"solids\": [{\"name\": \"b\", \"type\": \"rigid\", " BOX "}], \"joints\": [{\"type\": \"ball\", \"solid\": \"b\", "
     "\"position\": [0, 0, 0], \"damping\": 1}]}",
     "joints.0.damping", "only for hinges and sliders", 1, 0},
    {SOLID("\"shape\": {\"hull\": [1, 2]}"), "solids.0.shape.hull", "expected [length, height, beam]", 1, 0},
    {SOLID(BOX ", \"angular_velocity\": [0, 1, 0]"), "solids.0.angular_velocity", "only for kinematic", 1, 0},

    // solids
    {SOLID("\"name\": \"a\""), "solids.0", "\"shape\" is missing", 1, 13},
    {SOLID("\"shape\": {\"bax\": [1, 1, 1]}"), "solids.0.shape.bax", "did you mean \"box\"", 1, 24},
    {SOLID("\"shape\": {\"box\": [1, 1]}"), "solids.0.shape.box", "expected [width, height, depth]", 1, 0},
    {SOLID("\"shape\": {\"box\": [1, -1, 1]}"), "solids.0.shape.box.1", "got -1", 1, 0},
    {SOLID("\"shape\": {\"sphere\": \"big\"}"), "solids.0.shape.sphere", "expected radius", 1, 0},
    {SOLID("\"shape\": {\"sphere\": 1, \"box\": [1, 1, 1]}"), "solids.0.shape.box", "\"sphere\" or \"box\"", 1, 0},
    {SOLID("\"shape\": {\"sphere\": 1, \"cells\": [1, 1]}"), "solids.0.shape.cells", "only for grids", 1, 0},
    {SOLID("\"shape\": {\"torus\": [0.1, 0.2]}"), "solids.0.shape.torus", "ring radius 0.1 must be above", 1, 0},
    {SOLID("\"shape\": {\"grid\": [1, 1], \"cells\": [0, 1]}"), "solids.0.shape.cells.0", "from 1", 1, 0},
    {SOLID("\"shape\": {\"mesh\": \"missing.stl\"}"), "solids.0.shape.mesh", "cannot read the mesh file", 1, 0},
    {SOLID("\"shape\": {\"mesh\": 5}"), "solids.0.shape.mesh", "the name of a mesh file", 1, 0},
    {SOLID("\"shape\": {\"sphere\": 1e8}"), "solids.0.shape", "boundary particles", 1, 0},
    {SOLID("\"shape\": {\"plane\": [1, 1]}, \"inside\": true"), "solids.0.inside", "a plane is open", 1, 0},
    {SOLID(BOX ", \"rotation\": [0, 0, 0, 0]"), "solids.0.rotation", "must not be zero", 1, 0},
    {SOLID(BOX ", \"rotation\": [1, 0, 0]"), "solids.0.rotation", "a quaternion [w, x, y, z]", 1, 0},
    {SOLID(BOX ", \"rotation\": {\"axis\": [0, 0, 0], \"angle\": 5}"), "solids.0.rotation.axis", "must not be zero", 1, 0},
    {SOLID(BOX ", \"rotation\": {\"angle\": 5}"), "solids.0.rotation", "a quaternion", 1, 0},
    {SOLID(BOX ", \"rotation\": {\"angel\": 5}"), "solids.0.rotation.angel", "known here: axis and angle, or euler", 1, 0},
    {SOLID(BOX ", \"scale\": [1, 0, 1]"), "solids.0.scale", "not 0", 1, 0},
    {SOLID(BOX ", \"friction\": -1"), "solids.0.friction", "from 0", 1, 0},
    {SOLID(BOX ", \"colour\": [1, 2, 0]"), "solids.0.colour.1", "from 0 to 1", 1, 0},
    {SOLID(BOX ", \"motion\": [{\"time\": 0}]"), "solids.0.motion", "only for kinematic solids", 1, 0},
    {SOLID("\"type\": \"kinematic\", " BOX ", \"motion\": [{\"time\": 1},\n{\"time\": 1}]"), "solids.0.motion.1.time",
     "times must ascend", 2, 10},
    {SOLID("\"type\": \"kinematic\", " BOX ", \"motion\": [{\"position\": [0, 0, 0]}]"), "solids.0.motion.0", "\"time\" is missing",
     1, 0},
    {SOLID("\"type\": \"moving\", " BOX), "solids.0.type", "one of \"static\", \"kinematic\"", 1, 0},
    {"{\"solids\": [{\"name\": \"a\", " BOX "},\n{\"name\": \"a\", " BOX "}]}", "solids.1.name", "also the name of solids.0", 2,
     10},
    {"{\"fluids\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "fluids.1.name", "must be unique", 1, 0},

    // drains, probes, view
    {"{\"drains\": [{\"min\": [0, 0, 0], \"max\": [0, 1, 1]}]}", "drains.0.max", "x is 0", 1, 0},
    {"{\"probes\": [{\"position\": [0, 0, 0]}]}", "probes.0", "\"type\" is missing", 1, 0},
    {"{\"probes\": [{\"type\": \"pressure\"}]}", "probes.0", "\"position\" is missing", 1, 0},
    {"{\"probes\": [{\"type\": \"force\", \"solid\": \"ghost\"}]}", "probes.0.solid", "no solid named \"ghost\"", 1, 0},
    {"{\"probes\": [{\"type\": \"pressure\", \"position\": [0, 0, 0], \"solid\": \"a\"}]}", "probes.0.solid",
     "no solid named \"a\"", 1, 0},
    {"{\"probes\": [{\"type\": \"torque\"}]}", "probes.0", "\"solid\" is missing", 1, 0},
    {"{\"probes\": [{\"type\": \"velocity\", \"position\": [0, 0, 0], \"radius\": 1}]}", "probes.0.radius", "only for pressure", 1,
     0},
    {"{\"sponges\": [{\"min\": [0, 0, 0], \"max\": [1, 0, 1]}]}", "sponges.0.max", "above that of min", 1, 0},
    {"{\"view\": {\"size\": [0, 100]}}", "view.size.0", "from 16", 1, 0},
    {"{\"view\": {\"range\": [3, 1]}}", "view.range", "first must be below", 1, 0},
    {"{\"view\": {\"style\": \"liquids\"}}", "view.style", "did you mean \"liquid\"", 1, 0},
    {"{\"view\": {\"environment\": {\"sky\": \"night\"}}}", "view.environment.sky", "\"studio\", \"day\", \"gradient\", \"map\"", 1,
     0},
    {"{\"view\": {\"environment\": {\"sky\": \"map\"}}}", "view.environment", "\"file\" is missing", 1, 0},
    {"{\"view\": {\"environment\": {\"sky\": \"map\", \"file\": \"nowhere.hdr\"}}}", "view.environment.file",
     "cannot read the picture file", 1, 0},
    {"{\"view\": {\"environment\": {\"file\": \"a.hdr\"}}}", "view.environment.file", "only for map", 1, 0},
    {"{\"view\": {\"environment\": {\"strength\": -1}}}", "view.environment.strength", "from 0", 1, 0},
    {"{\"view\": {\"lights\": [{}]}}", "view.lights.0", "\"direction\" is missing", 1, 0},
    {"{\"view\": {\"lights\": [{\"direction\": [0, 0, 0]}]}}", "view.lights.0.direction", "must not be zero", 1, 0},
    {"{\"view\": {\"lights\": [{\"direction\": [0, 1, 0], \"colour\": [2, 0, 0]}]}}", "view.lights.0.colour.0", "from 0 to 1", 1,
     0},
    {"{\"solids\": [{\"name\": \"cork\", \"shape\": {\"sphere\": 1}}], \"probes\": [{\"type\": \"force\", \"solid\": \"ship\"}]}",
     "probes.0.solid", "there is no solid named \"ship\"; there are \"cork\"", 1, 0},
    {"{\"view\": {\"ground\": \"grass\"}}", "view.ground", "an object { ... } or \"none\"", 1, 0},
    {"{\"view\": {\"clip\": {\"axis\": \"w\", \"position\": 0}}}", "view.clip.axis", "one of \"x\", \"y\", \"z\"", 1, 0},
    {"{\"view\": {\"clip\": {\"axis\": \"x\"}}}", "view.clip", "\"position\" is missing", 1, 0},
    {"{\"solids\": [{\"name\": \"ball\", \"shape\": {\"sphere\": 1}}], \"view\": {\"solids\": [{\"solid\": \"bal\"}]}}",
     "view.solids.0.solid", "there is no solid named \"bal\"; did you mean \"ball\"?", 1, 0},
    {"{\"solids\": [{\"name\": \"b\", \"shape\": {\"sphere\": 1}}], \"view\": {\"solids\": [{\"solid\": \"b\", \"finish\": "
     "\"wood\"}]}}",
     "view.solids.0.finish", "\"paint\", \"matte\", \"metal\", \"glass\"", 1, 0},
    {"{\"solids\": [{\"name\": \"b\", \"shape\": {\"sphere\": 1}}], \"view\": {\"solids\": [{\"solid\": \"b\"}, {\"solid\": "
     "\"b\"}]}}",
     "view.solids.1.solid", "stands here twice", 1, 0},
    {"{\"view\": {\"fluids\": [{\"fluid\": \"oil\"}]}}", "view.fluids.0.fluid", "there is no fluid named \"oil\"", 1, 0},
    {"{\"fluids\": [{\"name\": \"w\"}], \"view\": {\"fluids\": [{\"fluid\": \"w\", \"absorption\": [1, -2, 0]}]}}",
     "view.fluids.0.absorption.1", "got -2", 1, 0},
    {"{\"view\": {\"captions\": [{\"text\": \"a\", \"position\": [2, 0]}]}}", "view.captions.0.position.0", "from 0 to 1", 1, 0},
    {"{\"view\": {\"camera\": {\"eye\": [0, 0, 1], \"target\": [0, 0, 0], \"aperture\": -1}}}", "view.camera.aperture", "got -1", 1,
     0},
    {"{\"view\": {\"camera\": {\"eye\": [0, 0, 1], \"target\": [0, 0, 1]}}}", "view.camera.target", "where the eye is", 1, 0},
    {"{\"output\": {\"particles\": \"hdf5\"}}", "output.particles", "\"none\", \"vtp\", \"ply\", \"vtk\", \"csv\"", 1, 0},
    {"{\"output\": {\"checkpoint_every\": -1}}", "output.checkpoint_every", "from 0", 1, 0},

    // two dimensions
    {"{\"dimension\": 2, \"gravity\": [0, -9.81, 1]}", "gravity", "z is 1, but the scene has dimension 2", 1, 0},
    {"{\"dimension\": 2, \"fluids\": [{\"blocks\": [{\"min\": [0, 0], \"max\": [1, 1], \"velocity\": [0, 0, 2]}]}]}",
     "fluids.0.blocks.0.velocity", "z is 2", 1, 0},
    {"{\"dimension\": 2, \"solids\": [{\"shape\": {\"box\": [1, 1]}, \"rotation\": {\"euler\": [90, 0, 0]}}]}", "solids.0.rotation",
     "only rotations about z", 1, 0},

    // surface tension and adhesion
    {FLUID("\n\"surface_tension\": -1"), "fluids.0.surface_tension", "got -1, expected a number from 0", 2, 0},
    {FLUID("\"surface_tension\": \"high\""), "fluids.0.surface_tension", "expected a number (gamma) or an object", 1, 0},
    {FLUID("\"surface_tension\": {\"gamma\": 1, \"sigma\": 0.07}"), "fluids.0.surface_tension.sigma", "give one of them", 1, 0},
    {FLUID("\"surface_tension\": {\"method\": \"beker\"}"), "fluids.0.surface_tension.method", "did you mean \"becker\"", 1, 0},
    {SOLID("\"adhesion\": 1, \"contact_angle\": 60, " BOX), "solids.0.contact_angle", "give one of them", 1, 0},
    {SOLID("\"contact_angle\": 200, " BOX), "solids.0.contact_angle", "from 0 to 180", 1, 0},

    // rigid bodies
    {SOLID("\"type\": \"rigid\", \"mass\": -1, " BOX), "solids.0.mass", "expected a number above 0", 1, 0},
    {SOLID("\"type\": \"rigid\", \"density\": 0, " BOX), "solids.0.density", "expected a number above 0", 1, 0},
    {SOLID("\"type\": \"rigid\", \"inertia\": [1, 0, 1], " BOX), "solids.0.inertia.1", "expected a number above 0", 1, 0},
    {SOLID("\"restitution\": 2, " BOX), "solids.0.restitution", "from 0 to 1", 1, 0},
    {SOLID("\"slip\": 1.5, " BOX), "solids.0.slip", "from 0 to 1", 1, 0},
    {SOLID("\"fluid_restitution\": -0.1, " BOX), "solids.0.fluid_restitution", "from 0 to 1", 1, 0},
    {"{\"coupling\": {\"method\": \"direct_forcing\", \"response\": \"oneway\"}}", "coupling.response", "did you mean \"one_way\"",
     1, 0},
    {SOLID(BOX ", \"density\": 500"), "solids.0.density", "only for rigid and elastic solids", 1, 0},
    {SOLID("\"type\": \"elastic\", \"pins\": [\"corner\"], " BOX), "solids.0.pins.0.select", "did you mean \"corners\"?", 1, 0},
    {"{\"coupling\": {\"method\": \"gauss\", \"rest_distance\": 1}}", "coupling.rest_distance", "0.9 times the support radius", 1,
     0},
    {"{\"output\": {\"surface\": \"stl\"}}", "output.surface", "expected", 1, 0},
    {"{\"dimension\": 2, \"output\": {\"surface\": \"ply\"}}", "output", "dimension 2", 1, 0},
    {"{\"periodic\": [true]}", "periodic", "[x, y, z], each true or false", 1, 0},
    {"{\"dimension\": 2, \"periodic\": [true, false, true]}", "periodic", "[x, y], each true or false", 1, 0},
    {"{\"periodic\": [true, false, false], \"domain\": {\"max\": [0.1, 0, 0]}}", "domain", "four support radii", 1, 0},
    {"{\"periodic\": [true, false, false], \"domain\": {\"max\": [1, 0, 0]}, \"solver\": {\"method\": \"flip\"}}", "periodic",
     "flip", 1, 0},
    {"{\"joints\": [{}]}", "joints.0", "\"solid\" is missing", 1, 13},
    {"{\"joints\": [{\"solid\": \"a\", \"position\": [0, 0, 0], \"type\": \"hinge\", \"limits\": [2, 1]}]}", "joints.0.limits",
     "below", 1, 0},
    {"{\"joints\": [{\"solid\": \"a\", \"position\": [0, 0, 0], \"axis\": [1, 0, 0]}]}", "joints.0.axis", "only for hinges", 1, 0},
    {"{\"events\": [{\"time\": 1}]}", "events.0", "an event needs something that happens", 1, 13},
};

static void test_malformed(void** state)
{
    size_t count = sizeof cases / sizeof cases[0];
    assert_true(count >= 60);
    for (size_t k = 0; k < count; k++) {
        const Case* c = &cases[k];
        mn_Error error = {0};
        mn_Scene* scene = mn_scene_parse(c->json, strlen(c->json), "bad.json", ".", NULL, 0, &error);
        if (scene)
            fail_msg("accepted: %s", c->json);
        if (error.result != MN_BAD_INPUT)
            fail_msg("%s: result %d", c->json, error.result);
        if (strcmp(error.key, c->key))
            fail_msg("%s: key \"%s\", expected \"%s\" (%s)", c->json, error.key, c->key, error.message);
        if (!strstr(error.message, c->message))
            fail_msg("%s: message \"%s\", expected \"%s\"", c->json, error.message, c->message);
        if ((c->line && error.line != c->line) || (c->column && error.column != c->column))
            fail_msg("%s: at %d:%d, expected %d:%d", c->json, error.line, error.column, c->line, c->column);
        assert_string_equal(error.file, "bad.json");
        assert_true(error.line > 0 && error.column > 0);
    }
}

// The caller may not care why.
static void test_without_error(void** state)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_null(mn_scene_parse(cases[k].json, strlen(cases[k].json), NULL, NULL, NULL, 0, NULL));
}

// A text that is cut anywhere is never a scene and never a crash.
static void test_truncated(void** state)
{
    static const char text[] =
        "{\"fluids\": [{\"name\": \"w\xc3\xa4\", \"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]}], \"solids\": [{" BOX
        "}]}";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        mn_Error error = {0};
        assert_null(mn_scene_parse(text, size, "cut.json", ".", NULL, 0, &error));
        assert_int_equal(error.result, MN_BAD_INPUT);
    }
    mn_Scene* whole = mn_scene_parse(text, sizeof text - 1, "cut.json", ".", NULL, 0, NULL);
    assert_non_null(whole);
    mn_scene_free(whole);
}

static char* repeated(const char* head, const char* body, size_t times, const char* tail, size_t* size)
{
    size_t length = strlen(body);
    *size = strlen(head) + length * times + strlen(tail);
    char* text = test_malloc(*size + 1);
    char* at = stpcpy(text, head);
    for (size_t k = 0; k < times; k++)
        at = stpcpy(at, body);
    strcpy(at, tail);
    return text;
}

static void expect_bad(const char* head, const char* body, size_t times, const char* tail)
{
    size_t size;
    char* text = repeated(head, body, times, tail, &size);
    mn_Error error = {0};
    assert_null(mn_scene_parse(text, size, "bomb.json", ".", NULL, 0, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    test_free(text);
}

static void test_bombs(void** state)
{
    expect_bad("", "[", 1000000, "");
    expect_bad("", "{\"a\":", 1000000, "");
    expect_bad("{\"gravity\": ", "[", 1500, "");
    expect_bad("{\"name\": \"", "a", 20 << 20, "\"}");
    expect_bad("{\"name\": \"", "a", 100 << 20, "\"}");
    expect_bad("{\"", "k", 1 << 20, "\": 1}");
    expect_bad("{\"fluids\": [", "{},", 300, "{}]}");
    expect_bad("{\"solver\": {\"method\": \"", "\xc3\xa4", 100, "\"}}");
    // nul bytes
    assert_null(mn_scene_parse("{\0}", 3, "nul.json", ".", NULL, 0, NULL));
    assert_null(mn_scene_parse("{}\0", 3, "nul.json", ".", NULL, 0, NULL));
}

// Messages stay printable whatever the file holds.
static void test_printable(void** state)
{
    static const char text[] = "{\"\\u001b[31m\\u0007\\r\": 1}";
    mn_Error error = {0};
    assert_null(mn_scene_parse(text, sizeof text - 1, "esc.json", ".", NULL, 0, &error));
    char line[1024];
    for (const char* c = mn_error_text(&error, line, sizeof line); *c; c++)
        assert_true((unsigned char)*c >= 0x20);
}

static void test_files(void** state)
{
    mn_Error error = {0};
    assert_null(mn_scene_load("no/such/scene.json", NULL, 0, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_string_equal(error.file, "no/such/scene.json");
    assert_null(mn_scene_load(MENISCUS_SOURCE_DIR, NULL, 0, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_without_error), cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_bombs),     cmocka_unit_test(test_printable),     cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
