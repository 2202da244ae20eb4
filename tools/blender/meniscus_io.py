# SPDX-License-Identifier: MIT
"""Blender and Meniscus: scenes out, runs in. Plain bpy, Blender 3.4 and later.

In Blender's Python console or text editor:

    import sys; sys.path.append("/path/to/meniscus/tools/blender")
    import meniscus_io
    meniscus_io.export_scene("/tmp/pour/scene.json", particle_radius=0.01)
    #   meniscus run /tmp/pour/scene.json --out /tmp/pour/run
    #   meniscus surface /tmp/pour/run
    meniscus_io.import_run("/tmp/pour/run")

Without a window: blender -b file.blend --python meniscus_io.py -- export scene.json 0.01
                  blender -b --python meniscus_io.py -- import RUN file.blend

What a mesh object becomes is said by its custom property "meniscus": fluid (filled at the start), container (fluid lives inside),
static, kinematic, rigid (density by the property "density") or none. Without it what is animated is kinematic, all else static.
z stays up: the scene has gravity along -z, so positions are the same in both programs.
"""
import csv
import json
import os
import re
import struct
import sys

import bpy
from mathutils import Quaternion, Vector

ROLES = ("fluid", "container", "static", "kinematic", "rigid", "none")

# --- out


def _role(obj):
    role = obj.get("meniscus")
    if role is None:
        parent = obj
        while parent:
            if parent.animation_data and (parent.animation_data.action or parent.animation_data.drivers):
                return "kinematic"
            parent = parent.parent
        return "static"
    if role not in ROLES:
        raise ValueError("object %r: property meniscus is %r, expected one of %s" % (obj.name, role, ", ".join(ROLES)))
    return role


def _pose(obj):
    """Place, rotation and scale of an object in the world."""
    place, rotation, scale = obj.matrix_world.decompose()
    return place, rotation, scale


def _turn(rotation):
    axis, angle = rotation.to_axis_angle()
    return {"axis": list(axis), "angle": angle * 57.29577951308232}


def _file_name(name):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def _write_obj(obj, path, scale):
    """The mesh with its modifiers, in the object's own frame but for the scale."""
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    flip = scale[0] * scale[1] * scale[2] < 0
    with open(path, "w") as out:
        for v in mesh.vertices:
            out.write("v %.9g %.9g %.9g\n" % (v.co[0] * scale[0], v.co[1] * scale[1], v.co[2] * scale[2]))
        for t in mesh.loop_triangles:
            a, b, c = (k + 1 for k in t.vertices)
            out.write("f %d %d %d\n" % ((a, c, b) if flip else (a, b, c)))
    evaluated.to_mesh_clear()


def _write_motion(obj, path, scene):
    rate = scene.render.fps / scene.render.fps_base
    now = scene.frame_current
    last = None
    with open(path, "w") as out:
        out.write("time,x,y,z,qw,qx,qy,qz\n")
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            place, rotation, _ = _pose(obj)
            if last is not None and rotation.dot(last) < 0:
                rotation.negate()
            last = rotation.copy()
            values = [(frame - scene.frame_start) / rate] + list(place) + list(rotation)
            out.write(",".join("%.9g" % v for v in values) + "\n")
    scene.frame_set(now)


def export_scene(path, particle_radius=0.01, objects=None, fluid="water"):
    """Writes a scene file with meshes and motions beside it. Returns the scene as it was written."""
    scene = bpy.context.scene
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    scene.frame_set(scene.frame_start)
    rate = scene.render.fps / scene.render.fps_base
    result = {
        "name": os.path.splitext(os.path.basename(path))[0],
        "gravity": [0, 0, -9.81],
        "particle_radius": particle_radius,
        "duration": max(scene.frame_end - scene.frame_start, 1) / rate,
        "frame_rate": rate,
        "fluids": [{"name": fluid, "material": "water", "meshes": []}],
        "solids": [],
        "output": {"surface": "ply"},
    }
    for obj in objects if objects is not None else scene.objects:
        role = _role(obj) if obj.type == "MESH" else "none"
        if role == "none":
            continue
        place, rotation, scale = _pose(obj)
        mesh = _file_name(obj.name) + ".obj"
        _write_obj(obj, os.path.join(folder, mesh), scale)
        pose = {"position": list(place), "rotation": _turn(rotation)}
        if role == "fluid":
            result["fluids"][0]["meshes"].append(dict(pose, file=mesh))
            continue
        solid = {"name": obj.name, "type": "static" if role == "container" else role, "shape": {"mesh": mesh}}
        solid.update(pose)
        if role == "container":
            solid["inside"] = True
        if role == "rigid":
            solid["density"] = float(obj.get("density", 500))
        if role == "kinematic":
            solid["motion"] = _file_name(obj.name) + ".csv"
            _write_motion(obj, os.path.join(folder, solid["motion"]), scene)
            del solid["position"], solid["rotation"]
        if obj.active_material:
            solid["colour"] = [min(max(c, 0.0), 1.0) for c in obj.active_material.diffuse_color[:3]]
        result["solids"].append(solid)
    with open(path, "w") as out:
        json.dump(result, out, indent=2)
        out.write("\n")
    return result


# --- in

_TYPES = {"Float32": "f", "Float64": "d", "Int8": "b", "UInt8": "B", "Int16": "h", "UInt16": "H", "Int32": "i", "UInt32": "I",
          "Int64": "q", "UInt64": "Q"}


def read_vtp(path):
    """Arrays of a .vtp file as Meniscus writes it: {"Points/position": (components, numbers), ...}."""
    with open(path, "rb") as file:
        data = file.read()
    start = data.index(b"<AppendedData")
    base = data.index(b"_", start) + 1
    arrays, section = {}, ""
    for tag in re.finditer(rb"<(/?)(\w+)([^>]*)>", data[:start]):
        closing, name, attributes = tag.group(1), tag.group(2).decode(), tag.group(3).decode()
        if name in ("Points", "PointData", "CellData", "Verts", "Lines", "Polys"):
            section = "" if closing else name
        if name != "DataArray" or closing or 'format="appended"' not in attributes:
            continue
        get = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
        code, at = _TYPES[get["type"]], base + int(get["offset"])
        size = struct.unpack_from("<Q", data, at)[0]
        count = size // struct.calcsize(code)
        arrays[section + "/" + get["Name"]] = (int(get.get("NumberOfComponents", 1)), struct.unpack_from("<%d%s" % (count, code), data, at + 8))
    return arrays


def read_ply(path):
    """Vertices, their fields and faces of a .ply file as Meniscus writes it (binary, little endian)."""
    types = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "float": "f", "double": "d",
             "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "float32": "f", "float64": "d"}
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    elements = []
    for line in data[:end].decode("ascii").splitlines():
        words = line.split()
        if words[:1] == ["format"] and words[1] != "binary_little_endian":
            raise ValueError("%s: expected binary_little_endian, got %s" % (path, words[1]))
        if words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    fields, faces, at = {}, [], end
    for name, count, properties in elements:
        if name == "vertex":
            row = "<" + "".join(types[p[0]] for p in properties)
            size = struct.calcsize(row)
            rows = list(struct.iter_unpack(row, data[at:at + size * count]))
            for k, p in enumerate(properties):
                fields[p[1]] = [r[k] for r in rows]
            at += size * count
        elif name == "face":
            kind, item = types[properties[0][1]], types[properties[0][2]]
            for _ in range(count):
                n = struct.unpack_from("<" + kind, data, at)[0]
                at += struct.calcsize(kind)
                faces.append(struct.unpack_from("<%d%s" % (n, item), data, at))
                at += n * struct.calcsize(item)
    return fields, faces


def _triples(numbers):
    return [tuple(numbers[k:k + 3]) for k in range(0, len(numbers), 3)]


def read_mesh(path):
    """Points, triangles and velocities (or None) of a surface, a solid or particles."""
    if path.endswith(".ply"):
        fields, faces = read_ply(path)
        points = list(zip(fields["x"], fields["y"], fields["z"]))
        velocity = list(zip(fields["vx"], fields["vy"], fields["vz"])) if "vx" in fields else None
        return points, faces, velocity
    if path.endswith(".obj"):
        points, faces = [], []
        with open(path) as file:
            for line in file:
                words = line.split()
                if words[:1] == ["v"]:
                    points.append(tuple(float(w) for w in words[1:4]))
                elif words[:1] == ["f"]:
                    faces.append(tuple(int(w.split("/")[0]) - 1 for w in words[1:]))
        return points, faces, None
    arrays = read_vtp(path)
    points = _triples(next(v for k, v in arrays.items() if k.startswith("Points/"))[1])
    faces = _triples(arrays["Polys/connectivity"][1]) if "Polys/connectivity" in arrays else []
    velocity = _triples(arrays["PointData/velocity"][1]) if "PointData/velocity" in arrays else None
    return points, faces, velocity


def _fill_mesh(mesh, path):
    points, faces, velocity = read_mesh(path)
    mesh.clear_geometry()
    mesh.from_pydata(points, [], faces)
    if velocity:
        # Cycles takes motion blur from a vector attribute of this name
        attribute = mesh.attributes.get("velocity") or mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", [c for v in velocity for c in v])
    mesh.update()


def _object(name, collection):
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    collection.objects.link(obj)
    return obj


def _upright(scene):
    """Runs whose gravity is along y are turned, as Blender's importers do."""
    g = scene.get("gravity", [0, -9.81, 0])
    return Quaternion((1, 0, 0), 1.5707963267948966) if abs(g[1]) > abs(g[2] if len(g) > 2 else 0) else Quaternion()


def _series(folder, name):
    """{frame: path} of NAME_000000.EXT."""
    found = {}
    for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        match = re.fullmatch(re.escape(name) + r"_(\d+)\.(ply|vtp|obj)", entry)
        if match:
            found[int(match.group(1))] = os.path.join(folder, entry)
    return found


def _show(scene, _graph=None):
    """On every change of the frame: meshes of sequences are read."""
    for obj in bpy.data.objects:
        if "meniscus_series" not in obj:
            continue
        series = {int(k): v for k, v in json.loads(obj["meniscus_series"]).items()}
        frame = scene.frame_current - obj["meniscus_start"]
        known = [k for k in series if k <= frame] or [min(series)]
        path = series[max(known)]
        if obj.get("meniscus_shown") != path:
            _fill_mesh(obj.data, path)
            obj["meniscus_shown"] = path


_show.__name__ = "meniscus_show"


def _sequence(name, series, start, turn, collection):
    obj = _object(name, collection)
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = turn
    obj["meniscus_series"] = json.dumps(series)
    obj["meniscus_start"] = start
    return obj


def _import_solids(run, scene, start, turn, collection):
    rows = {}
    path = os.path.join(run, "bodies.csv")
    if os.path.exists(path):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                rows.setdefault(row["name"], []).append(row)
    made = []
    for solid in scene.get("solids", []):
        name = solid["name"]
        stem = os.path.join(run, "solids", name)
        if solid.get("type") == "elastic":
            series = _series(os.path.join(run, "solids"), name)
            if series:
                made.append(_sequence(name, series, start, turn, collection))
            continue
        found = [stem + e for e in (".vtp", ".ply", ".obj") if os.path.exists(stem + e)]
        if not found:
            continue
        obj = _object(name, collection)
        _fill_mesh(obj.data, found[0])
        obj.rotation_mode = "QUATERNION"
        obj.rotation_quaternion = turn
        if solid.get("inside"):
            obj.display_type = "WIRE"
        made.append(obj)
        if solid.get("type", "static") == "static":
            continue  # static ones are in place
        last = None
        for row in rows.get(name, []):
            place = turn @ Vector((float(row["x"]), float(row["y"]), float(row["z"])))
            rotation = turn @ Quaternion([float(row[k]) for k in ("qw", "qx", "qy", "qz")])
            if last is not None and rotation.dot(last) < 0:
                rotation.negate()
            last = rotation.copy()
            obj.location, obj.rotation_quaternion = place, rotation
            frame = start + int(row["frame"])
            obj.keyframe_insert("location", frame=frame)
            obj.keyframe_insert("rotation_quaternion", frame=frame)
    return made


def import_run(run, start=1, particles=False, foam=True):
    """Surfaces (or particles where there are none), solids and foam of a run folder, as objects of a new collection. Returns them."""
    with open(os.path.join(run, "scene.json")) as file:
        scene = json.load(file)
    collection = bpy.data.collections.new(scene.get("name") or "meniscus")
    bpy.context.scene.collection.children.link(collection)
    turn = _upright(scene)
    made = _import_solids(run, scene, start, turn, collection)
    last = 0
    for fluid in scene.get("fluids", []):
        surface = _series(os.path.join(run, "surface"), fluid["name"])
        points = _series(os.path.join(run, "frames"), fluid["name"])
        if surface:
            made.append(_sequence(fluid["name"], surface, start, turn, collection))
        if points and (particles or not surface):
            made.append(_sequence(fluid["name"] + " particles", points, start, turn, collection))
        last = max([last] + list(surface) + list(points))
    series = _series(os.path.join(run, "frames"), "foam") if foam else {}
    if series:
        made.append(_sequence("foam", series, start, turn, collection))
    view = bpy.context.scene
    view.frame_start, view.frame_end = start, start + last
    view.render.fps = max(1, round(scene.get("frame_rate", 25)))
    view.render.fps_base = view.render.fps / scene.get("frame_rate", 25)
    handlers = bpy.app.handlers.frame_change_post
    for old in [h for h in handlers if getattr(h, "__name__", "") == "meniscus_show"]:
        handlers.remove(old)
    handlers.append(_show)
    view.frame_set(start)
    _show(view)
    return made


def _main(words):
    if len(words) >= 2 and words[0] == "export":
        export_scene(words[1], float(words[2]) if len(words) > 2 else 0.01)
    elif len(words) == 3 and words[0] == "import":
        import_run(words[1])
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(words[2]))
    else:
        sys.exit("meniscus_io: expected -- export SCENE.json [RADIUS], or -- import RUN FILE.blend")


if __name__ == "__main__" and "--" in sys.argv:
    _main(sys.argv[sys.argv.index("--") + 1:])
