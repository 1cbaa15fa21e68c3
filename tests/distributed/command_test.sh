#!/usr/bin/env bash
# locdyn_mpi as its users see it: bad input, a checkpoint on other numbers of ranks, a rank that is killed.
# command_test.sh MPIRUN LOCDYN_MPI
set -uo pipefail
mpirun=$1 program=$2
. "$(dirname "$0")/checks.sh"
run() { # run RANKS ARGUMENTS…: output in $folder/out and $folder/err, status in $status
  timeout 120 "$mpirun" --oversubscribe -n "$1" "$program" "${@:2}" >"$folder/out" 2>"$folder/err"
  status=$?
}
refused() { # refused RANKS WORDS ARGUMENTS…: status 2, one line of ours, with these words
  run "$1" "${@:3}"
  [ "$status" -eq 2 ] || fail "status $status of ${*:3}, expected 2"
  [ "$(grep -c '^locdyn_mpi:' "$folder/err")" -eq 1 ] || fail "expected one line of ${*:3}: $(cat "$folder/err")"
  grep -q "$2" "$folder/err" || fail "expected '$2' of ${*:3}: $(cat "$folder/err")"
}

scene() { # scene FILE HEIGHT: four balls over a floor
  cat >"$1" <<EOF
{"step": 0.01, "duration": 0.2, "solver": {"tolerance": 1e-3, "max_iterations": 20}, "surfaces": {"s": {"friction": 0.5}},
 "bodies": [{"name": "floor", "kind": "obstacle", "surface": "s", "shape": {"type": "plane"}},
  {"name": "a", "surface": "s", "density": 1000, "position": [0, 0, $2], "shape": {"type": "sphere", "radius": 0.1}},
  {"name": "b", "surface": "s", "density": 1000, "position": [0.5, 0, 0.11], "velocity": [-2, 0, 0], "shape": {"type": "sphere", "radius": 0.1}},
  {"name": "c", "surface": "s", "density": 1000, "position": [1, 0, 0.11], "shape": {"type": "sphere", "radius": $3}},
  {"name": "d", "surface": "s", "density": 1000, "position": [1.5, 0, 0.11], "velocity": [-2, 0, 0], "shape": {"type": "sphere", "radius": 0.1}}]}
EOF
}
state_of() { grep -o 'state [0-9a-f]*' "$folder/out"; }
scene "$folder/a.json" 0.11 0.1
scene "$folder/b.json" 0.11 0.11

refused 2 'no_such.json' simulate "$folder/no_such.json"
refused 2 'expected exact or split' solve builtin:stack:4 --mode sideways
refused 2 'expected builtin' solve some_file.hdf5
refused 2 'expected one of' solve builtin:nothing
refused 2 'subcommand'

# Half of the run on two ranks, the rest on one: the bits of the whole run.
run 1 simulate "$folder/a.json" --quiet
whole=$(state_of)
[ -n "$whole" ] || fail "no state: $(cat "$folder/out" "$folder/err")"
run 2 simulate "$folder/a.json" --quiet --time 0.1 -o "$folder/run" --spread-every 3
[ -f "$folder/run/checkpoint.h5" ] && [ -f "$folder/run/trajectory.h5" ] || fail "expected a checkpoint and a trajectory"
run 1 simulate "$folder/a.json" --quiet --restart "$folder/run/checkpoint.h5"
[ "$(state_of)" = "$whole" ] || fail "after the restart: $(state_of), expected $whole"
for ranks in 1 2 3; do # files do not show how many ranks wrote them
  run $ranks simulate "$folder/a.json" --quiet --time 0.1 -o "$folder/run$ranks" --spread-every 3 --every 1
  [ $ranks -gt 1 ] || continue
  for file in trajectory.h5 trajectory.xdmf checkpoint.h5; do
    cmp "$folder/run1/$file" "$folder/run$ranks/$file" || fail "expected the $file of 1 rank, found another of $ranks"
  done
done
refused 2 'system/bodies' simulate "$folder/b.json" --restart "$folder/run/checkpoint.h5"

# Second order, and what else is asked for by name.
refused 2 'expected sweeps, admm or newton' solve builtin:stack:4 --solver interior
refused 2 'expected one of automatic, direct' solve builtin:stack:4 --solver admm --linear qr
refused 2 'expected at least 1' measure lattice:3 --sweeps 0
for linear in direct multigrid; do
  run 2 solve builtin:wall:200 --tol 1e-6 --json --solver admm --linear $linear
  [ "$status" -eq 0 ] || fail "status $status of admm, $linear: $(cat "$folder/out" "$folder/err")"
  grep -q "\"method\":\"$linear\"" "$folder/out" || fail "expected the method $linear: $(cat "$folder/out")"
done
refused 2 'expected at least 0 constraints' simulate "$folder/a.json" --islands -1
run 1 simulate "$folder/a.json" --quiet --islands 50
islands=$(state_of)
[ "$islands" != "$whole" ] || fail "islands: expected another state than that of sweeps, found $islands"
run 2 simulate "$folder/a.json" --quiet --islands 50 --spread-every 3
[ "$(state_of)" = "$islands" ] || fail "islands on two ranks: $(state_of), expected $islands"
run 2 solve builtin:wall:200 --tol 1e-8 --json --solver newton
[ "$status" -eq 0 ] || fail "status $status of newton: $(cat "$folder/out" "$folder/err")"
grep -q '"solver":"newton".*"method":"direct"' "$folder/out" || fail "expected newton by MUMPS: $(cat "$folder/out")"
run 2 measure lattice:4 --sweeps 3
grep -q '"contacts":192,"ranks":2,.*"sweep_processor":[0-9.e-]*[1-9]' "$folder/out" || fail "measure: $(cat "$folder/out")"
run 1 measure lattice:8 --sweeps 3 --threads 2
grep -q '"threads":2,"threads_sweep_wall":[0-9.e-]*[1-9]' "$folder/out" || fail "measure --threads: $(cat "$folder/out")"
refused 2 'expected at least 1, on one rank' measure lattice:4 --threads 2
refused 2 'expected one rank' cut lattice:4
refused 1 'expected at least 2' cut lattice:4 --parts 1
run 1 cut lattice:6 --parts 2,8
[ "$status" -eq 0 ] && [ "$(grep -cE '^ +[28] (hilbert|pt-scotch) +0\.[0-9]+ +1\.[0-9]+ ' "$folder/out")" -eq 4 ] ||
  fail "cut: $(cat "$folder/out" "$folder/err")"
run 1 count lattice:6 --ranks 2,8 --json
[ "$(grep -c '"interior":\[' "$folder/out")" -eq 2 ] || fail "count --json: $(cat "$folder/out")"

# A disk that is full where rank 0, then rank 1 writes: no file there may pass 3 MB. Its line, status 2 of all, and the
# checkpoint of before goes on. (MPI's own files of shared memory would meet the limit, too.)
full=(simulate "$folder/a.json" --time 1e4 --quiet --every 1 -o "$folder/full" --checkpoint 10)
limited=(bash -c 'ulimit -f 3000; exec "$@"' full "$program" "${full[@]}")
for rank in 0 1; do
  rm -rf "$folder/full"
  first=("${limited[@]}") second=("$program" "${full[@]}")
  [ $rank -eq 0 ] || { first=("$program" "${full[@]}") second=("${limited[@]}"); }
  timeout 120 "$mpirun" --oversubscribe --mca btl self,tcp -n 1 "${first[@]}" : -n 1 "${second[@]}" \
    >"$folder/out" 2>"$folder/err"
  [ $? -eq 2 ] || fail "status of a full disk of rank $rank: $(cat "$folder/out" "$folder/err")"
  [ "$(grep -c '^locdyn_mpi:' "$folder/err")" -eq 1 ] || fail "expected one line of a full disk: $(cat "$folder/err")"
  grep -q "full/.*File too large" "$folder/err" || fail "expected the file that has no room: $(cat "$folder/err")"
  run 2 simulate "$folder/a.json" --time 1e4 --quiet --restart "$folder/full/checkpoint.h5" --step 5e3
  [ "$status" -le 1 ] || fail "status $status of the restart after a full disk: $(cat "$folder/err")"
done

# A rank that is killed ends the run, and the last checkpoint goes on.
"$mpirun" --oversubscribe -n 2 "$program" simulate "$folder/a.json" --time 1e4 --quiet -o "$folder/killed" --checkpoint 2 \
  >"$folder/out" 2>"$folder/err" &
running=$!
for _ in $(seq 600); do
  [ -f "$folder/killed/checkpoint.h5" ] && break
  sleep 0.1
done
victim=$(pgrep -P "$running" | tail -1)
kill -9 "$victim"
began=$SECONDS
wait "$running"
[ $? -ne 0 ] || fail "status 0 of a run that lost a rank"
[ $((SECONDS - began)) -le 30 ] || fail "$((SECONDS - began)) s from a lost rank to the end, expected at most 30"
run 1 simulate "$folder/a.json" --time 1e4 --quiet --restart "$folder/killed/checkpoint.h5" --step 5e3
[ "$status" -le 1 ] || fail "status $status of the restart: $(cat "$folder/err")"

[ $failed -eq 0 ] && echo "all passed"
exit $failed
