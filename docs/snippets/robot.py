"""A leg from MJCF hops on a floor: what the reader takes, and what it is told to leave out."""

import pathlib

import locdyn

pathlib.Path("leg.xml").write_text("""
<mujoco>
  <default><joint damping="0.2" armature="0.01"/><geom friction="0.8"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="hip" pos="0 0 1">
      <joint name="up" type="slide" axis="0 0 1"/>
      <geom type="box" size="0.1 0.1 0.05" mass="4"/>
      <body name="thigh" pos="0 0 -0.1">
        <joint name="hip" axis="0 1 0" range="-90 90"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.35" size="0.04" mass="1"/>
        <body name="shin" pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0" range="-150 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.35" size="0.03" mass="0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="hip" joint="hip" kp="300" kv="10"/>
    <position name="knee" joint="knee" kp="300" kv="10"/>
  </actuator>
  <sensor><jointpos joint="knee"/></sensor>
</mujoco>
""")

scene = locdyn.Scene({
    "step": 1e-3,
    "duration": 1,
    "robots": [{
        "name": "leg",
        "mjcf": "leg.xml",
        "leave_out": True,
        "positions": {"hip": 0.5, "knee": -1.0},
        "controls": {"hip": 0.5, "knee": {"times": [0.5, 0.6], "values": [-1.0, -0.5]}},
    }],
})  # fmt: skip
print(scene.left_out())  # ['./leg.xml: line 23, <sensor>']
run = scene.run()
hip = run.names.index("leg/hip")
print(f"the hip ends {run.positions[-1, hip, 2]:.2f} m above the floor")
assert run.unsolved == 0 and 0.6 < run.positions[-1, hip, 2] < 0.9
