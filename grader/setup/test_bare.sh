#!/usr/bin/env bash
# `make test-bare`: the tests on a machine that has nothing. Makes a bare root of the distribution with mmdebstrap,
# clones the last commit into it and runs `make test` there.
#
#   test_bare.sh [COMMAND...]     default: make test
#   test_bare.sh --image          the commands of the Containerfile
#
# Needs root, mmdebstrap, a network, about 8 GB of disk. The root lies in build/bare/root and is made afresh each
# time. It has make, git, python3 and certificates, no CUDA Toolkit. bubblewrap cannot start in it, as a chroot may
# not create namespaces: tests about it are skipped, and the sandbox is Landlock's. Exit code: that of the command; 5 where something is missing here.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${SUITE:-bookworm}
bare=$PWD/build/bare
root=$bare/root

say() { printf '  BARE    %s\n' "$*"; }
fail() { printf 'test-bare: %s\n' "$*" >&2; exit 5; }

[ "$(id -u)" = 0 ] || fail "making a root file system needs root. Type: sudo make test-bare"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing. Type: apt-get install mmdebstrap"

unmount() { mountpoint -q "$root/proc" && umount "$root/proc"; mountpoint -q "$root/dev" && umount -l "$root/dev"; true; }
trap unmount EXIT
unmount
rm -rf "$bare"
mkdir -p "$bare"

say "$suite with make, git, python3 and certificates into build/bare/root"
# The packages come from where this machine gets its own.
mirrors=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do
  [ ! -s "$file" ] || mirrors+=("$file")
done
mmdebstrap --variant=minbase --include=make,git,python3,ca-certificates "$suite" "$root" "${mirrors[@]}" \
  >"$bare/mmdebstrap.log" 2>&1 || fail "mmdebstrap failed: see build/bare/mmdebstrap.log"

# What makes the network of this machine work: its resolver, certificates, and settings of pip.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  [ ! -e "$file" ] || install -D -m 644 "$(readlink -f "$file")" "$root$file"
done
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"

commit=$(git rev-parse --short HEAD)
checkout=/srv/warpgrade-$commit
git clone -q . "$root$checkout"
[ -z "$(git status --porcelain)" ] || say "changes that are not committed are left out"
commands=${*:-make test}
[ "$commands" != --image ] || commands=$(python3 grader/setup/containerfile.py)
say "$commit: $commands"
settings=()
for name in CI PIP_CERT PIP_INDEX_URL SSL_CERT_FILE https_proxy http_proxy no_proxy; do
  [ -z "${!name:-}" ] || settings+=("$name=${!name}")
done
begun=$SECONDS
status=0
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "${settings[@]}" \
  chroot "$root" /bin/bash -c "cd $checkout && $commands" || status=$?
say "exit code $status after $(((SECONDS - begun) / 60)) min $(((SECONDS - begun) % 60)) s"
exit $status
