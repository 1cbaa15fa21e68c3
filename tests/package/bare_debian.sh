#!/usr/bin/env bash
# From the Debian packages on a bare Debian 12: installs them, builds the README's programs in C++ and C, compares the
# solvers, imports the Python package. Not a test of ctest: it needs root, a mirror and minutes.
#
#   ./dev package && tests/package/bare_debian.sh [FOLDER OF PACKAGES]
#
# Needs mmdebstrap. Prints what each stage did and took; exit status 0 where all of them passed.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
packages=$(cd "${1:-$here/build/packages}" && pwd)
. "$here/tests/package/bare_system.sh"

bare() {
  bare_system
  mkdir "$root/packages" "$root/try"
  cp "$packages"/*.deb "$root/packages"
  cp "$here/examples/first_simulation.cpp" "$here/examples/two_blocks.c" "$here/scenes/dominoes.json" "$root/try"
  cat >"$root/try/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(first LANGUAGES CXX)
find_package(locdyn 0.2 REQUIRED)
add_executable(first_simulation first_simulation.cpp)
target_link_libraries(first_simulation PRIVATE locdyn::locdyn)
CMAKE
}

install_all() {
  inside apt-get update
  inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
}

began=$SECONDS
stage "a bare Debian 12 by mmdebstrap" bare
stage "apt install ./*.deb" install_all
inside sh -c 'dpkg-query -W -f="\${Package} \${Version} \${Installed-Size} KiB\n" | grep locdyn'
if inside dpkg-query -W libumfpack5 libcholmod3 libspqr2 >/dev/null 2>&1; then
  echo "expected no part under the GPL, found UMFPACK, CHOLMOD or SPQR" >&2
  exit 1
fi

stage "locdyn compare builtin --max-time 5" inside sh -c 'locdyn compare builtin --max-time 5 || [ $? -eq 1 ]'
shows "spheres"
stage "locdyn simulate dominoes.json" inside locdyn simulate /try/dominoes.json -o /try/out
stage "python3 -c 'import locdyn'" inside python3 -c 'import locdyn; print("Python package", locdyn.__version__)'
shows "Python package"
stage "Python runs a scene" inside python3 -c \
  'import locdyn; print("stepped to", locdyn.Scene("/try/dominoes.json").run(time=0.1).times[-1], "s")'
shows "stepped to"

stage "apt install g++ cmake pkg-config" inside apt-get install -y --no-install-recommends g++ cmake make pkg-config
stage "the README's C++, configured" inside cmake -S /try -B /try/build
stage "the README's C++, compiled" inside cmake --build /try/build
stage "the README's C++, run" inside /try/build/first_simulation
shows "0.40775"
stage "C by pkg-config" inside sh -c \
  'cc -std=c99 -Wall -Werror -o /try/two_blocks /try/two_blocks.c $(pkg-config --cflags --libs locdyn) -lm && /try/two_blocks'
shows "the second at 0.100000 m/s"
printf '%4d s  in all\n' $((SECONDS - began))
