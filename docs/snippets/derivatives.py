import locdyn

# A ball that slides on a plane, 0.1 mm deep in it so that its contact is strictly closed.
system = locdyn.System(gravity=(0, 0, -10))
system.add_surface("ice", friction=0.2)
system.add_obstacle(locdyn.Plane(), surface="ice")
ball = system.add_body(locdyn.Sphere(0.1), position=(0, 0, 0.0999), velocity=(2, 0, 0), surface="ice")
stepper = locdyn.TimeStepper(system, step=0.01, tolerance=1e-12, correction="none", sleep=False)

step = locdyn.differentiate_step(stepper)
assert step.not_strict == []
by = step.adjoint(u=[0, 0, 0, 1, 0, 0])  # of its velocity along x, which is 2 - mu g h
print(by["friction"])  # by pair of surfaces: default with itself, ice with default, ice with itself
assert abs(by["friction"][2] + 10 * 0.01) < 1e-9
