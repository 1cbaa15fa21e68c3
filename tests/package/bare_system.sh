# A bare Debian 12 in a folder, and stages in it that say what they took; sourced by the scripts beside it. Needs root and
# mmdebstrap. Afterwards: $root, removed at the end; inside, stage, shows.
work=$(mktemp -d)
root=$work/root

unmount() { # nothing is removed while something is mounted in it
  umount -q "$root/proc" || true
  mountpoint -q "$root/proc" || rm -rf --one-file-system "$work"
}
trap unmount EXIT

inside() { # inside COMMAND…: in the bare system
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

stage() { # stage WORDS COMMAND…: says what it took; its output where it fails
  local words=$1 began=$SECONDS
  shift
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "failed: $words" >&2
    exit 1
  fi
  printf '%4d s  %s\n' $((SECONDS - began)) "$words"
}

shows() { # shows WORDS: a line of the last stage
  grep -F -- "$1" "$work/log" || { echo "expected \"$1\", found:" >&2; cat "$work/log" >&2; exit 1; }
}

bare_system() {
  mmdebstrap --variant=minbase --include=ca-certificates bookworm "$root"
  mount -t proc proc "$root/proc"
}
