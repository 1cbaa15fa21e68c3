import math

import locdyn

along, across, g = 0.02, 0.6, 9.81
system = locdyn.System(gravity=(0.3 * g * math.sqrt(0.5), 0.3 * g * math.sqrt(0.5), -g))  # pulled at 45 degrees
system.add_surface("ice", friction=along, cross_friction=across)
system.add_obstacle(locdyn.Plane(), surface="ice")
skate = system.add_body(locdyn.Box((0.3, 0.3, 0.02)), position=(0, 0, 0.01), surface="ice")
system.set_friction_direction(skate, (1, 0, 0))
stepper = locdyn.TimeStepper(system, step=1e-3, sleep=False)
stepper.run(0.2)

u = system.velocities[skate]
print(u, math.degrees(math.atan2(u[1], u[0])))
assert abs(math.degrees(math.atan2(u[1], u[0])) - 0.712) < 1e-2
