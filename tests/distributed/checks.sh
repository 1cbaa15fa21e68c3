# A folder that goes at the end, and checks that go on after one has failed; sourced by the scripts beside it. Afterwards:
# $folder, fail, $failed.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}
