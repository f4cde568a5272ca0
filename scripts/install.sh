#!/usr/bin/env bash
# `install.sh install PROGRAM` puts the program, its man pages and its completions under
# $DESTDIR$PREFIX; `install.sh uninstall` takes away what that put there, and nothing else: files
# that were written and folders that were made are listed in share/aesmith/installed.
set -euo pipefail

PREFIX=${PREFIX:-$HOME/.local}
root=${DESTDIR:-}$PREFIX
list=$root/share/aesmith/installed

case $PREFIX in
/*) ;;
*)
    printf 'PREFIX must be an absolute path, and is %s\n' "$PREFIX" >&2
    exit 2
    ;;
esac

# Names in the list are relative to the root, so that a tree that DESTDIR made can be moved.
uninstall() {
    [ -e "$list" ] || return 0
    local kind name
    tac "$list" | while read -r kind name; do
        case $kind in
        file) rm -f "$root/$name" ;;
        folder) rmdir "$root/$name" 2>/dev/null || true ;;
        esac
    done
}

made=()

# Makes a folder under the root and those above it, and notes each that was not there.
folder() {
    [ -d "$root/$1" ] && return
    case $1 in
    */*) folder "${1%/*}" ;;
    *) mkdir -p "$root" ;;
    esac
    mkdir "$root/$1"
    made+=("folder $1")
}

# put FILE NAME MODE
put() {
    folder "${2%/*}"
    install -m "$3" "$1" "$root/$2"
    made+=("file $2")
}

put_all() {
    local program=$1 from page
    from=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$from'" EXIT
    "$program" man "$from/man" >/dev/null
    for shell in bash zsh fish; do
        "$program" completions "$shell" >"$from/$shell"
    done
    # First the list, so that its folder is the last to go.
    folder share/aesmith
    made+=("file share/aesmith/installed")
    put "$program" bin/aesmith 755
    for page in "$from"/man/*.1; do
        put "$page" "share/man/man1/${page##*/}" 644
    done
    put "$from/bash" share/bash-completion/completions/aesmith 644
    put "$from/zsh" share/zsh/site-functions/_aesmith 644
    put "$from/fish" share/fish/vendor_completions.d/aesmith.fish 644
    printf '%s\n' "${made[@]}" >"$list"
}

hints() {
    printf 'installed %s\n' "$root/bin/aesmith"
    # What is staged for a package is not for this user's shell.
    [ -z "${DESTDIR:-}" ] || return 0
    # shellcheck disable=SC2016
    case :$PATH: in
    *:"$PREFIX/bin":*) ;;
    *) printf '%s is not on PATH. Add this line to the start-up file of your shell:\n    export PATH="%s:$PATH"\n' \
        "$PREFIX/bin" "$PREFIX/bin" ;;
    esac
    case $PREFIX in
    /usr | /usr/local) ;;
    *) printf 'zsh finds the completions with this line in ~/.zshrc, before compinit:\n    fpath+=(%s)\n' \
        "$PREFIX/share/zsh/site-functions" ;;
    esac
}

case ${1:-} in
install)
    program=${2:?say which program is to be installed}
    # An older version may have had other files.
    uninstall
    put_all "$program"
    hints
    ;;
uninstall)
    if [ -e "$list" ]; then
        uninstall
        printf 'removed what was installed under %s\n' "$root"
    else
        printf 'nothing is installed under %s: there is no %s\n' "$root" "$list"
    fi
    ;;
*)
    printf 'usage: install.sh install PROGRAM | uninstall, with PREFIX and DESTDIR\n' >&2
    exit 2
    ;;
esac
