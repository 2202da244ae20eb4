# SPDX-License-Identifier: MIT
"""The Python package against the library: run by tests/project/test_python.sh, or python3 -m unittest discover python/tests."""

import json
import os
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import meniscus as mn


def pool(**fields):
    world = mn.World(particle_radius=0.02, threads=1, **fields)
    world.add_solid(name="tank", shape=mn.box(0.6, 0.8, 0.4), position=(0.3, 0.4, 0.2), inside=True)
    world.add_solid(name="ball", type="rigid", shape=mn.sphere(0.08), position=(0.3, 0.5, 0.2), density=500)
    world.add_fluid(name="water", blocks=[dict(max=(0.6, 0.2, 0.4))])
    return world


class Worlds(unittest.TestCase):
    def test_falls(self):
        world = pool()
        world.advance(0.05)
        self.assertEqual(world.time, 0.05)
        self.assertEqual(world.positions.shape, (world.stats["fluid_particles"], 3))
        self.assertEqual(world.positions.dtype, numpy.float32)
        ball = world.solid_view(world.solid("ball"))
        self.assertAlmostEqual(0.5 - ball["position"][1], 0.5 * 9.81 * 0.05 ** 2, delta=2e-3)
        self.assertEqual(ball["triangles"].shape[1], 3)
        self.assertEqual(len(set(world.ids.tolist())), len(world.ids))

    def test_arrays_are_no_copies(self):
        world = pool()
        world.prepare()
        a, b = world.positions, world.positions
        self.assertEqual(a.__array_interface__["data"][0], b.__array_interface__["data"][0])
        with self.assertRaises(ValueError):
            a[0, 0] = 1

    def test_errors_have_words(self):
        world = pool()
        with self.assertRaisesRegex(mn.Error, "expected"):
            world.add_fluid(density=-1)
        with self.assertRaisesRegex(mn.Error, "is not a field"):
            world.add_solid(nonsense=1)
        with self.assertRaisesRegex(mn.Error, "there is no solid"):
            world.push(99, (1, 0, 0))
        with self.assertRaises(mn.Error):
            mn.World.parse_scene("{\"fluids\": 3}")

    def test_live(self):
        world = pool()
        world.advance(0.02)
        ball = world.solid("ball")
        mass = world.solid_view(ball)["mass"]
        before = world.solid_view(ball)["velocity"][0]
        world.push(ball, (mass, 0, 0))
        self.assertAlmostEqual(world.solid_view(ball)["velocity"][0] - before, 1, places=9)
        count = len(world.ids)
        world.pour_particles(1, numpy.array([[0.1, 0.6, 0.1], [0.2, 0.6, 0.1]]), numpy.array([[0, -1, 0], [0, -1, 0]]))
        self.assertEqual(len(world.ids), count + 2)
        world.scoop_box((0, 0.55, 0), (0.6, 0.65, 0.4))
        self.assertEqual(len(world.ids), count)
        vertices = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
        wedge = world.add_solid(name="wedge", type="rigid", position=(0.1, 0.5, 0.1), density=300,
                                shape=mn.mesh(vertices, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))
        self.assertAlmostEqual(world.solid_view(wedge)["mass"], 300 * 0.1 ** 3 / 6, places=9)
        picked = world.pick((0.3, 0.9, 0.2), (0, -1, 0))
        self.assertEqual((picked.what, picked.solid), ("solid", ball))
        world.pull("mouse", target=(0.4, 0.6, 0.2), solid="ball", point=picked.point)
        world.advance(0.06)
        world.pull_end("mouse")
        world.set_gravity((0, 0, 0))
        self.assertEqual(world.gravity, (0, 0, 0))
        world.remove_solid(wedge)
        jelly = world.add_solid(name="jelly", type="elastic", shape=mn.box(0.1, 0.1, 0.1), position=(0.15, 0.5, 0.2), density=500,
                                young=2e4)
        world.change_solid(jelly, young=5e4, density=800)
        self.assertAlmostEqual(world.solid_view(jelly)["mass"], 800 * 0.1 ** 3, places=6)
        with self.assertRaises(mn.Error):
            world.change_solid(ball, young=5e4)
        world.change_fluid(1, density=1200)
        world.advance(0.07)
        world.remove_solid(jelly)
        self.assertEqual(world.stats["lost_particles"], 0)

    def test_snapshots_and_the_record(self):
        world = pool()
        world.advance(0.02)
        moment = world.save()
        world.push(2, (0.1, 0, 0))
        world.advance(0.04)
        there = world.hash
        world.load(moment)
        self.assertEqual(world.time, 0.02)
        copy = world.copy()
        world.push(2, (0.1, 0, 0))
        world.advance(0.04)
        self.assertEqual(world.hash, there)
        copy.push(2, (0.1, 0, 0))
        copy.advance(0.04)
        self.assertEqual(copy.hash, there)
        record = world.scene_json()
        self.assertEqual(len(json.loads(record)["events"]), 1)
        again = mn.World.parse_scene(record)
        again.advance(0.02)
        again.advance(0.04)
        self.assertEqual(again.hash, there)

    def test_pours_shapes_and_meshes(self):
        world = pool()
        world.prepare()
        first = len(world.ids)
        world.pour_shape(1, mn.cylinder(0.08, 0.1), position=(0.12, 0.4, 0.2))
        second = len(world.ids)
        corners = [(x, y, z) for x in (0, 0.12) for y in (0, 0.12) for z in (0, 0.12)]
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
                 (1, 5, 7), (1, 7, 3)]
        world.pour_mesh(1, mn.mesh(corners, faces), position=(0.45, 0.35, 0.1))
        self.assertTrue(first < second < len(world.ids))

    def test_events(self):
        world = pool()
        world.add_event(0.03, gravity=(0, -5, 0), cuts_step=True)
        world.advance(0.02)
        self.assertAlmostEqual(world.gravity[1], -9.81)
        world.do(gravity=(0, -2, 0), pushes=[dict(solid="ball", impulse=(0.2, 0, 0))],
                 solids=[dict(name="box", type="rigid", shape=mn.box(0.05, 0.05, 0.05), density=300,
                              pose=dict(position=(0.1, 0.6, 0.2)))])
        self.assertAlmostEqual(world.gravity[1], -2)
        self.assertTrue(world.solid("box") > 0 and world.joint("box") == 0)
        self.assertTrue(world.solid_view(world.solid("ball"))["velocity"][0] > 0.05)
        world.advance(0.04)
        self.assertAlmostEqual(world.gravity[1], -5)
        self.assertEqual(len(json.loads(world.scene_json())["events"]), 2)

    def test_elastic_solids_come_later(self):
        world = pool()
        world.advance(0.02)
        cube = world.add_solid(name="cube", type="elastic", shape=mn.box(0.1, 0.1, 0.1), position=(0.1, 0.6, 0.2), density=800,
                               young=1e4)
        world.advance(0.06)
        self.assertTrue(world.solid_view(cube)["velocity"][1] < -0.1)

    def test_calls_back(self):
        world = pool()
        times = []
        world.after_step(lambda w: times.append(w.time))
        world.advance(0.02)
        self.assertTrue(len(times) > 1 and times == sorted(times) and times[-1] == 0.02)
        self.assertFalse(world.advance(0.1, keep_going=lambda: False))

    def test_output(self):
        world = pool()
        world.advance(0.02)
        vertices, triangles = world.surface()
        self.assertTrue(len(triangles) > 100 and triangles.max() < len(vertices))
        picture = world.picture(width=96, height=64)
        self.assertEqual(picture.shape, (64, 96, 3))
        self.assertTrue(picture.std() > 5)
        with tempfile.TemporaryDirectory() as folder:
            world.draw(os.path.join(folder, "a.png"), width=64, height=48)
            world.write_particles(os.path.join(folder, "a.csv"))
            with open(os.path.join(folder, "a.csv")) as table:
                self.assertEqual(len([line for line in table if line[0].isdigit()]), len(world.ids))

    def test_help(self):
        self.assertIn("numpy arrays", mn.__doc__)
        self.assertTrue(all(getattr(mn.World, name).__doc__ for name in dir(mn.World) if not name.startswith("_")))


if __name__ == "__main__":
    unittest.main()
