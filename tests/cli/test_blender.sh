#!/usr/bin/env bash
# Blender's script: a scene out, a run in, without a window. Skipped where Blender is not installed.
. "$(dirname "$0")/lib.sh"
command -v blender >/dev/null || {
    echo "blender is not installed: skipped"
    exit 77
}
cat >out.py <<'END'
import sys
sys.path.append(sys.argv[-1])
import bpy, meniscus_io
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, 4, 50
def cube(name, place, size, role=None):
    bpy.ops.mesh.primitive_cube_add(size=1, location=place)
    obj = bpy.context.object
    obj.name, obj.scale = name, size
    if role:
        obj["meniscus"] = role
    return obj
cube("tank", (0, 0, 0.25), (0.6, 0.4, 0.5), "container")
cube("drop", (0, 0, 0.12), (0.3, 0.2, 0.2), "fluid")
cube("boat", (0.2, 0, 0.4), (0.1, 0.1, 0.1), "rigid")["density"] = 300.0
wall = cube("wall", (-0.25, 0, 0.1), (0.05, 0.2, 0.1))
wall.keyframe_insert("location", frame=1)
wall.location.x = -0.2
wall.keyframe_insert("location", frame=4)
written = meniscus_io.export_scene("scene.json", particle_radius=0.02)
assert [s["type"] for s in written["solids"]] == ["static", "rigid", "kinematic"], written
try:
    wall["meniscus"] = "jelly"
    meniscus_io.export_scene("bad.json")
    sys.exit("a role that is none was taken")
except ValueError as error:
    assert "jelly" in str(error)
END
cat >in.py <<'END'
import sys
sys.path.append(sys.argv[-1])
import bpy, meniscus_io
bpy.ops.wm.read_factory_settings(use_empty=True)
made = {o.name: o for o in meniscus_io.import_run("run")}
assert {"tank", "boat", "wall", "water"} <= set(made), made
water = made["water"]
scene = bpy.context.scene
def middle():
    n = len(water.data.vertices)
    assert n > 100 and len(water.data.polygons) > 100
    return sum(v.co[2] for v in water.data.vertices) / n
scene.frame_set(1)
high, x = middle(), made["wall"].location.x
assert abs(high - 0.12) < 0.03 and abs(x + 0.25) < 1e-4, (high, x)
scene.frame_set(4)
low, x = middle(), made["wall"].location.x
assert low < high - 0.005 and abs(x + 0.2) < 1e-3, (low, high, x)
velocity = water.data.attributes["velocity"].data
assert len(velocity) == len(water.data.vertices) and min(v.vector[2] for v in velocity) < -0.2
meniscus_io.import_run("run", particles=True)
assert bpy.data.objects["water particles"].data.vertices, "no particles"
END
expect 0 blender -b --python-exit-code 1 --python out.py -- "$source_dir/tools/blender"
expect 0 "$meniscus" check scene.json
expect 0 "$meniscus" run scene.json --out run --quiet --threads 1
expect 0 blender -b --python-exit-code 1 --python in.py -- "$source_dir/tools/blender"
finish
