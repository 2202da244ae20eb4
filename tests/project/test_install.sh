# The library as somebody else meets it: installed in a folder of its own, moved, found by pkg-config (shared and static), by
# CMake and by C++; the program is the one that docs/library.md prints.
. "$(dirname "$0")/lib.sh"
make_scratch
program=$source_dir/examples/first.c

# the text of the docs is the program
docs=$(awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source_dir/docs/library.md")
[ "$docs" = "$(grep -v SPDX "$program")" ] || fail "the first C block of docs/library.md is not examples/first.c:
$(diff <(echo "$docs") <(grep -v SPDX "$program"))"

"$cmake" --install "$build_dir" --prefix "$scratch/first" >"$scratch/install.log" || fail "cmake --install: $(cat "$scratch/install.log")"
mv "$scratch/first" "$scratch/installed" # nothing in it may remember where it was put
prefix=$scratch/installed
pc=$(find "$prefix" -name meniscus.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
# no -pthread left out, no -I/usr/include: words are split on purpose
flags() { pkg-config "$@" meniscus; }

try()
{
    name=$1
    shift
    if ! "$@" >"$scratch/log" 2>&1; then
        fail "$name: $* says: $(cat "$scratch/log")"
        return
    fi
    if ! LD_LIBRARY_PATH=$libdir "$scratch/$name" >"$scratch/$name.out" 2>&1; then
        fail "$name does not run: $(cat "$scratch/$name.out")"
    elif ! grep -qE '[0-9]+ particles' "$scratch/$name.out"; then
        fail "$name prints: $(cat "$scratch/$name.out")"
    fi
}

# what comes with the command: its manual names every command, and bash completes its words
manual=$(find "$prefix" -name meniscus.1)
for command in $("$prefix/bin/meniscus" help | awk '/^  [a-z]/ { print $1 }'); do
    grep -qx ".SS $command" "$manual" || fail "the manual page does not tell of $command"
done
grep -q -e '--resume ' "$manual" || fail "the manual page does not tell of run's options"
completed=$(PATH=$prefix/bin:$PATH bash -c '. "$0"; COMP_WORDS=(meniscus re); COMP_CWORD=1; _meniscus; echo "${COMPREPLY[@]}"
    COMP_WORDS=(meniscus run --res); COMP_CWORD=2; _meniscus; echo "${COMPREPLY[@]}"' "$prefix/share/bash-completion/completions/meniscus")
[ "$completed" = "render
--resume" ] || fail "completed to: $completed"
"$prefix/bin/meniscus" --version | grep -q "^built with " || fail "--version tells nothing of the build"

# the Python package finds the library and the headers that it was installed with
python=
for candidate in /usr/bin/python3 python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import cffi, numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -n "$python" ]; then
    told=$(cd "$scratch" && env -u MENISCUS_LIBRARY -u MENISCUS_INCLUDE PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$prefix/lib/python3/dist-packages" \
        "$python" -c 'import meniscus, meniscus._library as l; meniscus.World(particle_radius=0.1); print(l.find_library())' 2>&1)
    case $told in "$prefix"/*/libmeniscus.so*) ;; *) fail "the installed Python package says: $told" ;; esac
fi
for file in share/doc/meniscus/copyright share/doc/meniscus/CITATION.cff share/meniscus/blender/meniscus_io.py; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done

strict="-std=c11 -Wall -Wextra -Wpedantic -Werror"
try shared "$c_compiler" $strict -o "$scratch/shared" "$program" $(flags --cflags --libs)
static=$(flags --cflags --libs --static)
try static "$c_compiler" $strict -o "$scratch/static" "$program" ${static/-lmeniscus/-l:libmeniscus.a}
if [ -x "$scratch/static" ] && ldd "$scratch/static" | grep -q libmeniscus; then
    fail "the static program wants libmeniscus.so"
fi
if [ -x "$scratch/shared" ] && ! ldd "$scratch/shared" | grep -qE 'libmeniscus\.so\.[0-9]+\.[0-9]+ '; then
    fail "the shared program does not name a version of libmeniscus.so: $(ldd "$scratch/shared" | grep meniscus)"
fi

# CMake, both targets
mkdir "$scratch/consumer"
cat >"$scratch/consumer/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES C)
find_package(meniscus $(flags --modversion) REQUIRED)
foreach(kind meniscus meniscus_static)
  add_executable(cmake_\${kind} $program)
  target_link_libraries(cmake_\${kind} PRIVATE meniscus::\${kind})
  set_target_properties(cmake_\${kind} PROPERTIES RUNTIME_OUTPUT_DIRECTORY $scratch)
endforeach()
EOF
if "$cmake" -S "$scratch/consumer" -B "$scratch/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$c_compiler" \
    >"$scratch/log" 2>&1; then
    try cmake_meniscus "$cmake" --build "$scratch/consumer/build"
    try cmake_meniscus_static true
else
    fail "find_package(meniscus): $(cat "$scratch/log")"
fi

# C++ may include the headers and link
if command -v c++ >/dev/null; then
    printf '%s\n' '#include <meniscus/meniscus.h>' '#include <cstdio>' \
        'int main() { mn_WorldDef def = mn_default_world_def(); std::printf("0 particles of %g m, %s\n", def.particle_radius, mn_version()); }' >"$scratch/plus.cpp"
    try plus c++ -Wall -Wextra -Werror -o "$scratch/plus" "$scratch/plus.cpp" $(flags --cflags --libs)
fi

# each public header stands alone
for header in "$prefix"/include/meniscus/*.h; do
    echo "#include <meniscus/${header##*/}>" | "$c_compiler" $strict -fsyntax-only -x c -I"$prefix/include" - 2>"$scratch/log" ||
        fail "${header##*/} does not stand alone: $(cat "$scratch/log")"
done
finish
