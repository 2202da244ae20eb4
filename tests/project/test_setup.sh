# tools/setup, with stand-ins for dpkg-query, apt-get, id and sudo: what it installs and what it says in each situation.
. "$(dirname "$0")/lib.sh"
make_scratch
setup=$source_dir/tools/setup
bin=$scratch/bin
mkdir "$bin"
for tool in bash env awk sed grep head tr cat mktemp rm dirname true; do ln -s "$(type -P $tool)" "$bin/$tool"; done

stand_in() { printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$bin/$1" && chmod +x "$bin/$1"; }
# packages in $scratch/have are installed; apt-get install adds to them, unless it is told to fail
stand_in dpkg-query 'pattern=${@: -1}; found=1
while read -r name; do if [[ $name == $pattern ]]; then echo installed; found=0; fi; done <"'"$scratch"'/have"; exit $found'
stand_in apt-get 'echo "apt-get $*" >>"'"$scratch"'/calls"; echo "noise of apt"; [ ! -e "'"$scratch"'/apt-fails" ] || exit 100
for name; do case $name in -*|update|install|*::*) ;; *) echo "$name" >>"'"$scratch"'/have" ;; esac; done'
stand_in apt-cache 'echo "  Depends: clang-14"'
stand_in id 'cat "'"$scratch"'/uid"'
stand_in cc true
stand_in cmake true
stand_in pkg-config true

run()
{
    : >"$scratch/calls"
    status=0
    output=$(PATH=$bin "$bin/bash" "$setup" 2>&1 </dev/null) || status=$?
}
all="build-essential cmake ninja-build pkg-config libjansson-dev libpng-dev libode-dev libembree-dev ffmpeg libsdl2-dev libcmocka-dev python3-cffi python3-numpy xvfb xdotool gnuplot-nox clang libclang-rt-14-dev clang-format"
have() { printf '%s\n' $1 >"$scratch/have"; }

echo 0 >"$scratch/uid"
have "$all"
run
[ "$status:$output:$(cat "$scratch/calls")" = "0::" ] || fail "all there: status $status, says '$output', calls $(cat "$scratch/calls")"

have "build-essential cmake"
run
[ "$status" -eq 0 ] || fail "as root: status $status: $output"
[[ $output == *libpng-dev* && $output != *noise* ]] || fail "as root: should say what it installs, and nothing else: $output"
grep -q 'apt-get.* update' "$scratch/calls" || fail "as root: no update: $(cat "$scratch/calls")"
grep -q 'install.* libclang-rt-14-dev' "$scratch/calls" || fail "as root: the version of clang's runtime: $(cat "$scratch/calls")"
if grep install "$scratch/calls" | grep -q build-essential; then fail "as root: installs what is there"; fi
run
[ "$status:$output" = "0:" ] || fail "the second time it has nothing to do, but: $output"

have "cmake"
touch "$scratch/apt-fails"
run
[[ $status -eq 0 && $output == *noise* && $output == *"going on"* ]] || fail "apt fails: status $status: $output"
rm "$bin/cc"
run
[[ $status -eq 1 && $output == *"cc is missing"* ]] || fail "apt fails and no compiler: status $status: $output"
rm "$scratch/apt-fails"

echo 1000 >"$scratch/uid"
run
[[ $status -eq 1 && $output == *"neither root nor sudo"* && ! -s $scratch/calls ]] || fail "no root, no sudo: status $status: $output"
stand_in sudo '[ "$1" != -n ] || shift; exec "$@"'
run
[[ $status -eq 0 && $output == *"done"* ]] || fail "with sudo: status $status: $output"
stand_in sudo 'exit 1'
stand_in cc true
have ""
run
[[ $status -eq 0 && $output == *"wants a password"* ]] || fail "sudo with a password: status $status: $output"

rm "$bin/apt-get"
run
[[ $status -eq 0 && $output == *"not a Debian"* && $output == *libcmocka-dev* ]] || fail "another system: status $status: $output"
finish
