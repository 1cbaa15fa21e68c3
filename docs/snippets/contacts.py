import locdyn

system = locdyn.System()
system.add_surface("default", friction=0.5)
floor = system.add_obstacle(locdyn.Plane(), name="floor")
table = system.add_body(locdyn.Box((1, 1, 1)), position=(0, 0, 0.5), name="table")
vase = system.add_body(locdyn.Cylinder(0.1, 0.4), position=(0, 0, 1.2), name="vase")
stepper = locdyn.TimeStepper(system)
events = locdyn.contact_events(stepper)
stepper.step()

contacts = stepper.contacts  # a structured array: point, frame, gap, reaction, velocity, force, state, ...
print(contacts["point"], contacts["reaction"][:, 2])
print([(system.name(e.first), e.change, system.name(e.second)) for e in events.update()])

weight = system.mass(vase) * 9.81
assert abs(stepper.force_on(vase, of=[table]).force[2] - weight) < 1e-3 * weight
