import locdyn

system = locdyn.System()
system.add_surface("default", friction=0.5)
system.add_obstacle(locdyn.Plane())
box = system.add_body(locdyn.Box((0.4, 0.3, 0.2)), density=700, position=(0, 0, 0.1), velocity=(2, 0, 0))

stepper = locdyn.TimeStepper(system, step=1e-3)
stepper.run(1.0)
slid = system.positions[1, 0]
print(f"slid {slid:.5f} m")  # v²/(2 μ g) = 0.40775
assert abs(slid - 2**2 / (2 * 0.5 * 9.81)) < 1e-5
