#!/usr/bin/env bash
# From a clone on a bare Debian 12: builds what `./dev build` builds, runs a scene from Python, writes its page. Not a test
# of ctest: it needs root, a mirror, the registry of npm and a quarter of an hour.
#
#   tests/package/bare_clone.sh
#
# Needs mmdebstrap. Prints what each stage did and took; exit status 0 where all of them passed.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tests/package/bare_system.sh"

bare() {
  bare_system
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates" # a proxy's own, where there is one
  inside update-ca-certificates
  inside apt-get update
  inside apt-get install -y --no-install-recommends git
  git clone -q --bare "$here" "$root/origin.git"
}

# In the tree of the clone, with what it has built on the paths.
in_clone() {
  inside env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt PATH=/locdyn/build/release/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH=/locdyn/build/release/python \
    sh -c 'cd /locdyn && "$@"' sh "$@"
}

began=$SECONDS
stage "a bare Debian 12 by mmdebstrap, with git" bare
cloned=$SECONDS
stage "git clone" inside git clone -q /origin.git /locdyn
stage "./dev build" in_clone ./dev build
stage "import locdyn; locdyn.Scene(...).run() and a page" in_clone python3 -c '
import locdyn
run = locdyn.Scene("scenes/dominoes.json").run(time=0.2, out="/run")
print("stepped to", run.times[-1], "s")
locdyn.view("/run", "/run.html")
print("page", __import__("os").path.getsize("/run.html"), "bytes in /run.html")'
shows "stepped to"
shows "/run.html"
printf '%4d s  from clone to page\n' $((SECONDS - cloned))
stage "./dev demo" in_clone ./dev demo
shows "demo.html"
printf '%4d s  in all\n' $((SECONDS - began))
