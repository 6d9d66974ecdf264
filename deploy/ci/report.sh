#!/bin/sh
# report.sh FILE… reports the results of tests by bugslice ci report, with the options in BUGSLICE_CI_OPTIONS, which are
# separated by blanks. BUGSLICE_URL and BUGSLICE_TOKEN name the server and a key with the scopes slices:read and
# slices:write.
#
# When there is no bugslice, it is downloaded from BUGSLICE_RELEASES, the address of a folder with the archives of
# bugslice-cli, in the version BUGSLICE_VERSION. BUGSLICE_SHA256 is the digest of the archive, which is compared before
# anything of it is run. A download that fails does not break the build; a digest that differs does.
set -eu

install() {
    for name in BUGSLICE_RELEASES BUGSLICE_VERSION BUGSLICE_SHA256; do
        eval "value=\${$name:-}"
        if [ -z "$value" ]; then
            echo "report.sh: there is no bugslice in PATH, and $name is not set; nothing is reported" >&2
            exit 0
        fi
    done
    system=$(uname -s | tr '[:upper:]' '[:lower:]')
    machine=$(uname -m)
    case $machine in
    x86_64) machine=amd64 ;;
    aarch64) machine=arm64 ;;
    esac
    name=bugslice-cli_${BUGSLICE_VERSION}_${system}_$machine
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    if ! curl -fsSL --proto '=https,http' --max-time 120 --retry 3 -o "$folder/archive" "${BUGSLICE_RELEASES%/}/$name.tar.gz"; then
        echo "report.sh: $name.tar.gz cannot be downloaded; nothing is reported" >&2
        exit 0
    fi
    if command -v sha256sum >/dev/null; then
        digest=$(sha256sum <"$folder/archive")
    else
        digest=$(shasum -a 256 <"$folder/archive")
    fi
    if [ "${digest%% *}" != "$BUGSLICE_SHA256" ]; then
        echo "report.sh: $name.tar.gz has the digest ${digest%% *}, and not BUGSLICE_SHA256" >&2
        exit 1
    fi
    tar -xzf "$folder/archive" -C "$folder" "$name/bugslice"
    PATH=$folder/$name:$PATH
}

command -v bugslice >/dev/null || install
set -f # patterns are for bugslice
# shellcheck disable=SC2086 # the options are words
bugslice ci report ${BUGSLICE_CI_OPTIONS:-} "$@"
