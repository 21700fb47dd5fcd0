#!/bin/sh
# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what posenc needs and this machine lacks: Debian packages, and a Python environment in
# build/venv. Says what it installs; does nothing the second time.
set -eu
cd "$(dirname "$0")/.."

# To build; to test: objects are read with binutils and linked as users do, with cc; lit limits times with psutil;
# the last line is for AArch64.
packages="clang-22 lld-22 liblld-22-dev libmlir-22-dev mlir-22-tools llvm-22-dev zlib1g-dev libzstd-dev cmake ninja-build \
git make libc6-dev python3 python3-venv \
llvm-22-tools libclang-rt-22-dev libomp-22-dev clang-format-22 binutils gcc python3-psutil \
gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"

missing=
for package in $packages; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "setup: installing Debian packages:$missing"
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# The stamp holds the requirements it was made from: a change of them installs again.
venv=build/venv
requirements=utils/requirements.txt
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  echo "setup: installing Python packages into $venv: $(grep -v '^#' "$requirements" | tr '\n' ' ')"
  [ -x "$venv/bin/python" ] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  pwd | sed 's|$|/python|' >"$site/posenc.pth"
  printf '#!/bin/sh\nexec "$(dirname "$0")/python" -m posenc "$@"\n' >"$venv/bin/posenc"
  chmod +x "$venv/bin/posenc"
  cp "$requirements" "$venv/requirements.txt"
fi
