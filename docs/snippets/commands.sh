locdyn solve builtin:arch --tol 1e-8                     # one problem: a file, or a built-in scene
locdyn compare builtin:stack --max-time 5 --solvers auto,nsgs,newton
locdyn simulate arch.json --time 0.1 -o run              # trajectory.h5 for ParaView, energies.csv, checkpoint.h5
locdyn view run -o run.html                              # one page for a browser
