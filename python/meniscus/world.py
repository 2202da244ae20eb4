# SPDX-License-Identifier: MIT
"""Worlds, and what they are made of."""

import collections
import math

import numpy

from ._library import AUTO, check, fail, ffi, fill, lib, new_error, take_text

Pick = collections.namedtuple("Pick", "what solid fluid element distance point normal")
Pick.__doc__ = "What a ray meets: 'solid', 'fluid' or None; ids, the triangle or particle, the distance [m], point and normal."


# --- shapes


def box(x, y, z=1.0):
    """A box of the given edge lengths [m]."""
    return dict(type="box", size=(x, y, z))


def sphere(radius):
    """A sphere [m]; a disc in 2D."""
    return dict(type="sphere", size=(radius, 0, 0))


def capsule(radius, length):
    """A capsule along y [m], `length` between the centres of its caps."""
    return dict(type="capsule", size=(radius, length, 0))


def cylinder(radius, height):
    """A cylinder along y [m]."""
    return dict(type="cylinder", size=(radius, height, 0))


def cone(radius, height):
    """A cone along y [m], its base below."""
    return dict(type="cone", size=(radius, height, 0))


def mesh_file(path):
    """A mesh from an obj, ply or stl file."""
    return dict(type="mesh", file=str(path))


def mesh(vertices, triangles):
    """A mesh from arrays: vertices (n, 3) [m] and triangles (m, 3), counter-clockwise seen from outside."""
    vertex = numpy.ascontiguousarray(vertices, dtype=numpy.float64)
    triangle = numpy.ascontiguousarray(triangles, dtype=numpy.uint32)
    text = lib.mn_mesh_text(ffi.cast("mn_Vec3*", ffi.from_buffer(vertex)), len(vertex),
                            ffi.cast("uint32_t(*)[3]", ffi.from_buffer(triangle)), len(triangle))
    return dict(type="mesh", file=take_text(text))


# --- helpers


def _vec(v):
    v = tuple(v) + (0.0,) * (3 - len(tuple(v)))
    return ffi.new("mn_Vec3*", {"x": float(v[0]), "y": float(v[1]), "z": float(v[2])})[0]


def _tuple(v):
    return (v.x, v.y, v.z)


def _pose(position, rotation):
    w, x, y, z = rotation
    return ffi.new("mn_Pose*", {"position": {"x": position[0], "y": position[1], "z": position[2] if len(position) > 2 else 0.0},
                                "rotation": {"w": w, "x": x, "y": y, "z": z}})


def _event(fields):
    """An mn_EventDef, and what it points to."""
    definition, keep = ffi.new("mn_EventDef*", lib.mn_default_event_def()), []
    fill(definition, fields, keep)
    return definition, keep


def _array(pointer, shape, kind):
    """A read-only view of the library's memory."""
    count = int(numpy.prod(shape))
    if count == 0 or pointer == ffi.NULL:
        return numpy.zeros(shape, kind)
    array = numpy.frombuffer(ffi.buffer(pointer, count * numpy.dtype(kind).itemsize), dtype=kind).reshape(shape)
    array.flags.writeable = False
    return array


class Snapshot:
    """All that a world is at one moment, in memory. World.save() makes it, World.load() brings it back."""

    def __init__(self, pointer):
        self._pointer = ffi.gc(pointer, lib.mn_snapshot_free)

    @property
    def time(self):
        """[s]"""
        return lib.mn_snapshot_time(self._pointer)

    @property
    def bytes(self):
        """That it occupies."""
        return lib.mn_snapshot_bytes(self._pointer)


class World:
    """Fluids and solids that advance in time together; keywords are those of mn_WorldDef (meniscus/defs.h)."""

    def __init__(self, _pointer=None, folder=None, **fields):
        self._keep = []
        self._after_step = None
        error = new_error()
        if _pointer is None:
            definition = ffi.new("mn_WorldDef*", lib.mn_default_world_def())
            fill(definition, fields, self._keep)
            _pointer = lib.mn_world_create(definition, folder.encode() if folder else ffi.NULL, error)
            if _pointer == ffi.NULL:
                fail(error)
        self._world = ffi.gc(_pointer, lib.mn_world_destroy)

    @classmethod
    def load_scene(cls, path, **sets):
        """The world of a scene file; keywords override its keys, dots as double underscores: solver__method="pcisph"."""
        words = [ffi.new("char[]", f"{key.replace('__', '.')}={value}".encode()) for key, value in sets.items()]
        error = new_error()
        scene = lib.mn_scene_load(str(path).encode(), ffi.new("char*[]", words) if words else ffi.NULL, len(words), error)
        return cls._build(scene, error)

    @classmethod
    def parse_scene(cls, text, folder=None):
        """The same from the text of a scene."""
        error = new_error()
        data = text.encode()
        scene = lib.mn_scene_parse(data, len(data), ffi.NULL, folder.encode() if folder else ffi.NULL, ffi.NULL, 0, error)
        return cls._build(scene, error)

    @classmethod
    def _build(cls, scene, error):
        if scene == ffi.NULL:
            fail(error)
        world = lib.mn_scene_build(scene, error)
        duration, rate = scene.duration, scene.frame_rate
        lib.mn_scene_free(scene)
        if world == ffi.NULL:
            fail(error)
        made = cls(_pointer=world)
        made.duration, made.frame_rate = duration, rate
        return made

    # --- what it is made of

    def _add(self, call, definition, fields):
        error = new_error()
        keep = []
        fill(definition, fields, keep)
        number = call(self._world, definition, error)
        if number == 0:
            fail(error)
        return number

    def add_fluid(self, **fields):
        """A fluid (mn_FluidDef), before the first step; returns its id."""
        return self._add(lib.mn_world_add_fluid, ffi.new("mn_FluidDef*", lib.mn_default_fluid_def()), fields)

    def add_solid(self, position=None, rotation=None, **fields):
        """A solid (mn_SolidDef), at any time; returns its id."""
        definition = ffi.new("mn_SolidDef*", lib.mn_default_solid_def())
        if position is not None:
            definition.pose.position = _vec(position)
        if rotation is not None:
            fill(definition.pose, dict(rotation=rotation), [])
        return self._add(lib.mn_world_add_solid, definition, fields)

    def add_joint(self, **fields):
        """A joint (mn_JointDef), at any time; returns its id."""
        return self._add(lib.mn_world_add_joint, ffi.new("mn_JointDef*", lib.mn_default_joint_def()), fields)

    def add_probe(self, **fields):
        """A probe (mn_ProbeDef); returns its id."""
        return self._add(lib.mn_world_add_probe, ffi.new("mn_ProbeDef*", lib.mn_default_probe_def()), fields)

    def solid(self, name):
        """The id of a solid by its name, 0 if there is none."""
        return lib.mn_world_find_solid(self._world, name.encode())

    def fluid(self, name):
        """The id of a fluid by its name, 0 if there is none."""
        return lib.mn_world_find_fluid(self._world, name.encode())

    def joint(self, name):
        """The id of a joint by its name, 0 if there is none."""
        return lib.mn_world_find_joint(self._world, name.encode())

    def add_event(self, time, **fields):
        """Something that happens later, at `time` [s] (mn_EventDef)."""
        definition, keep = _event(dict(fields, time=time))
        self._do(lib.mn_world_add_event, definition)

    # --- time

    def prepare(self):
        """Gets everything ready for the first step."""
        self._do(lib.mn_world_prepare)

    def advance(self, time, keep_going=None):
        """Advances to exactly `time` [s]. `keep_going()` is asked after each step; False ends the call, which then returns False."""
        error = new_error()
        asked = ffi.callback("bool(void*)", lambda user: bool(keep_going())) if keep_going else ffi.NULL
        result = lib.mn_world_advance(self._world, time, asked, ffi.NULL, error)
        if result != lib.MN_INTERRUPTED:
            check(result, error)
        return result == lib.MN_OK

    def step(self, dt_max=math.inf):
        """One step, at most `dt_max` [s] long."""
        self._do(lib.mn_world_step, dt_max)

    def after_step(self, call):
        """`call(world)` after each step; None: nobody. It may change the world."""
        self._after_step = ffi.callback("void(void*, mn_World*)", lambda user, world: call(self)) if call else ffi.NULL
        lib.mn_world_after_step(self._world, self._after_step, ffi.NULL)

    @property
    def time(self):
        """[s]"""
        return lib.mn_world_time(self._world)

    # --- particles, as arrays that show the library's memory: valid until the world changes

    def _particles(self):
        return lib.mn_world_particles(self._world)

    @property
    def positions(self):
        """(n, 3) [m]"""
        view = self._particles()
        return _array(view.position, (view.count, 4), numpy.float32)[:, :3]

    @property
    def velocities(self):
        """(n, 3) [m/s]"""
        view = self._particles()
        return _array(view.velocity, (view.count, 4), numpy.float32)[:, :3]

    @property
    def densities(self):
        """(n) [1] relative to the rest density"""
        view = self._particles()
        return _array(view.density, (view.count,), numpy.float32)

    @property
    def pressures(self):
        """(n) [Pa]"""
        view = self._particles()
        return _array(view.pressure, (view.count,), numpy.float32)

    @property
    def ids(self):
        """(n) who is who: the order changes from step to step"""
        view = self._particles()
        return _array(view.id, (view.count,), numpy.uint32)

    @property
    def fluids(self):
        """(n) fluid id - 1"""
        view = self._particles()
        return _array(view.fluid, (view.count,), numpy.uint8)

    # --- solids and the rest

    def solid_view(self, solid):
        """A solid as a dict: name, position, rotation, velocity, angular_velocity, force, torque, mass, vertices, triangles."""
        v = lib.mn_world_solid(self._world, solid)
        return dict(name=ffi.string(v.name).decode(), position=_tuple(v.pose.position),
                    rotation=(v.pose.rotation.w, v.pose.rotation.x, v.pose.rotation.y, v.pose.rotation.z), velocity=_tuple(v.velocity),
                    angular_velocity=_tuple(v.angular_velocity), force=_tuple(v.force), torque=_tuple(v.torque), mass=v.mass,
                    vertices=_array(v.vertex, (v.vertex_count, 3), numpy.float64),
                    triangles=_array(v.triangle, (v.triangle_count, 3), numpy.uint32))

    def probe(self, probe):
        """The value of a probe now."""
        return lib.mn_world_probe(self._world, probe, ffi.NULL)

    @property
    def stats(self):
        """What the last step and the run so far were like, as a dict (mn_Stats)."""
        s = lib.mn_world_stats(self._world)
        return {name: _tuple(getattr(s, name)) if field.type.kind == "struct" else getattr(s, name)
                for name, field in ffi.typeof("mn_Stats").fields}

    @property
    def hash(self):
        """64 bits of the state: equal hashes, equal futures."""
        return lib.mn_world_hash(self._world)

    # --- changes while it runs (meniscus/live.h)

    def _do(self, call, *arguments):
        error = new_error()
        check(call(self._world, *arguments, error), error)

    @property
    def gravity(self):
        """[m/s2]"""
        return _tuple(lib.mn_world_gravity(self._world))

    def set_gravity(self, gravity):
        """[m/s2]"""
        self._do(lib.mn_world_set_gravity, _vec(gravity))

    def change_fluid(self, fluid, viscosity=AUTO, surface_tension=AUTO, density=AUTO):
        """Another viscosity, surface tension or density [kg/m3]."""
        self._do(lib.mn_world_change_fluid, fluid,
                 ffi.new("mn_FluidChange*", {"viscosity": viscosity, "surface_tension": surface_tension, "density": density}))

    def pour_block(self, fluid, min, max, velocity=(0, 0, 0)):
        """More fluid in a box [m]."""
        self._do(lib.mn_world_pour_block, fluid, ffi.new("mn_Block*", {"min": _vec(min), "max": _vec(max), "velocity": _vec(velocity)}))

    def pour_ball(self, fluid, centre, radius, velocity=(0, 0, 0)):
        """More fluid in a ball [m]."""
        self._do(lib.mn_world_pour_ball, fluid,
                 ffi.new("mn_Ball*", {"centre": _vec(centre), "radius": radius, "velocity": _vec(velocity)}))

    def pour_particles(self, fluid, positions, velocities=None):
        """Particles from arrays (n, 3) [m], [m/s]. What has no room is left out."""
        positions = numpy.asarray(positions, dtype=numpy.float64)
        both = numpy.zeros((len(positions), 6))
        both[:, :positions.shape[1]] = positions
        if velocities is not None:
            velocities = numpy.asarray(velocities, dtype=numpy.float64)
            both[:, 3:3 + velocities.shape[1]] = velocities
        self._do(lib.mn_world_pour_particles, fluid, len(both), ffi.cast("mn_FluidParticle*", ffi.from_buffer(both)))

    def pour_shape(self, fluid, shape, **fields):
        """More fluid in a shape, as box(), sphere() or cylinder() make them (mn_FluidShape: position, rotation, scale, velocity)."""
        definition, keep = ffi.new("mn_FluidShape*", lib.mn_default_fluid_shape()), []
        fill(definition, dict(fields, shape=shape), keep)
        self._do(lib.mn_world_pour_shape, fluid, definition)

    def pour_mesh(self, fluid, mesh, **fields):
        """More fluid in a closed mesh, as mesh() or mesh_file() make them (mn_Fill: position, rotation, scale, velocity)."""
        definition, keep = ffi.new("mn_Fill*", lib.mn_default_fill()), []
        fill(definition, dict(fields, file=mesh["file"]), keep)
        self._do(lib.mn_world_pour_mesh, fluid, definition)

    def do(self, **fields):
        """Several things at once, now, in the order of the fields of mn_EventDef: solids, pours, scoops, pushes, pulls and more."""
        definition, keep = _event(fields)
        self._do(lib.mn_world_do, definition)

    def scoop_box(self, min, max):
        """Fluid in a box goes."""
        self._do(lib.mn_world_scoop_box, _vec(min), _vec(max))

    def scoop_ball(self, centre, radius):
        """Fluid in a ball goes."""
        self._do(lib.mn_world_scoop_ball, _vec(centre), radius)

    def set_emitter(self, fluid, number=0, on=True, speed=AUTO):
        """An emitter on or off, or with another speed [m/s]."""
        self._do(lib.mn_world_set_emitter, fluid, number, on, speed)

    def push(self, solid, impulse, point=None):
        """An impulse [N s], at a point in the world or at the centre of mass."""
        at = ffi.NULL if point is None else ffi.new("mn_Vec3*", _vec(point))
        self._do(lib.mn_world_push, solid, _vec(impulse), at)

    def twist(self, solid, angular_impulse):
        """[N m s], of rigid solids."""
        self._do(lib.mn_world_twist, solid, _vec(angular_impulse))

    def set_force(self, solid, force, torque=(0, 0, 0)):
        """[N], [N m] from now on."""
        self._do(lib.mn_world_set_force, solid, _vec(force), _vec(torque))

    def set_velocity(self, solid, velocity, angular_velocity=(0, 0, 0)):
        """[m/s], [1/s] of a rigid or kinematic solid."""
        self._do(lib.mn_world_set_velocity, solid, _vec(velocity), _vec(angular_velocity))

    def change_solid(self, solid, **numbers):
        """Another friction, wall_viscosity, contact_friction or restitution; of elastic solids also density [kg/m3], young [Pa] and
        poisson."""
        change = ffi.new("mn_SolidChange*", lib.mn_default_solid_change())
        for name, value in numbers.items():
            setattr(change, name, value)
        self._do(lib.mn_world_change_solid, solid, change)

    def set_density(self, solid, density):
        """[kg/m3] of a rigid solid."""
        self._do(lib.mn_world_set_density, solid, density)

    def move(self, solid, position, rotation=(1, 0, 0, 0), seconds=0.0):
        """A kinematic solid goes there within so many seconds."""
        self._do(lib.mn_world_move, solid, _pose(position, rotation), seconds)

    def remove_solid(self, solid):
        """It goes, with its joints."""
        self._do(lib.mn_world_remove_solid, solid)

    def release(self, name):
        """A joint, pin or held solid of that name is let go."""
        self._do(lib.mn_world_release, name.encode())

    def pull(self, name, target, solid=None, point=None, **fields):
        """A spring to a target from a point of a solid (its name), or from the fluid around the target (mn_PullDef)."""
        definition = ffi.new("mn_PullDef*", lib.mn_default_pull_def())
        keep = []
        fill(definition, dict(name=name, target=target, **({"solid": solid} if solid else {}), **({"point": point} if point else {}),
                              **fields), keep)
        self._do(lib.mn_world_pull, definition)

    def pull_to(self, name, target):
        """The target of a pull moves."""
        self._do(lib.mn_world_pull_to, name.encode(), _vec(target))

    def pull_end(self, name):
        """A pull ends."""
        self._do(lib.mn_world_pull_end, name.encode())

    def pick(self, origin, direction, solids=True, fluids=True, containers=False):
        """The first thing that a ray meets."""
        what = solids * lib.MN_PICK_SOLIDS | fluids * lib.MN_PICK_FLUIDS | containers * lib.MN_PICK_CONTAINERS
        p = lib.mn_world_pick(self._world, _vec(origin), _vec(direction), what)
        return Pick((None, "solid", "fluid")[p.what], p.solid, p.fluid, p.element, p.distance, _tuple(p.point), _tuple(p.normal))

    # --- moments and the record

    def save(self):
        """A Snapshot of now."""
        error = new_error()
        snapshot = lib.mn_world_save(self._world, error)
        if snapshot == ffi.NULL:
            fail(error)
        return Snapshot(snapshot)

    def load(self, snapshot):
        """The world is again what it was."""
        self._do(lib.mn_world_load, snapshot._pointer)

    def copy(self):
        """A world of its own with the same state."""
        error = new_error()
        world = lib.mn_world_copy(self._world, error)
        if world == ffi.NULL:
            fail(error)
        return World(_pointer=world)

    def scene_json(self):
        """The world and all that was done to it, as the text of a scene."""
        error = new_error()
        scene = lib.mn_world_scene(self._world, error)
        if scene == ffi.NULL:
            fail(error)
        text = lib.mn_scene_to_json(scene)
        lib.mn_scene_free(scene)
        return take_text(text)

    # --- output (meniscus/output.h)

    def surface(self, fluid=0, spacing=AUTO, smoothing=AUTO, path=None):
        """The surface of a fluid (0: all): vertices (n, 3) and triangles (m, 3), copies. `path`: also writes it there."""
        error = new_error()
        surface = lib.mn_world_surface(self._world, fluid, spacing, smoothing, error)
        if surface == ffi.NULL:
            fail(error)
        surface = ffi.gc(surface, lib.mn_surface_free)
        if path is not None:
            check(lib.mn_surface_write(surface, str(path).encode(), error), error)
        v = lib.mn_surface_view(surface)
        return (_array(v.position, (v.vertex_count, 3), numpy.float32).copy(),
                _array(v.triangle, (v.triangle_count, 3), numpy.uint32).copy())

    def write_particles(self, path, fluid=1):
        """Particles of a fluid as .vtp, .ply, .vtk, .csv or .bgeo."""
        self._do(lib.mn_world_write_particles, fluid, str(path).encode())

    def picture(self, width=960, height=540, **fields):
        """A picture as an array (height, width, 3) of bytes; keywords are those of mn_ViewDef."""
        view = ffi.new("mn_ViewDef*", lib.mn_default_view_def())
        keep = []
        fill(view, dict(width=width, height=height, **fields), keep)
        rgb = numpy.zeros((height, width, 3), numpy.uint8)
        self._do(lib.mn_world_picture, view, AUTO, ffi.cast("uint8_t*", ffi.from_buffer(rgb)))
        return rgb

    def draw(self, path, width=960, height=540, **fields):
        """A picture as a png file."""
        view = ffi.new("mn_ViewDef*", lib.mn_default_view_def())
        keep = []
        fill(view, dict(width=width, height=height, **fields), keep)
        self._do(lib.mn_world_draw, view, str(path).encode())
