# SPDX-License-Identifier: BSD-3-Clause
# What users of the Makefile meet: packages, libraries, changed flags.
# Unsanitized: the Makefile does not depend on how the command is built.
load ../helper

setup() {
    cd "$ROOT" || return
    fake=$BATS_TEST_TMPDIR/bin
    mkdir -p "$fake"
    unset MAKEFLAGS MAKELEVEL
}

# fake NAME BODY: a command of that name before the real one.
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"$fake/$1"
    chmod +x "$fake/$1"
    PATH=$fake:$PATH
}

# with_only NAME... -- COMMAND...: runs the command with a PATH that holds nothing but these.
with_only() {
    while [ "$1" != -- ]; do
        ln -s "$(type -P "$1")" "$fake/$1"
        shift
    done
    shift
    env PATH="$fake" "$@"
}

@test "deps: nothing missing, nothing called" {
    fake dpkg-query 'echo "install ok installed"'
    fake apt-get 'echo apt-get was called; exit 1'
    run -0 make deps deps-test deps-lint
    [ -z "$output" ]
}

@test "deps: a root installs exactly what is missing, without questions" {
    fake dpkg-query 'case $* in *libjansson-dev*) exit 1 ;; esac; echo "install ok installed"'
    fake id 'echo 0'
    fake apt-get 'echo "apt-get $* ($DEBIAN_FRONTEND)" >&2'
    says -0 "apt-get install -y -q --no-install-recommends libjansson-dev (noninteractive)" make deps
}

@test "deps: a failed installation fails, with the end of what apt said" {
    fake dpkg-query 'exit 1'
    fake id 'echo 0'
    fake apt-get 'test "$1" = update || { echo "disk full"; exit 1; }'
    run -2 make deps
    [[ $output == *"disk full"*"apt-get could not install"* ]]
}

@test "deps: while apt works, what it does is printed every few seconds" {
    fake dpkg-query 'case $* in *libjansson-dev*) exit 1 ;; esac; echo "install ok installed"'
    fake id 'echo 0'
    # It works until that is printed.
    export printed=$BATS_TEST_TMPDIR/printed
    fake apt-get 'test "$1" = update && exit
        printf "Unpacking one\nUnpacking two\n"; until grep -q " s: Unpacking two" "$printed"; do sleep 0.1; done'
    timeout 300 make deps >"$printed"
    [[ $(<"$printed") == *"Installing libjansson-dev"*" s: Unpacking two"* ]]
    [[ $(<"$printed") != *"Unpacking one"* ]]
}

@test "deps: who is not root gets the one command and nothing happens" {
    fake dpkg-query 'case $* in *libjansson-dev* | *libdw-dev*) exit 1 ;; esac
        echo "install ok installed"'
    fake id 'echo 1000'
    fake apt-get 'echo apt-get was called'
    run -2 make demo
    [[ $output == *"sudo apt-get install -y --no-install-recommends libjansson-dev libdw-dev"* ]]
    [[ $output != *"was called"* ]]
}

@test "deps: what not every release has is installed where apt knows it" {
    fake dpkg-query 'case $* in *hpcc* | *netpipe*) exit 1 ;; esac; echo "install ok installed"'
    fake apt-get 'echo "apt-get $*" >&2'
    fake apt-cache 'case $* in *hpcc*) exit 0 ;; esac; exit 100'
    fake id 'echo 0'
    run -0 make deps-test
    [[ $output == *"install -y -q --no-install-recommends hpcc"* ]]
    [[ $output != *netpipe* ]]
    fake id 'echo 1000'
    run -0 make deps-test
    [ -z "$output" ]
}

@test "deps: elsewhere than Debian the packages are named" {
    run -2 with_only make sh nproc cat grep id -- make deps
    [[ $output == *"no Debian or Ubuntu"*libotf2-trace-dev*libxml2-dev* ]]
}

@test "a missing library is one sentence that names make deps" {
    run -2 with_only make sh nproc cat grep mkdir cc gcc -- make BUILD="$BATS_TEST_TMPDIR/b" PKG_CONFIG=false
    [[ $output == *"cannot find the library otf2 libxml-2.0 sqlite3"*"run \`make deps\`"* ]]
}

@test "help, clean and dist need no library" {
    says -0 "make demo" make BUILD="$BATS_TEST_TMPDIR/b" PKG_CONFIG=false help clean
}

@test "otf2-config serves where pkg-config does not know OTF2" {
    fake pkg-config 'case "$*" in *otf2*) exit 1 ;; esac; exec /usr/bin/pkg-config "$@"'
    fake otf2-config 'case $1 in --cflags) echo -DFROM_OTF2_CONFIG ;; esac'
    run -0 make -n BUILD="$BATS_TEST_TMPDIR/b" V=1
    [[ $output == *-DFROM_OTF2_CONFIG* ]]
}

@test "changed flags rebuild, unchanged ones do not" {
    object=$BATS_TEST_TMPDIR/b/obj/analyzer/base/error.o
    make BUILD="$BATS_TEST_TMPDIR/b" CFLAGS=-O0 "$object"
    run make BUILD="$BATS_TEST_TMPDIR/b" CFLAGS=-O0 "$object"
    [[ $output != *error.c* ]]
    run make BUILD="$BATS_TEST_TMPDIR/b" CFLAGS=-O1 "$object"
    [[ $output == *error.c* ]]
}

@test "another PREFIX compiles nothing but what names its folders" {
    objects=("$BATS_TEST_TMPDIR"/b/obj/analyzer/base/{error,bundled}.o)
    make BUILD="$BATS_TEST_TMPDIR/b" "${objects[@]}"
    run make BUILD="$BATS_TEST_TMPDIR/b" PREFIX="/opt/a b" "${objects[@]}"
    [[ $output == *bundled.c* && $output != *error.c* ]]
    run make BUILD="$BATS_TEST_TMPDIR/b" PREFIX="/opt/a b" "${objects[@]}"
    [[ $output != *.c* ]]
}

@test "uninstall removes what install made, also below a folder with a blank, and nothing else" {
    built=$BATS_TEST_TMPDIR/b installed=$BATS_TEST_TMPDIR/r
    mkdir -p "$built/man" "$installed/opt/a b/bin"
    local parts=("$BUILD"/pagoda* "$BUILD"/libpagoda-*.so) mpis=()
    if [ ! -e "$BUILD/libpagoda-trace.so" ]; then # built without MPI
        parts=("$BUILD/pagoda") mpis=(MPIS=)
    fi
    cp "${parts[@]}" "$built"
    cp "$BUILD/man/"* "$built/man"
    install=(make -o all "${mpis[@]}" BUILD="$built" PREFIX="/opt/a b" DESTDIR="$installed")
    "${install[@]}" install
    "$installed/opt/a b/bin/pagoda" explain >/dev/null
    "${install[@]}" install # once more
    "${install[@]}" uninstall
    run find "$installed" -mindepth 1
    [ "$output" = "$(printf '%s\n' "$installed/opt" "$installed/opt/a b" "$installed/opt/a b/bin")" ]
}

@test "an MPI that is installed after the first build gets its functions into the dispatcher" {
    command -v mpicc.openmpi mpicc.mpich >/dev/null || skip "one MPI only"
    library=$BATS_TEST_TMPDIR/b/libpagoda-trace.so
    make BUILD="$BATS_TEST_TMPDIR/b" MPIS=openmpi "$library"
    [ "$(nm -D "$library" | grep -c ' MPI_Isend_c$')" = 0 ]
    make BUILD="$BATS_TEST_TMPDIR/b" MPIS='openmpi mpich' "$library"
    [ "$(nm -D "$library" | grep -c ' MPI_Isend_c$')" = 1 ]
    run make BUILD="$BATS_TEST_TMPDIR/b" MPIS='openmpi mpich' "$library"
    [[ $output != *LINK* ]]
}

@test "no object is deleted after its use, and a missing one is made again" {
    local built=$BATS_TEST_TMPDIR/b object
    mkdir "$built"
    # Objects with sanitizers do not link without the sanitizers' flags.
    grep -q -e -fsanitize "$BUILD/flags" || cp -a "$BUILD/obj" "$BUILD/flags" "$built"
    rm -f "$built"/obj/tests/tools/{mktrace,lib/text_trace}.o
    make -j2 -o "$built/flags" BUILD="$built" CFLAGS=-O0 "$built/tools/mktrace"
    for object in mktrace lib/text_trace; do
        [ -e "$built/obj/tests/tools/$object.o" ]
    done
    rm "$built/obj/tests/tools/mktrace.o"
    run make -o "$built/flags" BUILD="$built" CFLAGS=-O0 "$built/tools/mktrace"
    [[ $output == *mktrace.c*LINK* ]]
}

@test "check-run: a tool that is not installed is named before any test runs" {
    run -1 with_only env bash dirname nproc mkdir rm awk bats jq otf2-print python3 sqlite3 xmllint -- \
        env BUILD="$BATS_TEST_TMPDIR/b" bash tests/run tests/cli/main.bats
    [ "$output" = "tests/run: the tests need mandoc patch pgrep: \`make deps-test\` installs their packages" ]
}

@test "packages: what is built from is what make deps installs, in one version" {
    version=$(sed -n 's/^VERSION = //p' Makefile)
    [ "$(sed -n '1s/^pagoda (\(.*\)) .*/\1/p' packaging/debian/changelog)" = "$version" ]
    recipe=packaging/spack/spack_repo/pagoda/packages/pagoda/package.py
    grep -qF "version(\"$version\")" "$recipe"
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe"
    fake dpkg-query 'exit 1'
    fake id 'echo 1'
    installed=$(make deps 2>&1 | sed -n 's/.*--no-install-recommends //p' | tr -s ' ' '\n' | sort)
    for package in $installed; do
        case $package in gcc | make | libc6-dev) continue ;; esac # of every build machine
        grep -qE "^ $package,?\$" packaging/debian/control || { echo "no $package" >&2 && return 1; }
    done
}

# Spack itself is in no package here: its directives are recorded by stand-ins, its Makefile targets by a dry run.
@test "packages: Spack's recipe loads, names each library that make deps installs, and builds what the Makefile has" {
    stand_ins="$BATS_TEST_TMPDIR/spack" recipe="$BATS_TEST_TMPDIR/recipe.out"
    mkdir -p "$stand_ins/spack" "$stand_ins/spack_repo/builtin/build_systems"
    printf 'class MakefilePackage:\n    prefix = "/opt/pagoda"\n' >"$stand_ins/spack_repo/builtin/build_systems/makefile.py"
    printf 'needed = []\ndef depends_on(spec, **how): needed.append(spec.split("@")[0])\ndef license(name): pass\ndef version(*what, **how): pass\n' \
        >"$stand_ins/spack/package.py"
    PYTHONPATH="$stand_ins:packaging/spack/spack_repo/pagoda/packages/pagoda" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import package, spack.package
recipe = package.Pagoda()
print(*spack.package.needed)
print(*recipe.build_targets, "|", *recipe.install_targets)' >"$recipe"
    cat "$recipe"
    while read -r debian spack; do
        grep -q "^ $debian,\?$" packaging/debian/control
        head -1 "$recipe" | grep -qw -- "$spack" || { echo "no $spack" >&2 && return 1; }
    done <<<"pkg-config pkgconfig
libotf2-trace-dev otf2
libxml2-dev libxml2
libsqlite3-dev sqlite
libjansson-dev jansson
libdw-dev elfutils
libmuparser-dev muparser
libgsl-dev gsl
libhwloc-dev hwloc
libmetis-dev metis
zlib1g-dev zlib-api
libprotobuf-c-dev protobuf-c
libopenmpi-dev mpi"
    # As many libraries as Debian's package has; three of those are programs of one of these, or another MPI.
    [ "$(grep -cE '^ (lib.*-dev|zlib1g-dev)' packaging/debian/control)" = "$(($(head -1 "$recipe" | wc -w) - 2 + 1))" ]
    read -ra targets < <(sed -n '2s/ |.*//p' "$recipe")
    make -n "${targets[@]}" >/dev/null
}

@test "installed: pkg-config finds the annotations, module files name the folders" {
    prefix="$BATS_TEST_TMPDIR/a b"
    make PREFIX="$prefix" BUILD="$BATS_TEST_TMPDIR/build" "$BATS_TEST_TMPDIR/build/pagoda.pc" \
        "$BATS_TEST_TMPDIR/build/modulefile/0.1.0" >/dev/null
    mkdir -p "$prefix/include"
    cp tracer/pagoda.h "$prefix/include"
    printf '#include <pagoda.h>\nint main(void) { pagoda_region_begin("a"); pagoda_region_end("a"); }\n' \
        >"$BATS_TEST_TMPDIR/main.c"
    flags=$(PKG_CONFIG_PATH="$BATS_TEST_TMPDIR/build" pkg-config --cflags pagoda)
    eval "cc $flags -o '$BATS_TEST_TMPDIR/main' '$BATS_TEST_TMPDIR/main.c'"
    "$BATS_TEST_TMPDIR/main"
    grep -qF "prepend-path PATH            \"$prefix/bin\"" "$BATS_TEST_TMPDIR/build/modulefile/0.1.0"
}
