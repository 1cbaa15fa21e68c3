import locdyn

system = locdyn.System()
system.add_surface("default", friction=0.5)
floor = system.add_obstacle(locdyn.Plane(), name="floor")
block = system.add_body(locdyn.Box((1, 1, 1)), position=(0, 0, 0.5), name="block")
stepper = locdyn.TimeStepper(system, least_norm=True)
stepper.step()

corners = stepper.unique_contacts()
assert len(corners) == 4 and not any(corner.normal for corner in corners)  # four corners: any solver's choice
assert stepper.unique_force_on(block).force  # what the floor does to the block is none

share = system.mass(block) * 9.81 / 4
assert all(abs(R - share) < 1e-6 * share for R in stepper.contacts["reaction"][:, 2])  # of least norm: equal shares
