# SPDX-License-Identifier: MIT
# A dam break, cell by cell (editors that know notebooks show the cells; python3 dam_break.py runs them all).
# It leaves front.png, a plot of the water's front against time, and dam.png, a picture.

# %% A tank, and a column of water in its left quarter
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import meniscus as mn
import numpy

folder = sys.argv[1] if len(sys.argv) > 1 else "."
world = mn.World(dimension=2, particle_radius=0.005)
world.add_solid(name="tank", shape=mn.box(0.8, 0.5), position=(0.4, 0.25), inside=True)
world.add_fluid(name="water", blocks=[dict(max=(0.2, 0.4, 0))])

# %% Run it, and note where the front is
rows = []
for frame in range(31):
    world.advance(frame / 100)
    rows.append((world.time, world.positions[:, 0].max(), world.stats["kinetic_energy"]))
rows = numpy.array(rows)
print(f"{len(world.ids)} particles; the front is at {rows[-1, 1]:.3f} m after {rows[-1, 0]:.2f} s")

# %% Theory of shallow water: the front of a dam of height h runs with 2 sqrt(g h), once it has begun to
speed = numpy.gradient(rows[:, 1], rows[:, 0])
print(f"fastest {speed.max():.2f} m/s, 2 sqrt(g h) = {2 * numpy.sqrt(9.81 * 0.4):.2f} m/s")

# %% Plot it
if shutil.which("gnuplot"):
    data = "\n".join(f"{t} {x}" for t, x, _ in rows)
    picture = os.path.join(folder, "front.png")
    script = f"""set terminal pngcairo size 640,400
set output '{picture}'
set xlabel 'time [s]'
set ylabel 'front [m]'
set key off
plot '-' with linespoints
{data}
e
"""
    subprocess.run(["gnuplot"], input=script.encode(), check=True)
    print(picture)

# %% And look at it
world.draw(os.path.join(folder, "dam.png"), width=640, height=400)
print(os.path.join(folder, "dam.png"))
