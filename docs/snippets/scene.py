import locdyn

scene = locdyn.Scene(
    {
        "title": "a tower of three boxes",
        "step": 1e-3,
        "duration": 0.5,
        "surfaces": {"default": {"friction": 0.6}},
        "bodies": [
            {"kind": "obstacle", "shape": {"type": "plane"}},
            *({"name": f"box {i}", "position": [0, 0, 0.5 + i], "shape": {"type": "box", "size": [1, 1, 1]}, "density": 500}
              for i in range(3)),
        ],
    }
)
run = scene.run()
print(run, run.positions[-1, :, 2])
assert run.unsolved == 0 and abs(run.positions[-1, 3, 2] - 2.5) < 1e-6

scene.data["bodies"][1]["velocity"] = [3, 0, 0]  # edit it, run it again
assert scene.run().positions[-1, 1, 0] > 0.1
