import locdyn

system = locdyn.System()
wheel = system.add_body(locdyn.Box((1, 1, 1)), density=2.0, name="wheel")  # 2 kg, J = 1/3 kg m^2
(hinge, motor, friction) = locdyn.add_joint(
    system, "hinge", [wheel], point=[0, 0, 0], axis=[0, 0, 1],
    speed=3, torque_range=[-0.9, 0.9], friction={"torque": 0.5}, breaks={"force": 25},
)  # fmt: skip
stepper = locdyn.TimeStepper(system, step=1e-3)
stepper.run(0.1)
print(f"turns at {system.angular_velocities[0, 2]:.3f} rad/s, (0.9 - 0.5) N m for 0.1 s over J")
print(f"the hinge carries {system.joint_load(hinge)[0]:.2f} N")

system.add_load(wheel, lambda t: (0, 0, -10))
for broken in stepper.step().broken:
    print(f"broke at {broken.time:.3f} s with {broken.force:.2f} N")
