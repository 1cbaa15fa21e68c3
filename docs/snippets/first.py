import numpy as np

import locdyn

# A box of 1 kg on the floor, pushed sideways: one contact, W = 1/m, b = the velocity that it would have.
W = np.eye(3)
R, report = locdyn.solve(W, b=[0.2, 0, -0.981], friction=0.5)
print(report.status, R)  # it sticks: R = (-0.2, 0, 0.981), within the cone
assert report.converged and np.allclose(R, [[-0.2, 0, 0.981]])
