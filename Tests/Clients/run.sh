#!/usr/bin/env bash
# Builds the application of this folder, runs its tests over an archive that the environment names, and looks
# into that archive with the program.
#
#   Tests/Clients/run.sh .build/release/kcarchive
set -euo pipefail

program=$(realpath "${1:?usage: run.sh PROGRAM}")
here=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

export KCARCHIVE_PASSPHRASE="a passphrase for tests"
export KCARCHIVE_KEYCHAIN="$folder/keychain.kcarchive"
export KCARCHIVE_ACCESS_GROUPS="TEAM.org.example.garden,TEAM.org.example.shared"
# The cheapest costs that the format allows: the default ones take a second.
"$program" pack -o "$KCARCHIVE_KEYCHAIN" --kdf-memory 19MiB --kdf-time 2 - < /dev/null 2> /dev/null

swift test --package-path "$here" --scratch-path "$here/../../.build/clients"

found=$("$program" get "$KCARCHIVE_KEYCHAIN" -s "old objects" -a shape | od -An -tx1)
[ "$found" = " 07" ] || { echo "clients: the program finds another value: $found" >&2; exit 1; }
