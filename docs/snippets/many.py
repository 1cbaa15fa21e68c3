import locdyn

def thrown(speed):
    return locdyn.Scene(
        {"step": 1e-3, "duration": 0.2, "bodies": [
            {"kind": "obstacle", "shape": {"type": "plane"}},
            {"position": [0, 0, 1], "velocity": [speed, 0, 0], "density": 1000, "shape": {"type": "sphere", "radius": 0.1}}]}
    )

runs = locdyn.rollout([thrown(speed) for speed in range(1, 9)], threads=2)  # each has the bits that it has alone
assert [round(run.positions[-1, 1, 0], 9) for run in runs] == [round(0.2 * speed, 9) for speed in range(1, 9)]
