# SPDX-License-Identifier: MIT
"""Meniscus in Python: fluids and the solids they touch.

    import meniscus as mn

    world = mn.World(particle_radius=0.02)
    world.add_solid(name="tank", shape=mn.box(1.2, 0.8, 0.4), position=(0.6, 0.4, 0.2), inside=True)
    world.add_fluid(name="water", blocks=[dict(max=(0.4, 0.6, 0.4))])
    world.advance(0.1)
    print(world.time, world.positions.max(axis=0))

A World takes the same definitions as the C library (meniscus/defs.h), field by field as keywords; vectors are tuples, lists of
structs are lists of dicts. What is not given has its default. World.load_scene() makes one from a scene file.

Particles are numpy arrays that show the library's own memory, without a copy (positions, velocities, densities, pressures, ids,
fluids). They are read-only and belong to one moment: the next call that changes the world makes them invalid, so take them
anew, or copy() what you want to keep.

While a world runs, everything of meniscus/live.h works: push, twist, set_force, set_velocity, move, pull, pour_*, scoop_*,
set_emitter, set_gravity, add_solid, remove_solid, do, pick, save, load, copy; scene_json() is the record of it all as a scene.
Failures raise meniscus.Error with the library's own words.
"""

from ._library import Error, find_library, version
from .world import (Pick, Snapshot, World, box, capsule, cone, cylinder, mesh, mesh_file, sphere)

__all__ = ["Error", "Pick", "Snapshot", "World", "box", "capsule", "cone", "cylinder", "find_library", "mesh", "mesh_file", "sphere",
           "version"]
__version__ = version()
