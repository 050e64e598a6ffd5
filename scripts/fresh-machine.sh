#!/usr/bin/env bash
# Runs commands where only `make deps` has installed anything: in a new Debian root with
# HEAD checked out, and ../shared beside it if it is here. Needs root.
# Usage: scripts/fresh-machine.sh [COMMAND...]   (make deps and make check by default)
# Exits 75 where no root can be made, and otherwise as the command that failed.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "fresh-machine: $*" >&2; exit 75; }
[ "$(id -u)" -eq 0 ] || fail "needs root"
command -v debootstrap >/dev/null ||
  { apt-get update -qq && apt-get install -y -qq debootstrap; } >/dev/null || fail "cannot install debootstrap"
[ $# -gt 0 ] || set -- 'make deps' 'make check'

root=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-XXXXXX") # a build and its packages take 6 GB
clean() {
  for mounted in shared dev sys proc; do
    mountpoint -q "$root/$mounted" && umount --recursive --lazy "$root/$mounted"
  done
  rm -rf --one-file-system "$root"
}
trap clean EXIT

# The mirrors, proxies and certificates are the machine's; nothing else of it is seen.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  sed -nE 's,^(deb|URIs:) +(https?://[^ ]+/debian/?)( .*)?$,\2,p' | sed 1q) || true
debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$root" ${mirror:-} >"$root.log" ||
  { tail -n 20 "$root.log" >&2; fail "cannot make a root with debootstrap"; }
rm "$root.log"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources \
    /etc/apt/apt.conf.d/99* /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/resolv.conf /etc/hosts; do
  [ -e "$file" ] && install -D -m 644 "$file" "$root$file"
done
echo 'Acquire::Retries "3";' >"$root/etc/apt/apt.conf.d/80retries"
mount -t proc proc "$root/proc" || fail "cannot mount"
mount -t sysfs -o ro sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
git clone --quiet . "$root/norm-mlir"
if [ -d ../shared ]; then
  mkdir "$root/shared"
  mount --bind -o ro ../shared "$root/shared"
fi

for command; do
  began=$SECONDS
  echo "fresh-machine: $command"
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    chroot "$root" bash -c "cd /norm-mlir && $command"
  echo "fresh-machine: $command: $((SECONDS - began)) s"
done
