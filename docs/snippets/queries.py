import numpy as np

import locdyn

system = locdyn.System()
system.add_obstacle(locdyn.Plane(), name="floor")
table = system.add_body(locdyn.Box((1, 1, 0.5)), position=(0, 0, 0.25), name="table")
vase = system.add_body(locdyn.Cylinder(0.1, 0.4), position=(0.2, 0, 0.7), name="vase")

rays = locdyn.RayCaster(system)  # update() after a step
down = np.tile([0.0, 0.0, -1.0], (3, 1))
hits = rays.first([[0.2, 0, 5], [-0.3, 0, 5], [3, 0, 5]], down, threads=2)
assert np.allclose(hits["point"][:, 2], [0.9, 0.5, 0]) and list(hits["body"][:2]) == [int(vase), int(table)]

finder = locdyn.DistanceFinder(system)
finger = locdyn.Sphere(0.05)
near = finder.nearest_to(finger, [[0.6, 0, 0.8]])[0]  # witness points on both, the normal between them
assert np.isclose(near["distance"], 0.25) and np.allclose(near["on_second"], [0.3, 0, 0.8])
assert len(finder.within(finger, (0.2, 0, 0.9), 0)) == 1  # what overlaps it
stop = finder.sweep(finger, [[2, 0, 0.8]], [[-1, 0, 0]])[0]  # how far it may go
assert np.isclose(stop["distance"], 2 - 0.3 - 0.05) and stop["body"] == int(vase)
