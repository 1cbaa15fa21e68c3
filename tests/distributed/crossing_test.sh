#!/usr/bin/env bash
# Six scenes whose bodies cross borders, one of them with joints, spread anew every third step: on 1, 2, 3 and 4 ranks the same contacts, R,
# velocities, residual, sweeps, energy and momentum in every step, to the last bit.
# crossing_test.sh MPIRUN LOCDYN_MPI SCENES STEPS [BEFORE]: from a checkpoint of one rank after BEFORE steps, in which what
# falls comes down. ./dev test mpi crossings runs 200 steps from the start.
set -uo pipefail
mpirun=$1 program=$2 scenes=$3 steps=$4 before=${5:-0}
. "$(dirname "$0")/checks.sh"

for scene in moving/bin moving/skittles moving/hopper moving/rubble moving/pile moving/wrecking_ball; do
  step=$(sed -n 's/^ *"step": *\([0-9.e-]*\),.*/\1/p' "$scenes/$scene.json")
  after() { awk "BEGIN {printf \"%.17g\", $1 * $step}"; } # time of so many steps
  run() { # run RANKS STEPS ARGUMENTS…
    timeout 3000 "$mpirun" --oversubscribe -n "$1" "$program" simulate "$scenes/$scene.json" --quiet \
      --time "$(after "$2")" --tol 1e-3 --max-iterations 12 --every 100000 "${@:3}" >"$folder/out" 2>"$folder/err"
  }
  restart=()
  if [ "$before" -gt 0 ]; then
    run 1 "$before" -o "$folder/before" || [ $? -le 1 ] || fail "$scene: $(cat "$folder/err")"
    restart=(--restart "$folder/before/checkpoint.h5")
  fi
  for ranks in 1 2 3 4; do
    run "$ranks" $((before + steps)) --spread-every 3 --trace "$folder/$ranks" "${restart[@]}"
    # 1: some steps did not converge within the twelve sweeps, the same on all.
    [ $? -le 1 ] || fail "$scene on $ranks ranks: $(cat "$folder/err")"
    [ "$(wc -l <"$folder/$ranks")" -eq "$steps" ] ||
      fail "$scene on $ranks ranks: expected $steps steps, found $(wc -l <"$folder/$ranks")"
    cmp "$folder/1" "$folder/$ranks" || fail "$scene: $ranks ranks differ from one, first in: $(
      diff "$folder/1" "$folder/$ranks" | sed -n 2p)"
    crossed=$(sed -n 's/.*, \([0-9]*\) changes of owner.*/\1/p' "$folder/out")
    [ "$ranks" -eq 1 ] || [ "${crossed:-0}" -gt 0 ] || fail "$scene on $ranks ranks: no body changed its owner"
    echo "$scene, $ranks ranks: $steps steps, ${crossed:-no} changes of owner, $(
      tail -1 "$folder/$ranks" | grep -o 'contacts [0-9]*\|sweeps [0-9]*\|reactions [0-9a-f]*\|state [0-9a-f]*' | tr '\n' ' ')"
  done
  # A test of nothing would pass, too.
  grep -q 'contacts [1-9]' "$folder/1" || fail "$scene: no contacts in $steps steps"
done

[ $failed -eq 0 ] && echo "all passed"
exit $failed
